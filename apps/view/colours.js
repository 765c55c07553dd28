// Colour scales, those of pictures and reports too: speed from blue to white and density from white to red, as in the course
// sheet; pressure from dark to light.
import {DataTexture, LinearFilter, RGBAFormat} from 'three';
import palette from '../../src/render/palette.h';

// Palette speedColours("#10367d #1f6fc9 ...");
const stops = Object.fromEntries(
  [...palette.matchAll(/Palette (\w+)Colours\("([^"]+)"\)/g)].map(([, quantity, colours]) => [quantity, colours.split(' ')]),
);

export const units = {speed: 'm/s', density: 'kg/m³', pressure: 'Pa'};

const rgb = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16));

export const coloursOf = quantity => stops[quantity];
export const gradient = quantity => `linear-gradient(to right, ${stops[quantity].join(', ')})`;

export function texture(quantity) {
  const size = 256,
    data = new Uint8Array(4 * size),
    colours = stops[quantity].map(rgb);
  for (let i = 0; i < size; ++i) {
    const u = (i / (size - 1)) * (colours.length - 1),
      k = Math.min(Math.floor(u), colours.length - 2);
    for (let c = 0; c < 3; ++c) data[4 * i + c] = Math.round(colours[k][c] + (u - k) * (colours[k + 1][c] - colours[k][c]));
    data[4 * i + 3] = 255;
  }
  const t = new DataTexture(data, size, 1, RGBAFormat);
  t.minFilter = t.magFilter = LinearFilter;
  t.needsUpdate = true;
  return t;
}

// 0.0123, 12.3, 1230, 1.2e6: three digits for people.
export function short(x) {
  if (!Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(2).replace('e+', 'e');
  return String(Number(x.toPrecision(size >= 1000 ? 4 : 3)));
}

// The range that the colours span: what most particles had lately, so that one wild particle or frame does not make all flicker.
export class ColourRange {
  constructor() {
    this.fixed = null; // [low, high]
    this.clear();
  }
  clear() {
    this.low = null;
    this.high = null;
  }
  add(frame, restDensity) {
    let [low, high] = frame.common;
    if (frame.quantity === 'speed') [low, high] = [0, Math.max(high, 1e-3)]; // fluid at rest is at rest
    if (frame.quantity === 'density') {
      low = restDensity;
      high = Math.max(high, 1.01 * restDensity);
    }
    if (frame.quantity === 'pressure') low = Math.min(0, low);
    if (this.low === null) [this.low, this.high] = [low, high];
    const follow = (old, now, outwards) => (outwards ? now : old + 0.03 * (now - old));
    this.low = follow(this.low, low, low < this.low);
    this.high = follow(this.high, high, high > this.high);
  }
  get() {
    if (this.fixed) return this.fixed;
    return this.low === null ? [0, 1] : [this.low, this.high > this.low ? this.high : this.low + 1e-9];
  }
}
