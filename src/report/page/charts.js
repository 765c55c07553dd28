// The plots of a report, for the page and for the SVG files. This file runs in browsers and in Duktape: const, arrow functions
// and template literals are fine, but no let, classes, destructuring, spread or loops over "of".
import * as echarts from 'echarts/core';
import {HeatmapChart, LineChart, ScatterChart} from 'echarts/charts';
import {
  DataZoomComponent, GridComponent, LegendComponent, TitleComponent, ToolboxComponent, TooltipComponent, VisualMapComponent,
} from 'echarts/components';
import {SVGRenderer} from 'echarts/renderers';

echarts.use([
  HeatmapChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, LegendComponent, TitleComponent, ToolboxComponent,
  TooltipComponent, VisualMapComponent, SVGRenderer,
]);

// `series` over time, `summary` one number a run; values are shown times `scale`; `log`: on a logarithmic axis where they span much.
const quantities = [
  {key: 'density_error_mean', log: true, summary: 'density_error_mean', title: 'Mean density error', unit: '%', scale: 100, series: true,
    note: 'max(\u03c1/\u03c10 \u2212 1, 0), mean over the particles'},
  {key: 'density_error_max', log: true, summary: 'density_error_max', title: 'Largest density error', unit: '%', scale: 100, series: true,
    note: 'of any particle'},
  {key: 'density_error_p999', log: true, summary: 'density_error_p999', title: 'Density error, 99.9th percentile', unit: '%', scale: 100,
    series: true, note: 'all but one particle in a thousand are below'},
  {key: 'volume_ratio', summary: 'volume_ratio', title: 'Volume', unit: 'of the start', scale: 1, series: true,
    note: 'where the smoothed density exceeds half of \u03c10; once a frame'},
  {key: 'kinetic_energy', summary: 'kinetic_energy', title: 'Kinetic energy', unit: 'J', scale: 1, series: true, note: ''},
  {key: 'potential_energy', summary: 'potential_energy', title: 'Potential energy', unit: 'J', scale: 1, series: true, note: ''},
  {key: 'total_energy', summary: 'total_energy', title: 'Kinetic and potential energy', unit: 'J', scale: 1, series: true, note: ''},
  {key: 'dt', log: true, summary: 'dt_mean', title: 'Time step', unit: 'ms', scale: 1000, series: true,
    note: 'without the steps cut short to end on a frame'},
  {key: 'iterations', summary: 'iterations_mean', title: 'Iterations per step', unit: '', scale: 1, series: true, note: ''},
  {key: 'cost', log: true, summary: 'ms_per_simulated_second', title: 'Cost', unit: 'ms per simulated second', scale: 1, series: true,
    note: 'wall time of the steps, on the machine that ran it'},
  {key: 'time_reached', summary: 'time_reached', title: 'Simulated time reached', unit: 's', scale: 1, series: false,
    note: 'shorter than the run where it diverged'},
];

export const themes = {
  light: {text: '#1d2733', muted: '#5b6875', line: '#dfe4ea', axis: '#9aa5b1', surface: '#ffffff', bad: '#c2334d',
    palette: ['#0072b2', '#d55e00', '#009e73', '#aa4499', '#b8860b', '#56a0d3', '#882255', '#4b5563'],
    ramp: ['#2b2d7c', '#2171b5', '#1a9e96', '#6bb744', '#d9a400', '#d55e00']},
  dark: {text: '#e6ebf1', muted: '#9aa7b5', line: '#2b3440', axis: '#5c6875', surface: '#161c24', bad: '#ff7b8f',
    palette: ['#58a6ff', '#ff9f5a', '#3ecf9b', '#e08ad0', '#e6c14b', '#8fd0f5', '#ff8fab', '#aeb8c4'],
    ramp: ['#8a8cf0', '#58a6ff', '#3ecfc4', '#8fd86a', '#f0c44c', '#ff9f5a']},
};
const heatColours = ['#fdf6d8', '#fbd88a', '#f5a35c', '#dd6a5b', '#a53f73', '#5b2a77'];
const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export function number(x) {
  if (x === null || x === undefined || !isFinite(x)) return '\u2013';
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
  return String(Number(x.toPrecision(size >= 1000 ? 4 : 3)));
}

const withUnit = (x, unit) => number(x) + (unit ? (unit === '%' ? ' %' : ` ${unit}`) : '');
export const unitText = unit => unit.replace('^2', '\u00b2').replace('^3', '\u00b3');
const tick = v => (Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-3) ? number(v) : String(Number(v.toPrecision(6))));
const shortName = path => path.slice(path.lastIndexOf('.') + 1);
const isNumber = text => text !== '' && isFinite(Number(text));
const escaped = text => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const diverged = run => run.summary.result === 'diverged';

