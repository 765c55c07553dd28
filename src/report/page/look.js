// How plots look: colours, axes and tooltips. Runs in browsers and in Duktape: const, arrow functions and template
// literals are fine, but no let, classes, destructuring, spread or loops over "of".
import {escaped, largest, parameters, smallest, tick, withUnit} from './values.js';

export const themes = {
  light: {
    text: '#1d2733',
    muted: '#5b6875',
    line: '#dfe4ea',
    axis: '#9aa5b1',
    surface: '#ffffff',
    bad: '#c2334d',
    palette: ['#0072b2', '#d55e00', '#009e73', '#aa4499', '#b8860b', '#56a0d3', '#882255', '#4b5563', '#7fae00'],
    ramp: ['#2b2d7c', '#2171b5', '#1a9e96', '#6bb744', '#d9a400', '#d55e00'],
  },
  dark: {
    text: '#e6ebf1',
    muted: '#9aa7b5',
    line: '#2b3440',
    axis: '#5c6875',
    surface: '#161c24',
    bad: '#ff7b8f',
    palette: ['#58a6ff', '#ff9f5a', '#3ecf9b', '#e08ad0', '#e6c14b', '#8fd0f5', '#ff8fab', '#aeb8c4', '#b6dd4b'],
    ramp: ['#8a8cf0', '#58a6ff', '#3ecfc4', '#8fd86a', '#f0c44c', '#ff9f5a'],
  },
};
export const heatColours = ['#fdf6d8', '#fbd88a', '#f5a35c', '#dd6a5b', '#a53f73', '#5b2a77'];
// Without quotes, which ECharts would put into the attributes of an SVG file as they are.
const font = 'system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif';

export function mixed(ramp, part) {
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

export function base(theme) {
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: {fontFamily: font, color: theme.text, fontSize: 12},
    grid: {left: 8, right: 18, top: 30, bottom: 8, outerBoundsMode: 'same', outerBoundsContain: 'all'},
    tooltip: {
      backgroundColor: theme.surface,
      borderColor: theme.line,
      confine: true,
      textStyle: {color: theme.text, fontSize: 12},
      extraCssText: 'border-radius:8px;box-shadow:0 4px 16px rgba(0,0,0,.18);max-width:min(90vw,420px);white-space:normal',
    },
  };
}

export function axisLook(theme, name, grid) {
  return {
    name: name,
    nameTextStyle: {color: theme.muted, fontSize: 12},
    axisLabel: {color: theme.muted, fontSize: 11, hideOverlap: true},
    axisTick: {show: false},
    axisLine: {show: !grid, lineStyle: {color: theme.axis}},
    splitLine: {show: grid, lineStyle: {color: theme.line}},
  };
}

export const withX = (theme, name, more) =>
  Object.assign(axisLook(theme, name, false), {nameLocation: 'middle', nameGap: 24}, more);

// The lower end of a logarithmic axis: what is five decades below the top is nothing.
function lowEnd(values) {
  const positive = values.filter(v => v > 0);
  if (!positive.length) return null;
  const high = largest(positive),
    low = smallest(positive);
  return low < high * 1e-5 ? Math.pow(10, Math.ceil(Math.log10(high * 1e-5))) : null;
}

// Where a logarithmic axis ends if something lies below it: what is not positive, or five decades below the top. null: nothing does.
export function floorOf(values) {
  const positive = values.filter(v => v > 0);
  if (!positive.length) return null;
  const end = lowEnd(values);
  const low = end === null ? Math.pow(10, Math.floor(Math.log10(smallest(positive)) + 1e-9)) : end;
  return values.some(v => v < low) ? low : null;
}

// Marks at the lower end of the axis, for points that lie below it; each point has its colour and the run that it belongs to.
export const belowName = 'below the axis';
export const belowMarks = points => ({
  type: 'scatter',
  name: belowName,
  data: points,
  symbol: 'triangle',
  symbolRotate: 180,
  symbolSize: 9,
  clip: false,
  z: 4,
});

export function withY(theme, name, log, values) {
  const high = values.length ? largest(values) : 1,
    low = values.length ? smallest(values) : 0;
  const size = Math.max(Math.abs(high), Math.abs(low));
  // What is the same but for its last digits is drawn as a level line.
  const level = !log && high - low < 2e-3 * size;
  return Object.assign(axisLook(theme, name, true), {
    type: log ? 'log' : 'value',
    scale: true,
    nameLocation: 'end',
    nameGap: 12,
    nameTextStyle: {color: theme.muted, fontSize: 12, align: 'left', padding: [0, 0, 0, -20]},
    axisLabel: {
      color: theme.muted,
      fontSize: 11,
      formatter: tick,
      showMinLabel: level ? false : null,
      showMaxLabel: level ? false : null,
    },
    min: log ? (floorOf(values) === null ? lowEnd(values) : floorOf(values)) : level ? low - 5e-3 * size : null,
    max: level ? high + 5e-3 * size : null,
  });
}

export function tipRows(title, rows, q) {
  const body = rows.map(
    r =>
      `<tr><td>${r.marker || ''}${escaped(r.name)}</td>` +
      `<td style="text-align:right;padding-left:14px;font-variant-numeric:tabular-nums"><b>${withUnit(r.value, q.unit, q.digits)}</b></td></tr>`,
  );
  return `<div style="margin-bottom:4px">${escaped(title)}</div><table>${body.join('')}</table>`;
}

export const mark = colour =>
  `<i style="display:inline-block;width:14px;height:4px;border-radius:2px;margin-right:8px;` +
  `vertical-align:middle;background:${colour}"></i>`;
export const cross = 'path://M0,1 L1,0 L5,4 L9,0 L10,1 L6,5 L10,9 L9,10 L5,6 L1,10 L0,9 L4,5 Z';
