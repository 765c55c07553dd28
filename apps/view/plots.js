// Small plots over time: the statistics, and what the scene measures (gauges, forces on bodies).
import {short} from './colours.js';
import {make} from './dom.js';

const most = 1500; // points of a series

const all = [
  {
    title: 'Density error',
    unit: '%',
    text: 'How much denser than at rest, of max(ρ/ρ0 − 1, 0): mean over the particles, and the largest.',
    series: [
      ['mean', r => 100 * r.density_error_mean, '--first'],
      ['max', r => 100 * r.density_error_max, '--second'],
    ],
  },
  {
    title: 'Energy',
    unit: 'J',
    text: 'Kinetic energy, and its sum with the potential energy of gravity.',
    series: [
      ['kinetic', r => r.kinetic_energy, '--first'],
      ['total', r => r.kinetic_energy + r.potential_energy, '--second'],
    ],
  },
  {
    title: 'Volume',
    unit: '',
    text: 'Volume where there is fluid, over its value at the start; what was let in or taken out on purpose is allowed for.',
    series: [['ratio', r => r.volume_ratio, '--first']],
  },
  {
    title: 'Time of a step',
    unit: 'ms',
    text: 'Wall time that a step of the simulation takes.',
    series: [['step', r => r.ms_step, '--first']],
  },
];

// With as many digits as tell the ends of the axis apart.
function label(v, span) {
  const digits = Math.ceil(Math.log10(Math.max(Math.abs(v) / span, 1))) + 1;
  return digits > 3 ? String(Number(v.toPrecision(Math.min(digits, 7)))) : short(v);
}

class Plot {
  constructor(definition) {
    this.definition = definition;
    this.canvas = make('canvas', {class: 'plot', 'aria-label': definition.title});
    this.now = make('span', {class: 'now'});
    this.element = make(
      'figure',
      {title: definition.text},
      make('figcaption', {}, make('b', {}, definition.title), this.now),
      this.canvas,
    );
    this.clear();
  }
  clear() {
    this.times = [];
    this.values = this.definition.series.map(() => []);
    this.cursor = null;
  }
  add(time, report) {
    const values = this.definition.series.map(([, value]) => value(report));
    if (!values.some(Number.isFinite)) return;
    this.times.push(time);
    values.forEach((v, k) => this.values[k].push(v));
    if (this.times.length <= most) return;
    // Every other of the older half goes.
    const keep = (_, i) => i > most / 2 || i % 2 === 0;
    this.times = this.times.filter(keep);
    this.values = this.values.map(v => v.filter(keep));
  }

