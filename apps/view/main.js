// The viewer's page: joins the connection, the picture and the controls.
import {Connection} from './connection.js';
import {short} from './colours.js';
import {button, make} from './dom.js';
import {drawMarks} from './marks.js';
import {Panel} from './panel.js';
import {Stage} from './stage.js';

const notes = document.getElementById('notes');
const facts = document.getElementById('facts');

function note(text, level = 'error', lasting = false) {
  for (const old of notes.children) if (old.dataset.text === text) old.remove();
  const element = make(
    'div',
    {class: `note ${level}`},
    make('span', {}, text),
    button('×', 'Dismiss', () => element.remove()),
  );
  element.dataset.text = text;
  notes.append(element);
  while (notes.children.length > 5) notes.firstChild.remove();
  if (!lasting) setTimeout(() => element.remove(), 15000);
  return element;
}

let connection = null,
  stage = null,
  panel = null,
  generation = null,
  latest = null,
  lost = null;
let pendingDrag = null;

// Pointers move more often than a simulation steps; what they moved meanwhile is sent together.
function drag(solid, by) {
  if (pendingDrag && pendingDrag.solid === solid) {
    pendingDrag.by = pendingDrag.by.map((b, k) => b + by[k]);
    return;
  }
  pendingDrag = {type: 'drag', solid, by};
  setTimeout(() => {
    connection.send(pendingDrag);
    pendingDrag = null;
  }, 40);
}

async function readTables(measured) {
  const token = new URLSearchParams(location.search).get('token') ?? '';
  for (const table of new Set(['statistics.csv', ...measured.map(m => m.table)])) {
    const path = table.split('/').map(encodeURIComponent).join('/');
    try {
      const answer = await fetch(`folder/${path}`, {headers: {'X-Brim-Token': token}});
      if (answer.ok) panel.plots.read(await answer.text(), table);
    } catch {
      // frames without a table are shown without its plots
    }
  }
}

const handlers = {
  connected(yes) {
    if (yes) connection.send({type: 'tell'}); // with the plots so far
    if (yes) lost?.remove();
    else if (!lost?.isConnected) lost = note('The simulation has ended, or cannot be reached. Trying again…', 'warning', true);
  },
  hello(message) {
    stage.setScene(message.scene, message.solids);
    panel.hello(message);
    const key = `${message.mode} ${message.generation}`;
    if (key !== generation) {
      generation = key;
      panel.plots.setMeasured(message.measured ?? []);
      panel.plots.clear();
      stage.range.clear();
      if (message.mode === 'playback') readTables(message.measured ?? []);
    }
    if (message.history) panel.plots.load(message.history);
  },
  status(message) {
    panel.status(message);
    const parts = [`${(message.particles ?? 0).toLocaleString('en')} particles`];
    if (message.rate > 0) parts.push(`${short(message.rate)} × real time`);
    if (message.report)
      parts.push(
        `dt ${short(1e3 * message.report.dt)} ms (${message.report.dt_limit})`,
        `${message.report.iterations} iterations`,
      );
    if (message.state !== 'running') parts.push(message.state);
    facts.textContent = parts.join(' · ');
    stage.facts = `${(message.time ?? 0).toFixed(3)} s`;
    latest = message;
  },
  note: message => note(message.text, message.level),
  frame(frame) {
    if (!stage.scene) return;
    stage.setFrame(frame);
    panel.showBar();
    probe();
    panel.film?.frame(frame);
  },
};

// What the particle under the pointer has, beside the pointer.
const picture = document.getElementById('picture'),
  told = document.getElementById('probe');
let pointer = null;
function probe() {
  const found = pointer && stage?.probe(...pointer);
  told.hidden = !found;
  if (!found) return;
  const box = picture.getBoundingClientRect();
  told.textContent = found.text;
  const [x, y] = [pointer[0] - box.left, pointer[1] - box.top];
  told.style.left = `${Math.min(x + 14, box.width - told.offsetWidth - 6)}px`;
  told.style.top = `${y + 14 + told.offsetHeight > box.height ? y - told.offsetHeight - 8 : y + 14}px`;
}
for (const type of ['pointermove', 'pointerdown'])
  picture.addEventListener(type, event => {
    const looks = type === 'pointerdown' ? event.pointerType === 'touch' : event.buttons === 0;
    pointer = looks ? [event.clientX, event.clientY] : null;
    probe();
  });
picture.addEventListener('pointerleave', event => {
  if (event.pointerType === 'touch') return;
  pointer = null;
  probe();
});

// Scale bar and axes over the canvas, above the bar of time.
const marks = document.getElementById('marks'),
  transport = document.getElementById('transport');
function drawnMarks() {
  const {width, height} = picture.getBoundingClientRect(),
    ratio = Math.min(devicePixelRatio, 2);
  marks.width = width * ratio;
  marks.height = height * ratio;
  const c = marks.getContext('2d');
  c.scale(ratio, ratio);
  stage.scaleBar = drawMarks(c, stage, height, transport.offsetHeight + 20);
}

try {
  stage = new Stage(picture, {
    drawn: () => {
      drawnMarks();
      connection?.drawn();
    },
    drag,
    draggable: () => panel?.live,
    covered: () => ({above: 50, below: transport.offsetHeight + 24}), // [px] by the bars
  });
  panel = new Panel(stage, message => connection.send(message));
  connection = new Connection(handlers);
  if (!stage.fluid.canWater) {
    panel.style.querySelector('[value=water]').disabled = true;
    panel.style.title = 'This browser cannot draw to floating-point textures, which the water surface needs';
  }
} catch (error) {
  note(`This browser cannot draw the simulation: ${error.message}. It needs WebGL 2.`, 'error', true);
  throw error;
}

// For tests and for the curious.
window.brimView = {stage, panel, connection, status: () => latest};
