// Curve on curve: what runs give, on the reference and its band. Runs in browsers and in Duktape: const, arrow functions and template
// literals are fine, but no let, classes, destructuring, spread or loops over "of".
import {base, colourOf, mark, tipRows, withX, withY} from './look.js';
import {before, largest, number, smallest} from './values.js';

export const solverColour = (data, solver, theme) =>
  colourOf({runs: data.solvers, axes: []}, Math.max(0, data.solvers.indexOf(solver)), theme);
export const labelOf = (c, run) => (c.runs.some(r => r.effort !== run.effort) ? `${run.solver}, ${run.effort}` : run.solver);

// Runs that leave the reference far behind must not press it flat.
function rangeOf(curve) {
  const reference = curve.reference;
  const known = reference.y.concat(reference.low || [], reference.high || []);
  const drawn = curve.runs.map(r => r.y).reduce((a, b) => a.concat(b), []);
  if (!drawn.length && !known.length) return {min: 0, max: 1};
  if (!known.length) return {min: smallest(drawn), max: largest(drawn)};
  const low = smallest(known),
    high = largest(known);
  const span = Math.max(high - low, 0.1 * Math.abs(high), 1e-12);
  return {
    min: drawn.length ? Math.max(Math.min(low, smallest(drawn)), low - 0.6 * span) : low,
    max: drawn.length ? Math.min(Math.max(high, largest(drawn)), high + 0.9 * span) : high,
  };
}

export function referenceChart(data, c, curve) {
  const reference = curve.reference;
  const few = reference.x.length > 2 && reference.x.length <= 120 && !curve.exact;
  const range = rangeOf(curve);
  const margin = 0.04 * (range.max - range.min || 1);
  return {
    name: curve.name,
    over: 'reference',
    form: 'curve',
    quantity: curve.name,
    title: curve.title,
    unit: '',
    note: `${curve.file ? `${curve.label}: ${curve.file}` : 'no curve to compare with'}${reference.low ? '; shaded: its band' : ''}`,
    canLog: false,
    log: false,
    legend: (reference.x.length ? [curve.label] : []).concat(c.runs.map(r => labelOf(c, r))),
    option: (theme, state) => {
      const option = base(theme);
      option.xAxis = withX(theme, curve.x_title, {type: 'value', scale: true});
      if (curve.begin !== undefined) option.xAxis.min = curve.begin;
      if (curve.end !== undefined) option.xAxis.max = curve.end;
      option.yAxis = withY(theme, curve.y_title, false, [range.min, range.max]);
      option.yAxis.min = Number((range.min - margin).toPrecision(3));
      option.yAxis.max = Number((range.max + margin).toPrecision(3));
      option.yAxis.axisLabel.showMinLabel = option.yAxis.axisLabel.showMaxLabel = false; // where the plot is cut is no round number
      const visible = run => !state.shown || state.shown[run.solver] !== false;
      option.tooltip.trigger = 'axis';
      option.tooltip.axisPointer = {lineStyle: {color: theme.axis}};
      option.tooltip.formatter = items => {
        const x = items[0].axisValue;
        const rows = [];
        if (reference.x.length)
          rows.push({marker: mark(theme.text), name: curve.label, value: reference.y[before(reference.x, x)]});
        curve.runs.forEach((s, k) => {
          if (s.x.length && visible(c.runs[k]))
            rows.push({
              marker: mark(solverColour(data, c.runs[k].solver, theme)),
              name: labelOf(c, c.runs[k]),
              value: s.y[before(s.x, x)],
            });
        });
        return tipRows(`${curve.x_title} ${number(x)}`, rows, {unit: ''});
      };
      option.series = [];
      if (reference.low) {
        const edge = {type: 'line', name: '', stack: 'band', stackStrategy: 'all', symbol: 'none', silent: true, z: 1};
        option.series.push(
          Object.assign({}, edge, {data: reference.x.map((x, k) => [x, reference.low[k]]), lineStyle: {opacity: 0}}),
        );
        option.series.push(
          Object.assign({}, edge, {
            data: reference.x.map((x, k) => [x, reference.high[k] - reference.low[k]]),
            lineStyle: {opacity: 0},
            areaStyle: {color: theme.axis, opacity: 0.35},
          }),
        );
      }
      curve.runs.forEach((s, k) => {
        const run = c.runs[k];
        if (!s.x.length || !visible(run)) return;
        const coarse = run.effort === 'normal' && c.runs.some(r => r.effort === 'fine' && r.solver === run.solver);
        option.series.push({
          type: 'line',
          name: labelOf(c, run),
          data: s.x.map((x, i) => [x, s.y[i]]),
          showSymbol: s.x.length < 3,
          color: solverColour(data, run.solver, theme),
          lineStyle: {width: coarse ? 0.9 : 1.5, type: coarse ? 'dotted' : 'solid'},
          emphasis: {focus: 'series'},
          z: 3,
        });
      });
      if (reference.x.length)
        option.series.push({
          type: few ? 'scatter' : 'line',
          name: curve.label,
          data: reference.x.map((x, k) => [x, reference.y[k]]),
          symbol: few ? 'circle' : 'none',
          symbolSize: 5,
          color: theme.text,
          itemStyle: {color: theme.text},
          lineStyle: {width: 2},
          z: 4,
        });
      return option;
    },
  };
}

export const referenceCharts = data =>
  data.cases
    .map(c => c.curves.map(curve => referenceChart(data, c, curve)))
    .reduce((a, b) => a.concat(b), []);