  draw() {
    const {canvas} = this,
      ratio = Math.min(devicePixelRatio, 2),
      width = canvas.clientWidth,
      height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const c = canvas.getContext('2d'),
      style = getComputedStyle(document.documentElement);
    c.scale(ratio, ratio);
    const n = this.times.length;
    this.now.replaceChildren();
    if (n === 0) return;
    const at =
      this.cursor === null
        ? n - 1
        : Math.max(
            0,
            this.times.findLastIndex(t => t <= this.cursor + 1e-9),
          );
    this.definition.series.forEach(([name, , colour], k) => {
      this.now.append(
        make('i', {style: `background: var(${colour})`}),
        ` ${this.values.length > 1 ? name + ' ' : ''}${short(this.values[k][at])}${this.definition.unit && ' ' + this.definition.unit} `,
      );
    });
    let low = Infinity,
      high = -Infinity;
    for (const series of this.values)
      for (const v of series)
        if (Number.isFinite(v)) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
    if (low > 0 && low < 0.5 * high) low = 0;
    const room = Math.max(0.06 * (high - low), 1e-3 * Math.abs(high), 1e-12);
    low -= low === 0 ? 0 : room;
    high += room;
    const t0 = this.times[0],
      t1 = Math.max(this.times[n - 1], t0 + 1e-9);
    const left = 44,
      x = t => left + ((width - left - 4) * (t - t0)) / (t1 - t0),
      y = v => height - 14 - ((height - 20) * (v - low)) / (high - low);
    c.font = '10px system-ui, sans-serif';
    c.fillStyle = style.getPropertyValue('--muted');
    c.strokeStyle = style.getPropertyValue('--line');
    for (const v of [low, (low + high) / 2, high]) {
      c.beginPath();
      c.moveTo(left, y(v));
      c.lineTo(width - 4, y(v));
      c.stroke();
      c.textAlign = 'right';
      c.fillText(label(v, high - low), left - 5, y(v) + 3);
    }
    c.textAlign = 'left';
    c.fillText(`${short(t0)} s`, left, height - 2);
    c.textAlign = 'right';
    c.fillText(`${short(t1)} s`, width - 4, height - 2);
    this.definition.series.forEach(([, , colour], k) => {
      c.strokeStyle = style.getPropertyValue(colour);
      c.lineWidth = 1.5;
      c.beginPath();
      let down = false;
      this.values[k].forEach((v, i) => {
        if (!Number.isFinite(v)) return;
        if (down) c.lineTo(x(this.times[i]), y(v));
        else c.moveTo(x(this.times[i]), y(v));
        down = true;
      });
      c.stroke();
    });
    if (this.cursor !== null) {
      c.strokeStyle = style.getPropertyValue('--muted');
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(x(this.cursor), 4);
      c.lineTo(x(this.cursor), height - 14);
      c.stroke();
    }
  }
}

export class Plots {
  constructor() {
    this.statistics = all.map(d => new Plot({...d, table: 'statistics.csv'}));
    this.plots = this.statistics;
    this.element = make('div', {class: 'plots'});
    this.setMeasured([]);
    this.step = -1;
  }
  // Columns of gauges and bodies: {name, unit, text, table}. A live report has their values as a list, a table's row by name.
  setMeasured(columns) {
    const measured = columns.map(
      ({name, unit, text, table}, k) =>
        new Plot({title: name, unit, text, table, series: [['', r => r.measured?.[k] ?? r[name], '--first']]}),
    );
    this.measured = measured;
    this.plots = [...this.statistics, ...measured];
    this.element.replaceChildren(...this.plots.map(p => p.element));
  }
  clear() {
    this.step = -1;
    this.measuredAt = -1;
    for (const p of this.plots) p.clear();
    this.draw();
  }
  add(status) {
    const {report} = status;
    if (!report) return;
    if (status.step !== this.step) for (const p of this.statistics) p.add(status.time, report);
    // Measured with the last frame, which may be older than the statistics.
    if (report.measured?.length && report.measured_time !== this.measuredAt)
      for (const p of this.measured) p.add(report.measured_time, report);
    this.step = status.step;
    this.measuredAt = report.measured_time;
    this.draw();
  }
  // A run that is over: all of it from its tables, and a line where the picture is.
  read(csv, table) {
    const plots = this.plots.filter(p => p.definition.table === table);
    const [head, ...rows] = csv
      .trim()
      .split('\n')
      .map(l => l.split(','));
    const names = head.map(heading => heading.replace(/ \[[^\]]*\]$/, '')); // without units
    const every = Math.max(1, Math.ceil(rows.length / most));
    let volume = NaN;
    rows.forEach((row, i) => {
      const report = Object.fromEntries(
        names.map((name, k) => [name, row[k] === '' || row[k] === undefined ? NaN : Number(row[k])]),
      );
      if (Number.isFinite(report.volume_ratio)) volume = report.volume_ratio;
      if (i % every !== 0) return;
      for (const p of plots) p.add(report.time, {...report, volume_ratio: volume});
    });
    this.draw();
  }
  mark(time) {
    for (const p of this.plots) p.cursor = p.times.length ? time : null;
    this.draw();
  }
  draw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.plots.forEach(p => p.draw()));
  }
}
