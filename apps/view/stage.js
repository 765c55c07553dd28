// The picture: camera, ground, domain, solids and the fluid among them.
import * as three from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {Arrows} from './arrows.js';
import {ColourRange} from './colours.js';
import {Fluid} from './fluid.js';
import {describeParticle, particleAt} from './probe.js';
import * as shaders from './shaders.js';
import {makeSolids, setPose, Sheets} from './solids.js';

three.ColorManagement.enabled = false;

const themes = {
  light: {
    background: '#dfe8f0',
    paper: '#c4d0db',
    skyHigh: '#a9c9e8',
    skyLow: '#eef3f7',
    one: '#cfd6dc',
    two: '#b3bdc6',
    line: '#5f7183',
    solid: '#98876f',
    sheet: '#c8553d',
    body: '#d59a2e',
    arrow: '#101820',
  },
  dark: {
    background: '#10161d',
    paper: '#1b2530',
    skyHigh: '#2c4a68',
    skyLow: '#131c26',
    one: '#222b34',
    two: '#34414d',
    line: '#7c90a3',
    solid: '#a08c6c',
    sheet: '#e0755b',
    body: '#e3b04b',
    arrow: '#ffe9a8',
  },
};

export class Stage {
  constructor(canvas, handlers) {
    this.canvas = canvas;
    this.handlers = handlers;
    this.renderer = new three.WebGLRenderer({canvas, antialias: true, powerPreference: 'high-performance'});
    this.renderer.outputColorSpace = three.LinearSRGBColorSpace;
    this.renderer.autoClear = false;
    this.fluid = new Fluid(this.renderer);
    this.range = new ColourRange();
    this.style = 'particles';
    this.theme = 'light';
    this.wanted = true;
    this.solids = [];
    this.sheets = new Sheets();
    this.arrows = new Arrows();
    this.draws = 0;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.watchPointer();
    const loop = () => {
      requestAnimationFrame(loop);
      this.controls?.update();
      if (this.wanted && this.scene) this.draw();
    };
    requestAnimationFrame(loop);
  }

  // Nothing is drawn unless something changed.
  want() {
    this.wanted = true;
  }

  setTheme(theme) {
    this.theme = theme;
    if (this.scene) this.build();
  }

  // The scene with its solids. The eye stays where it is unless the scene is another one.
  setScene(scene, solids) {
    const key = JSON.stringify([scene.dimension, scene.min, scene.max]);
    this.scene = scene;
    this.described = solids;
    this.build();
    if (this.key !== key) {
      this.key = key;
      this.makeCamera();
      this.range.clear();
      this.fit();
    }
    this.want();
  }

  build() {
    const {scene} = this,
      colours = themes[this.theme];
    this.extent = scene.max.map((m, k) => (k < scene.dimension ? m - scene.min[k] : 0));
    this.reach = Math.max(...this.extent);
    // Up is against gravity.
    const g = scene.gravity ?? [0, -1, 0],
      axis = [0, 1, 2].reduce((a, b) => (Math.abs(g[b]) > Math.abs(g[a]) ? b : a), 1);
    this.up = new three.Vector3().setComponent(scene.dimension === 2 ? 1 : axis, g[axis] > 0 ? -1 : 1);
    this.world = new three.Scene();
    this.solids = makeSolids(this.described, scene.dimension, this.reach, colours);
    for (const mesh of this.solids) this.world.add(mesh);
    this.world.add(this.sheets.group);
    if (this.poses) this.setPoses(this.poses);
    this.world.add(this.frame(colours));
    if (scene.dimension === 2) {
      const paper = new three.Mesh(
        new three.PlaneGeometry(this.extent[0], this.extent[1]),
        new three.MeshBasicMaterial({color: colours.paper}),
      );
      paper.position.set(this.extent[0] / 2, this.extent[1] / 2, -1);
      this.world.add(paper);
      this.world.userData.paper = paper;
    } else {
      this.world.add(this.ground(colours));
      this.world.add(new three.HemisphereLight('#ffffff', '#8a8f98', 1.7));
      const sun = new three.DirectionalLight('#ffffff', 1.9);
      sun.position.set(-0.6, 1, 0.8);
      this.world.add(sun);
    }
    this.fluid.setScene(scene, this.reach, this.up, colours);
    this.background = new three.Color(colours.background);
    this.arrows.look.color.set(colours.arrow);
    if (this.fluid.slice) this.setSlice(this.fluid.slice.axis, this.fluid.slice.part);
    this.want();
  }

