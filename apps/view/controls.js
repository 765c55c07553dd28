// Sliders, switches and choices made from the declarations of parameters: name, unit, range, default and sentence.
import {short} from './colours.js';
import {make, button, numberField, numberIn} from './dom.js';

// What a slider spans. Declared ranges are often open or vast; then two decades around the default, or a few times it, are
// where people look. The box beside the slider takes any value that the declaration allows.
export function span(control) {
  if (control.joint !== undefined) {
    const most = Math.max(3 * Math.abs(control.value), 1); // a motor turns both ways
    return {low: -most, high: most, log: false, step: 'any'};
  }
  const size = Math.max(Math.abs(control.default), 1e-12);
  const low = control.low ?? -4 * Math.max(size, 1);
  if (control.type === 'whole') {
    const high = Math.min(control.high ?? 1e9, Math.max(4 * control.default, low + 20));
    return {low: Math.max(low, Math.min(0, control.default)), high: Math.max(high, control.value), log: false, step: 1};
  }
  const wide = control.high === null || control.high > 50 * size;
  if (control.low !== null && control.low >= 0 && control.default > 0 && wide) {
    const from = Math.max(control.default / 100, control.low),
      to = Math.min(control.default * 100, control.high ?? Infinity);
    return {
      low: Math.log10(Math.min(from, control.value > 0 ? control.value : from)),
      high: Math.log10(Math.max(to, control.value)),
      log: true,
      step: 'any',
    };
  }
  const high = control.high ?? Math.max(4 * control.default, 10 * control.value, 1);
  return {low, high: Math.max(high, control.value), log: false, step: 'any'};
}

export const tooltip = c =>
  [
    c.text,
    [
      c.unit && `unit: ${c.unit}`,
      c.range && `range: ${c.range}`,
      `default: ${Array.isArray(c.default) ? c.default.slice(0, c.size).join(', ') : c.default}`,
    ]
      .filter(Boolean)
      .join('; '),
    c.path,
  ].join('\n');

function numberRow(control, send) {
  const s = span(control);
  const toSlider = v => (s.log ? Math.log10(Math.max(v, 1e-300)) : v);
  const fromSlider = u => {
    const v = s.log ? 10 ** u : Number(u);
    return control.type === 'whole' ? Math.round(v) : Number(v.toPrecision(3));
  };
  const slider = make('input', {
    type: 'range',
    min: s.low,
    max: s.high,
    step: s.step,
    title: tooltip(control),
    'aria-label': control.name,
  });
  const box = numberField(tooltip(control), `${control.name}, exactly`, value => Number.isFinite(value) && send(value));
  slider.addEventListener('input', () => {
    box.value = fromSlider(slider.value);
    control.drive?.(fromSlider(slider.value));
  });
  slider.addEventListener('change', () => send(fromSlider(slider.value)));
  const set = v => {
    slider.value = toSlider(v);
    const rounded = Number(v.toPrecision(6));
    const text = rounded !== 0 && Math.abs(rounded) < 1e-3 ? rounded.toExponential() : rounded; // 2.5e-6 fits, 0.0000025 does not
    box.show(text);
  };
  return {inputs: [slider, box], set};
}

function vectorRow(control, send) {
  const all = () => boxes.map(b => numberIn(b.value));
  const boxes = Array.from({length: control.size}, (_, k) =>
    numberField(tooltip(control), `${control.name}, ${'xyz'[k]}`, () => all().every(Number.isFinite) && send(all())),
  );
  return {
    inputs: [make('span', {class: 'several'}, ...boxes)],
    set: v => boxes.forEach((b, k) => b.show(Number(v[k].toPrecision(6)))),
  };
}

function flagRow(control, send) {
  const box = make('input', {
    type: 'checkbox',
    title: tooltip(control),
    'aria-label': control.name,
    onchange: () => send(box.checked),
  });
  return {inputs: [box], set: v => (box.checked = v)};
}

function wordRow(control, send) {
  const select = make('select', {title: tooltip(control), 'aria-label': control.name, onchange: () => send(select.value)});
  for (const word of control.words ?? []) select.append(make('option', {value: word}, word));
  return {inputs: [select], set: v => (select.value = v)};
}

const kinds = {number: numberRow, whole: numberRow, vector: vectorRow, flag: flagRow, word: wordRow};

export function controlRow(control, send) {
  const {inputs, set} = kinds[control.type](control, value => send(control.path, value));
  const usual = value => JSON.stringify(Array.isArray(value) ? value.slice(0, control.size) : value);
  const back = button(
    '↺',
    `Back to the default, ${Array.isArray(control.default) ? control.default.slice(0, control.size).join(', ') : typeof control.default === 'number' ? short(control.default) : control.default}`,
    () => send(control.path, Array.isArray(control.default) ? control.default.slice(0, control.size) : control.default),
  );
  back.className = 'back';
  const row = make(
    'div',
    {class: `row ${control.type}`, title: tooltip(control), 'data-path': control.path},
    make('span', {class: 'name'}, control.name.replaceAll('_', ' '), make('small', {}, control.unit ? ` ${control.unit}` : '')),
    ...inputs,
    back,
  );
  const update = value => {
    set(value);
    back.style.visibility = usual(value) === usual(control.default) ? 'hidden' : '';
  };
  update(control.value);
  return {row, update};
}
