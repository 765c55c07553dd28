#!/usr/bin/env node
// tools/make_meshes.mjs: writes the meshes that scenes use from formulas. scenes/meshes/*.obj are kept with the scenes, so this is
// only needed to change them. The knots, a megabyte each, are not kept: "tools/make_meshes.mjs knots" makes those that are missing
// when Brim is configured.
import {existsSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const out = path.join(path.dirname(fileURLToPath(import.meta.url)), '../scenes/meshes');

const minus = (a, b) => a.map((x, k) => x - b[k]);
const dot = (a, b) => a.reduce((s, x, k) => s + x * b[k], 0);
const length = a => Math.sqrt(dot(a, a));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// Signed distances, negative inside; `ellipsoid` is near enough to one.
const ellipsoid = (c, r) => p => {
  const q = minus(p, c);
  const k0 = length(q.map((x, i) => x / r[i])),
    k1 = length(q.map((x, i) => x / (r[i] * r[i])));
  return k1 > 0 ? (k0 * (k0 - 1)) / k1 : -Math.min(...r);
};
const limb = (a, b, ra, rb) => p => {
  const ba = minus(b, a),
    pa = minus(p, a);
  const t = clamp(dot(pa, ba) / dot(ba, ba), 0, 1);
  return length(pa.map((x, k) => x - t * ba[k])) - (ra + t * (rb - ra));
};
const slab = (c, half, round) => p => {
  const q = minus(p, c).map((x, k) => Math.abs(x) - half[k] + round);
  return length(q.map(x => Math.max(x, 0))) + Math.min(Math.max(...q), 0) - round;
};
// A union whose seams are filled over the width k.
const joined = (k, parts) => p =>
  parts
    .map(f => f(p))
    .reduce((a, b) => {
      const h = clamp(0.5 + (0.5 * (b - a)) / k, 0, 1);
      return b + (a - b) * h - k * h * (1 - h);
    });
const both = f => [f, p => f([-p[0], p[1], p[2]])]; // a part and its mirror image

// Statues one unit high, on the floor y = 0, looking along z.
const statues = {
  hare: joined(0.05, [
    slab([0, 0.03, 0], [0.24, 0.03, 0.28], 0.02),
    ellipsoid([0, 0.27, -0.06], [0.17, 0.21, 0.22]),
    ellipsoid([0, 0.36, 0.08], [0.12, 0.19, 0.12]),
    ellipsoid([0, 0.16, 0.08], [0.15, 0.17, 0.13]),
    ellipsoid([0, 0.6, 0.13], [0.1, 0.1, 0.13]),
    ...both(ellipsoid([0.15, 0.17, -0.08], [0.07, 0.13, 0.15])),
    ...both(limb([0.055, 0.34, 0.15], [0.055, 0.07, 0.2], 0.06, 0.05)),
    ...both(limb([0.14, 0.08, -0.1], [0.14, 0.08, 0.14], 0.05, 0.05)),
    ...both(limb([0.04, 0.66, 0.08], [0.09, 0.95, -0.02], 0.035, 0.045)),
    ellipsoid([0, 0.18, -0.27], [0.06, 0.06, 0.06]),
  ]),
  swimmer: joined(0.04, [
    slab([0, 0.04, 0], [0.2, 0.04, 0.2], 0.02),
    ...both(limb([0.07, 0.42, 0], [0.09, 0.07, 0], 0.07, 0.05)),
    limb([0, 0.44, 0], [0, 0.66, 0], 0.1, 0.12),
    limb([0, 0.66, 0], [0, 0.78, 0.02], 0.05, 0.05),
    ellipsoid([0, 0.84, 0.03], [0.075, 0.09, 0.085]),
    ...both(limb([0.12, 0.69, 0], [0.25, 0.78, 0.03], 0.055, 0.045)),
    ...both(limb([0.25, 0.78, 0.03], [0.2, 0.94, 0.05], 0.045, 0.04)),
  ]),
  column: joined(0.03, [
    slab([0, 0.05, 0], [0.2, 0.05, 0.2], 0.02),
    limb([0, 0.16, 0], [0, 0.68, 0], 0.13, 0.1),
    slab([0, 0.7, 0], [0.16, 0.03, 0.16], 0.02),
    ellipsoid([0, 0.85, 0], [0.14, 0.14, 0.14]),
  ]),
};

// Surface nets: a point in each cell that the surface crosses, at the mean of the crossings of its edges; a square for each edge
// of the lattice that is crossed.
function surface(f, low, high, cell) {
  const n = low.map((x, k) => Math.ceil((high[k] - x) / cell));
  const node = (i, j, k) => (k * (n[1] + 1) + j) * (n[0] + 1) + i;
  const value = new Float64Array((n[0] + 1) * (n[1] + 1) * (n[2] + 1));
  for (let k = 0; k <= n[2]; ++k)
    for (let j = 0; j <= n[1]; ++j)
      for (let i = 0; i <= n[0]; ++i) value[node(i, j, k)] = f([low[0] + i * cell, low[1] + j * cell, low[2] + k * cell]);
  const points = [],
    faces = [],
    at = new Map();
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(c => [c & 1, (c >> 1) & 1, c >> 2]);
  for (let k = 0; k < n[2]; ++k)
    for (let j = 0; j < n[1]; ++j)
      for (let i = 0; i < n[0]; ++i) {
        const sum = [0, 0, 0];
        let crossings = 0;
        for (const [c, a] of corners.entries())
          for (let axis = 0; axis < 3; ++axis) {
            if (a[axis]) continue;
            const b = a.map((x, m) => x + (m === axis ? 1 : 0));
            const va = value[node(i + a[0], j + a[1], k + a[2])],
              vb = value[node(i + b[0], j + b[1], k + b[2])];
            if (va < 0 === vb < 0) continue;
            const t = va / (va - vb);
            a.forEach((x, m) => (sum[m] += x + t * (b[m] - x)));
            crossings += 1;
          }
        if (!crossings) continue;
        at.set(node(i, j, k), points.length);
        points.push([i, j, k].map((x, m) => low[m] + (x + sum[m] / crossings) * cell));
      }
  for (let k = 1; k < n[2]; ++k)
    for (let j = 1; j < n[1]; ++j)
      for (let i = 1; i < n[0]; ++i)
        for (let axis = 0; axis < 3; ++axis) {
          const step = [0, 1, 2].map(m => (m === axis ? 1 : 0));
          const inside = value[node(i, j, k)] < 0,
            beyond = value[node(i + step[0], j + step[1], k + step[2])] < 0;
          if (inside === beyond) continue;
          const u = (axis + 1) % 3,
            v = (axis + 2) % 3;
          const around = [
            [0, 0],
            [-1, 0],
            [-1, -1],
            [0, -1],
          ].map(([a, b]) => {
            const c = [i, j, k];
            c[u] += a;
            c[v] += b;
            return at.get(node(...c));
          });
          if (!inside) around.reverse();
          faces.push([around[0], around[1], around[2]], [around[0], around[2], around[3]]);
        }
  return {points, faces};
}

// A canyon 100 m long and 50 m wide: a river bed that winds and falls over two ledges, between rising walls.
const smooth = t => clamp(t, 0, 1) ** 2 * (3 - 2 * clamp(t, 0, 1));
const bed = x => 14.5 - 0.01 * x - 5 * smooth((x - 34) / 1.6) - 5.5 * smooth((x - 68) / 1.6);
const middle = x => 25 + 6 * Math.sin(x / 14) * smooth(x / 12) + 2 * Math.sin(x / 5.3 + 1) * smooth(x / 12);
const halfWidth = x =>
  4 + 1.2 * Math.sin(0.21 * x + 0.5) + 3 * Math.exp(-(((x - 42) / 6) ** 2)) + 3 * Math.exp(-(((x - 76) / 6) ** 2));
const bumps = (x, z) =>
  0.5 * Math.sin(0.31 * x + 0.9) * Math.sin(0.37 * z) +
  0.3 * Math.sin(0.83 * x + 0.41 * z) +
  0.2 * Math.sin(1.31 * z - 0.77 * x + 2) * Math.sin(0.6 * x);
function height(x, z) {
  const aside = Math.abs(z - middle(x)) - halfWidth(x);
  // Steep walls with a ledge between, then hills, low on the side that pictures look from; and a wall behind the inflow.
  const bank = z > middle(x) ? 0.35 : 1;
  const walls = bank * (5 * smooth(aside / 2.5) + 3.5 * smooth((aside - 4) / 3) + 2 * smooth((aside - 9) / 8));
  return Math.max(bed(x) + Math.max(walls, 4 * smooth((2 - x) / 2)) + bumps(x, z) * (0.12 + 0.9 * bank * smooth(aside / 3)), 0.5);
}

// What lies between two heights over a lattice of (nx + 1) (nz + 1) places (x, z).
function between(nx, nz, place, low, high) {
  const points = [],
    faces = [];
  const at = (i, k, top) => 2 * (k * (nx + 1) + i) + (top ? 1 : 0);
  for (let k = 0; k <= nz; ++k)
    for (let i = 0; i <= nx; ++i) {
      const [x, z] = place(i, k);
      points.push([x, low(x, z), z], [x, high(x, z), z]);
    }
  const square = (a, b, c, d) => faces.push([a, b, c], [a, c, d]);
  for (let k = 0; k < nz; ++k)
    for (let i = 0; i < nx; ++i) {
      square(at(i, k, true), at(i, k + 1, true), at(i + 1, k + 1, true), at(i + 1, k, true));
      square(at(i, k, false), at(i + 1, k, false), at(i + 1, k + 1, false), at(i, k + 1, false));
    }
  const side = (i, k, m, n) => square(at(i, k, false), at(i, k, true), at(m, n, true), at(m, n, false));
  for (let i = 0; i < nx; ++i) side(i, 0, i + 1, 0), side(i + 1, nz, i, nz);
  for (let k = 0; k < nz; ++k) side(0, k + 1, 0, k), side(nx, k, nx, k + 1);
  return {points, faces};
}

// The rock reaches out of the domain, so that its sides are no part of the scene.
function canyon() {
  const nx = 96,
    nz = 50;
  return between(nx, nz, (i, k) => [-1 + (102 * i) / nx, -1 + (52 * k) / nz], () => -1, height);
}

// The water at the start: a level over each of the three reaches, from just below the bed up.
function river() {
  const all = {points: [], faces: []};
  for (const [from, to, level] of [
    [2.4, 33.6, 15.05],
    [36.4, 67.6, 9.85],
    [70.4, 97, 4.15],
  ]) {
    const nx = 40,
      nz = 14;
    const place = (i, k) => {
      const x = from + ((to - from) * i) / nx;
      return [x, middle(x) + ((2 * k) / nz - 1) * (halfWidth(x) + 0.7)];
    };
    const {points, faces} = between(nx, nz, place, (x, z) => Math.min(height(x, z) - 0.15, level - 0.1), () => level);
    for (const f of faces) all.faces.push(f.map(v => v + all.points.length));
    all.points.push(...points);
  }
  return all;
}

// Every edge must belong to two triangles, once in each direction.
function check(name, {faces}) {
  const edges = new Set();
  for (const f of faces)
    for (let m = 0; m < 3; ++m) {
      const edge = `${f[m]} ${f[(m + 1) % 3]}`;
      if (edges.has(edge)) throw new Error(`${name}: edge ${edge} is there twice`);
      edges.add(edge);
    }
  for (const edge of edges) if (!edges.has(edge.split(' ').reverse().join(' '))) throw new Error(`${name}: a hole at ${edge}`);
}

function write(name, comment, mesh, digits) {
  check(name, mesh);
  const {points, faces} = mesh;
  const text =
    `# ${comment} Made by tools/make_meshes.mjs.\n` +
    points.map(p => `v ${p.map(x => Number(x.toFixed(digits))).join(' ')}\n`).join('') +
    faces.map(f => `f ${f.map(v => v + 1).join(' ')}\n`).join('');
  writeFileSync(path.join(out, `${name}.obj`), text);
  console.log(`${name}.obj: ${points.length} points, ${faces.length} triangles, ${(text.length / 1024).toFixed(0)} KB`);
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => a.map(x => x / length(a));

// A torus knot, wound `turns` times about the axis and `loops` times through the hole, upright and about 1.4 wide: a closed tube with
// rows of scales, such as a dragon has.
function knot(turns, loops, tube, scales, along, around) {
  const curve = [];
  for (let i = 0; i < along; ++i) {
    const t = (2 * Math.PI * i) / along,
      r = 0.5 + 0.22 * Math.cos(loops * t);
    curve.push([r * Math.cos(turns * t), r * Math.sin(turns * t), 0.22 * Math.sin(loops * t)]);
  }
  const tangent = curve.map((_, i) => unit(minus(curve[(i + 1) % along], curve[(i + along - 1) % along])));
  // A frame carried along without turning, and what it has turned by at the end taken back evenly.
  const side = [unit(cross(tangent[0], [0, 0, 1]))];
  for (let i = 1; i <= along; ++i) {
    const t = tangent[i % along],
      s = side[i - 1];
    side.push(unit(s.map((x, k) => x - dot(s, t) * t[k])));
  }
  const twist = Math.atan2(dot(side[along], cross(tangent[0], side[0])), dot(side[along], side[0]));
  const points = [],
    faces = [];
  for (let i = 0; i < along; ++i) {
    const up = cross(tangent[i], side[i]);
    for (let j = 0; j < around; ++j) {
      const angle = (2 * Math.PI * j) / around - (twist * i) / along;
      // Scales overlap like tiles: each rises slowly along the tube and ends in a step, every second row half a scale later.
      const row = Math.floor((8 * j) / around),
        phase = ((scales * i) / along + 0.5 * (row % 2)) % 1,
        arch = Math.abs(Math.sin((8 * Math.PI * j) / around));
      const r = tube * (0.86 + 0.14 * arch * (phase < 0.85 ? phase : ((1 - phase) * 0.85) / 0.15));
      points.push(curve[i].map((x, k) => x + r * (Math.cos(angle) * side[i][k] + Math.sin(angle) * up[k])));
    }
  }
  for (let i = 0; i < along; ++i)
    for (let j = 0; j < around; ++j) {
      const a = i * around + j,
        b = i * around + ((j + 1) % around),
        c = ((i + 1) % along) * around + j,
        d = ((i + 1) % along) * around + ((j + 1) % around);
      faces.push([a, b, c], [b, d, c]);
    }
  return {points, faces};
}

function writePly(name, mesh) {
  check(name, mesh);
  const {points, faces} = mesh;
  const head = Buffer.from(
    `ply\nformat binary_little_endian 1.0\nelement vertex ${points.length}\nproperty float x\nproperty float y\nproperty float z\n` +
      `element face ${faces.length}\nproperty list uchar int vertex_indices\nend_header\n`
  );
  const body = Buffer.alloc(12 * points.length + 13 * faces.length);
  let at = 0;
  for (const p of points) for (const x of p) at = body.writeFloatLE(x, at);
  for (const f of faces) {
    at = body.writeUInt8(3, at);
    for (const v of f) at = body.writeInt32LE(v, at);
  }
  writeFileSync(path.join(out, `${name}.ply`), Buffer.concat([head, body]));
}

const knots = {
  trefoil: () => knot(2, 3, 0.13, 60, 720, 40),
  cinquefoil: () => knot(2, 5, 0.1, 80, 900, 32),
  braid: () => knot(3, 4, 0.085, 90, 1000, 28),
};

if (process.argv[2] === 'knots') {
  for (const [name, make] of Object.entries(knots)) if (!existsSync(path.join(out, `${name}.ply`))) writePly(name, make());
  process.exit();
}
for (const [name, f] of Object.entries(statues))
  write(name, 'A statue one unit high.', surface(f, [-0.4, -0.05, -0.45], [0.4, 1.1, 0.45], 0.0301), 4);
write('canyon', 'A canyon of 100 m x 50 m with a river bed and two ledges.', canyon(), 3);
write('river', 'The water in it.', river(), 3);