// Directions with a scale of their own; solvers and groups are told apart by colour instead.
const isWord = axis => axis.path === 'solver.name' || axis.path === 'group';
export const parameters = data => data.axes.filter(a => !isWord(a) && a.values.length > 1);

function mixed(ramp, part) {
  const at = Math.max(0, Math.min(1, part)) * (ramp.length - 1);
  const k = Math.min(Math.floor(at), ramp.length - 2);
  const channel = i => {
    const a = parseInt(ramp[k].slice(1 + 2 * i, 3 + 2 * i), 16);
    const b = parseInt(ramp[k + 1].slice(1 + 2 * i, 3 + 2 * i), 16);
    return Math.round(a + (b - a) * (at - k));
  };
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}

// Runs that differ by one number are shades of a ramp; others are as different as can be.
export function colourOf(data, k, theme) {
  const n = data.runs.length;
  const ordered = data.axes.length === 1 && parameters(data).length === 1 && n > 2;
  return ordered || n > theme.palette.length ? mixed(theme.ramp, n > 1 ? k / (n - 1) : 0) : theme.palette[k];
}

const wide = values => {
  const positive = values.filter(v => v > 0);
  return positive.length > 1 && positive.length >= 0.8 * values.length &&
    Math.max.apply(null, positive) > 30 * Math.min.apply(null, positive);
};

function base(theme) {
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: {fontFamily: font, color: theme.text, fontSize: 12},
    grid: {left: 8, right: 18, top: 30, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'all'},
    tooltip: {backgroundColor: theme.surface, borderColor: theme.line, confine: true, textStyle: {color: theme.text, fontSize: 12},
      extraCssText: 'border-radius:8px;box-shadow:0 4px 16px rgba(0,0,0,.18);max-width:min(90vw,420px);white-space:normal'},
  };
}

function axisLook(theme, name, grid) {
  return {
    name: name, nameTextStyle: {color: theme.muted, fontSize: 12},
    axisLabel: {color: theme.muted, fontSize: 11, hideOverlap: true}, axisTick: {show: false},
    axisLine: {show: !grid, lineStyle: {color: theme.axis}}, splitLine: {show: grid, lineStyle: {color: theme.line}},
  };
}

const withX = (theme, name, more) => Object.assign(axisLook(theme, name, false), {nameLocation: 'middle', nameGap: 24}, more);
const withY = (theme, name, log, low) => Object.assign(axisLook(theme, name, true), {
  type: log ? 'log' : 'value', scale: true, nameLocation: 'end', nameGap: 12,
  nameTextStyle: {color: theme.muted, fontSize: 12, align: 'left', padding: [0, 0, 0, -20]},
  axisLabel: {color: theme.muted, fontSize: 11, formatter: tick}, min: log ? low : range => (margin(range) > 0 ? range.min - margin(range) : null),
  max: log ? null : range => (margin(range) > 0 ? range.max + margin(range) : null),
});

// What is the same but for its last digits is drawn as a level line.
const margin = range => {
  const size = Math.max(Math.abs(range.min), Math.abs(range.max));
  return range.max - range.min < 2e-3 * size ? 5e-3 * size : 0;
};

// The lower end of a logarithmic axis: what is five decades below the top is nothing.
function lowEnd(values, log) {
  if (!log) return null;
  const positive = values.filter(v => v > 0);
  if (!positive.length) return null;
  const high = Math.max.apply(null, positive), low = Math.min.apply(null, positive);
  return low < high * 1e-5 ? Math.pow(10, Math.ceil(Math.log10(high * 1e-5))) : null;
}

function tipRows(title, rows, unit) {
  const body = rows.map(r => `<tr><td>${r.marker || ''}${escaped(r.name)}</td>` +
    `<td style="text-align:right;padding-left:14px;font-variant-numeric:tabular-nums"><b>${withUnit(r.value, unit)}</b></td></tr>`);
  return `<div style="margin-bottom:4px">${escaped(title)}</div><table>${body.join('')}</table>`;
}

const mark = colour => `<i style="display:inline-block;width:14px;height:4px;border-radius:2px;margin-right:8px;` +
  `vertical-align:middle;background:${colour}"></i>`;

// The last entry of a rising list that is not above x, by halving; the first where all are.
function before(list, x) {
  const half = (low, high) => {
    if (high - low < 2) return low;
    const middle = Math.floor((low + high) / 2);
    return list[middle] <= x ? half(middle, high) : half(low, middle);
  };
  return half(0, list.length);
}

