// What is plotted, and how its values are named and written. Runs in browsers and in Duktape: const, arrow functions and template
// literals are fine, but no let, classes, destructuring, spread or loops over "of".
// Data may add `columns` of the same form: gauges and forces on bodies. `series` over time, `summary` one number a run; values are shown times `scale`, on a logarithmic axis where `log` is set and they
// span much.
export const quantities = [
  {
    key: 'density_error_mean',
    log: true,
    summary: 'density_error_mean',
    title: 'Mean density error',
    unit: '%',
    scale: 100,
    series: true,
    note: 'max(\u03c1/\u03c10 \u2212 1, 0), mean over the particles',
  },
  {
    key: 'density_error_max',
    log: true,
    summary: 'density_error_max',
    title: 'Largest density error',
    unit: '%',
    scale: 100,
    series: true,
    note: 'of any particle',
  },
  {
    key: 'density_error_p999',
    log: true,
    summary: 'density_error_p999',
    title: 'Density error, 99.9th percentile',
    unit: '%',
    scale: 100,
    series: true,
    note: 'all but one particle in a thousand are below',
  },
  {
    key: 'volume_ratio',
    summary: 'volume_ratio',
    title: 'Volume',
    unit: 'of the start',
    scale: 1,
    digits: 4,
    series: true,
    note: 'where the smoothed density exceeds half of \u03c10; once a frame',
    // A second measure of the same, in the same plot; of grid solvers only.
    beside: {key: 'volume_ratio_eq19', summary: 'volume_ratio_eq19', name: 'Eq. 19', note: 'dashed: full cells, by Eq. 19'},
  },
  {key: 'kinetic_energy', summary: 'kinetic_energy', title: 'Kinetic energy', unit: 'J', scale: 1, series: true, note: ''},
  {key: 'potential_energy', summary: 'potential_energy', title: 'Potential energy', unit: 'J', scale: 1, series: true, note: ''},
  {
    key: 'total_energy',
    summary: 'total_energy',
    title: 'Kinetic and potential energy',
    unit: 'J',
    scale: 1,
    series: true,
    note: '',
  },
  {
    key: 'dt',
    log: true,
    summary: 'dt_mean',
    title: 'Time step',
    unit: 'ms',
    scale: 1000,
    series: true,
    note: 'without the steps cut short to end on a frame',
  },
  {key: 'iterations', summary: 'iterations_mean', title: 'Iterations per step', unit: '', scale: 1, series: true, note: ''},
  {
    key: 'cost',
    log: true,
    summary: 'ms_per_simulated_second',
    title: 'Cost',
    unit: 'ms per simulated second',
    scale: 1,
    series: true,
    note: 'wall time of the steps, on the machine that ran it',
  },
  {
    key: 'residual',
    log: true,
    summary: 'residual_mean',
    title: 'Residual',
    unit: 'of the start',
    scale: 1,
    series: true,
    note: 'of Eq. 33 of Constraint Fluids after the last iteration, over that before the first',
  },
  {
    key: 'density_by_height',
    title: 'Density by height',
    unit: 'kg/m\u00b3',
    scale: 1,
    digits: 4,
    series: true,
    x: {name: 'height [m]', letter: 'y', unit: 'm'},
    note: 'mean over the particles of a layer, in the last frame',
  },
  {
    key: 'time_reached',
    summary: 'time_reached',
    title: 'Simulated time reached',
    unit: 's',
    scale: 1,
    series: false,
    note: 'shorter than the run where it diverged',
  },
];

export function number(x, digits) {
  if (x === null || x === undefined || !isFinite(x)) return '\u2013';
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6))
    return x
      .toExponential(2)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  return String(Number(x.toPrecision(digits || (size >= 1000 ? 4 : 3))));
}

export const withUnit = (x, unit, digits) => number(x, digits) + (unit ? (unit === '%' ? ' %' : ` ${unit}`) : '');
export const unitText = unit => unit.replace('^2', '\u00b2').replace('^3', '\u00b3');
export const tick = v => (Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-3) ? number(v) : String(Number(v.toPrecision(6))));
export const shortName = path => path.slice(path.lastIndexOf('.') + 1);
export const isNumber = text => text !== '' && isFinite(Number(text));
export const escaped = text => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
export const diverged = run => run.summary.result === 'diverged';

// Directions with a scale of their own; solvers and groups are told apart by colour instead.
export const isWord = axis => axis.path === 'solver.name' || axis.path === 'group';
export const parameters = data => data.axes.filter(a => !isWord(a) && a.values.length > 1);

// apply() takes only so many arguments; a page may hold more values than that.
export const largest = values => values.reduce((a, b) => Math.max(a, b), -Infinity);
export const smallest = values => values.reduce((a, b) => Math.min(a, b), Infinity);

export const wide = values => {
  const positive = values.filter(v => v > 0);
  return positive.length > 1 && positive.length >= 0.8 * values.length && largest(positive) > 30 * smallest(positive);
};

export const valueOf = (run, q) => {
  const v = run.summary[q.summary];
  return typeof v === 'number' ? v * q.scale : null;
};
// What the reader of a plot should know, with the second measure where a run has one.
export const noteOf = (data, q) =>
  q.beside && data.runs.some(r => typeof r.summary[q.beside.summary] === 'number') ? `${q.note}; ${q.beside.note}` : q.note;
export const besideOf = (run, q) => {
  const v = q.beside ? run.summary[q.beside.summary] : null;
  return typeof v === 'number' ? v * q.scale : null;
};
// The last entry of a rising list that is not above x, by halving; the first where all are.
export function before(list, x) {
  const half = (low, high) => {
    if (high - low < 2) return low;
    const middle = Math.floor((low + high) / 2);
    return list[middle] <= x ? half(middle, high) : half(low, middle);
  };
  return half(0, list.length);
}
