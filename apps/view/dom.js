// Small helpers to make elements.

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name in element && name !== 'list') element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter(c => c !== null && c !== undefined));
  return element;
}

export const button = (text, title, onclick, more = {}) =>
  make('button', {type: 'button', title, 'aria-label': title, onclick, ...more}, text);

export const choice = (options, value, title, onchange) => {
  const select = make('select', {title, 'aria-label': title, onchange: () => onchange(select.value)});
  for (const [key, text, tip] of options) select.append(make('option', {value: key, title: tip ?? ''}, text));
  select.value = value;
  return select;
};

// Signs for the buttons of time, drawn: fonts differ in which of them they have.
const paths = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z',
  step: 'M3 2.5h2.5v11H3zM7 2.5v11l7-5.5z',
  reset: 'M2.5 2.5h2.5v11H2.5zM14 2.5v11L6 8z',
};

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}
