// What pages of all kinds are made of: elements, cards with plots, sections, the theme.
const {charts, colourOf, init, linesOf, number, themes} = window.brimCharts;
export const data = JSON.parse(document.getElementById('data').textContent);
const root = document.getElementById('report');
export const all = charts(data);
export const drawn = []; // {chart, element, plot, state}
export const paper = {before: [], after: []}; // what printing shows beside what the screen does

const preferDark = window.matchMedia('(prefers-color-scheme: dark)');
export const themeName = () => document.documentElement.dataset.theme;
const theme = () => themes[themeName()];
// Runs of a validation have the colours of their solvers.
const colour = k => colourOf(data.cases ? {runs: data.solvers, axes: []} : data, k, theme());

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter(c => c !== null && c !== undefined && c !== ''));
  return element;
}

// A line in the colour of a run, which follows the theme.
export const dash = k => make('i', {'data-run': k});
export function paintDashes() {
  for (const mark of document.querySelectorAll('[data-run]'))
    mark.style.setProperty('--colour', colour(Number(mark.dataset.run)));
}

export function seconds(s) {
  if (s < 60) return `${number(s)} s`;
  const whole = Math.round(s);
  return whole < 3600
    ? `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} min`
    : `${Math.floor(whole / 3600)}:${String(Math.floor(whole / 60) % 60).padStart(2, '0')} h`;
}

export const themeButton = () =>
  make('button', {title: 'Light or dark', onclick: () => setTheme(themeName() === 'dark' ? 'light' : 'dark')}, '◐ theme');

// Draws a plot when it comes into view: a sweep may have hundreds of curves.
const watcher = new IntersectionObserver(
  entries => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target.item);
  },
  {rootMargin: '400px'},
);

export function draw(item, force = false) {
  if (item.plot && !force) return;
  if (!item.plot) {
    item.plot = init(item.element);
    item.element.addEventListener('dblclick', () => draw(item, true));
  }
  const option = item.chart.option(theme(), item.state);
  if (option.legend && document.documentElement.classList.contains('printing')) {
    // On paper nobody turns the pages of a legend.
    option.legend.type = 'plain';
    option.grid.bottom = 20 + 17 * linesOf(option.legend.data, item.element.clientWidth);
  }
  const fine = window.matchMedia('(pointer: fine)').matches;
  if (item.chart.form !== 'heat') {
    // A dragged rectangle zooms, a double click shows all again; two fingers zoom too, while one scrolls the page.
    const own = {
      filterMode: 'none',
      zoomOnMouseWheel: false,
      moveOnMouseMove: false,
      moveOnMouseWheel: false,
      preventDefaultMouseMove: false,
    };
    option.toolbox = {itemSize: 0, showTitle: false, right: -50, feature: {dataZoom: {yAxisIndex: 'none', filterMode: 'none'}}};
    if (!fine) option.dataZoom = [{type: 'inside', xAxisIndex: 0, ...own}];
  }
  item.plot.setOption(option, true);
  if (option.toolbox && fine)
    item.plot.dispatchAction({type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true});
}

/// `shown`: which runs, by name, where a plot over time has many.
export function card(chart, main = false, shown = null) {
  const item = {chart, state: {log: chart.log, shown: chart.over === 'time' ? shown : null}, plot: null};
  item.element = make('div', {
    class: 'plot',
    id: main ? `main_${chart.name}` : chart.name,
    role: 'img',
    'aria-label': chart.title,
  });
  item.element.item = item;
  const log = chart.canLog
    ? make(
        'button',
        {
          'aria-pressed': String(chart.log),
          onclick: () => {
            item.state.log = !item.state.log;
            log.setAttribute('aria-pressed', String(item.state.log));
            draw(item, true);
          },
        },
        'log',
      )
    : null;
  const reset =
    chart.form === 'heat'
      ? null
      : make('button', {title: 'Drag to zoom; this shows all again', onclick: () => draw(item, true)}, 'reset');
  drawn.push(item);
  watcher.observe(item.element);
  return make(
    'div',
    {class: main ? 'card main' : 'card'},
    make(
      'header',
      {},
      make('h3', {}, main ? chart.title : chart.heading || chart.title),
      log,
      reset,
      chart.note || !main ? make('p', {class: 'note'}, chart.note) : null,
    ),
    item.element,
  );
}

export function section(title, ...controls) {
  const place = make('section', {}, make('div', {class: 'bar'}, make('h2', {}, title), ...controls));
  root.append(place);
  return place;
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  paintDashes();
  drawn.filter(i => i.plot).forEach(i => draw(i, true));
}

/// Chooses the theme before anything is drawn.
export function begin() {
  document.documentElement.dataset.theme = preferDark.matches ? 'dark' : 'light';
  preferDark.addEventListener('change', () => setTheme(preferDark.matches ? 'dark' : 'light'));
}

// On paper: light, all plots in all their forms, and the whole table, as wide as the paper.
let screenTheme = null;
function toPaper() {
  screenTheme ??= themeName();
  document.documentElement.classList.add('printing');
  paper.before.forEach(act => act());
  setTheme('light');
  // Drawn anew after the new size is known: a plot that is only resized is drawn with the next frame, which is too late.
  drawn.forEach(i => {
    i.plot?.resize();
    draw(i, true);
  });
}
function toScreen() {
  document.documentElement.classList.remove('printing');
  paper.after.forEach(act => act());
  setTheme(screenTheme ?? themeName());
  screenTheme = null;
  drawn.filter(i => i.plot).forEach(i => i.plot.resize());
}

/// The page's last lines, and what follows the window.
export function end(...lines) {
  root.append(make('footer', {}, ...lines));
  paintDashes();
  let pending = 0;
  window.addEventListener('resize', () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => drawn.filter(i => i.plot).forEach(i => i.plot.resize()));
  });
  window.addEventListener('beforeprint', toPaper);
  window.addEventListener('afterprint', toScreen);
  // For tests: draws everything at once and hands out the plots.
  window.brimReport = {data, drawAll: () => drawn.forEach(i => draw(i)), items: drawn};
}