function timeChart(data, q) {
  const values = [];
  data.runs.forEach(run => {
    const s = run.series[q.key];
    if (s) s.v.forEach(v => values.push(v * q.scale));
  });
  return {
    name: `time_${q.key}`, over: 'time', quantity: q.key, title: q.title, unit: q.unit, note: q.note, canLog: true, log: q.log && wide(values),
    option: (theme, state) => {
      const low = lowEnd(values, state.log);
      const option = base(theme);
      option.xAxis = withX(theme, 'time [s]', {type: 'value', max: data.scene.until});
      option.yAxis = withY(theme, q.unit, state.log, low);
      option.tooltip.trigger = 'axis';
      option.tooltip.axisPointer = {lineStyle: {color: theme.axis}};
      // Runs step at different times; each tells its value at the last of its points before the pointer.
      option.tooltip.formatter = items => {
        const t = items[0].axisValue;
        const rows = [];
        data.runs.forEach((run, k) => {
          const s = run.series[q.key];
          if (!s || !s.t.length || (state.shown && !state.shown[run.name]) || t > s.t[s.t.length - 1] + 0.02 * data.scene.until) return;
          rows.push({marker: mark(colourOf(data, k, theme)), name: run.label, value: s.v[before(s.t, t)] * q.scale});
        });
        return tipRows(`t = ${number(t)} s`, rows.slice(0, 14), q.unit);
      };
      option.series = [];
      data.runs.forEach((run, k) => {
        const s = run.series[q.key];
        if (!s || !s.t.length || (state.shown && !state.shown[run.name])) return;
        const colour = colourOf(data, k, theme);
        const points = s.t.map((t, i) => [t, state.log && !(s.v[i] > 0) ? null : s.v[i] * q.scale]);
        option.series.push({type: 'line', name: run.label, data: points, showSymbol: points.length < 3, symbolSize: 6, color: colour,
          lineStyle: {width: 1.7}, emphasis: {focus: 'series'}});
        if (diverged(run))
          option.series.push({type: 'scatter', name: run.label, data: [points[points.length - 1]], symbol: cross, symbolSize: 11,
            itemStyle: {color: theme.bad}, z: 5, silent: true});
      });
      return option;
    },
  };
}

const cross = 'path://M0,1 L1,0 L5,4 L9,0 L10,1 L6,5 L10,9 L9,10 L5,6 L1,10 L0,9 L4,5 Z';

const valueOf = (run, q) => {
  const v = run.summary[q.summary];
  return typeof v === 'number' ? v * q.scale : null;
};

