// The report pages in a real browser: node report_test.mjs BRIM CHROMIUM NODE_MODULES SCENE OUT
// Makes a comparison and two sweeps of a small scene, loads their pages from disk and looks at what was drawn.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [brim, chromium, modules, scene, out] = process.argv.slice(2);
const {chromium: driver} = createRequire(path.join(modules, 'package.json'))('playwright-core');
rmSync(out, {recursive: true, force: true});
mkdirSync(out, {recursive: true});

const made = (name, ...words) => {
  execFileSync(brim, [...words, '--out', path.join(out, name), '--quiet'], {stdio: ['ignore', 'inherit', 'inherit']});
  return path.join(out, name);
};
const solvers = execFileSync(brim, ['list', 'solvers'])
  .toString()
  .split('\n')
  .filter(line => /^\w/.test(line))
  .map(l => l.split(' ')[0]);
const pages = {
  compare: made('compare', 'compare', scene, '--solvers', solvers.join(',')),
  curve: made('curve', 'sweep', scene, '--solver', 'pbf', '--vary', 'solver.iterations=1,2,5'),
  // Gravity of 1e9 m/s^2 through a periodic shaft: 1e6 m/s after the first step, so half of these diverge.
  heat: made(
    'heat',
    'sweep',
    scene,
    '--set',
    'domain.boundary=["walls","periodic"]',
    '--set',
    'time.dt=1e-3',
    '--vary',
    'gravity=[0,-9.81],[0,-1e9]',
    '--vary',
    'fluid.viscosity=0.001,0.1,1',
  ),
};

const browser = await driver.launch({executablePath: chromium, args: ['--no-sandbox', '--use-angle=swiftshader']});
let failed = 0;

