// What tells sizes and directions: a scale bar, the axes, and for pictures and films the colours and the time too.
import * as three from 'three';
import {coloursOf, short, units} from './colours.js';

const font = (size, weight = '') => `${weight} ${size}px system-ui, "DejaVu Sans", sans-serif`.trim();

// [m/px] in the plane through what the eye turns about.
export function metresPerPixel(stage, height) {
  const {camera, controls} = stage;
  if (camera.isOrthographicCamera) return (camera.top - camera.bottom) / camera.zoom / height;
  return (2 * camera.position.distanceTo(controls.target) * Math.tan((camera.fov * Math.PI) / 360)) / height;
}

// The largest 1, 2 or 5 times a power of ten that is not above x.
export function round(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [5, 2, 1].find(k => k * power <= x * (1 + 1e-9));
}

// The directions of the axes on the screen: to the right, down, and towards the eye.
export function axesOf(stage) {
  const turn = stage.camera.quaternion.clone().invert();
  return ['x', 'y', 'z'].slice(0, stage.scene.dimension).map((name, k) => {
    const v = new three.Vector3().setComponent(k, 1).applyQuaternion(turn);
    return {name, right: v.x, down: -v.y, near: v.z};
  });
}

function axes(c, stage, x, y, length, look) {
  c.lineWidth = 2;
  c.font = font(11, '600');
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  for (const axis of axesOf(stage).sort((a, b) => a.near - b.near)) {
    const [u, v] = [x + length * axis.right, y + length * axis.down];
    c.strokeStyle = c.fillStyle = look[axis.name];
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(u, v);
    c.stroke();
    c.fillText(axis.name, u + 8 * axis.right + (Math.hypot(axis.right, axis.down) < 0.2 ? 7 : 0), v + 8 * axis.down);
  }
}

function scaleBar(c, x, y, length, width, look) {
  c.strokeStyle = c.fillStyle = look.text;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(x, y - 5);
  c.lineTo(x, y);
  c.lineTo(x + width, y);
  c.lineTo(x + width, y - 5);
  c.stroke();
  c.font = font(11);
  c.textAlign = 'center';
  c.textBaseline = 'alphabetic';
  c.fillText(`${short(length)} m`, x + width / 2, y - 6);
}

const looks = {
  light: {text: '#1d2733', glass: 'rgba(255, 255, 255, 0.82)', x: '#c2334d', y: '#13795b', z: '#0b6bcb'},
  dark: {text: '#e6ebf1', glass: 'rgba(18, 24, 32, 0.82)', x: '#ff7b8f', y: '#58d3a8', z: '#6cb2ff'},
};

// [px] of the page; `low` is how much of the lower edge is covered.
export function drawMarks(c, stage, height, low) {
  const look = looks[stage.theme],
    y = height - low,
    metre = metresPerPixel(stage, height),
    length = round(110 * metre),
    width = length / metre;
  c.fillStyle = look.glass;
  c.beginPath();
  c.roundRect(12, y - 72, 84 + Math.max(width, 24), 68, 8);
  c.fill();
  axes(c, stage, 42, y - 36, 22, look);
  scaleBar(c, 84, y - 14, length, width, look);
  return {length, width};
}

// The colours with their ends, and the time: what the page shows beside its canvas.
export function drawFacts(c, stage, width, text) {
  const look = looks[stage.theme];
  c.font = font(13);
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  c.fillStyle = look.glass;
  c.fillRect(12, 12, c.measureText(text).width + 20, 26);
  c.fillStyle = look.text;
  c.fillText(text, 22, 25.5);
  if (stage.style === 'water' || !stage.quantity) return;
  const wide = 190,
    left = width - wide - 12,
    stops = coloursOf(stage.quantity);
  c.fillStyle = look.glass;
  c.fillRect(left, 12, wide, 56);
  const bar = c.createLinearGradient(left + 10, 0, left + wide - 10, 0);
  stops.forEach((colour, k) => bar.addColorStop(k / (stops.length - 1), colour));
  c.fillStyle = bar;
  c.fillRect(left + 10, 33, wide - 20, 11);
  c.fillStyle = look.text;
  c.fillText(`${stage.quantity} [${units[stage.quantity]}]`, left + 10, 24);
  c.font = font(11);
  const [a, b] = stage.range.get();
  [a, (a + b) / 2, b].forEach((v, k) => {
    c.textAlign = ['left', 'center', 'right'][k];
    c.fillText(short(v), left + 10 + ((wide - 20) * k) / 2, 56);
  });
}
