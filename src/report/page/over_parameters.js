// Plots over what was varied: curves and heat maps. Runs in browsers and in Duktape: const, arrow functions and template
// literals are fine, but no let, classes, destructuring, spread or loops over "of".
import {axisLook, base, belowMarks, cross, floorOf, heatColours, mixed, tipRows, withX, withY} from './look.js';
import {
  besideOf,
  diverged,
  escaped,
  isNumber,
  isWord,
  largest,
  noteOf,
  number,
  parameters,
  shortName,
  smallest,
  tick,
  unitText,
  valueOf,
  wide,
  withUnit,
} from './values.js';

// Curves over the first parameter, one for each combination of everything else.
export function curveChart(data, q) {
  const axis = parameters(data)[0];
  const at = data.axes.indexOf(axis);
  const keyOf = run =>
    data.axes
      .map((a, k) => (k === at || run.at[k] === '' ? '' : isWord(a) ? run.at[k] : `${shortName(a.path)} = ${run.at[k]}`))
      .filter(t => t !== '')
      .join(', ');
  const keys = [];
  data.runs.forEach(run => {
    if (keys.indexOf(keyOf(run)) < 0 && run.at[at] !== '') keys.push(keyOf(run));
  });
  const numeric = axis.values.every(isNumber);
  const sound = data.runs
    .filter(r => !diverged(r))
    .map(r => [valueOf(r, q), besideOf(r, q)])
    .reduce((a, b) => a.concat(b), [])
    .filter(v => v !== null);
  const xs = numeric ? axis.values.map(Number) : [];
  const logX = numeric && smallest(xs) > 0 && largest(xs) >= 20 * smallest(xs);
  const name = shortName(axis.path) + (axis.unit ? ` [${unitText(axis.unit)}]` : '');
  const top = sound.length ? largest(sound) : null;
  const floor = floorOf(sound);
  return {
    name: `curve_${q.key}`,
    over: 'parameters',
    form: 'curve',
    quantity: q.key,
    title: `${q.title} over ${shortName(axis.path)}`,
    heading: q.title,
    unit: q.unit,
    note: noteOf(data, q),
    beside: noteOf(data, q) !== q.note,
    canLog: true,
    log: q.log && wide(sound),
    option: (theme, state) => {
      const option = base(theme);
      const span = numeric ? largest(xs) - smallest(xs) : 0;
      option.xAxis = withX(
        theme,
        name,
        numeric
          ? {
              type: logX ? 'log' : 'value',
              min: logX ? smallest(xs) / 1.15 : smallest(xs) - 0.04 * span,
              max: logX ? largest(xs) * 1.15 : largest(xs) + 0.04 * span,
            }
          : {type: 'category', data: axis.values},
      );
      if (numeric) option.xAxis.axisLabel = Object.assign({}, option.xAxis.axisLabel, {customValues: xs, formatter: tick});
      option.yAxis = withY(theme, q.unit, state.log, sound);
      option.tooltip.trigger = 'item';
      option.tooltip.formatter = i => {
        const run = data.runs[i.data.run];
        return (
          tipRows(
            run.label,
            [{name: q.title, value: valueOf(run, q)}].concat(
              besideOf(run, q) === null ? [] : [{name: `${q.title}, ${q.beside.name}`, value: besideOf(run, q)}],
            ),
            q,
          ) +
          (diverged(run) ? `<div style="color:${theme.bad}">diverged at t = ${number(run.summary.diverged_at)} s</div>` : '')
        );
      };
      if (keys.length > 1) {
        option.legend = {
          type: 'scroll',
          bottom: 0,
          textStyle: {color: theme.text},
          icon: 'roundRect',
          itemWidth: 14,
          itemHeight: 4,
          data: keys,
          pageIconColor: theme.text,
          pageTextStyle: {color: theme.muted},
          inactiveColor: theme.line,
        };
        option.grid.bottom = 36;
      }
      const ordered = keys.length > 2 && data.axes.length === 2 && parameters(data).length === 2;
      const hue = k =>
        ordered || keys.length > theme.palette.length ? mixed(theme.ramp, k / (keys.length - 1)) : theme.palette[k];
      const lost = [],
        below = [];
      option.series = keys.map((key, k) => {
        const points = [];
        data.runs.forEach((run, r) => {
          if (keyOf(run) !== key || run.at[at] === '') return;
          const x = numeric ? Number(run.at[at]) : run.at[at];
          const v = valueOf(run, q);
          const sunk = !diverged(run) && v !== null && state.log && floor !== null && v < floor;
          const good = !diverged(run) && v !== null && !sunk && (!state.log || v > 0);
          if (sunk) below.push({value: [x, floor], run: r, itemStyle: {color: hue(k)}});
          points.push({value: [x, good ? v : null], run: r});
          if (diverged(run) && v !== null && (!state.log || v > 0))
            lost.push({value: [x, top === null ? v : Math.min(v, 2 * top)], run: r});
        });
        if (numeric) points.sort((a, b) => a.value[0] - b.value[0]);
        return {
          type: 'line',
          name: key,
          data: points,
          symbol: 'circle',
          symbolSize: 7,
          showAllSymbol: true,
          color: hue(k),
          lineStyle: {width: 1.8},
        };
      });
      keys.forEach((key, k) => {
        const points = [];
        data.runs.forEach((run, r) => {
          if (keyOf(run) === key && run.at[at] !== '' && besideOf(run, q) !== null && !diverged(run))
            points.push({value: [numeric ? Number(run.at[at]) : run.at[at], besideOf(run, q)], run: r});
        });
        if (numeric) points.sort((a, b) => a.value[0] - b.value[0]);
        if (points.length)
          option.series.push({
            type: 'line',
            name: key,
            data: points,
            symbol: 'emptyCircle',
            symbolSize: 6,
            color: hue(k),
            lineStyle: {width: 1.2, type: 'dashed'},
          });
      });
      if (below.length) option.series.push(belowMarks(below));
      if (lost.length)
        option.series.push({
          type: 'scatter',
          name: 'diverged',
          data: lost,
          symbol: cross,
          symbolSize: 11,
          itemStyle: {color: theme.bad},
        });
      return option;
    },
  };
}

