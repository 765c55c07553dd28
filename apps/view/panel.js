// The side panel and the bar of time: everything that people can press.
import {gradient, short, units} from './colours.js';
import {controlRow} from './controls.js';
import {button, choice, icon, make, numberField, numberIn} from './dom.js';
import {Plots} from './plots.js';
import {Filming, filmRate, save, screenshot} from './record.js';

const section = (title, ...children) => make('details', {open: true}, make('summary', {}, title), ...children);

const paces = [
  ['0.1', '1/10 of real time'],
  ['0.25', '1/4 of real time'],
  ['1', 'real time'],
  ['4', '4 × real time'],
  ['0', 'as fast as it goes'],
];

export class Panel {
  constructor(stage, send) {
    this.stage = stage;
    this.send = send;
    this.rows = new Map();
    this.plots = new Plots();
    this.film = null; // while one is made
    this.makeTransport(document.getElementById('transport'));
    this.makePanel(document.getElementById('panel'));
    const dark = matchMedia('(prefers-color-scheme: dark)');
    this.system = () => (dark.matches ? 'dark' : 'light');
    this.setTheme(this.stored('theme') ?? this.system());
    dark.addEventListener('change', () => this.stored('theme') || this.setTheme(this.system()));
    document.addEventListener('keydown', event => this.key(event));
  }

  stored(name) {
    try {
      return localStorage.getItem(`brim-view-${name}`);
    } catch {
      return null; // a browser that stores nothing
    }
  }
  store(name, value) {
    try {
      if (value === null) localStorage.removeItem(`brim-view-${name}`);
      else localStorage.setItem(`brim-view-${name}`, value);
    } catch {
      // as above
    }
  }

  makeTransport(bar) {
    this.run = button(icon('pause'), 'Pause or go on (space)', () => this.toggle(), {id: 'run'});
    this.scrub = make('input', {
      type: 'range',
      id: 'scrub',
      min: 0,
      step: 1,
      value: 0,
      hidden: true,
      title: 'Frame',
      'aria-label': 'Frame',
    });
    this.scrub.addEventListener('input', () => this.seek(Number(this.scrub.value)));
    this.loop = button(icon('loop'), 'Play again and again (L)', () => this.setLoop(!this.looping), {id: 'loop', hidden: true});
    this.loop.classList.add('toggle');
    this.clock = make('output', {id: 'clock', title: 'Simulated time'});
    this.ruined = make('output', {id: 'ruined', hidden: true});
    this.pace = choice(paces, '1', 'Simulated time per wall time, at most', limit =>
      this.send({type: 'pace', limit: Number(limit)}),
    );
    bar.append(
      button(icon('reset'), 'Back to the start; a scene file is read again (R)', () => this.send({type: 'reset'}), {id: 'reset'}),
      this.run,
      button(icon('step'), 'One step (. or the right arrow)', () => this.send({type: 'step', count: 1}), {id: 'step'}),
      this.loop,
      this.clock,
      this.ruined,
      this.scrub,
      this.pace,
    );
  }

