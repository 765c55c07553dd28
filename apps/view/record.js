// Pictures and films of what is shown, as downloads.
import {BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Mp4OutputFormat, Output, WebMOutputFormat} from 'mediabunny';
import {drawFacts, drawMarks} from './marks.js';

export const filmRate = 30; // frames per simulated second

export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The canvas with its marks, colours and time, on a canvas of its own.
export function compose(stage, text, onto = null) {
  stage.draw(); // a canvas keeps its picture only until the browser has shown it
  if (!onto) {
    const {width, height} = stage.canvas;
    onto = document.createElement('canvas');
    onto.width = width - (width % 2); // as the codecs want it
    onto.height = height - (height % 2);
  }
  const c = onto.getContext('2d'),
    scale = onto.width / stage.canvas.clientWidth;
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.drawImage(stage.canvas, 0, 0, onto.width, onto.height);
  c.scale(scale, scale);
  drawMarks(c, stage, onto.height / scale, 8);
  drawFacts(c, stage, onto.width / scale, text);
  return onto;
}

export const screenshot = (stage, text, name) =>
  new Promise(done =>
    compose(stage, text).toBlob(blob => {
      save(blob, `${name}.png`);
      done(blob.size);
    }, 'image/png'),
  );

// One picture after the other, each 1/30 s of the film, however long it took to make.
class Film {
  static async begin(stage, text) {
    const film = new Film();
    film.canvas = compose(stage, text);
    film.count = 0;
    const {width, height} = film.canvas;
    const codec = await getFirstEncodableVideoCodec(['avc', 'vp9', 'vp8'], {width, height});
    if (!codec) throw new Error('this browser encodes no films');
    film.kind = codec === 'avc' ? 'mp4' : 'webm';
    film.output = new Output({
      format: codec === 'avc' ? new Mp4OutputFormat() : new WebMOutputFormat(),
      target: new BufferTarget(),
    });
    film.source = new CanvasSource(film.canvas, {codec, bitrate: 12e6});
    film.output.addVideoTrack(film.source, {frameRate: filmRate});
    await film.output.start();
    return film;
  }

  async add(stage, text) {
    compose(stage, text, this.canvas);
    await this.source.add(this.count / filmRate, 1 / filmRate);
    this.count += 1;
  }

  async save(name) {
    await this.output.finalize();
    save(new Blob([this.output.target.buffer], {type: `video/${this.kind}`}), `${name}.${this.kind}`);
  }
}

// A film in the making: stops the clock, and goes from one thirtieth of a simulated second to the next until it is stopped.
export class Filming {
  static possible = typeof VideoEncoder !== 'undefined';

  constructor(panel) {
    this.panel = panel;
    this.over = false;
    this.waiting = null; // {frame or status: a condition, go: what resolves}
  }
  stop() {
    this.over = true;
    this.waiting?.go();
  }
  frame(frame) {
    if (this.waiting?.frame?.(frame)) this.waiting.go();
  }
  status(status) {
    if (this.waiting?.status?.(status)) this.waiting.go();
    if (status.state === 'diverged' || status.state === 'failed') this.stop();
  }
  until(condition) {
    return new Promise(go => (this.waiting = {...condition, go}));
  }

  async make() {
    const {panel} = this,
      {stage} = panel;
    if (panel.running) {
      panel.send({type: 'pause'});
      await this.until({status: s => s.state !== 'running'});
    }
    const start = panel.time,
      end = !panel.live ? panel.times.at(-1) : start < panel.until ? panel.until : Infinity;
    const film = await Film.begin(stage, stage.facts);
    for (let k = 0; ; ++k) {
      const time = start + k / filmRate;
      if (time > end + 1e-9) break;
      if (k > 0) await this.reach(time);
      if (this.over && k > 0) break;
      await film.add(stage, `${time.toFixed(3)} s`);
    }
    await film.save(panel.name());
  }

  // Waits until the picture shows that time; played back, the frame before it or at it.
  async reach(time) {
    const {panel} = this;
    const index = panel.live ? -1 : panel.times.findLastIndex(t => t <= time + 1e-9);
    const there = frame => (panel.live ? frame.time >= time - 1e-9 : frame.number === index);
    if (this.over || there(panel.stage.frameShown)) return;
    panel.send(panel.live ? {type: 'advance', time} : {type: 'seek', frame: index});
    await this.until({frame: there});
  }
}
