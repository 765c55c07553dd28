// The fluid: particles as spheres or discs, or a water surface made of them in screen space (van der Laan et al. 2009):
// depths of spheres, smoothed; normals from them; the way through the water from the sum of chords.
import * as three from 'three';
import * as shaders from './shaders.js';
import {texture} from './colours.js';

const points = (shader, uniforms, more = {}) =>
  new three.ShaderMaterial({
    glslVersion: three.GLSL3,
    vertexShader: shader.vertex,
    fragmentShader: shader.fragment,
    uniforms,
    ...more,
  });

const adding = {
  blending: three.CustomBlending,
  blendSrc: three.OneFactor,
  blendDst: three.OneFactor,
  depthTest: false,
  depthWrite: false,
  transparent: true,
};

const screen = (fragmentShader, uniforms) =>
  new three.ShaderMaterial({
    glslVersion: three.GLSL3,
    vertexShader: shaders.fullscreen,
    fragmentShader,
    uniforms,
    depthTest: false,
    depthWrite: false,
  });

export class Fluid {
  constructor(renderer) {
    this.renderer = renderer;
    this.canWater = renderer.extensions.has('EXT_color_buffer_float');
    this.textures = Object.fromEntries(['speed', 'density', 'pressure'].map(q => [q, texture(q)]));
    const shared = {
      low: {value: new three.Vector3()},
      size: {value: new three.Vector3()},
      scale: {value: 1},
      flatView: {value: false},
      sliceAxis: {value: new three.Vector3(1, 0, 0)},
      sliceRange: {value: new three.Vector2(-1e30, 1e30)},
    };
    this.shared = shared;
    this.radius = {value: 1}; // of a drawn particle
    this.volumeRadius = {value: 1}; // of a sphere as large as a particle
    this.bumpRadius = {value: 1};
    this.light = {value: new three.Vector3(-0.37, 0.74, 0.56).normalize()};
    this.look = points(shaders.particles, {
      ...shared,
      radius: this.radius,
      colours: {value: this.textures.speed},
      valueRange: {value: new three.Vector2()},
      colourRange: {value: new three.Vector2(0, 1)},
      light: this.light,
    });
    this.depthLook = points(shaders.depth, {...shared, radius: this.volumeRadius});
    this.wayLook = points(shaders.thickness, {...shared, radius: this.volumeRadius}, adding);
    this.bumpLook = points(shaders.bumps, {...shared, radius: this.bumpRadius}, adding);

    this.geometry = new three.BufferGeometry();
    this.geometry.boundingSphere = new three.Sphere(new three.Vector3(), 1e9); // places count in a box that three.js does not know
    this.cloud = new three.Points(this.geometry, this.look);
    this.cloud.frustumCulled = false;
    this.scene = new three.Scene();
    this.scene.add(this.cloud);

    this.square = new three.Mesh(new three.PlaneGeometry(2, 2));
    this.square.frustumCulled = false;
    this.squareScene = new three.Scene();
    this.squareScene.add(this.square);
    this.squareCamera = new three.Camera();
    this.targets = null;
    this.makeScreens();
  }

  makeScreens() {
    const value = v => ({value: v});
    this.smoothing = screen(shaders.smooth, {
      depths: value(null),
      along: value(new three.Vector2()),
      reach: value(1),
      range: value(1),
      scale: this.shared.scale,
    });
    this.composite = screen(shaders.water, {
      depths: value(null),
      ways: value(null),
      behind: value(null),
      behindDepth: value(null),
      inverseProjection: value(new three.Matrix4()),
      eyeToWorld: value(new three.Matrix4()),
      pixel: value(new three.Vector2()),
      light: this.light,
      up: value(new three.Vector3(0, 1, 0)),
      skyHigh: value(new three.Color()),
      skyLow: value(new three.Color()),
      absorption: value(new three.Vector3()),
      metre: value(1),
    });
    this.flatComposite = screen(shaders.flatWater, {
      sums: value(null),
      behind: value(null),
      pixel: value(new three.Vector2()),
    });
  }

  setScene(scene, extent, up, colours) {
    this.dimension = scene.dimension;
    this.shared.flatView.value = scene.dimension === 2;
    this.radius.value = (scene.dimension === 2 ? 0.56 : 0.5) * scene.spacing;
    this.volumeRadius.value = 0.62 * scene.spacing;
    this.bumpRadius.value = 1.6 * scene.spacing;
    this.spacing = scene.spacing;
    const c = this.composite.uniforms;
    // Half of the red is gone after a twelfth of the scene, whatever its size: a pool and a cup look alike.
    c.absorption.value.set(8, 2.6, 1.5).divideScalar(extent);
    c.metre.value = extent;
    c.up.value.copy(up);
    c.skyHigh.value.set(colours.skyHigh);
    c.skyLow.value.set(colours.skyLow);
  }

  setFrame(frame) {
    const g = this.geometry;
    const fill = (name, array, items) => {
      const old = g.getAttribute(name);
      if (!old || old.itemSize !== items || old.array.length < array.length) {
        const room = new Uint16Array(Math.ceil((1.25 * array.length) / items + 64) * items);
        room.set(array);
        if (old) g.dispose();
        const fresh = new three.BufferAttribute(room, items, true);
        fresh.setUsage(three.DynamicDrawUsage);
        g.setAttribute(name, fresh);
      } else {
        old.array.set(array);
        old.clearUpdateRanges();
        old.addUpdateRange(0, array.length);
        old.needsUpdate = true;
      }
    };
    fill('position', frame.places, frame.dimension);
    fill('value', frame.values, 1);
    g.setDrawRange(0, frame.count);
    this.shared.low.value.fromArray(frame.low);
    this.shared.size.value.fromArray(frame.size);
    const u = this.look.uniforms;
    u.valueRange.value.set(frame.least, frame.largest);
    u.colours.value = this.textures[frame.quantity];
  }