  makePanel(panel) {
    this.title = make('h1', {}, 'Brim');
    this.file = make('p', {class: 'file'});
    this.style = choice(
      [
        ['particles', 'particles', 'Each particle as a sphere, in 2D as a disc'],
        ['water', 'water surface', 'A surface in screen space: smoothed depths, refraction, reflection'],
      ],
      this.stored('style') ?? 'particles',
      'How the fluid is drawn (W)',
      style => this.setStyle(style),
    );
    this.colour = choice(
      ['speed', 'density', 'pressure'].map(q => [q, q]),
      'speed',
      'What colours the particles',
      by => this.send({type: 'colour', by}),
    );
    const end = title => numberField(title, title, () => this.fixRange(), {placeholder: 'auto'});
    this.least = end('Value at the low end of the colours; empty: follows the fluid');
    this.most = end('Value at the high end of the colours; empty: follows the fluid');
    this.sliceAxis = choice(
      [
        ['-1', 'whole'],
        ['0', 'across x'],
        ['1', 'across y'],
        ['2', 'across z'],
      ],
      '-1',
      'Shows only a layer of the fluid, two spacings thick',
      () => this.setSlice(),
    );
    this.slicePart = make('input', {
      type: 'range',
      min: 0,
      max: 1,
      step: 'any',
      value: 0.5,
      title: 'Where the layer is',
      'aria-label': 'Where the layer is',
      oninput: () => this.setSlice(),
    });
    this.arrows = make('input', {
      type: 'checkbox',
      title: 'Arrows along the velocities of some of the particles (V)',
      'aria-label': 'velocities',
      onchange: () => this.send({type: 'arrows', on: this.arrows.checked}),
    });
    this.record = button('● record', `Record a film: ${filmRate} pictures per simulated second, until stopped`, () => this.toggleFilm(), {
      id: 'record',
    });
    this.saveScene = button('save scene', 'Save the scene with all that was changed, as a file for brim run', () =>
      this.keepScene(),
    );
    this.solver = make('select', {id: 'solver', onchange: () => this.send({type: 'solver', name: this.solver.value})});
    this.solverText = make('p', {class: 'hint'});
    this.solverRows = make('div', {id: 'solver-rows'});
    this.physicsRows = make('div', {id: 'physics-rows'});
    this.solverPart = section(
      'Solver',
      make('div', {class: 'row wide'}, make('span', {class: 'name'}, 'method'), this.solver),
      this.solverText,
      this.solverRows,
    );
    this.physicsPart = section('Fluid and steps', this.physicsRows);
    this.motorRows = make('div', {id: 'motor-rows'});
    this.motorPart = section('Motors', this.motorRows);
    panel.append(
      make(
        'header',
        {},
        this.title,
        button('◐', 'Light or dark', () => this.chooseTheme(), {id: 'theme'}),
      ),
      this.file,
      section(
        'Look',
        make('div', {class: 'row wide'}, make('span', {class: 'name'}, 'fluid'), this.style),
        make('div', {class: 'row wide'}, make('span', {class: 'name'}, 'colour'), this.colour),
        make(
          'div',
          {class: 'row wide'},
          make('span', {class: 'name'}, 'range'),
          make('span', {class: 'several'}, this.least, this.most),
        ),
        (this.sliceRow = make(
          'div',
          {class: 'row wide'},
          make('span', {class: 'name'}, 'layer'),
          make('span', {class: 'several'}, this.sliceAxis, this.slicePart),
        )),
        make('div', {class: 'row flag'}, make('span', {class: 'name'}, 'velocities'), this.arrows),
        make(
          'div',
          {class: 'buttons'},
          button('fit', 'Show the whole domain (F)', () => this.stage.fit()),
          button('screenshot', 'Save the picture as PNG', () => screenshot(this.stage, this.stage.facts, this.name())),
          this.record,
          this.saveScene,
        ),
      ),
      this.motorPart,
      this.solverPart,
      this.physicsPart,
      section('Statistics', this.plots.element),
    );
    this.setStyle(this.style.value);
    this.setSlice();
    this.record.disabled = !Filming.possible;
    if (!Filming.possible) this.record.title = 'This browser encodes no films, or only for pages of this machine';
  }

  name = () => (this.title.textContent || 'brim').toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');

  // Who wants what the system has follows the system again.
  chooseTheme() {
    this.setTheme(this.theme === 'dark' ? 'light' : 'dark');
    this.store('theme', this.theme === this.system() ? null : this.theme);
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.stage.setTheme(theme);
    this.plots.draw();
  }

  setStyle(style) {
    this.stage.style = style;
    this.store('style', style);
    this.colour.disabled = this.least.disabled = this.most.disabled = style === 'water';
    this.stage.want();
    this.showBar();
  }