// Curves over the first parameter, one for each combination of everything else.
function curveChart(data, q) {
  const axis = parameters(data)[0];
  const at = data.axes.indexOf(axis);
  const keyOf = run => data.axes.map((a, k) => (k === at || run.at[k] === '' ? '' : isWord(a) ? run.at[k]
    : `${shortName(a.path)} = ${run.at[k]}`)).filter(t => t !== '').join(', ');
  const keys = [];
  data.runs.forEach(run => { if (keys.indexOf(keyOf(run)) < 0 && run.at[at] !== '') keys.push(keyOf(run)); });
  const numeric = axis.values.every(isNumber);
  const sound = data.runs.filter(r => !diverged(r)).map(r => valueOf(r, q)).filter(v => v !== null);
  const xs = numeric ? axis.values.map(Number) : [];
  const logX = numeric && Math.min.apply(null, xs) > 0 && Math.max.apply(null, xs) >= 20 * Math.min.apply(null, xs);
  const name = shortName(axis.path) + (axis.unit ? ` [${unitText(axis.unit)}]` : '');
  const top = sound.length ? Math.max.apply(null, sound) : null;
  return {
    name: `curve_${q.key}`, over: 'parameters', form: 'curve', quantity: q.key, title: `${q.title} over ${shortName(axis.path)}`,
    unit: q.unit, note: q.note, canLog: true, log: q.log && wide(sound),
    option: (theme, state) => {
      const option = base(theme);
      const span = numeric ? Math.max.apply(null, xs) - Math.min.apply(null, xs) : 0;
      option.xAxis = withX(theme, name, numeric
        ? {type: logX ? 'log' : 'value', min: logX ? Math.min.apply(null, xs) / 1.15 : Math.min.apply(null, xs) - 0.04 * span,
          max: logX ? Math.max.apply(null, xs) * 1.15 : Math.max.apply(null, xs) + 0.04 * span}
        : {type: 'category', data: axis.values});
      if (numeric) option.xAxis.axisLabel = Object.assign({}, option.xAxis.axisLabel,
        {customValues: xs, formatter: tick});
      option.yAxis = withY(theme, q.unit, state.log, lowEnd(sound, state.log));
      option.tooltip.trigger = 'item';
      option.tooltip.formatter = i => {
        const run = data.runs[i.data.run];
        return tipRows(run.label, [{name: q.title, value: valueOf(run, q)}], q.unit) +
          (diverged(run) ? `<div style="color:${theme.bad}">diverged at t = ${number(run.summary.diverged_at)} s</div>` : '');
      };
      if (keys.length > 1) {
        option.legend = {type: 'scroll', bottom: 0, textStyle: {color: theme.text}, icon: 'roundRect', itemWidth: 14, itemHeight: 4,
          data: keys, pageIconColor: theme.text, pageTextStyle: {color: theme.muted}, inactiveColor: theme.line};
        option.grid.bottom = 36;
      }
      const ordered = keys.length > 2 && data.axes.length === 2 && parameters(data).length === 2;
      const hue = k => (ordered || keys.length > theme.palette.length ? mixed(theme.ramp, k / (keys.length - 1)) : theme.palette[k]);
      const lost = [];
      option.series = keys.map((key, k) => {
        const points = [];
        data.runs.forEach((run, r) => {
          if (keyOf(run) !== key || run.at[at] === '') return;
          const x = numeric ? Number(run.at[at]) : run.at[at];
          const v = valueOf(run, q);
          const good = !diverged(run) && v !== null && (!state.log || v > 0);
          points.push({value: [x, good ? v : null], run: r});
          if (diverged(run) && v !== null && (!state.log || v > 0))
            lost.push({value: [x, top === null ? v : Math.min(v, 2 * top)], run: r});
        });
        if (numeric) points.sort((a, b) => a.value[0] - b.value[0]);
        return {type: 'line', name: key, data: points, symbol: 'circle', symbolSize: 7, showAllSymbol: true, color: hue(k),
          lineStyle: {width: 1.8}};
      });
      if (lost.length)
        option.series.push({type: 'scatter', name: 'diverged', data: lost, symbol: cross, symbolSize: 11, itemStyle: {color: theme.bad}});
      return option;
    },
  };
}

// A heat map over the first two parameters, one for each combination of everything else.
function heatCharts(data, q) {
  const axes = parameters(data);
  const ix = data.axes.indexOf(axes[0]), iy = data.axes.indexOf(axes[1]);
  const rest = run => data.axes.map((a, k) => (k === ix || k === iy || run.at[k] === '' ? '' : isWord(a) ? run.at[k]
    : `${shortName(a.path)} = ${run.at[k]}`)).filter(t => t !== '').join(', ');
  const facets = [];
  data.runs.forEach(run => {
    if (run.at[ix] !== '' && run.at[iy] !== '' && facets.indexOf(rest(run)) < 0) facets.push(rest(run));
  });
  const all = data.runs.filter(r => !diverged(r)).map(r => valueOf(r, q)).filter(v => v !== null);
  const log = q.log && wide(all);
  const tone = v => (log ? Math.log10(Math.max(v, 1e-300)) : v);
  return facets.slice(0, 12).map((facet, f) => ({
    name: `heat_${q.key}${facets.length > 1 ? `_${f + 1}` : ''}`, over: 'parameters', form: 'heat', quantity: q.key,
    title: q.title + (facet ? `: ${facet}` : ''), unit: q.unit, note: q.note, canLog: false, log: log,
    option: theme => {
      const option = base(theme);
      const cells = [], lost = [];
      data.runs.forEach((run, r) => {
        if (run.at[ix] === '' || run.at[iy] === '' || rest(run) !== facet) return;
        const x = axes[0].values.indexOf(run.at[ix]), y = axes[1].values.indexOf(run.at[iy]), v = valueOf(run, q);
        if (diverged(run)) lost.push({value: [x, y, 0], run: r});
        else if (v !== null && (!log || v > 0)) cells.push({value: [x, y, tone(v)], run: r});
      });
      const tones = all.filter(v => !log || v > 0).map(tone);
      const low = tones.length ? Math.min.apply(null, tones) : 0, high = tones.length ? Math.max.apply(null, tones) : 1;
      const named = a => shortName(a.path) + (a.unit ? ` [${unitText(a.unit)}]` : '');
      option.grid.bottom = 44;
      option.xAxis = withX(theme, named(axes[0]), {type: 'category', data: axes[0].values, axisLine: {show: false}});
      option.yAxis = Object.assign(axisLook(theme, named(axes[1]), false), {type: 'category', data: axes[1].values,
        axisLine: {show: false}, nameTextStyle: {color: theme.muted, align: 'left', padding: [0, 0, 0, -20]}});
      option.visualMap = {type: 'continuous', min: low, max: high > low ? high : low + 1, orient: 'horizontal', left: 'center', bottom: 0,
        itemHeight: 160, itemWidth: 10, calculable: false, seriesIndex: 0, inRange: {color: heatColours},
        text: [withUnit(log ? Math.pow(10, high) : high, q.unit), number(log ? Math.pow(10, low) : low)],
        textStyle: {color: theme.muted, fontSize: 11}};
      const dark = v => (v - low) / Math.max(high - low, 1e-300) > 0.45;
      cells.forEach(c => {
        c.label = {color: dark(c.value[2]) ? '#ffffff' : '#2a2233'};
      });
      option.tooltip.formatter = i => {
        const run = data.runs[i.data.run];
        return diverged(run) ? `${escaped(run.label)}<div style="color:${theme.bad}">diverged at t = ${number(run.summary.diverged_at)} s</div>`
          : tipRows(run.label, [{name: q.title, value: valueOf(run, q)}], q.unit);
      };
      const shown = cells.length + lost.length <= 150;
      const border = {borderColor: theme.surface, borderWidth: 2, borderRadius: 4};
      option.series = [
        {type: 'heatmap', name: q.title, data: cells, itemStyle: border,
          label: {show: shown, fontSize: 11, formatter: i => number(valueOf(data.runs[i.data.run], q))}},
        {type: 'heatmap', name: 'diverged', data: lost, itemStyle: Object.assign({color: theme.line}, border),
          label: {show: shown, color: theme.bad, fontSize: 11,
            formatter: i => `\u2715 ${number(data.runs[i.data.run].summary.diverged_at)} s`}},
      ];
      return option;
    },
  }));
}

