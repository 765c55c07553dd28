// The side panel and the bar of time: everything that people can press.
import {gradient, short, units} from './colours.js';
import {controlRow} from './controls.js';
import {button, choice, icon, make} from './dom.js';
import {Plots} from './plots.js';
import {Recorder, screenshot} from './record.js';

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
    this.recorder = new Recorder(stage);
    this.makeTransport(document.getElementById('transport'));
    this.makePanel(document.getElementById('panel'));
    this.setTheme(this.stored('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
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
      localStorage.setItem(`brim-view-${name}`, value);
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
    this.scrub.addEventListener('input', () => this.send({type: 'seek', frame: Number(this.scrub.value)}));
    this.clock = make('output', {id: 'clock', title: 'Simulated time'});
    this.pace = choice(paces, '1', 'Simulated time per wall time, at most', limit =>
      this.send({type: 'pace', limit: Number(limit)}),
    );
    bar.append(
      button(icon('reset'), 'Back to the start; a scene file is read again (R)', () => this.send({type: 'reset'}), {id: 'reset'}),
      this.run,
      button(icon('step'), 'One step (.)', () => this.send({type: 'step', count: 1}), {id: 'step'}),
      this.clock,
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
    const end = (name, title) =>
      make('input', {
        type: 'number',
        step: 'any',
        placeholder: name,
        title,
        'aria-label': title,
        onchange: () => this.fixRange(),
      });
    this.least = end('auto', 'Value at the low end of the colours; empty: follows the fluid');
    this.most = end('auto', 'Value at the high end of the colours; empty: follows the fluid');
    this.film = button('● record', 'Record the picture as a film', () => this.toggleFilm(), {id: 'record'});
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
    panel.append(
      make(
        'header',
        {},
        this.title,
        button('◐', 'Light or dark', () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'), {id: 'theme'}),
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
        make(
          'div',
          {class: 'buttons'},
          button('fit', 'Show the whole domain (F)', () => this.stage.fit()),
          button('screenshot', 'Save the picture as PNG', () => screenshot(this.stage, this.name())),
          this.film,
        ),
      ),
      this.solverPart,
      this.physicsPart,
      section('Statistics', this.plots.element),
    );
    this.setStyle(this.style.value);
    this.film.disabled = !this.recorder.possible;
  }

  name = () => (this.title.textContent || 'brim').toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.store('theme', theme);
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
    const [a, b] = [this.least, this.most].map(i => i.valueAsNumber);
    const [low, high] = this.stage.range.get();
    const set = [Number.isFinite(a) ? a : low, Number.isFinite(b) ? b : high];
    this.stage.range.fixed = (Number.isFinite(a) || Number.isFinite(b)) && set[1] > set[0] ? set : null;
    this.stage.want();
    this.showBar();
  }

  toggle() {
    this.send({type: this.running ? 'pause' : 'run'});
  }

  toggleFilm() {
    if (this.recorder.running) this.recorder.stop();
    else this.recorder.start(this.name());
    this.film.textContent = this.recorder.running ? '■ stop' : '● record';
    this.film.classList.toggle('active', this.recorder.running);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA|SUMMARY/.test(event.target.tagName)) return;
    const acts = {
      ' ': () => this.toggle(),
      '.': () => this.send({type: 'step', count: 1}),
      r: () => this.send({type: 'reset'}),
      f: () => this.stage.fit(),
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

  // The scene and all that can be changed. Rows stay as they are while only values change, so that nobody loses a slider.
  hello(message) {
    const {scene, controls, solvers} = message;
    const live = message.mode === 'live';
    this.live = live;
    this.title.textContent = scene.title || 'Brim';
    document.title = `${scene.title || message.file} · Brim`;
    this.file.textContent = message.file + (message.flavour ? ` · ${message.flavour}` : '');
    this.solverPart.hidden = this.physicsPart.hidden = !live;
    this.scrub.hidden = live;
    if (!live) {
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
      for (const c of controls) {
        const made = controlRow(c, (path, value) => this.send({type: 'set', path, value}));
        this.rows.set(c.path, made);
        (c.path.startsWith('solver.') ? this.solverRows : this.physicsRows).append(made.row);
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
    if (!this.live && document.activeElement !== this.scrub) this.scrub.value = status.frame;
    if (status.time !== undefined) {
      const frame = this.live ? '' : ` · frame ${status.frame + 1} of ${this.times?.length}`;
      this.clock.textContent = `${status.time.toFixed(3)} s${frame}`;
    }
    if (this.live) this.plots.add(status);
    else this.plots.mark(status.time);
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
