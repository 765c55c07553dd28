// Solids as meshes, in their own frames; the frames of the simulation say where those are.
import * as three from 'three';

function roundedEnds(size) {
  const [radius, half] = size;
  return new three.CapsuleGeometry(radius, 2 * half, 12, 32).rotateZ(-Math.PI / 2);
}

function solidGeometry(solid, extent) {
  const [a, b, c] = solid.size;
  switch (solid.kind) {
    case 'box':
      return new three.BoxGeometry(2 * a, 2 * b, 2 * c);
    case 'sphere':
      return new three.SphereGeometry(a, 48, 32);
    case 'cylinder':
      return new three.CylinderGeometry(a, a, 2 * b, 48).rotateZ(-Math.PI / 2);
    case 'capsule':
      return roundedEnds(solid.size);
    case 'plane':
      return new three.PlaneGeometry(4 * extent, 4 * extent).rotateX(-Math.PI / 2);
    case 'mesh': {
      const g = new three.BufferGeometry();
      g.setAttribute('position', new three.Float32BufferAttribute(solid.points, 3));
      g.setIndex(solid.triangles);
      const flat = g.toNonIndexed();
      flat.computeVertexNormals();
      return flat;
    }
  }
  return new three.BufferGeometry();
}

// The outline of a 2D solid, counter-clockwise.
function outline(solid, extent) {
  const [a, b] = solid.size;
  const arc = (x, from, to, steps) =>
    Array.from({length: steps + 1}, (_, k) => {
      const angle = from + ((to - from) * k) / steps;
      return new three.Vector2(x + a * Math.cos(angle), a * Math.sin(angle));
    });
  const corners = list => list.map(([x, y]) => new three.Vector2(x, y));
  switch (solid.kind) {
    case 'box':
      return corners([
        [-a, -b],
        [a, -b],
        [a, b],
        [-a, b],
      ]);
    case 'sphere':
      return arc(0, 0, 2 * Math.PI, 96).slice(1);
    case 'capsule':
      return [...arc(b, -Math.PI / 2, Math.PI / 2, 32), ...arc(-b, Math.PI / 2, 1.5 * Math.PI, 32)];
    case 'plane':
      return corners([
        [-4 * extent, -4 * extent],
        [4 * extent, -4 * extent],
        [4 * extent, 0],
        [-4 * extent, 0],
      ]);
    case 'polygon':
      return Array.from(
        {length: solid.points.length / 2},
        (_, k) => new three.Vector2(solid.points[2 * k], solid.points[2 * k + 1]),
      );
  }
  return [];
}

function flatGeometry(solid, extent) {
  const points = outline(solid, extent);
  if (points.length < 3) return new three.BufferGeometry();
  if (!solid.inside_out) return new three.ShapeGeometry(new three.Shape(points));
  const far = 4 * extent;
  const around = new three.Shape([
    new three.Vector2(-far, -far),
    new three.Vector2(far, -far),
    new three.Vector2(far, far),
    new three.Vector2(-far, far),
  ]);
  around.holes.push(new three.Path(points));
  return new three.ShapeGeometry(around);
}

// A tank (inside out) is seen from outside: only its far side is drawn, and thinly.
export function makeSolids(solids, dimension, extent, colours) {
  return solids.map((solid, index) => {
    const flat = dimension === 2;
    const geometry = flat ? flatGeometry(solid, extent) : solidGeometry(solid, extent);
    const tank = solid.inside_out && !flat;
    const material = flat
      ? new three.MeshBasicMaterial({color: solid.body ? colours.body : colours.solid, side: three.DoubleSide})
      : new three.MeshLambertMaterial({
          color: solid.body ? colours.body : colours.solid,
          side: tank ? three.BackSide : solid.kind === 'plane' ? three.DoubleSide : three.FrontSide,
          transparent: tank,
          opacity: tank ? 0.25 : 1,
          depthWrite: !tank,
        });
    const mesh = new three.Mesh(geometry, material);
    mesh.matrixAutoUpdate = false;
    mesh.userData = {index, name: solid.name, draggable: solid.draggable};
    mesh.renderOrder = tank ? 1 : 0;
    return mesh;
  });
}

export function setPose(mesh, pose) {
  const [a, b, c, d, e, f, g, h, i, x, y, z] = pose;
  mesh.matrix.set(a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1);
  mesh.matrixWorldNeedsUpdate = true;
}

// Sheets, ropes and soft bodies come with every frame, vertices and all. Their meshes are made anew when their elements change.
export class Sheets {
  constructor() {
    this.group = new three.Group();
  }
  set(sheets, colours, flat) {
    while (this.group.children.length > sheets.length) this.remove(this.group.children.at(-1));
    sheets.forEach((sheet, k) => {
      let object = this.group.children[k];
      if (object && object.geometry.index.count !== sheet.indices.length) {
        for (const old of this.group.children.slice(k)) this.remove(old);
        object = undefined;
      }
      if (!object) {
        const geometry = new three.BufferGeometry();
        geometry.setAttribute('position', new three.BufferAttribute(new Float32Array(sheet.vertices), 3));
        geometry.setIndex(new three.BufferAttribute(new Uint32Array(sheet.indices), 1));
        const look = {color: colours.sheet};
        object =
          sheet.corners === 2
            ? new three.LineSegments(geometry, new three.LineBasicMaterial(look))
            : new three.Mesh(
                geometry,
                flat
                  ? new three.MeshBasicMaterial({...look, side: three.DoubleSide})
                  : new three.MeshLambertMaterial({...look, side: three.DoubleSide}),
              );
        object.frustumCulled = false;
        this.group.add(object);
      }
      object.geometry.attributes.position.array.set(sheet.vertices);
      object.geometry.attributes.position.needsUpdate = true;
      if (sheet.corners === 3 && !flat) object.geometry.computeVertexNormals();
    });
  }
  remove(object) {
    this.group.remove(object);
    object.geometry.dispose();
    object.material.dispose();
  }
}