// A heat map over the first two parameters, one for each combination of everything else.
export function heatCharts(data, q) {
  const axes = parameters(data);
  const ix = data.axes.indexOf(axes[0]),
    iy = data.axes.indexOf(axes[1]);
  const rest = run =>
    data.axes
      .map((a, k) =>
        k === ix || k === iy || run.at[k] === '' ? '' : isWord(a) ? run.at[k] : `${shortName(a.path)} = ${run.at[k]}`,
      )
      .filter(t => t !== '')
      .join(', ');
  const facets = [];
  data.runs.forEach(run => {
    if (run.at[ix] !== '' && run.at[iy] !== '' && facets.indexOf(rest(run)) < 0) facets.push(rest(run));
  });
  const all = data.runs
    .filter(r => !diverged(r))
    .map(r => valueOf(r, q))
    .filter(v => v !== null);
  const log = q.log && wide(all);
  const tone = v => (log ? Math.log10(Math.max(v, 1e-300)) : v);
  return facets.slice(0, 12).map((facet, f) => ({
    name: `heat_${q.key}${facets.length > 1 ? `_${f + 1}` : ''}`,
    over: 'parameters',
    form: 'heat',
    quantity: q.key,
    paired: facets.length > 1,
    title: q.title + (facet ? `: ${facet}` : ''),
    unit: q.unit,
    note: q.note,
    canLog: false,
    log: log,
    option: theme => {
      const option = base(theme);
      const cells = [],
        lost = [];
      const tones = all.filter(v => !log || v > 0).map(tone);
      const low = tones.length ? smallest(tones) : 0,
        high = tones.length ? largest(tones) : 1;
      data.runs.forEach((run, r) => {
        if (run.at[ix] === '' || run.at[iy] === '' || rest(run) !== facet) return;
        const x = axes[0].values.indexOf(run.at[ix]),
          y = axes[1].values.indexOf(run.at[iy]),
          v = valueOf(run, q);
        if (diverged(run)) lost.push({value: [x, y, 0], run: r});
        else if (v !== null) cells.push({value: [x, y, !log || v > 0 ? tone(v) : low], run: r});
      });
      const named = a => shortName(a.path) + (a.unit ? ` [${unitText(a.unit)}]` : '');
      option.grid.bottom = 44;
      option.xAxis = withX(theme, named(axes[0]), {type: 'category', data: axes[0].values, axisLine: {show: false}});
      option.yAxis = Object.assign(axisLook(theme, named(axes[1]), false), {
        type: 'category',
        data: axes[1].values,
        axisLine: {show: false},
        nameTextStyle: {color: theme.muted, align: 'left', padding: [0, 0, 0, -20]},
      });
      option.visualMap = {
        type: 'continuous',
        min: low,
        max: high > low ? high : low + 1,
        orient: 'horizontal',
        left: 'center',
        bottom: 0,
        itemHeight: 160,
        itemWidth: 10,
        calculable: false,
        seriesIndex: 0,
        inRange: {color: heatColours},
        text: [withUnit(log ? Math.pow(10, high) : high, q.unit, q.digits), number(log ? Math.pow(10, low) : low, q.digits)],
        textStyle: {color: theme.muted, fontSize: 11},
      };
      const dark = v => (v - low) / Math.max(high - low, 1e-300) > 0.45;
      cells.forEach(c => {
        c.label = {color: dark(c.value[2]) ? '#ffffff' : '#2a2233'};
      });
      option.tooltip.formatter = i => {
        const run = data.runs[i.data.run];
        return diverged(run)
          ? `${escaped(run.label)}<div style="color:${theme.bad}">diverged at t = ${number(run.summary.diverged_at)} s</div>`
          : tipRows(run.label, [{name: q.title, value: valueOf(run, q)}], q);
      };
      const shown = cells.length + lost.length <= 150;
      const border = {borderColor: theme.surface, borderWidth: 2, borderRadius: 4};
      option.series = [
        {
          type: 'heatmap',
          name: q.title,
          data: cells,
          itemStyle: border,
          label: {show: shown, fontSize: 11, formatter: i => number(valueOf(data.runs[i.data.run], q), q.digits)},
        },
        {
          type: 'heatmap',
          name: 'diverged',
          data: lost,
          itemStyle: Object.assign({color: theme.line}, border),
          label: {
            show: shown,
            color: theme.bad,
            fontSize: 11,
            formatter: i => `\u2715 ${number(data.runs[i.data.run].summary.diverged_at)} s`,
          },
        },
      ];
      return option;
    },
  }));
}