  frame(colours) {
    const [a, b, c] = this.extent;
    const box = new three.EdgesGeometry(
      this.scene.dimension === 2 ? new three.PlaneGeometry(a, b) : new three.BoxGeometry(a, b, c),
    );
    const lines = new three.LineSegments(
      box,
      new three.LineBasicMaterial({color: colours.line, transparent: true, opacity: 0.6}),
    );
    lines.position.set(a / 2, b / 2, c / 2);
    return lines;
  }

  ground(colours) {
    const middle = new three.Vector3(...this.extent).multiplyScalar(0.5),
      axis = ['x', 'y', 'z'].find(k => this.up[k] !== 0);
    const low = middle.clone();
    low[axis] = (this.up[axis] > 0 ? 0 : 2 * middle[axis]) - 2e-3 * this.reach * this.up[axis];
    const across = new three.Vector3(axis === 'x' ? 0 : 1, axis === 'x' ? 1 : 0, 0),
      along = new three.Vector3().crossVectors(this.up, across);
    const tile = 10 ** Math.floor(Math.log10(this.reach / 4)); // 0.1, 0.2, 1, 2, ... m
    const material = new three.ShaderMaterial({
      glslVersion: three.GLSL3,
      vertexShader: shaders.ground.vertex,
      fragmentShader: shaders.ground.fragment,
      side: three.DoubleSide,
      uniforms: {
        one: {value: new three.Color(colours.one)},
        two: {value: new three.Color(colours.two)},
        far: {value: new three.Color(colours.background)},
        tile: {value: this.reach / tile > 12 ? 2 * tile : tile},
        reach: {value: 5 * this.reach},
        middle: {value: low},
        across: {value: across},
        along: {value: along},
      },
    });
    const mesh = new three.Mesh(new three.CircleGeometry(5 * this.reach, 64), material);
    mesh.quaternion.setFromUnitVectors(new three.Vector3(0, 0, 1), this.up);
    mesh.position.copy(low);
    return mesh;
  }

  makeCamera() {
    this.controls?.dispose();
    const flat = this.scene.dimension === 2;
    this.camera = flat
      ? new three.OrthographicCamera(-1, 1, 1, -1, 0.1, 10)
      : new three.PerspectiveCamera(32, 1, 0.01 * this.reach, 40 * this.reach);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableRotate = !flat;
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.02 * this.reach;
    this.controls.maxDistance = 15 * this.reach;
    this.controls.minZoom = 0.2;
    this.controls.maxZoom = 200;
    if (flat) this.controls.mouseButtons.LEFT = three.MOUSE.PAN;
    if (flat) this.controls.touches.ONE = three.TOUCH.PAN;
    this.controls.addEventListener('change', () => this.want());
    this.resize();
  }

