// The WebSocket to the simulation: frames and messages in, commands out. src/view/frame.h says how a frame lies in its bytes.

const quantities = ['speed', 'density', 'pressure'];
const headerBytes = 64;

export function decodeFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < headerBytes || view.getUint32(0, false) !== 0x42524631) throw new Error('not a frame');
  const f32 = (at, count) => new Float32Array(buffer, at, count);
  const dimension = view.getUint8(4),
    solids = view.getUint16(6, true),
    count = view.getUint32(8, true);
  const places = headerBytes + 48 * solids;
  const values = (places + 2 * dimension * count + 3) & ~3;
  let at = (values + 2 * count + 3) & ~3;
  const sheets = Array.from({length: view.getUint32(at, true)}, () => {
    const [corners, vertices, indices] = new Uint32Array(buffer, at + 4, 3);
    const start = at + 16;
    at = start + 12 * vertices + 4 * indices - 4;
    return {corners, vertices: f32(start, 3 * vertices), indices: new Uint32Array(buffer, start + 12 * vertices, indices)};
  });
  return {
    dimension,
    quantity: quantities[view.getUint8(5)],
    count,
    number: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    step: view.getFloat64(24, true),
    low: [...f32(32, 3)],
    size: [...f32(44, 3)],
    least: view.getFloat32(56, true),
    largest: view.getFloat32(60, true),
    poses: Array.from({length: solids}, (_, k) => f32(headerBytes + 48 * k, 12)),
    places: new Uint16Array(buffer, places, dimension * count),
    values: new Uint16Array(buffer, values, count),
    sheets,
  };
}

export class Connection {
  constructor(handlers) {
    this.handlers = handlers;
    this.unseen = 0;
    this.received = 0;
    this.open();
  }

  open() {
    // Who wrote the address by hand has no token, and is told that nothing can be reached.
    const token = new URLSearchParams(location.search).get('token') ?? '';
    const url = new URL(`live?token=${encodeURIComponent(token)}`, location.href);
    url.protocol = 'ws:';
    this.socket = new WebSocket(url);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.handlers.connected(true);
    this.socket.onmessage = event => this.take(event.data);
    this.socket.onclose = () => {
      this.unseen = 0;
      this.handlers.connected(false);
      setTimeout(() => this.open(), 1000);
    };
  }

  take(data) {
    if (typeof data === 'string') {
      const message = JSON.parse(data);
      this.handlers[message.type]?.(message);
      return;
    }
    this.received += 1;
    this.unseen += 1;
    this.handlers.frame(decodeFrame(data));
  }

  // The server sends another frame only when one before has been drawn: who draws slowly gets fewer.
  drawn() {
    for (; this.unseen > 0; this.unseen -= 1) this.send({type: 'seen'});
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
