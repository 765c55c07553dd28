// The page of comparisons, sweeps and studies: heading, table, pictures and plots.
import {all, card, dash, data, draw, drawn, end, make, paintDashes, paper, seconds, section, themeButton} from './parts.js';

const {number, parameters, spread, unitText} = window.brimCharts;
const root = document.getElementById('report');
const shown = data.runs ? spread(data, 10) : {};

function heading() {
  const kinds = {compare: 'Comparison', sweep: 'Sweep', study: 'Study'};
  const varied = data.axes
    .filter(a => a.path !== 'group')
    .map(a => `${a.path === 'solver.name' ? 'solver' : a.path}${a.unit ? ` [${unitText(a.unit)}]` : ''}: ${a.values.join(', ')}`);
  const lost = data.runs.filter(r => r.summary.result === 'diverged').length;
  const ruined = data.runs.filter(r => r.summary.ruined).length;
  const facts = make(
    'p',
    {class: 'facts'},
    data.scene.title && data.scene.title !== data.title ? make('b', {}, `${data.scene.title}, `) : '',
    `${data.scene.file}, ${data.scene.dimension}D, ${number(data.scene.until)} s. `,
    `${data.runs.length} run${data.runs.length === 1 ? '' : 's'}${lost ? `, ${lost} diverged` : ''}`,
    ruined ? make('span', {class: 'ruined'}, `, ${ruined} ruined`) : '',
    '.',
  );
  root.append(
    make('div', {class: 'top'}, make('span', {class: 'kind'}, kinds[data.kind]), themeButton()),
    make('h1', {}, data.title),
    facts,
  );
  for (const line of varied) root.append(make('p', {class: 'facts'}, 'Varied: ', make('code', {}, line)));
  for (const {label, set} of [{label: '', set: data.set}, ...data.groups])
    if (set.length) root.append(make('p', {class: 'facts'}, `${label || 'Set'}: `, make('code', {}, set.join(';  '))));
  const words = [
    ['Question', data.question],
    ['Finding', data.finding],
  ].filter(([, text]) => text);
  if (words.length)
    root.append(
      make('div', {class: 'words'}, ...words.map(([name, text]) => make('div', {}, make('h3', {}, name), make('p', {}, text)))),
    );
}

// `some`: shown only where some run has it.
const everyColumn = [
  {title: 'steps', value: s => s.steps},
  {title: 'time step', unit: 'ms, mean', value: s => s.dt_mean * 1e3},
  {title: 'iterations', unit: 'mean', value: s => s.iterations_mean},
  {title: 'ρ error', unit: 'mean, %', value: s => s.density_error_mean * 100, best: true},
  {title: 'ρ error', unit: '99.9 %, %', value: s => s.density_error_p999 * 100, best: true},
  {title: 'ρ error', unit: 'max, %', value: s => s.density_error_max * 100, best: true},
  {title: 'volume', unit: 'end', value: s => s.volume_ratio, text: v => number(v, 4)},
  {
    title: 'volume',
    unit: 'lowest, highest',
    value: s => s.volume_ratio_max - s.volume_ratio_min,
    text: (v, s) => `${number(s.volume_ratio_min, 4)}, ${number(s.volume_ratio_max, 4)}`,
  },
  {title: 'volume', unit: 'end, by Eq. 19', value: s => s.volume_ratio_eq19, text: v => number(v, 4), some: true},
  {title: 'energy', unit: 'at the end, J', value: s => s.total_energy},
  {title: 'cost', unit: 'ms per sim. s', value: s => s.ms_per_simulated_second, best: true},
  {title: 'wall time', value: s => s.wall_s, text: seconds},
];
const columns = everyColumn.filter(c => !c.some || (data.runs || []).some(r => typeof c.value(r.summary) === 'number'));

function table() {
  const place = section('All runs', make('a', {href: 'report.csv', style: 'font-size:.85rem'}, 'report.csv'));
  const sort = {column: -1, up: true};
  const body = make('tbody');
  const finished = data.runs.filter(r => r.summary.result === 'finished');
  const best = columns.map(c => {
    const values = finished.map(r => c.value(r.summary)).filter(isFinite);
    return c.best && Math.min(...values) < Math.max(...values) ? Math.min(...values) : NaN;
  });
  const rows = data.runs.map((run, k) => {
    const s = run.summary,
      lost = s.result === 'diverged';
    const end = make(
      'td',
      {class: `word ${s.ruined ? 'ruined' : s.result}`, title: s.message ?? s.ruined_why},
      lost ? `diverged at ${number(s.diverged_at)} s` : s.ruined ? `ruined: ${s.ruined}` : s.result,
    );
    const cells = columns.map((c, i) => {
      const v = c.value(s);
      return make('td', {class: v === best[i] && !lost ? 'best' : null}, c.text && isFinite(v) ? c.text(v, s) : number(v));
    });
    return {run, row: make('tr', {}, make('td', {title: run.label}, dash(k), run.label), end, ...cells)};
  });
  const order = () => {
    const key = sort.column < 0 ? null : columns[sort.column].value;
    const sorted = key
      ? [...rows].sort((a, b) => (sort.up ? 1 : -1) * ((key(a.run.summary) ?? Infinity) - (key(b.run.summary) ?? Infinity)))
      : rows;
    body.replaceChildren(...sorted.map(r => r.row));
  };
  const heads = columns.map((c, i) => {
    const by = () => {
      sort.up = sort.column === i ? !sort.up : true;
      sort.column = i;
      heads.forEach((h, j) => h.setAttribute('aria-sort', j === i ? (sort.up ? 'ascending' : 'descending') : 'none'));
      order();
    };
    return make(
      'th',
      {tabindex: 0, onclick: by, onkeydown: e => e.key === 'Enter' && by()},
      c.title,
      c.unit ? make('small', {}, c.unit) : '',
    );
  });
  order();
  place.append(
    make(
      'div',
      {class: 'table'},
      make(
        'table',
        {class: 'runs'},
        make('thead', {}, make('tr', {}, make('th', {}, 'run'), make('th', {class: 'word'}, 'result'), ...heads)),
        body,
      ),
    ),
  );
  for (const run of data.runs.filter(r => r.summary.ruined))
    place.append(make('p', {class: 'facts ruined'}, `${run.label} is ruined. ${run.summary.ruined_why}.`));
  for (const note of data.notes) place.append(make('p', {class: 'facts'}, note));
}