/// Every plot of the data, the one to be shown first first.
export function charts(data) {
  const all = [];
  const some = data.runs.some(diverged);
  const count = parameters(data).length;
  quantities.forEach(q => {
    if (count > 0 && (q.key !== 'time_reached' || some) && data.runs.some(r => valueOf(r, q) !== null)) {
      if (count > 1) heatCharts(data, q).forEach(c => all.push(c));
      all.push(curveChart(data, q));
    }
  });
  quantities.forEach(q => {
    if (q.series && data.runs.some(r => r.series[q.key] && r.series[q.key].t.length)) all.push(timeChart(data, q));
  });
  const over = data.over || (count > 0 ? 'parameters' : 'time');
  const main = data.main || 'density_error_mean';
  const first = all.filter(c => c.over === over && c.quantity === main)[0] || all.filter(c => c.quantity === main)[0] || all[0];
  return first ? [first].concat(all.filter(c => c !== first)) : all;
}

export const init = element => echarts.init(element, null, {renderer: 'svg'});

// What C++ calls: load(json), names(), svg(name).
const loaded = {data: null, charts: []};

export function load(json) {
  loaded.data = JSON.parse(json);
  loaded.charts = charts(loaded.data);
  return '';
}

export const names = () => loaded.charts.map(c => c.name).join('\n');

// Of many runs a paper's figure shows a dozen, spread evenly.
export function spread(data, most) {
  const shown = {};
  const n = data.runs.length;
  data.runs.forEach((run, k) => {
    shown[run.name] = n <= most || Math.floor(k * most / n) !== Math.floor((k - 1) * most / n);
  });
  return shown;
}

export function svg(name) {
  const chart = loaded.charts.filter(c => c.name === name)[0];
  const theme = themes.light;
  const option = chart.option(theme, {log: chart.log, shown: spread(loaded.data, 12)});
  option.backgroundColor = '#ffffff';
  option.title = {text: chart.title, left: 14, top: 8, textStyle: {fontSize: 15, fontWeight: 600, color: theme.text}};
  option.grid.top = 66;
  const labels = option.series.filter(s => s.type === 'line').map(s => s.name);
  if (chart.over === 'time' && labels.length > 1) {
    const rows = Math.ceil(labels.join('').length * 7 / 640 + labels.length * 30 / 640);
    option.legend = {bottom: 8, data: labels, icon: 'roundRect', itemWidth: 14, itemHeight: 4, textStyle: {color: theme.text}};
    option.grid.bottom = 14 + 24 * rows;
  }
  const picture = echarts.init(null, null, {renderer: 'svg', ssr: true, width: 720, height: 440});
  picture.setOption(option);
  const text = picture.renderToSVGString();
  picture.dispose();
  return text;
}

const everywhere = new Function('return this')();
everywhere.brimCharts = {charts, colourOf, init, load, names, number, parameters, spread, svg, themes, unitText};
