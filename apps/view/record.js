// Pictures and films of the canvas, as downloads.

function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function screenshot(stage, name) {
  stage.draw(); // a canvas keeps its picture only until the browser has shown it
  return new Promise(done =>
    stage.canvas.toBlob(blob => {
      save(blob, `${name}.png`);
      done(blob.size);
    }, 'image/png'),
  );
}

export class Recorder {
  constructor(stage) {
    this.stage = stage;
  }
  get possible() {
    return typeof MediaRecorder !== 'undefined' && 'captureStream' in this.stage.canvas;
  }
  get running() {
    return this.recorder?.state === 'recording';
  }
  start(name) {
    const type = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find(t =>
      MediaRecorder.isTypeSupported(t),
    );
    const parts = [];
    this.recorder = new MediaRecorder(this.stage.canvas.captureStream(30), {mimeType: type, videoBitsPerSecond: 12e6});
    this.recorder.ondataavailable = event => event.data.size && parts.push(event.data);
    this.recorder.onstop = () => save(new Blob(parts, {type}), `${name}.${type.includes('mp4') ? 'mp4' : 'webm'}`);
    this.recorder.start(500);
    this.stage.want();
  }
  stop() {
    this.recorder?.stop();
  }
}
