// The viewer in a real browser: node view_test.mjs BRIM CHROMIUM NODE_MODULES SCENES OUT
// Watches a small pool as it runs, steers it, and plays back a run; looks at what was drawn.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [brim, chromium, modules, scenes, out] = process.argv.slice(2);
const {chromium: driver} = createRequire(path.join(modules, 'package.json'))('playwright-core');
rmSync(out, {recursive: true, force: true});
mkdirSync(out, {recursive: true});

let failed = 0;
async function claim(name, check) {
  const start = Date.now();
  try {
    await check();
    console.log(`ok    ${name}  (${Date.now() - start} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}

// The command with a page on it. Ctrl+C must end it cleanly.
async function serve(...words) {
  const child = spawn(brim, ['view', ...words, '--port', '0', '--no-open'], {stdio: ['ignore', 'pipe', 'inherit']});
  const ended = new Promise(done => child.on('exit', (code, signal) => done(signal ?? code)));
  const address = await new Promise((done, fail) => {
    let text = '';
    child.stdout.on('data', data => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found) done(found[0]);
    });
    ended.then(code => fail(new Error(`brim view ended with ${code}`)));
  });
  return {
    address,
    stop: async () => {
      child.kill('SIGINT');
      assert.equal(await ended, 0);
    },
  };
}

const browser = await driver.launch({
  executablePath: chromium,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});

async function open(address, options = {}) {
  const context = await browser.newContext({viewport: {width: 1000, height: 640}, acceptDownloads: true, ...options});
  context.setDefaultTimeout(240000); // a busy machine is no mistake of the page
  const page = await context.newPage();
  page.said = [];
  page.on(
    'console',
    m => ['error', 'warning'].includes(m.type()) && !/GPU stall|software WebGL/.test(m.text()) && page.said.push(m.text()),
  );
  page.on('pageerror', e => page.said.push(String(e)));
  page.on(
    'request',
    r => !/^(blob:|data:)/.test(r.url()) && !r.url().startsWith(address.split('?')[0]) && page.said.push(`asked for ${r.url()}`),
  );
  await page.goto(address);
  await page.waitForFunction(() => window.brimView?.connection.received > 0 && window.brimView.stage.draws > 0);
  return page;
}

// What is on the canvas now: the colours of a grid of points, and how many of them are blue.
const look = page =>
  page.evaluate(() => {
    const {stage} = window.brimView;
    stage.draw();
    const gl = stage.renderer.getContext(),
      {width, height} = stage.canvas,
      data = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, data);
    let blue = 0,
      sum = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 2] > data[i] + 45) blue += 1;
      sum = (sum * 31 + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) % 1000000007;
    }
    return {blue: blue / (width * height), sum};
  });
const status = page => page.evaluate(() => window.brimView.status());
const until = (page, condition, argument) => page.waitForFunction(condition, argument, {polling: 50});

const pool = await serve(path.join(scenes, 'pool.toml'));
const page = await open(pool.address);

await claim('particles are drawn in blue, and move', async () => {
  await until(page, () => window.brimView.status().time > 0.05);
  const first = await look(page);
  assert.ok(first.blue > 0.02, `${first.blue} of the picture is blue`);
  const time = (await status(page)).time;
  await until(page, t => window.brimView.status().time > t + 0.05, time);
  assert.notEqual((await look(page)).sum, first.sum);
  await page.screenshot({path: path.join(out, 'particles.png')});
});

await claim('the water surface is drawn in blue too, and differs', async () => {
  await page.locator('#run').click();
  await until(page, () => window.brimView.status().state === 'paused');
  const particles = await look(page);
  await page.locator('select[title^="How the fluid"]').selectOption('water');
  const water = await look(page);
  assert.ok(water.blue > 0.02, `${water.blue} of the picture is blue`);
  assert.notEqual(water.sum, particles.sum);
  await page.screenshot({path: path.join(out, 'water.png')});
  await page.locator('select[title^="How the fluid"]').selectOption('particles');
});

await claim('pause holds the time, one step moves it by one, and it goes on', async () => {
  const {step} = await status(page);
  await page.waitForTimeout(300);
  assert.equal((await status(page)).step, step);
  await page.locator('#step').click();
  await until(page, s => window.brimView.status().step === s + 1, step);
  await page.keyboard.press('Space');
  await until(page, s => window.brimView.status().step > s + 5, step);
});

await claim('a click counts even when news arrive between press and release', async () => {
  const {x, y, width, height} = await page.locator('#run').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  const before = await page.evaluateHandle(() => window.brimView.status());
  await until(page, b => window.brimView.status() !== b, before);
  await page.mouse.up();
  await until(page, () => window.brimView.status().state === 'paused');
  await page.locator('#run').click();
  await until(page, () => window.brimView.status().state === 'running');
});

await claim('a slider changes its parameter, and every control has its tooltip', async () => {
  const row = page.locator('[data-path="solver.pbf.iterations"]');
  const slider = row.locator('input[type=range]');
  await slider.focus();
  const before = Number(await row.locator('input.number').inputValue());
  await slider.press('ArrowLeft');
  await until(
    page,
    b => Number(document.querySelector('[data-path="solver.pbf.iterations"] input.number').value) === b - 1,
    before,
  );
  await until(page, () => document.querySelector('[data-path="solver.pbf.iterations"] .back').style.visibility !== 'hidden');
  const bare = await page
    .locator('#panel input, #panel select, #panel button, #transport button, #transport select')
    .evaluateAll(all => all.filter(e => !e.title).map(e => e.outerHTML));
  assert.deepEqual(bare, []);
});

await claim('a value that cannot be is told, and the control shows again what holds', async () => {
  const box = page.locator('[data-path="time.cfl"] input.number');
  const before = await box.inputValue();
  await box.fill('-3');
  await box.press('Enter');
  await page.locator('.note.error').first().waitFor();
  await until(page, b => document.querySelector('[data-path="time.cfl"] input.number').value === b, before);
});

await claim('another solver takes over from the present state, with its own parameters', async () => {
  const {time} = await status(page);
  await page.locator('#solver').selectOption('wcsph');
  await page.locator('[data-path^="solver.wcsph."]').first().waitFor();
  assert.equal(await page.locator('[data-path^="solver.pbf."]').count(), 0);
  await until(page, t => window.brimView.status().time > t, time);
});

await claim('colours follow density and pressure, with a bar and units', async () => {
  for (const [by, unit] of [
    ['density', 'kg/m³'],
    ['pressure', 'Pa'],
  ]) {
    await page.locator('select[title^="What colours"]').selectOption(by);
    await until(page, text => document.getElementById('bar').textContent.startsWith(text), `${by} [${unit}]`);
  }
});

await claim('the statistics are plotted', async () => {
  await until(page, () => window.brimView.panel.plots.plots.every(p => p.times.length > 2));
  const inked = await page.locator('canvas.plot').evaluateAll(all =>
    all.map(c =>
      c
        .getContext('2d')
        .getImageData(0, 0, c.width, c.height)
        .data.some(v => v > 0),
    ),
  );
  assert.deepEqual(inked, [true, true, true, true]);
});

await claim('a solid is dragged with the pointer', async () => {
  const place = () => page.evaluate(() => [...window.brimView.stage.poses[0]].slice(9));
  const spot = await page.evaluate(() => {
    const {stage} = window.brimView,
      at = stage.solids[0].position.clone().setFromMatrixPosition(stage.solids[0].matrix).project(stage.camera),
      box = stage.canvas.getBoundingClientRect();
    return [box.left + ((at.x + 1) / 2) * box.width, box.top + ((1 - at.y) / 2) * box.height];
  });
  const before = await place();
  const eye = await page.evaluate(() => window.brimView.stage.camera.position.toArray());
  await page.mouse.move(...spot);
  await page.mouse.down();
  await page.mouse.move(spot[0] - 60, spot[1] - 20, {steps: 4});
  await page.mouse.up();
  await until(page, x => window.brimView.stage.poses[0][9] < x - 0.05, before[0]);
  assert.deepEqual(await page.evaluate(() => window.brimView.stage.camera.position.toArray()), eye); // the view stays
});

await claim('the view turns, zooms and fits', async () => {
  const eye = () => page.evaluate(() => window.brimView.stage.camera.position.toArray());
  const home = await eye();
  await page.mouse.move(200, 150);
  await page.mouse.down();
  await page.mouse.move(260, 170, {steps: 3});
  await page.mouse.up();
  const turned = await eye();
  assert.notDeepEqual(turned, home);
  await page.mouse.wheel(0, 200);
  await until(page, x => window.brimView.stage.camera.position.x !== x, turned[0]);
  await page.getByRole('button', {name: 'Show the whole domain'}).click();
  (await eye()).forEach((x, k) => assert.ok(Math.abs(x - home[k]) < 1e-6));
});

await claim('a screenshot and a film of simulated time are saved', async () => {
  const [picture] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', {name: 'Save the picture'}).click(),
  ]);
  const png = readFileSync(await picture.path());
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.length > 10000, `${png.length} bytes`);
  await page.locator('#record').click();
  const still = await until(page, () => {
    const {state, time} = window.brimView.status();
    return window.brimView.panel.film && state === 'paused' && {time};
  });
  const {time} = await still.jsonValue();
  // Every thirtieth of a simulated second is shown exactly, whatever the machine's pace.
  await page.evaluate(() => {
    window.filmed = [];
    const {stage} = window.brimView,
      setFrame = stage.setFrame.bind(stage);
    stage.setFrame = frame => (window.filmed.push(frame.time), setFrame(frame));
  });
  await until(page, t => window.brimView.status().time > t + 0.09, time);
  const [film] = await Promise.all([page.waitForEvent('download'), page.locator('#record').click()]);
  assert.ok(readFileSync(await film.path()).length > 1000);
  const shown = await page.evaluate(() => window.filmed);
  for (let k = 1; k <= 2; ++k) assert.ok(shown.some(t => Math.abs(t - time - k / 30) < 1e-9), `${time} + ${k}/30: ${shown}`);
});

await claim('the scene is saved with what was changed', async () => {
  const box = page.locator('[data-path="gravity"] input.number').nth(1);
  await box.click();
  await box.fill('');
  await box.pressSequentially('-9,8');
  await box.press('Enter');
  await until(page, () => /gravity = \[0[.0]*, -9\.8,/.test(window.brimView.panel.toml));
  assert.equal(await box.inputValue(), '-9.8');
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Save the scene'}).click()]);
  const saved = path.join(out, 'saved.toml');
  await file.saveAs(saved);
  execFileSync(brim, ['check', saved]);
});

await claim('the arrows go back to what was kept and on from there', async () => {
  const {state, kept} = await status(page);
  if (state === 'running') await page.locator('#run').click();
  await until(page, () => window.brimView.status().state !== 'running');
  assert.ok(kept.length > 2);
  await page.locator('#picture').focus();
  await page.keyboard.press('Home');
  await until(page, () => window.brimView.status().time === 0);
  await page.keyboard.press('ArrowRight');
  await until(page, () => window.brimView.status().time > 0);
  assert.ok((await status(page)).kept.length <= 2, 'another future');
});

await claim('the particle under the pointer tells its value and place, and sizes have a scale', async () => {
  const spot = await page.evaluate(() => {
    // Some particle in the middle of those that are drawn, as the page knows it.
    const {stage} = window.brimView,
      f = stage.frameShown,
      i = Math.floor(f.count / 2);
    const at = [0, 1, 2].map(k => f.low[k] + ((f.places[f.dimension * i + k] ?? 0) / 65535) * f.size[k]);
    const p = stage.camera.position.clone().set(...at).project(stage.camera),
      box = stage.canvas.getBoundingClientRect();
    return [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height];
  });
  await page.mouse.move(...spot);
  await until(page, () => /^pressure .* Pa\nx .* m$/.test(document.getElementById('probe').textContent));
  const bar = await page.evaluate(() => {
    const {scaleBar, camera, canvas} = window.brimView.stage;
    return {...scaleBar, height: canvas.clientHeight, distance: camera.position.distanceTo(window.brimView.stage.controls.target)};
  });
  assert.ok(bar.width > 40 && bar.width <= 110, JSON.stringify(bar));
  // A perspective of 32 degrees.
  const metre = (2 * bar.distance * Math.tan((16 * Math.PI) / 180)) / bar.height;
  assert.ok(Math.abs(bar.length / metre - bar.width) < 0.01 * bar.width, JSON.stringify(bar));
});

await claim('a layer shows less of the fluid, and arrows show velocities', async () => {
  await page.locator('select[title^="What colours"]').selectOption('speed');
  await until(page, () => document.getElementById('bar').textContent.startsWith('speed'));
  const whole = await look(page);
  await page.locator('select[title^="Shows only a layer"]').selectOption('2');
  const layer = await look(page);
  assert.ok(layer.blue < 0.7 * whole.blue, `${layer.blue} of ${whole.blue}`);
  await page.locator('input[aria-label=velocities]').check();
  await until(page, () => window.brimView.stage.arrows.count > 0);
  await page.screenshot({path: path.join(out, 'layer.png')});
  await page.locator('select[title^="Shows only a layer"]').selectOption('-1');
});

await claim('a page that is opened late has the plots from the beginning', async () => {
  await page.locator('#run').click();
  await until(page, () => window.brimView.panel.plots.plots[0].times.length > 5);
  await page.locator('#run').click(); // two pages that draw at once ask much of a machine without a graphics card
  const first = await page.evaluate(() => window.brimView.panel.plots.plots[0].times[0]);
  const late = await open(pool.address);
  await until(late, t => window.brimView.panel.plots.plots[0].times[0] <= t + 1e-9, first);
  await late.context().close();
});

await claim('reset starts anew, and nothing was said on the console', async () => {
  const {time, generation} = await status(page);
  await page.locator('#reset').click();
  await until(page, ([t, g]) => window.brimView.status().time < t && window.brimView.status().generation > g, [time, generation]);
  assert.deepEqual(page.said, []);
});
await page.context().close();
await claim('Ctrl+C ends it', () => pool.stop());

const boat = await serve(path.join(scenes, '../../scenes/paddler.toml'));
await claim('a motor is driven while its slider moves, and stops', async () => {
  const page = await open(boat.address);
  const row = page.locator('#motor-rows .row').first();
  const slider = row.locator('input[type=range]');
  const drives = speed =>
    until(
      page,
      speed => Math.abs(Number(/motor_speed = (\S+)/.exec(window.brimView.panel.toml)?.[1] ?? 0) - speed) < 0.1,
      speed,
    );
  await slider.focus();
  await slider.press('Home'); // full speed astern
  const least = Number(await slider.getAttribute('min'));
  assert.ok(least < 0);
  await drives(least);
  await row.locator('.back').click();
  await drives(0);
  await page.screenshot({path: path.join(out, 'boat.png')});
  assert.deepEqual(page.said, []);
  await page.context().close();
});
await boat.stop();


const folder = path.join(out, 'run');
execFileSync(brim, ['run', path.join(scenes, 'dam.toml'), '--out', folder, '--quiet'], {stdio: ['ignore', 'inherit', 'inherit']});
const run = await serve(folder);

await claim('a folder is played back: 2D, dark, with a bar to wind it and the plots of the run', async () => {
  const page = await open(run.address, {colorScheme: 'dark'});
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.ok((await look(page)).blue > 0.02);
  assert.equal(await page.locator('#scrub').getAttribute('max'), '4');
  const first = await look(page);
  const received = await page.evaluate(() => window.brimView.connection.received);
  await page.locator('#scrub').fill('4');
  await until(page, n => window.brimView.connection.received > n && window.brimView.status().frame === 4, received);
  assert.notEqual((await look(page)).sum, first.sum);
  await until(page, () => window.brimView.panel.plots.plots[0].times.length > 2);
  await page.screenshot({path: path.join(out, 'playback.png')});
  // A tenth of real time: the end of the bar is "finished" too, and each state must last until it is seen.
  await page.locator('select[title^="Simulated time per wall time"]').selectOption('0.1');
  await page.locator('#run').click(); // from the start again, to the end
  await until(page, () => window.brimView.status().state === 'running');
  await until(page, () => window.brimView.status().state === 'finished' && window.brimView.status().frame === 4);
  await page.locator('#picture').focus();
  await page.keyboard.press('ArrowLeft');
  await until(page, () => window.brimView.status().frame === 3);
  await page.keyboard.press('l');
  await until(page, () => window.brimView.status().loop);
  await page.locator('#run').click(); // over the end to the start
  await until(page, () => window.brimView.status().frame === 4);
  await until(page, () => window.brimView.status().frame < 4);
  assert.deepEqual(page.said, []);
  await page.context().close();
});

await claim('light and dark follow the system until one is chosen', async () => {
  const page = await open(run.address, {colorScheme: 'light'});
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  await page.emulateMedia({colorScheme: 'dark'});
  await until(page, () => document.documentElement.dataset.theme === 'dark');
  await page.locator('#theme').click();
  assert.equal(await theme(), 'light');
  await page.reload();
  await page.waitForFunction(() => window.brimView?.stage.draws > 0);
  assert.equal(await theme(), 'light');
  await page.context().close();
});

await claim('on a phone nothing is wider than the screen, and nothing lies over another thing', async () => {
  const page = await open(run.address, {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  const over = await page.evaluate(() => {
    const box = id => document.getElementById(id).getBoundingClientRect();
    const [facts, bar, transport] = ['facts', 'bar', 'transport'].map(box);
    return facts.bottom > bar.top || bar.bottom > transport.top;
  });
  assert.equal(over, false);
  await page.screenshot({path: path.join(out, 'phone.png'), fullPage: true});
  await page.context().close();
});
await claim('Ctrl+C ends the playback', () => run.stop());

await browser.close();
process.exit(failed ? 1 : 0);
