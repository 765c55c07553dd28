// A plot over time (or what else q.x says), a curve for each run. Runs in browsers and in Duktape: const, arrow functions and template
// literals are fine, but no let, classes, destructuring, spread or loops over "of".
import {base, colourOf, cross, mark, tipRows, withX, withY} from './look.js';
import {before, diverged, noteOf, number, wide} from './values.js';

export function timeChart(data, q) {
  const values = [];
  data.runs.forEach(run => {
    [run.series[q.key], q.beside && run.series[q.beside.key]].forEach(s => {
      if (s) s.v.forEach(v => values.push(v * q.scale));
    });
  });
  const x = q.x || {name: 'time [s]', letter: 't', unit: 's', max: data.scene.until};
  const ends = data.runs.map(run => (run.series[q.key] ? run.series[q.key].t.slice(-1)[0] || 0 : 0));
  const most = x.max || Math.max.apply(null, ends);
  return {
    name: q.x ? q.key : `time_${q.key}`,
    over: 'time',
    quantity: q.key,
    title: q.title,
    unit: q.unit,
    note: noteOf(data, q),
    beside: q.subtitle || noteOf(data, q) !== q.note,
    canLog: true,
    log: q.log && wide(values),
    option: (theme, state) => {
      const option = base(theme);
      option.xAxis = withX(theme, x.name, {type: 'value', max: x.max});
      option.yAxis = withY(theme, q.unit, state.log, values);
      option.tooltip.trigger = 'axis';
      option.tooltip.axisPointer = {lineStyle: {color: theme.axis}};
      // Runs step at different times; each tells its value at the last of its points before the pointer.
      option.tooltip.formatter = items => {
        const t = items[0].axisValue;
        const rows = [];
        data.runs.forEach((run, k) => {
          const s = run.series[q.key];
          if (!s || !s.t.length || (state.shown && !state.shown[run.name]) || t > s.t[s.t.length - 1] + 0.02 * most)
            return;
          rows.push({marker: mark(colourOf(data, k, theme)), name: run.label, value: s.v[before(s.t, t)] * q.scale});
          const b = q.beside && run.series[q.beside.key];
          if (b && b.t.length) rows.push({name: `${run.label}, ${q.beside.name}`, value: b.v[before(b.t, t)] * q.scale});
        });
        return tipRows(`${x.letter} = ${number(t)} ${x.unit}`, rows.slice(0, 14), q);
      };
      option.series = [];
      data.runs.forEach((run, k) => {
        const s = run.series[q.key];
        if (!s || !s.t.length || (state.shown && !state.shown[run.name])) return;
        const colour = colourOf(data, k, theme);
        const points = s.t.map((t, i) => [t, state.log && !(s.v[i] > 0) ? null : s.v[i] * q.scale]);
        option.series.push({
          type: 'line',
          name: run.label,
          data: points,
          showSymbol: points.length < 3,
          symbolSize: 6,
          color: colour,
          lineStyle: {width: 1.7},
          emphasis: {focus: 'series'},
        });
        const b = q.beside && run.series[q.beside.key];
        if (b && b.t.length)
          option.series.push({
            type: 'line',
            name: run.label,
            data: b.t.map((t, i) => [t, b.v[i] * q.scale]),
            showSymbol: false,
            color: colour,
            lineStyle: {width: 1.1, type: 'dashed'},
            silent: true,
          });
        if (diverged(run))
          option.series.push({
            type: 'scatter',
            name: run.label,
            data: [points[points.length - 1]],
            symbol: cross,
            symbolSize: 11,
            itemStyle: {color: theme.bad},
            z: 5,
            silent: true,
          });
      });
      return option;
    },
  };
}