function pictures() {
  const with_ = data.runs.map((run, k) => ({run, k})).filter(({run}) => run.strip);
  if (!with_.length) return;
  const place = section('Pictures');
  const many = data.runs.length > 4;
  const strips = make('div', {class: many ? 'strips many' : 'strips'});
  const show = count =>
    strips.replaceChildren(
      ...with_
        .slice(0, count)
        .map(({run, k}) =>
          make(
            'figure',
            {},
            make(
              'figcaption',
              {},
              dash(k),
              run.label,
              run.summary.result === 'diverged' ? make('span', {}, `diverged at t = ${number(run.summary.diverged_at)} s`) : null,
            ),
            make(
              'div',
              {class: 'scroll'},
              make('img', {src: run.strip, alt: `${run.label} over time, coloured by speed`, decoding: 'async'}),
            ),
          ),
        ),
    );
  const first = 12;
  show(first);
  place.append(strips);
  if (with_.length > first) {
    const more = make(
      'button',
      {
        style: 'margin-top:12px',
        onclick: () => {
          show(with_.length);
          paintDashes();
          more.remove();
        },
      },
      `show all ${with_.length}`,
    );
    place.append(more);
    paper.before.push(() => {
      if (more.isConnected) more.click();
    });
  }
}

function overParameters() {
  const mine = all.filter((c, k) => (k > 0 || c.paired) && c.over === 'parameters');
  if (!mine.length) return;
  const forms = [...new Set(mine.map(c => c.form))];
  const grid = make('div', {class: 'grid'});
  const cards = new Map();
  const show = form => {
    grid.replaceChildren(
      ...mine
        .filter(c => c.form === form)
        .map(c => {
          if (!cards.has(c)) cards.set(c, card(c, false, shown));
          return cards.get(c);
        }),
    );
    buttons.forEach(b => b.setAttribute('aria-pressed', String(b.dataset.form === form)));
  };
  const titles = {heat: 'heat maps', curve: 'curves'};
  const buttons = forms.length > 1 ? forms.map(f => make('button', {'data-form': f, onclick: () => show(f)}, titles[f])) : [];
  section(
    `Over ${parameters(data)
      .map(a => a.path)
      .join(' and ')}`,
    ...buttons,
  ).append(grid);
  const usual = forms.includes('heat') ? 'heat' : forms[0];
  show(usual);
  paper.before.push(() => grid.replaceChildren(...mine.map(c => cards.get(c) ?? cards.set(c, card(c, false, shown)).get(c))));
  paper.after.push(() => show(usual));
}

function overTime() {
  const mine = all.filter((c, k) => k > 0 && c.over === 'time');
  const redraw = () => drawn.filter(i => i.chart.over === 'time' && i.plot).forEach(i => draw(i, true));
  const chips = data.runs.map((run, k) => {
    const chip = make(
      'button',
      {
        class: 'chip',
        'aria-pressed': String(shown[run.name]),
        'data-run': k,
        onclick: () => {
          shown[run.name] = !shown[run.name];
          update();
        },
      },
      make('i'),
      run.label,
    );
    return chip;
  });
  const update = () => {
    chips.forEach((chip, k) => chip.setAttribute('aria-pressed', String(shown[data.runs[k].name])));
    redraw();
  };
  const setAll = value => () => {
    for (const run of data.runs) shown[run.name] = value;
    update();
  };
  const controls =
    data.runs.length > 2
      ? [make('button', {onclick: setAll(true)}, 'all'), make('button', {onclick: setAll(false)}, 'none')]
      : [];
  section('Over time', ...controls).append(
    make('div', {class: 'chips', role: 'group', 'aria-label': 'Runs shown'}, ...chips),
    make('div', {class: 'grid'}, ...mine.map(c => card(c, false, shown))),
  );
}

function legendOf() {
  return make(
    'div',
    {class: 'chips'},
    ...data.runs
      .slice(0, 24)
      .map((run, k) =>
        make('span', {class: 'chip', 'aria-pressed': 'true', 'data-run': k, style: 'cursor:default'}, make('i'), run.label),
      ),
  );
}

export function report() {
  heading();
  if (all.length) {
    const first = card(all[0], true, shown);
    if (all[0].over === 'time' && data.runs.length > 1) first.append(legendOf());
    root.append(first);
  }
  table();
  overParameters();
  pictures();
  overTime();
  const about = data.runs[0].summary;
  end(
    data.command ? make('p', {}, 'Made by ', make('code', {}, data.command)) : '',
    make(
      'p',
      {},
      `${about.flavour ?? ''}${about.threads ? `, ${about.threads} threads` : ''}. The plots are in plots/ as SVG files, every ` +
        'number in report.csv; each run has its own folder with frames, statistics.csv and summary.json.',
    ),
  );
}
