// The viewer's page: joins the connection, the picture and the controls.
import {Connection} from './connection.js';
import {short} from './colours.js';
import {button, make} from './dom.js';
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
    latest = message;
  },
  note: message => note(message.text, message.level),
  frame(frame) {
    if (!stage.scene) return;
    stage.setFrame(frame);
    panel.showBar();
  },
};

try {
  stage = new Stage(document.getElementById('picture'), {
    drawn: () => connection?.drawn(),
    drag,
    draggable: () => panel?.live,
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
