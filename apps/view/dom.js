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

export const button = (text, title, onclick, more = {}) => make('button', {type: 'button', title, 'aria-label': title, onclick, ...more}, text);

export const choice = (options, value, title, onchange) => {
  const select = make('select', {title, 'aria-label': title, onchange: () => onchange(select.value)});
  for (const [key, text, tip] of options) select.append(make('option', {value: key, title: tip ?? ''}, text));
  select.value = value;
  return select;
};
