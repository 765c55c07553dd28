// The particle under the pointer: what it has, and where it is.
import {short, units} from './colours.js';

// The nearest particle along the ray from `origin` in the unit `direction`, whose sphere it meets; -1: none. All lengths in m.
export function particleAt(frame, origin, direction, radius, shown) {
  const {places, low, size, dimension: D, count} = frame;
  const [ox, oy, oz] = origin,
    [dx, dy, dz] = direction;
  const scale = size.map(s => s / 65535);
  let best = -1,
    nearest = Infinity;
  for (let i = 0; i < count; ++i) {
    const px = low[0] + places[D * i] * scale[0] - ox,
      py = low[1] + places[D * i + 1] * scale[1] - oy,
      pz = (D === 3 ? low[2] + places[3 * i + 2] * scale[2] : 0) - oz;
    const along = px * dx + py * dy + pz * dz;
    const away = px * px + py * py + pz * pz - along * along; // from the ray, squared
    if (away > radius * radius || along < 0) continue;
    // Spheres are met one after the other; discs lie beside each other.
    const order = D === 3 ? along : away;
    if (order >= nearest || !shown([px + ox, py + oy, pz + oz])) continue;
    nearest = order;
    best = i;
  }
  return best;
}

export function describeParticle(frame, i, corner) {
  const D = frame.dimension;
  const value = frame.least + (frame.values[i] / 65535) * (frame.largest - frame.least);
  const at = Array.from({length: D}, (_, k) => corner[k] + frame.low[k] + (frame.places[D * i + k] / 65535) * frame.size[k]);
  return {
    value,
    at,
    text: `${frame.quantity} ${short(value)} ${units[frame.quantity]}\n${at.map((x, k) => `${'xyz'[k]} ${short(x)}`).join('   ')} m`,
  };
}