async function claim(name, check) {
  try {
    await check();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n${error.stack}`);
  }
}

async function open(folder, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  context.setDefaultTimeout(180000); // a busy machine is no mistake of the page
  const page = await context.newPage();
  page.said = [];
  page.on('console', m => {
    if (['error', 'warning'].includes(m.type())) page.said.push(m.text());
  });
  page.on('pageerror', e => page.said.push(String(e)));
  page.on('request', r => {
    if (!/^(file|data):/.test(r.url())) page.said.push(`asked for ${r.url()}`);
  });
  await page.goto(`file://${path.resolve(folder)}/report.html`);
  await page.evaluate(() => window.brimReport.drawAll());
  return page;
}

// What each plot holds: [name, series with at least one finite value, series].
const plots = page =>
  page.evaluate(() =>
    window.brimReport.items.map(i => {
      const series = i.plot.getOption().series;
      const finite = s =>
        s.data.some(d => {
          const v = d.value ?? d;
          return Number.isFinite(v[v.length - 1]);
        });
      return {
        name: i.chart.name,
        full: series.filter(s => s.name !== 'below the axis' && finite(s)).map(s => s.name),
        paths: i.element.querySelectorAll('svg path').length,
      };
    }),
  );

for (const [name, folder] of Object.entries(pages)) {
  for (const colorScheme of name === 'curve' ? ['light'] : ['light', 'dark']) {
    await claim(`${name}, ${colorScheme}: loads from disk without a word on the console and without the network`, async () => {
      const page = await open(folder, {colorScheme});
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
      await page.screenshot({path: path.join(out, `${name}_${colorScheme}.png`), fullPage: true});
      assert.deepEqual(page.said, []);
      await page.context().close();
    });
  }
  await claim(`${name}: on a phone nothing is wider than the screen`, async () => {
    const page = await open(folder, {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true});
    await page.screenshot({path: path.join(out, `${name}_phone.png`), fullPage: true});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    assert.deepEqual(page.said, []);
    await page.context().close();
  });
  await claim(`${name}: every plot is also an SVG file, and every run has a row in the table and in report.csv`, async () => {
    const page = await open(folder);
    const names = (await plots(page)).map(p => p.name);
    const files = readdirSync(path.join(folder, 'plots')).filter(f => f.endsWith('.svg')).map(f => f.slice(0, -4));
    for (const n of names) assert.ok(files.includes(n), n);
    for (const f of files) {
      const text = readFileSync(path.join(folder, 'plots', `${f}.svg`), 'utf8');
      const wrong = await page.evaluate(
        t => new DOMParser().parseFromString(t, 'image/svg+xml').querySelector('parsererror')?.textContent ?? '',
        text,
      );
      assert.equal(wrong, '', f);
    }
    const runs = await page.evaluate(() => window.brimReport.data.runs.length);
    assert.equal(await page.locator('table.runs tbody tr').count(), runs);
    assert.equal(readFileSync(path.join(folder, 'report.csv'), 'utf8').trim().split('\n').length, runs + 1);
    await page.context().close();
  });
}

await claim('compare: each plot over time has a curve with data for every solver, and each solver its pictures', async () => {
  const page = await open(pages.compare);
  const all = await plots(page);
  for (const q of [
    'density_error_mean',
    'density_error_max',
    'volume_ratio',
    'kinetic_energy',
    'potential_energy',
    'total_energy',
    'dt',
    'iterations',
    'cost',
  ]) {
    const plot = all.find(p => p.name === `time_${q}`);
    assert.ok(plot, q);
    assert.deepEqual([...new Set(plot.full)], solvers, q);
    // Grid solvers have a second measure of the volume in the same plot.
    for (const grid of ['flip', 'apic'])
      assert.equal(plot.full.filter(s => s === grid).length, q === 'volume_ratio' ? 2 : 1, `${q}, ${grid}`);
    assert.ok(plot.paths > solvers.length, q);
  }
  const sizes = await page.locator('figure img').evaluateAll(all => all.map(i => (i.complete ? i.naturalWidth : 0)));
  assert.equal(sizes.length, solvers.length);
  assert.ok(
    sizes.every(w => w > 600),
    sizes.join(),
  );
  for (const s of solvers) assert.ok(existsSync(path.join(pages.compare, s, 'strip.png')), s);
  await page.context().close();
});

await claim('on paper: every plot in every form, the whole table, and nothing wider than the paper', async () => {
  for (const name of ['compare', 'heat']) {
    const page = await open(pages[name], {colorScheme: 'dark'});
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const seen = await page.evaluate(() => {
      const table = document.querySelector('.table'),
        main = document.querySelector('main').getBoundingClientRect();
      return {
        theme: document.documentElement.dataset.theme,
        missing: window.brimReport.items.filter(i => !i.element.querySelector('svg path')?.getClientRects().length).map(i => i.chart.name),
        forms: [...new Set(window.brimReport.items.map(i => i.chart.form).filter(Boolean))].sort(),
        // Drawn at the size that they have on paper.
        stale: window.brimReport.items.filter(i => Number(i.element.querySelector('svg').getAttribute('height')) !== i.element.clientHeight)
          .length,
        hidden: table.scrollHeight - table.clientHeight,
        wide: [...document.querySelectorAll('.plot svg, table.runs')].filter(e => e.getBoundingClientRect().right > main.right + 1)
          .length,
        rows: document.querySelectorAll('table.runs tbody tr').length,
      };
    });
    assert.deepEqual(seen.missing, [], name);
    assert.equal(seen.theme, 'light');
    assert.equal(seen.stale, 0, name);
    assert.ok(seen.hidden <= 1, `${seen.hidden} px of the table`);
    assert.equal(seen.wide, 0, name);
    if (name === 'heat') assert.deepEqual(seen.forms, ['curve', 'heat']);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.pdf({path: path.join(out, `${name}.pdf`), printBackground: true, preferCSSPageSize: true});
    await page.context().close();
  }
});

await claim('a point below a logarithmic axis is marked at its end', async () => {
  const page = await open(pages.curve);
  const marks = await page.evaluate(() => {
    const data = structuredClone(window.brimReport.data);
    data.runs.forEach((run, k) => {
      run.summary.density_error_mean = [0.1, 0.001, 0][k];
      run.series.density_error_mean = {t: [0, 1, 2, 3], v: [0, 0.1, 0.001, 0]};
    });
    const marks = {};
    for (const chart of window.brimCharts.charts(data)) {
      if (!['curve_density_error_mean', 'time_density_error_mean'].includes(chart.name)) continue;
      const option = chart.option(window.brimCharts.themes.light, {log: true, shown: null});
      const series = option.series.find(s => s.name === 'below the axis');
      marks[chart.name] = {at: series.data.map(d => d.value), low: option.yAxis.min};
    }
    return marks;
  });
  // 10 %, 0.1 % and nothing: the axis ends at 0.1 %, and there the third run has its mark.
  assert.deepEqual(marks.curve_density_error_mean, {at: [[5, 0.1]], low: 0.1});
  assert.deepEqual(
    marks.time_density_error_mean.at.map(p => p[0]),
    [0, 3, 0, 3, 0, 3],
  );
  await page.context().close();
});

await claim('compare: a chip hides its run in every plot over time, and brings it back', async () => {
  const page = await open(pages.compare);
  const chip = page.locator('button.chip').first();
  const shown = async () => (await plots(page)).filter(p => p.name.startsWith('time_')).map(p => p.full.includes(solvers[0]));
  const before = await shown();
  assert.ok(before.filter(s => s).length >= 9, 'all have it but the plots of what it does not report');
  await chip.click();
  assert.ok((await shown()).every(s => !s));
  await chip.click();
  assert.deepEqual(await shown(), before);
  await page.context().close();
});

await claim('compare: hovering tells the values of every solver at that time', async () => {
  const page = await open(pages.compare);
  const plot = page.locator('#main_time_density_error_mean');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await page.waitForFunction(() => document.querySelector('#main_time_density_error_mean').textContent.includes('t = '));
  const text = await plot.textContent();
  for (const s of solvers) assert.ok(text.includes(s), text);
  await page.context().close();
});

await claim('compare: a dragged rectangle zooms, the button shows all again', async () => {
  const page = await open(pages.compare);
  const plot = page.locator('#main_time_density_error_mean');
  await plot.scrollIntoViewIfNeeded();
  const span = () =>
    page.evaluate(() => {
      const plot = window.brimReport.items.find(i => i.chart.name === 'time_density_error_mean').plot;
      const [a, b] = [0, 1].map(k => plot.convertFromPixel({xAxisIndex: 0}, 100 + 400 * k));
      return b - a;
    });
  const before = await span(),
    box = await plot.boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.3 * box.height);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.6 * box.height, {steps: 5});
  await page.mouse.up();
  assert.ok((await span()) < 0.5 * before);
  await page.locator('.card', {has: plot}).getByText('reset').click();
  assert.ok(Math.abs((await span()) - before) < 1e-9);
  await page.context().close();
});

