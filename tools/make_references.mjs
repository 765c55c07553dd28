// Writes the references of validation/ that are exact solutions, and the scene whose gravity is a table:
//   node tools/make_references.mjs
// The formulas are in the files' comments too.
import {mkdirSync, writeFileSync} from 'node:fs';

const root = new URL('../validation/', import.meta.url);
const g = 9.81; // [m/s^2]

function csv(name, comments, header, rows) {
  const digits = x => String(Number(x.toPrecision(6)));
  const text = [...comments.map(c => `# ${c}`), header, ...rows.map(r => r.map(digits).join(','))].join('\n');
  const file = new URL(name, root);
  mkdirSync(new URL('.', file), {recursive: true});
  writeFileSync(file, `${text}\n`);
}
const steps = (end, dt) => Array.from({length: Math.round(end / dt) + 1}, (_, k) => k * dt);

{
  // Linear waves that begin at rest with a flat surface, under gravity that is tilted by eps.
  const L = 1, H = 0.4, eps = 0.05, at = 0.05, nu = 1e-6;
  const level = t => {
    let sum = eps * (at - L / 2);
    for (let n = 1; n < 40; n += 2) {
      const k = (n * Math.PI) / L, w = Math.sqrt(g * k * Math.tanh(k * H));
      // Walls and floor: boundary layers sqrt(nu/(2 w)) thin take about 0.75 % of the amplitude a period in the first mode; the bulk 2 nu k^2.
      const decay = 2 * nu * k * k + 0.006 * Math.sqrt(n);
      sum += (4 * eps * L) / (n * n * Math.PI * Math.PI) * Math.cos(k * at) * Math.cos(w * t) * Math.exp(-decay * t);
    }
    return H + sum;
  };
  csv('sloshing/exact.csv', [
    'Linear standing waves (Lamb, Hydrodynamics, 228): tank 1 m, water 0.4 m, gravity tilted by 0.05 at t = 0, level 0.05 m from the left wall.',
    'level = H + eps (x - L/2) + sum_{n odd} 4 eps L/(n pi)^2 cos(k x) cos(w t) exp(-d t), k = n pi/L, w^2 = g k tanh(k H).',
    'd = 2 nu k^2 + 0.006 sqrt(n): the boundary layers on walls and floor (Keulegan 1959), so that 97 % of the first mode is left after four periods.',
  ], 't_s,level_m', steps(5.2, 0.02).map(t => [t, level(t)]));
}

csv('wells/exact.csv', ['Two wells joined by a channel: 0.7 m and 0.5 m at the start, both 0.6 m at rest (equal areas).'], 't_s,level_m', [[5, 0.6], [9, 0.6]]);

csv('still_water/exact.csv', ['Hydrostatic pressure rho g z, 0.4 m and 0.8 m below the surface.'], 't_s,p40_Pa,p80_Pa',
  [[2, 1000 * 0.4 * g, 1000 * 0.8 * g], [3, 1000 * 0.4 * g, 1000 * 0.8 * g]]);
csv('still_water/profile.csv', ['Hydrostatic pressure rho g (1 m - y).'], 'y_m,p_Pa', steps(0.9, 0.05).map(y => [y + 0.05, 1000 * g * (0.95 - y)]));

{
  // Plane Poiseuille flow from rest (Morris, Fox & Zhu 1997, Eq. 21).
  const F = 0.1, nu = 0.01, H = 1;
  const u = (y, t) => {
    let sum = (F / (2 * nu)) * y * (H - y);
    for (let n = 0; n < 200; ++n) {
      const k = (2 * n + 1) * Math.PI / H;
      sum -= (4 * F) / (nu * k ** 3 * H) * Math.sin(k * y) * Math.exp(-nu * k * k * t);
    }
    return sum;
  };
  csv('poiseuille/exact.csv', [
    'Plane Poiseuille flow from rest (Morris, Fox & Zhu 1997, Eq. 21): walls 1 m apart, nu = 0.01 m^2/s, body force 0.1 m/s^2.',
    'u = F/(2 nu) y (H - y) - sum_n 4 F/(nu k^3 H) sin(k y) exp(-nu k^2 t), k = (2 n + 1) pi/H.',
  ], 'y_m,u2_m_s,u10_m_s', steps(1, 0.025).map(y => [y, u(y, 2), u(y, 10)]));
}

{
  // A tank that empties below a gate at its foot; the contraction of a sluice gate is pi/(pi + 2) (Kirchhoff).
  const W = 0.5, w = 0.05, Cc = 0.611, rows = [];
  let h = 0.5, t = 0;
  const dt = 1e-4, rate = level => (-Cc / Math.sqrt(1 + (Cc * w) / level)) * (w / W) * Math.sqrt(2 * g * level);
  for (let k = 0; t < 1.2; ++k, t += dt) {
    if (k % 200 === 0) rows.push([t, h]);
    h += dt * rate(h + 0.5 * dt * rate(h));
  }
  csv('slot_emptying/exact.csv', [
    'A tank 0.5 m wide with 0.5 m of water empties through a slot of w = 0.05 m below a gate at its foot (free-streamline theory of a sluice gate).',
    'dh/dt = -Cd (w/W) sqrt(2 g h), Cd = Cc/sqrt(1 + Cc w/h), Cc = pi/(pi + 2) = 0.611. The first 0.1 s, in which the jet starts, is not in it.',
  ], 't_s,level_m', rows);
}

{
  // Sway as gravity in the tank's frame: x = A cos(w t) of the tank is A w^2 cos(w t) on the water.
  const A = 0.032, T = 1.3, w = (2 * Math.PI) / T;
  const keys = steps(10, 0.05).map(t => `  {time = ${t.toFixed(2)}, value = [${(A * w * w * Math.cos(w * t)).toFixed(5)}, -9.81]},`);
  writeFileSync(new URL('faltinsen/scene.toml', root), `# A tank that sways by 0.032 m cos(2 pi t/1.3 s) (Faltinsen, Rognebakke, Lukovsky & Timokha 2000), in the tank's own frame: the sway is
# a horizontal gravity of A w^2 cos(w t). Made by tools/make_references.mjs.
version = 1
title = "Swaying tank"
dimension = 2
gravity = [              # m/s^2
${keys.join('\n')}
]

[domain]
min = [0, 0]             # m
max = [1.73, 1.15]       # m

[resolution]
spacing = 0.02           # m

[[fluid.blocks]]
kind = "box"
min = [0, 0]             # m
max = [1.73, 0.6]        # m

[[gauges]]
name = "wall"
kind = "level"
from = [0.05, 0]         # m
to = [0.05, 1.15]        # m
rate = 100               # Hz

[solver]
name = "pbf"

[time]
until = 9.9              # s

[output]
frames_per_second = 5
formats = []
`);
}
