// The plots of a report, for the page and for the SVG files. Runs in browsers and in Duktape: const, arrow functions and template
// literals are fine, but no let, classes, destructuring, spread or loops over "of".
import * as echarts from 'echarts/core';
import {HeatmapChart, LineChart, ScatterChart} from 'echarts/charts';
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  ToolboxComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components';
import {SVGRenderer} from 'echarts/renderers';
import {colourOf, themes} from './look.js';
import {curveChart, heatCharts} from './over_parameters.js';
import {labelOf, referenceCharts} from './over_reference.js';
import {timeChart} from './over_time.js';
import {diverged, number, parameters, quantities, unitText, valueOf} from './values.js';

echarts.use([
  HeatmapChart,
  LineChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  ToolboxComponent,
  TooltipComponent,
  VisualMapComponent,
  SVGRenderer,
]);

/// Every plot of the data, the one to be shown first first.
export function charts(data) {
  if (data.cases) return referenceCharts(data);
  const all = [];
  const some = data.runs.some(diverged);
  const count = parameters(data).length;
  // A plot of a run's columns has these alone; a report has the gauges' after what every run has.
  const listed = (data.kind === 'plot' ? [] : quantities).concat(data.columns || []);
  listed.forEach(q => {
    if (count > 0 && (q.key !== 'time_reached' || some) && data.runs.some(r => valueOf(r, q) !== null)) {
      if (count > 1) heatCharts(data, q).forEach(c => all.push(c));
      all.push(curveChart(data, q));
    }
  });
  listed.forEach(q => {
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
    shown[run.name] = n <= most || Math.floor((k * most) / n) !== Math.floor(((k - 1) * most) / n);
  });
  return shown;
}

// Without a browser nobody measures text; these are the widths of a common wide font, so that nothing overlaps with any.
const widthOf = (text, size) =>
  text.split('').reduce((sum, c) => sum + (/[il.,:;'| ]/.test(c) ? 0.36 : /[mwMW%=]/.test(c) ? 0.9 : 0.64), 0) * size;

// How many lines a legend takes; an entry is its text, its mark and the gap to the next.
function linesOf(labels, width) {
  const state = {lines: 1, x: 0};
  labels.forEach(label => {
    const entry = widthOf(label, 12) + 34;
    if (state.x > 0 && state.x + entry > width) {
      state.lines += 1;
      state.x = 0;
    }
    state.x += entry;
  });
  return state.lines;
}

export function svg(name) {
  echarts.setPlatformAPI({
    measureText: (text, font) => ({width: widthOf(text, parseFloat((/([0-9.]+)px/.exec(font) || [0, 12])[1]))}),
  });
  const chart = loaded.charts.filter(c => c.name === name)[0];
  const theme = themes.light;
  const option = chart.option(theme, {log: chart.log, shown: chart.legend ? null : spread(loaded.data, 12)});
  option.backgroundColor = '#ffffff';
  option.title = {text: chart.title, left: 14, top: 8, textStyle: {fontSize: 15, fontWeight: 600, color: theme.text}};
  option.grid.top = 66;
  if (chart.beside) {
    option.title.subtext = chart.note;
    option.title.subtextStyle = {color: theme.muted, fontSize: 11};
    option.title.itemGap = 8;
    option.grid.top = 82;
  }
  const width = 720;
  const labels =
    chart.legend ||
    option.series
      .filter(s => s.type === 'line' && s.lineStyle.type !== 'dashed')
      .map(s => s.name);
  const lines = labels.length > (loaded.data.kind === 'plot' ? 1 : 0) && (chart.legend || loaded.data.runs.length > 1) ? linesOf(labels, width - 40) : 0;
  if (lines) {
    const text = {color: theme.text, fontSize: 12};
    option.legend = {
      bottom: 8,
      width: width - 40,
      data: labels,
      icon: 'roundRect',
      itemWidth: 14,
      itemHeight: 4,
      textStyle: text,
    };
    option.grid.bottom = 20 + 17 * lines;
  }
  const picture = echarts.init(null, null, {renderer: 'svg', ssr: true, width: width, height: 420 + 17 * lines});
  picture.setOption(option);
  const text = picture.renderToSVGString();
  picture.dispose();
  return text;
}

const everywhere = new Function('return this')();
everywhere.brimCharts = {charts, colourOf, init, labelOf, linesOf, load, names, number, parameters, spread, svg, themes, unitText};
