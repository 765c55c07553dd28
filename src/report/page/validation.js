// The page of a validation: who is good at what, and each case with its scores and curves.
import {all, card, data, draw, drawn, end, make, seconds, section, themeButton} from './parts.js';

const {labelOf, number} = window.brimCharts;
const root = document.getElementById('report');
const shown = Object.fromEntries((data.solvers ?? []).map(s => [s, true])); // other pages have none, and load this file too

const percent = x => `${number(100 * x, 2)} %`;

// The number that a reader looks for: the value, and how far it is off.
function resultText(score, r) {
  if (r.error === null) return '–';
  if (score.kind === 'correlation') return number(r.value, 2);
  if (['inside', 'kept', 'rms'].includes(score.kind)) return percent(r.value);
  if (!score.percent) return `${number(r.value)} (${r.error > 0 ? '+' : ''}${number(r.error, 2)})`;
  return `${number(r.value)} (${r.error > 0 ? '+' : ''}${percent(r.error)})`;
}

function toleranceText(score) {
  if (score.kind === 'correlation') return `≥ ${number(1 - score.tolerance)}`;
  if (score.kind === 'inside') return `≥ ${percent(1 - score.tolerance)}`;
  if (score.kind === 'rms') return `≤ ${percent(score.tolerance)}`;
  return score.percent ? `± ${percent(score.tolerance)}` : `± ${number(score.tolerance)}`;
}

const runsOf = (c, solver) => c.runs.map((run, k) => ({run, k})).filter(({run}) => run.solver === solver);

// How many scores of a run are good, with how it ended where that says more.
function sum(c, k) {
  const results = c.scores.map(s => s.results[k]);
  const good = results.filter(r => r.good).length;
  return {good, all: results.length, text: `${good}/${results.length}`};
}

function overview() {
  const head = make('tr', {}, make('th', {}, 'case'), ...data.solvers.map(s => make('th', {}, s)));
  const rows = data.cases.map(c =>
    make(
      'tr',
      {},
      make('td', {}, make('a', {href: `#case_${c.name}`}, c.title)),
      ...data.solvers.map(s => {
        const runs = runsOf(c, s);
        if (!runs.length) {
          const why = c.refused.find(r => r.solver === s);
          return make('td', {class: 'refused', title: why ? why.reason : null}, why ? 'refuses' : '');
        }
        const last = runs[runs.length - 1];
        const {good, all: count} = sum(c, last.k);
        const mood = last.run.result === 'diverged' ? 'bad' : good === count ? 'good' : good === 0 ? 'bad' : 'half';
        const text = runs.map(({k}) => sum(c, k).text).join(' → ');
        const sign = last.run.result === 'diverged' ? ' †' : last.run.ruined ? ' ‡' : '';
        return make('td', {class: last.run.ruined ? 'bad' : mood, title: last.run.message ?? (last.run.ruined_why || null)}, text + sign);
      }),
    ),
  );
  const total = make(
    'tr',
    {class: 'total'},
    make('td', {}, 'all'),
    ...data.solvers.map(s => {
      const sums = data.cases.flatMap(c => runsOf(c, s).slice(-1).map(({k}) => sum(c, k)));
      return make('td', {}, `${sums.reduce((n, x) => n + x.good, 0)}/${sums.reduce((n, x) => n + x.all, 0)}`);
    }),
  );
  section('Scores within their tolerances', make('a', {href: 'scores.csv', style: 'font-size:.85rem'}, 'scores.csv')).append(
    make('div', {class: 'table'}, make('table', {class: 'runs scores'}, make('thead', {}, head), make('tbody', {}, ...rows, total))),
    make('p', {class: 'facts'}, '† diverged, ‡ ruined: a health check warned. A solver that refuses a case says why below.'),
  );
}

