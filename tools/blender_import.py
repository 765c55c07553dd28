# Builds an animated, shaded scene in Blender from the surfaces of a run:
#   brim surface out/dam_break
#   blender --python tools/blender_import.py -- out/dam_break
# and without a window, to a file and a picture:
#   blender --background --python tools/blender_import.py -- out/dam_break --save dam.blend --render dam.png --frame 20
# Reads surface/surface_*.ply (velocities become the attribute "velocity", for motion blur), and bodies_*.ply and cloth_*.ply beside
# them where there are any. Blender 3.4 or later.
import argparse
import glob
import os
import re
import struct
import sys

import bpy


def read_ply(path):
    """Points, velocities (None if there are none) and triangles of a binary little-endian PLY as Brim writes it."""
    with open(path, "rb") as f:
        content = f.read()
    end = content.index(b"end_header\n")
    points = faces = 0
    names = []
    element = ""
    for line in content[:end].decode("ascii").split("\n"):
        words = line.split()
        if words[:1] == ["element"]:
            element = words[1]
            if element == "vertex":
                points = int(words[2])
            if element == "face":
                faces = int(words[2])
        if words[:1] == ["property"] and element == "vertex":
            if words[1] != "float":
                raise ValueError(f"{path}: property {words[2]} is no float")
            names.append(words[2])
    at = end + len(b"end_header\n")
    rows = list(struct.iter_unpack(f"<{len(names)}f", content[at:at + 4 * len(names) * points]))
    at += 4 * len(names) * points
    triangles = [row[1:] for row in struct.iter_unpack("<B3i", content[at:at + 13 * faces])]
    column = {name: k for k, name in enumerate(names)}
    # Brim's y points up, Blender's z does.
    turned = [(r[column["x"]], -r[column["z"]], r[column["y"]]) for r in rows]
    velocity = None
    if "vx" in column:
        velocity = [(r[column["vx"]], -r[column["vz"]], r[column["vy"]]) for r in rows]
    return turned, velocity, triangles


def mesh_from(path, name, material):
    points, velocity, triangles = read_ply(path)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], triangles)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    if velocity:
        attribute = mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", [c for v in velocity for c in v])
    mesh.materials.append(material)
    return mesh


def material_of(name, colour, water):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    inputs = material.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*colour, 1)
    inputs["Roughness"].default_value = 0.02 if water else 0.6
    if water:
        transmission = "Transmission" if "Transmission" in inputs else "Transmission Weight"
        inputs[transmission].default_value = 1
        inputs["IOR"].default_value = 1.333
    return material


def show_only_at(thing, frame):
    """One mesh a frame, hidden at all others."""
    for hidden, at in ((True, frame - 1), (False, frame), (True, frame + 1)):
        thing.hide_viewport = thing.hide_render = hidden
        thing.keyframe_insert("hide_viewport", frame=at)
        thing.keyframe_insert("hide_render", frame=at)


def main():
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    parser = argparse.ArgumentParser(prog="blender --python blender_import.py --")
    parser.add_argument("folder", help="folder of a run, with the surfaces that brim surface made")
    parser.add_argument("--save", help="a .blend file to leave")
    parser.add_argument("--render", help="a picture to leave")
    parser.add_argument("--frame", type=int, default=0, help="the frame of that picture")
    parser.add_argument("--samples", type=int, default=32, help="of Cycles, a pixel")
    a = parser.parse_args(words)

    bpy.ops.wm.read_factory_settings(use_empty=True)
    materials = {"surface": material_of("Water", (0.75, 0.92, 0.98), True),
                 "bodies": material_of("Bodies", (0.8, 0.35, 0.15), False),
                 "cloth": material_of("Cloth", (0.75, 0.1, 0.12), False)}
    scene = bpy.context.scene
    last = 0
    low, high = [1e30] * 3, [-1e30] * 3
    for what, material in materials.items():
        for path in sorted(glob.glob(os.path.join(a.folder, "surface", f"{what}_*.ply"))):
            number = int(re.search(r"_(\d+)\.ply$", path).group(1))
            thing = bpy.data.objects.new(f"{what} {number}", mesh_from(path, f"{what} {number}", material))
            scene.collection.objects.link(thing)
            show_only_at(thing, number)
            last = max(last, number)
            for v in thing.data.vertices:
                low = [min(p, q) for p, q in zip(low, v.co)]
                high = [max(p, q) for p, q in zip(high, v.co)]
    if high[0] < low[0]:
        sys.exit(f"{a.folder}/surface holds no surface_*.ply; make them with: brim surface {a.folder}")
    scene.frame_start, scene.frame_end = 0, last

    size = max(h - l for l, h in zip(low, high))
    middle = [(l + h) / 2 for l, h in zip(low, high)]
    bpy.ops.mesh.primitive_plane_add(size=20 * size, location=(middle[0], middle[1], low[2] - 0.002 * size))
    bpy.context.object.data.materials.append(material_of("Floor", (0.6, 0.58, 0.55), False))
    bpy.ops.object.light_add(type="SUN", rotation=(0.7, 0.2, 0.6))
    bpy.context.object.data.energy = 2
    target = bpy.data.objects.new("Target", None)
    target.location = middle
    scene.collection.objects.link(target)
    bpy.ops.object.camera_add(location=(middle[0] + 1.2 * size, middle[1] - 2.5 * size, middle[2] + 1.1 * size))
    look = bpy.context.object.constraints.new("TRACK_TO")
    look.target, look.track_axis, look.up_axis = target, "TRACK_NEGATIVE_Z", "UP_Y"
    scene.camera = bpy.context.object
    scene.world = bpy.data.worlds.new("Sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.75, 0.95, 1)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = a.samples
    scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = 960, 540
    scene.frame_set(a.frame)
    if a.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(a.save))
    if a.render:
        scene.render.filepath = os.path.abspath(a.render)
        bpy.ops.render.render(write_still=True)
    print(f"{last + 1} frames, {len(bpy.data.meshes)} meshes")


main()