  fixRange() {
    const [a, b] = [this.least, this.most].map(i => numberIn(i.value));
    const [low, high] = this.stage.range.get();
    const set = [Number.isFinite(a) ? a : low, Number.isFinite(b) ? b : high];
    this.stage.range.fixed = (Number.isFinite(a) || Number.isFinite(b)) && set[1] > set[0] ? set : null;
    this.stage.want();
    this.showBar();
  }

  setSlice() {
    const axis = Number(this.sliceAxis.value);
    this.slicePart.disabled = axis < 0;
    this.stage.setSlice(axis, Number(this.slicePart.value));
  }

  setLoop(on) {
    this.send({type: 'loop', on});
  }

  // Played back: a frame. Of a simulation: a state that it kept; the last place is now.
  seek(k) {
    if (this.live && k >= this.kept.length) this.send({type: 'run'});
    else this.send({type: 'seek', frame: Math.max(k, 0)});
  }
  // By frames, or by kept states.
  wind(by) {
    if (this.live && by > 0) this.send({type: 'step', count: 1});
    else this.seek(Math.min(Number(this.scrub.value) + by, Number(this.scrub.max) - (this.live ? 1 : 0)));
  }

  toggle() {
    if (this.film) this.film.stop();
    else this.send({type: this.running ? 'pause' : 'run'});
  }

  keepScene() {
    const text = `# Saved by brim view from ${this.file.textContent}; files of meshes are sought beside this file.\n${this.toml}`;
    save(new Blob([text], {type: 'application/toml'}), `${this.name()}.toml`);
  }