await claim('one varied parameter: a curve with a point for each value', async () => {
  const page = await open(pages.curve);
  const points = await page.evaluate(() =>
    window.brimReport.items
      .find(i => i.chart.name === 'curve_density_error_mean')
      .plot.getOption()
      .series[0].data.map(d => d.value),
  );
  assert.deepEqual(
    points.map(p => p[0]),
    [1, 2, 5],
  );
  assert.ok(points.every(p => Number.isFinite(p[1])));
  await page.context().close();
});

await claim('two varied parameters: a heat map with a cell for each run, diverged ones apart', async () => {
  const page = await open(pages.heat);
  const cells = await page.evaluate(() =>
    window.brimReport.items
      .find(i => i.chart.name === 'heat_density_error_mean')
      .plot.getOption()
      .series.map(s => s.data.length),
  );
  const lost = await page.evaluate(() => window.brimReport.data.runs.filter(r => r.summary.result === 'diverged').length);
  assert.equal(cells[0] + cells[1], 6);
  assert.equal(cells[1], lost);
  assert.equal(lost, 3);
  assert.equal(await page.locator('td.diverged').count(), lost);
  await page.context().close();
});

// The same channel 1 m long: its periodic sides are no whole tiles apart, and flip refuses it.
const channel = path.join(out, 'cases', 'poiseuille');
cpSync(path.join(import.meta.dirname, '../../validation/poiseuille'), channel, {recursive: true});
const short = readFileSync(path.join(channel, 'scene.toml'), 'utf8').replaceAll('max = [1.2, 1]', 'max = [1, 1]');
writeFileSync(path.join(channel, 'scene.toml'), short);
const validation = made('validate', 'validate', 'wells', channel, '--quick', '--solvers', 'pbf,flip');
for (const colorScheme of ['light', 'dark'])
  await claim(`validate, ${colorScheme}: loads without a word on the console and without the network`, async () => {
    const page = await open(validation, {colorScheme});
    await page.screenshot({path: path.join(out, `validate_${colorScheme}.png`), fullPage: true});
    assert.deepEqual(page.said, []);
    await page.context().close();
  });

await claim('validate: on a phone nothing is wider than the screen', async () => {
  const page = await open(validation, {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.context().close();
});

await claim('validate: every curve has its reference and a curve for each solver that ran; chips hide solvers', async () => {
  const page = await open(validation);
  const before = await plots(page);
  assert.deepEqual(
    before.map(p => p.name),
    ['poiseuille_t2', 'poiseuille_t10', 'wells_left', 'wells_right'],
  );
  for (const p of before) {
    assert.deepEqual(p.full, p.name.startsWith('wells') ? ['pbf', 'flip', 'exact'] : ['pbf', 'exact'], p.name);
    assert.ok(existsSync(path.join(validation, 'plots', `${p.name}.svg`)), p.name);
  }
  await page.locator('button.chip', {hasText: 'pbf'}).click();
  for (const p of await plots(page)) assert.ok(!p.full.includes('pbf'), p.name);
  assert.ok((await page.locator('p.facts', {hasText: 'flip refuses'}).textContent()).includes('periodic'));
  const judged = await page.locator('table.scores tbody tr:not(.plain) td.good, table.scores tbody tr:not(.plain) td.bad').count();
  assert.ok(judged >= 7, `${judged}`); // three scores of pbf, two of each solver in the wells
  await page.context().close();
});

await browser.close();
process.exit(failed ? 1 : 0);
