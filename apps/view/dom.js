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

// What people type as a number: -9.8, −9,8 and 1e-3. NaN for anything else.
export function numberIn(text) {
  const plain = text.trim().replace(/[\u2212\u2013]/g, '-').replace(',', '.');
  return plain === '' ? NaN : Number(plain);
}

// A field for a number. What is being typed is not overwritten by news; what is no number is marked and not taken.
export function numberField(title, label, taken, more = {}) {
  const field = make('input', {type: 'text', inputMode: 'text', autocomplete: 'off', class: 'number', title, 'aria-label': label, ...more});
  let typing = false,
    held = '';
  field.addEventListener('input', () => {
    typing = true;
    field.removeAttribute('aria-invalid');
  });
  field.addEventListener('change', () => {
    typing = false;
    const value = numberIn(field.value);
    if (Number.isFinite(value) || field.value.trim() === '') taken(value);
    else field.setAttribute('aria-invalid', 'true');
  });
  field.addEventListener('blur', () => {
    if (field.getAttribute('aria-invalid')) field.value = held;
    field.removeAttribute('aria-invalid');
    typing = false;
  });
  field.show = text => {
    held = String(text);
    if (!typing) field.value = held;
  };
  return field;
}

// Signs for the buttons of time, drawn: fonts differ in which of them they have.
const paths = {
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z',
  step: 'M3 2.5h2.5v11H3zM7 2.5v11l7-5.5z',
  loop: 'M4.5 4h6a3.5 3.5 0 0 1 0 7H9V9.2L5.5 12 9 14.8V13h1.5a5.5 5.5 0 0 0 0-11h-6z',
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