  toggleFilm() {
    if (this.film) return this.film.stop();
    this.film = new Filming(this);
    this.record.textContent = '■ stop';
    this.record.classList.add('active');
    this.film.make().finally(() => {
      this.film = null;
      this.record.textContent = '● record';
      this.record.classList.remove('active');
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA|SUMMARY/.test(event.target.tagName)) return;
    const acts = {
      ' ': () => this.toggle(),
      '.': () => this.send({type: 'step', count: 1}),
      r: () => this.send({type: 'reset'}),
      f: () => this.stage.fit(),
      l: () => !this.live && this.setLoop(!this.looping),
      v: () => this.arrows.click(),
      arrowright: () => this.wind(1),
      arrowleft: () => this.wind(-1),
      home: () => this.seek(0),
      end: () => this.seek(Number(this.scrub.max)),
      w: () => {
        this.style.value = this.style.value === 'water' ? 'particles' : 'water';
        this.setStyle(this.style.value);
      },
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // The motor follows the slider as it moves; what was sent within the same moment is sent together.
  drive(joint, speed) {
    if (!this.driven) setTimeout(() => (this.send({type: 'motor', ...this.driven}), (this.driven = null)), 40);
    this.driven = {joint, speed};
  }

  // The scene and all that can be changed. Rows stay as they are while only values change, so that nobody loses a slider.
  hello(message) {
    const {scene, controls, solvers} = message;
    const live = message.mode === 'live';
    this.live = live;
    this.title.textContent = scene.title || 'Brim';
    document.title = `${scene.title || message.file} · Brim`;
    this.file.textContent = message.file + (message.flavour ? ` · ${message.flavour}` : '');
    this.solverPart.hidden = this.physicsPart.hidden = !live;
    this.loop.hidden = live;
    this.scrub.title = live ? 'Back to what was kept of the simulation' : 'Frame';
    this.motorPart.hidden = !controls.some(c => c.joint !== undefined);
    this.until = scene.until;
    this.toml = message.toml;
    this.saveScene.hidden = !live;
    this.sliceRow.hidden = scene.dimension === 2;
    if (scene.dimension === 2) this.sliceAxis.value = '-1';
    this.setSlice();
    if (!live) {
      this.scrub.hidden = false;
      this.times = message.frames;
      this.scrub.max = message.frames.length - 1;
    }
    if (this.solver.options.length !== solvers.length)
      this.solver.replaceChildren(...solvers.map(s => make('option', {value: s.name, title: s.text}, s.name)));
    this.solver.value = scene.solver;
    const chosen = solvers.find(s => s.name === scene.solver);
    this.solver.title = chosen ? `${chosen.text} (${chosen.source})` : '';
    this.solverText.textContent = chosen ? `${chosen.text} (${chosen.source})` : '';
    const paths = controls.map(c => c.path).join();
    if (paths !== this.paths) {
      this.paths = paths;
      this.rows.clear();
      this.solverRows.replaceChildren();
      this.physicsRows.replaceChildren();
      this.motorRows.replaceChildren();
      for (const c of controls) {
        if (c.joint !== undefined) c.drive = speed => this.drive(c.joint, speed);
        const made = controlRow(c, (path, value) => this.send({type: 'set', path, value}));
        this.rows.set(c.path, made);
        const rows = c.joint !== undefined ? this.motorRows : c.path.startsWith('solver.') ? this.solverRows : this.physicsRows;
        rows.append(made.row);
      }
    } else {
      for (const c of controls) this.rows.get(c.path).update(c.value);
    }
  }

  status(status) {
    const running = status.state === 'running';
    // Only when it changes: a click whose sign is replaced between press and release is none.
    if (running !== this.running) this.run.replaceChildren(icon(running ? 'pause' : 'play'));
    this.running = running;
    this.run.setAttribute('aria-pressed', String(this.running));
    document.documentElement.dataset.state = status.state;
    if (document.activeElement !== this.pace) this.pace.value = String(status.pace);
    if (this.live) this.showKept(status);
    else if (document.activeElement !== this.scrub) this.scrub.value = status.frame;
    this.looping = status.loop === true;
    this.loop.setAttribute('aria-pressed', String(this.looping));
    this.time = status.time ?? 0;
    this.film?.status(status);
    if (status.time !== undefined) {
      const frame = this.live ? '' : ` · frame ${status.frame + 1} of ${this.times?.length}`;
      this.clock.textContent = `${status.time.toFixed(3)} s${frame}`;
    }
    this.showRuined(status.ruined ?? []);
    if (this.live) this.plots.add(status);
    else this.plots.mark(status.time);
  }

  // In red, for as long as it holds.
  showRuined(all) {
    const text = all.length ? `ruined: ${all.map(w => w.kind).join(', ')}` : '';
    if (this.ruined.textContent === text) return;
    this.ruined.textContent = text;
    this.ruined.title = all.map(w => w.text).join('\n');
    this.ruined.hidden = !text;
  }

  // States to go back to; the last place of the bar is what is simulated now.
  showKept(status) {
    this.kept = status.kept ?? [];
    const now = !this.kept.length || status.time > this.kept.at(-1) + 1e-12;
    this.scrub.hidden = this.kept.length < 2;
    this.scrub.max = this.kept.length;
    const at = now ? this.kept.length : this.kept.findLastIndex(t => t <= status.time + 1e-12);
    if (document.activeElement !== this.scrub || !this.running) this.scrub.value = at;
  }

  showBar() {
    const bar = document.getElementById('bar');
    bar.hidden = this.stage.style === 'water' || !this.stage.quantity;
    if (bar.hidden) return;
    const [low, high] = this.stage.range.get(),
      q = this.stage.quantity;
    const text = `${q} [${units[q]}]|${short(low)}|${short((low + high) / 2)}|${short(high)}`;
    if (bar.dataset.text === text) return;
    bar.dataset.text = text;
    bar.replaceChildren(
      make('span', {class: 'what'}, `${q} [${units[q]}]`),
      make('span', {class: 'scale', style: `background: ${gradient(q)}`}),
      make(
        'span',
        {class: 'ends'},
        make('span', {}, short(low)),
        make('span', {}, short((low + high) / 2)),
        make('span', {}, short(high)),
      ),
    );
    if (this.colour.value !== q && document.activeElement !== this.colour) this.colour.value = q;
  }
}