function scoreTable(c) {
  const solvers = data.solvers.filter(s => runsOf(c, s).length);
  const head = make(
    'tr',
    {},
    make('th', {}, 'score'),
    make('th', {}, 'reference'),
    make('th', {}, 'tolerance'),
    ...solvers.map(s => make('th', {}, make('i', {'data-run': data.solvers.indexOf(s)}), s)),
  );
  const rows = c.scores.map(score =>
    make(
      'tr',
      {},
      make('td', {title: score.title}, `${score.curve}: ${score.name}`),
      make('td', {}, ['rms', 'correlation', 'inside'].includes(score.kind) ? '' : score.kind === 'kept' ? percent(score.expected) : number(score.expected)),
      make('td', {title: score.why}, toleranceText(score)),
      ...solvers.map(s => {
        const results = runsOf(c, s).map(({k}) => score.results[k]);
        const last = results[results.length - 1];
        return make('td', {class: last.good ? 'good' : 'bad'}, results.map(r => resultText(score, r)).join(' → '));
      }),
    ),
  );
  const plain = (name, text, mood = () => null) =>
    make(
      'tr',
      {class: 'plain'},
      make('td', {}, name),
      make('td', {}),
      make('td', {}),
      ...solvers.map(s => {
        const runs = runsOf(c, s).map(({run}) => run);
        return make('td', {class: runs.map(mood).find(m => m), title: runs.map(r => r.ruined_why).find(w => w)}, runs.map(text).join(' → '));
      }),
    );
  return make(
    'div',
    {class: 'table'},
    make(
      'table',
      {class: 'runs scores'},
      make('thead', {}, head),
      make(
        'tbody',
        {},
        ...rows,
        plain('particles', r => number(r.particles, 6)),
        plain('spacing [m]', r => number(r.spacing)),
        plain('wall time', r => (r.wall_s === undefined ? '–' : seconds(r.wall_s))),
        plain('result', r => (r.result === 'diverged' ? `diverged at ${number(r.diverged_at)} s` : r.result)),
        plain('health', r => (r.ruined ? `ruined: ${r.ruined}` : 'good'), r => (r.ruined ? 'ruined' : null)),
      ),
    ),
  );
}

function showCase(c) {
  const place = section(c.title);
  place.id = `case_${c.name}`;
  place.append(make('p', {}, c.about), make('p', {class: 'facts'}, c.source));
  if (c.runs.length) place.append(scoreTable(c));
  const names = c.curves.map(curve => curve.name);
  const mine = all.filter(chart => names.includes(chart.name));
  if (c.runs.length) place.append(make('div', {class: 'grid'}, ...mine.map(chart => withShown(chart))));
  const reasons = [...new Set(c.scores.map(s => `${s.curve}, ${s.name}: ${toleranceText(s)}, for ${s.why}.`))];
  place.append(make('details', {}, make('summary', {}, 'Why these tolerances'), ...reasons.map(r => make('p', {class: 'facts'}, r))));
  for (const r of c.refused) place.append(make('p', {class: 'facts'}, make('b', {}, `${r.solver} refuses: `), r.reason));
}

function withShown(chart) {
  const made = card(chart);
  drawn[drawn.length - 1].state.shown = shown;
  return made;
}

function chips() {
  const buttons = data.solvers.map((s, k) =>
    make(
      'button',
      {
        class: 'chip',
        'aria-pressed': 'true',
        'data-run': k,
        onclick: e => {
          shown[s] = !shown[s];
          e.currentTarget.setAttribute('aria-pressed', String(shown[s]));
          drawn.filter(i => i.plot).forEach(i => draw(i, true));
        },
      },
      make('i'),
      s,
    ),
  );
  root.append(make('div', {class: 'chips sticky', role: 'group', 'aria-label': 'Solvers shown'}, ...buttons));
}

export function validation() {
  root.append(make('div', {class: 'top'}, make('span', {class: 'kind'}, 'Validation'), themeButton()), make('h1', {}, data.title));
  const first = data.cases.map(c => c.runs[0]).find(r => r);
  root.append(
    make(
      'p',
      {class: 'facts'},
      `${data.cases.length} cases, ${data.cases.reduce((n, c) => n + c.runs.length, 0)} runs: experiments and exact solutions. Every score ` +
        'has a tolerance and its reason; red misses it.',
    ),
  );
  overview();
  chips();
  data.cases.forEach(showCase);
  end(
    data.command ? make('p', {}, 'Made by ', make('code', {}, data.command)) : '',
    make(
      'p',
      {},
      `${first?.flavour ?? ''}${first?.threads ? `, ${first.threads} threads` : ''}. The plots are in plots/ as SVG files, every ` +
        'score in scores.csv; each run has its own folder below its case.',
    ),
  );
}