  // The whole domain in sight, a little from the right and above.
  fit() {
    const middle = new three.Vector3(...this.extent).multiplyScalar(0.5);
    this.controls.target.copy(middle);
    if (this.scene.dimension === 2) {
      this.camera.zoom = 1;
      this.resize();
      // In the middle of what the bars above and below leave.
      const {above, below} = this.handlers.covered();
      const low = middle.y + ((above - below) / 2) * ((this.camera.top - this.camera.bottom) / this.canvas.clientHeight);
      this.camera.position.set(middle.x, low, 5);
      this.controls.target.set(middle.x, low, 0);
    } else {
      const side =
        Math.abs(this.up.y) > 0 ? new three.Vector3(0.45, 0, 1) : new three.Vector3(0.45, -1, 0).projectOnPlane(this.up);
      const direction = side.normalize().addScaledVector(this.up, 0.42).normalize();
      this.camera.position.copy(middle).addScaledVector(direction, this.reach);
      this.camera.lookAt(middle);
      this.camera.updateMatrixWorld();
      // As far back as the corner that needs it most.
      const right = new three.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0),
        top = new three.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
      const slope = 0.86 * Math.tan((this.camera.fov * Math.PI) / 360);
      let distance = 0;
      for (let k = 0; k < 8; ++k) {
        const corner = new three.Vector3(...this.extent.map((e, d) => ((k >> d) & 1 ? e / 2 : -e / 2)));
        const near = corner.dot(direction);
        distance = Math.max(
          distance,
          near + Math.abs(corner.dot(top)) / slope,
          near + Math.abs(corner.dot(right)) / (slope * this.camera.aspect),
        );
      }
      // A little low, since the bar of time covers the lower edge.
      const shift = top.multiplyScalar(-0.035 * distance * slope);
      this.controls.target.add(shift);
      this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    }
    this.controls.update();
    this.want();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    const width = Math.max(box.width, 16),
      height = Math.max(box.height, 16);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.fluid.resize(this.canvas.width, this.canvas.height);
    if (this.camera?.isPerspectiveCamera) this.camera.aspect = width / height;
    if (this.camera?.isOrthographicCamera) {
      const {above, below} = this.handlers.covered(),
        room = Math.max(height - above - below, 0.3 * height);
      const half = Math.max((0.5 * this.extent[1] * height) / room, (0.53 * this.extent[0] * height) / width);
      [this.camera.top, this.camera.bottom] = [half, -half];
      [this.camera.left, this.camera.right] = [(-half * width) / height, (half * width) / height];
    }
    this.camera?.updateProjectionMatrix();
    this.want();
  }

  setFrame(frame) {
    if (this.quantity !== frame.quantity) this.range.clear();
    this.quantity = frame.quantity;
    this.frameShown = frame;
    this.fluid.setFrame(frame);
    this.range.add(frame, this.scene.density);
    this.setPoses(frame.poses);
    this.sheets.set(frame.sheets, themes[this.theme], this.scene.dimension === 2);
    this.setArrows();
    this.want();
  }

  setArrows() {
    const {arrows} = this.frameShown;
    let fast = 0;
    for (let i = 3; i < arrows.length; i += 6) fast = Math.max(fast, Math.hypot(arrows[i], arrows[i + 1], arrows[i + 2]));
    const view = this.camera.getWorldDirection(new three.Vector3());
    this.arrows.set(arrows, fast, 0.08 * this.reach, view, place => this.fluid.shows(place));
  }

  setSlice(axis, part) {
    this.fluid.setSlice(axis, part, this.extent ?? []);
    if (this.frameShown && this.camera) this.setArrows();
    this.want();
  }

  // The particle under a point of the page, as text, or null.
  probe(x, y) {
    const frame = this.frameShown;
    if (!frame || !this.camera || this.style === 'water') return null;
    const box = this.canvas.getBoundingClientRect(),
      ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.camera);
    const i = particleAt(frame, ray.ray.origin.toArray(), ray.ray.direction.toArray(), this.fluid.radius.value, place =>
      this.fluid.shows(place),
    );
    return i < 0 ? null : describeParticle(frame, i, this.scene.min);
  }

  setPoses(poses) {
    this.poses = poses;
    this.solids.forEach((mesh, k) => poses[k] && setPose(mesh, poses[k]));
  }

  draw() {
    this.wanted = false;
    const r = this.renderer;
    this.fluid.setColourRange(this.range.get());
    if (this.style === 'water' && this.fluid.canWater) {
      this.fluid.drawWater(this.world, this.camera, this.background);
    } else {
      r.setRenderTarget(null);
      r.setClearColor(this.background, 1);
      r.clear();
      r.render(this.world, this.camera);
      this.fluid.drawParticles(this.camera);
    }
    if (this.arrows.count > 0) r.render(this.arrows.scene, this.camera);
    this.draws += 1;
    this.handlers.drawn();
  }

  // A solid under the pointer can be dragged, in the plane that faces the eye.
  watchPointer() {
    const ray = new three.Raycaster(),
      plane = new three.Plane();
    let held = null,
      last = null;
    const aim = event => {
      const box = this.canvas.getBoundingClientRect();
      ray.setFromCamera(
        new three.Vector2((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height),
        this.camera,
      );
    };
    const under = event => {
      if (!this.camera || !this.handlers.draggable()) return null;
      aim(event);
      return ray.intersectObjects(this.solids.filter(s => s.userData.draggable))[0] ?? null;
    };
    this.canvas.addEventListener(
      'pointerdown',
      event => {
        const hit = event.button === 0 ? under(event) : null;
        if (!hit) return;
        event.stopImmediatePropagation();
        held = hit.object.userData.index;
        last = hit.point.clone();
        plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new three.Vector3()), hit.point);
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.style.cursor = 'grabbing';
      },
      {capture: true},
    );
    this.canvas.addEventListener('pointermove', event => {
      if (held === null) {
        const hit = event.buttons === 0 ? under(event) : null;
        this.canvas.style.cursor = hit ? 'grab' : '';
        this.canvas.title = hit ? `${hit.object.userData.name || 'solid'}: drag to move it` : '';
        return;
      }
      aim(event);
      const now = ray.ray.intersectPlane(plane, new three.Vector3());
      if (!now) return;
      this.handlers.drag(held, [now.x - last.x, now.y - last.y, now.z - last.z]);
      last.copy(now);
    });
    const release = () => {
      held = null;
      this.canvas.style.cursor = '';
    };
    this.canvas.addEventListener('pointerup', release);
    this.canvas.addEventListener('pointercancel', release);
  }
}
