// Velocities as arrows, of an even pick of the particles.
import * as three from 'three';

export class Arrows {
  constructor() {
    this.geometry = new three.BufferGeometry();
    this.look = new three.LineBasicMaterial({depthTest: false, transparent: true, opacity: 0.9});
    this.lines = new three.LineSegments(this.geometry, this.look);
    this.lines.frustumCulled = false;
    this.scene = new three.Scene();
    this.scene.add(this.lines);
    this.count = 0;
  }

  // `arrows` as a frame has them; a speed of `fast` [m/s] is `length` [m] long. Heads lie across `view`, the way the eye looks.
  set(arrows, fast, length, view, shown) {
    const scale = fast > 0 ? length / fast : 0,
      ends = [];
    const a = new three.Vector3(),
      v = new three.Vector3(),
      side = new three.Vector3();
    this.count = 0;
    for (let i = 0; i < arrows.length; i += 6) {
      a.fromArray(arrows, i);
      if (!shown([a.x, a.y, a.z])) continue;
      v.fromArray(arrows, i + 3).multiplyScalar(scale);
      side.crossVectors(v, view).multiplyScalar(0.18);
      const b = a.clone().add(v),
        neck = a.clone().addScaledVector(v, 0.68);
      ends.push(...a, ...b, ...b, ...neck.clone().add(side), ...b, ...neck.sub(side));
      this.count += 1;
    }
    this.geometry.dispose();
    this.geometry.setAttribute('position', new three.Float32BufferAttribute(ends, 3));
    this.geometry.setDrawRange(0, ends.length / 3);
  }
}