  // Only a layer is shown, two spacings thick, at a part 0..1 of the domain along an axis; axis -1: all.
  setSlice(axis, part, extent) {
    this.slice = {axis, part};
    const middle = part * (extent[axis] ?? 0);
    this.shared.sliceAxis.value.set(0, 0, 0).setComponent(Math.max(axis, 0), 1);
    this.shared.sliceRange.value.set(axis < 0 ? -1e30 : middle - this.spacing, axis < 0 ? 1e30 : middle + this.spacing);
  }

  // Whether a particle at [m] from the domain's corner is drawn.
  shows(place) {
    const {x, y} = this.shared.sliceRange.value,
      along = place[Math.max(this.slice?.axis ?? 0, 0)];
    return along >= x && along <= y;
  }

  setColourRange([low, high]) {
    this.look.uniforms.colourRange.value.set(low, high);
  }

  // [px] of the drawing buffer.
  resize(width, height) {
    for (const t of Object.values(this.targets ?? {})) t.dispose();
    this.targets = null;
    this.width = width;
    this.height = height;
  }

  makeTargets() {
    if (this.targets) return this.targets;
    const make = (format, type, width, height, more = {}) =>
      new three.WebGLRenderTarget(width, height, {
        format,
        type,
        minFilter: three.NearestFilter,
        magFilter: three.NearestFilter,
        depthBuffer: false,
        ...more,
      });
    const {width: w, height: h} = this;
    const linear = {minFilter: three.LinearFilter, magFilter: three.LinearFilter};
    const behind = make(three.RGBAFormat, three.UnsignedByteType, w, h, {depthBuffer: true, ...linear});
    behind.depthTexture = new three.DepthTexture(w, h, three.UnsignedIntType);
    this.targets = {
      behind,
      depth: make(three.RedFormat, three.FloatType, w, h, {depthBuffer: true}),
      other: make(three.RedFormat, three.FloatType, w, h),
      sums: make(three.RedFormat, three.HalfFloatType, Math.ceil(w / 2), Math.ceil(h / 2), linear),
    };
    return this.targets;
  }

  cover(material, target) {
    this.square.material = material;
    this.renderer.setRenderTarget(target);
    this.renderer.render(this.squareScene, this.squareCamera);
  }

  pass(material, target, camera, clear) {
    this.cloud.material = material;
    this.renderer.setRenderTarget(target);
    this.renderer.setClearColor(clear, 1);
    this.renderer.clear();
    this.renderer.render(this.scene, camera);
  }

  setScale(camera) {
    this.shared.scale.value = camera.isOrthographicCamera
      ? (this.height * camera.zoom) / (camera.top - camera.bottom)
      : (0.5 * this.height) / Math.tan((camera.fov * Math.PI) / 360);
  }

  drawParticles(camera) {
    this.setScale(camera);
    this.cloud.material = this.look;
    this.renderer.render(this.scene, camera);
  }

  drawWater(world, camera, background) {
    const {behind, depth, other, sums} = this.makeTargets();
    const r = this.renderer;
    this.setScale(camera);
    r.setRenderTarget(behind);
    r.setClearColor(background, 1);
    r.clear();
    r.render(world, camera);

    const full = this.shared.scale.value;
    if (this.dimension === 2) {
      this.shared.scale.value = full / 2;
      this.pass(this.bumpLook, sums, camera, new three.Color(0, 0, 0));
      this.shared.scale.value = full;
      const u = this.flatComposite.uniforms;
      u.sums.value = sums.texture;
      u.behind.value = behind.texture;
      u.pixel.value.set(1 / this.width, 1 / this.height);
      this.cover(this.flatComposite, null);
      // Solids and the frame again, over what has been smeared onto them.
      r.clearDepth();
      world.userData.paper.visible = false;
      r.render(world, camera);
      world.userData.paper.visible = true;
      return;
    }
    this.pass(this.depthLook, depth, camera, new three.Color(1e9, 1e9, 1e9));
    this.shared.scale.value = full / 2;
    this.pass(this.wayLook, sums, camera, new three.Color(0, 0, 0));
    this.shared.scale.value = full;

    const s = this.smoothing.uniforms;
    s.range.value = 3 * this.spacing;
    for (const reach of [4, 2.5]) {
      s.reach.value = reach * this.spacing;
      s.depths.value = depth.texture;
      s.along.value.set(1 / this.width, 0);
      this.cover(this.smoothing, other);
      s.depths.value = other.texture;
      s.along.value.set(0, 1 / this.height);
      this.cover(this.smoothing, depth);
    }
    const u = this.composite.uniforms;
    u.depths.value = depth.texture;
    u.ways.value = sums.texture;
    u.behind.value = behind.texture;
    u.behindDepth.value = behind.depthTexture;
    u.inverseProjection.value.copy(camera.projectionMatrixInverse);
    u.eyeToWorld.value.copy(camera.matrixWorld);
    u.pixel.value.set(1 / this.width, 1 / this.height);
    this.cover(this.composite, null);
  }
}
