# Builds an animated, shaded scene in Blender from the files of a run:
#   brim surface out/dam_break
#   brim foam out/dam_break                                      (if you like)
#   blender --python tools/blender_import.py -- out/dam_break
# and without a window, to a file and a picture:
#   blender --background --python tools/blender_import.py -- out/dam_break --save dam.blend --render dam.png --frame 20
# Water, bodies, cloth, solids and foam are one object each. Their points stay in the files of the run: whenever Blender changes
# the frame, they are read from there. A saved .blend does so by itself if it may run Python (Preferences > Save & Load > Auto Run
# Python Scripts, or `blender --enable-autoexec`), and finds the run's folder again as long as both keep their places to each other.
# Velocities are the attribute "velocity", which Cycles blurs motion by. Blender 3.4 or later.
import glob
import os
import re
import sys

import bpy
import numpy

SORTS = {"surface": "Water", "bodies": "Bodies", "cloth": "Cloth", "solids": "Solids", "foam": "Foam"}


def turned(rows):
    """Brim's y points up, Blender's z does."""
    return numpy.stack([rows[:, 0], -rows[:, 2], rows[:, 1]], axis=1).astype(numpy.float32)


def read_ply(path):
    """Points, velocities (None if there are none) and triangles of a binary PLY as Brim writes it."""
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
    rows = numpy.frombuffer(content, "<f4", len(names) * points, at).reshape(points, len(names))
    at += 4 * len(names) * points
    triangles = numpy.frombuffer(content, numpy.dtype([("n", "u1"), ("v", "<i4", 3)]), faces, at)["v"]
    column = {name: k for k, name in enumerate(names)}
    velocity = turned(rows[:, [column["vx"], column["vy"], column["vz"]]]) if "vx" in column else None
    return turned(rows[:, [column["x"], column["y"], column["z"]]]), velocity, triangles


def read_points(path):
    """Points and velocities of a .vtp as brim foam writes it."""
    with open(path, "rb") as f:
        content = f.read()
    mark = content.index(b"<AppendedData")
    first = content.index(b"_", mark) + 1
    types = {"Float32": "<f4", "Float64": "<f8"}
    column = {}
    for kind, name, offset in re.findall(r'type="(\w+)" Name="(Points|velocity)"[^>]*offset="(\d+)"', content[:mark].decode("ascii")):
        at = first + int(offset)
        size = int(numpy.frombuffer(content, "<u8", 1, at)[0])
        dtype = numpy.dtype(types[kind])
        column[name] = numpy.frombuffer(content, dtype, size // dtype.itemsize, at + 8).reshape(-1, 3)
    points = column.get("Points", numpy.zeros((0, 3)))
    return turned(points), turned(column.get("velocity", numpy.zeros((0, 3)))), numpy.zeros((0, 3), numpy.int32)


def files_of(folder, what):
    """Frame number -> file."""
    pattern = os.path.join(folder, "foam", "foam_*.vtp") if what == "foam" else os.path.join(folder, "surface", what + "_*.ply")
    found = {}
    for path in glob.glob(pattern):
        match = re.search(r"_(\d+)\.(ply|vtp)$", path)
        if match:
            found[int(match.group(1))] = path
    return found


def fill(mesh, points, velocity, triangles):
    """Puts other points into a mesh, which keeps its materials."""
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel())
    if len(triangles):
        mesh.loops.add(3 * len(triangles))
        mesh.loops.foreach_set("vertex_index", triangles.astype(numpy.int32).ravel())
        mesh.polygons.add(len(triangles))
        mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * len(triangles), 3, dtype=numpy.int32))
        if bpy.app.version < (4, 1):
            mesh.polygons.foreach_set("loop_total", numpy.full(len(triangles), 3, numpy.int32))
        mesh.polygons.foreach_set("use_smooth", numpy.full(len(triangles), mesh.get("brim_smooth", 1), bool))
    if velocity is not None:
        attribute = mesh.attributes.get("velocity") or mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", velocity.ravel())
    mesh.update(calc_edges=True)


def show(scene, *_):
    """Gives every object of a run the points that its files have for this frame; what does not move has one file alone."""
    # Motion blur asks for times before and after a frame, too.
    frame = round(scene.frame_current + scene.frame_subframe)
    for thing in scene.objects:
        what = thing.get("brim_what")
        if not what:
            continue
        folder = bpy.path.abspath(thing["brim_folder"])
        files = files_of(folder, what)
        numbers = [n for n in files if n <= frame]
        # A body that is not in this frame's files is not there.
        there = bool(numbers) and (what == "solids" or max(numbers) == frame)
        path = files[max(numbers)] if there else ""
        if thing.data.get("brim_file", "") == path and (path or not len(thing.data.vertices)):
            continue
        if path:
            fill(thing.data, *(read_points if what == "foam" else read_ply)(path))
        else:
            thing.data.clear_geometry()
        thing.data["brim_file"] = path


@bpy.app.handlers.persistent
def brim_show(scene, *_):
    show(scene)


def register():
    handlers = bpy.app.handlers.frame_change_pre
    for old in [h for h in handlers if h.__name__ == "brim_show"]:
        handlers.remove(old)
    handlers.append(brim_show)


def material_of(name, colour, roughness=0.6, water=False):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    inputs = material.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*colour, 1)
    inputs["Roughness"].default_value = roughness
    if water:
        inputs["Transmission" if "Transmission" in inputs else "Transmission Weight"].default_value = 1
        inputs["IOR"].default_value = 1.333
    return material


def as_points(thing, radius, material):
    """Shows the vertices as small spheres, by a Geometry Nodes modifier."""
    group = bpy.data.node_groups.new("Foam", "GeometryNodeTree")
    if hasattr(group, "interface"):  # Blender 4
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    start, points = group.nodes.new("NodeGroupInput"), group.nodes.new("GeometryNodeMeshToPoints")
    paint, end = group.nodes.new("GeometryNodeSetMaterial"), group.nodes.new("NodeGroupOutput")
    points.inputs["Radius"].default_value = radius
    paint.inputs["Material"].default_value = material
    for a, b in ((start, points), (points, paint), (paint, end)):
        group.links.new(a.outputs[0], b.inputs[0])
    thing.modifiers.new("Foam", "NODES").node_group = group


def number_of(folder, key, otherwise):
    """A number of the scene that was run."""
    try:
        with open(os.path.join(folder, "scene.toml")) as f:
            match = re.search(rf"^\s*{key}\s*=\s*([-+.\deE]+)", f.read(), re.M)
    except OSError:
        match = None
    return float(match.group(1)) if match else otherwise


def main():
    import argparse
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    parser = argparse.ArgumentParser(prog="blender --python blender_import.py --")
    parser.add_argument("folder", help="folder of a run, with the surfaces that brim surface made")
    parser.add_argument("--save", help="a .blend file to leave")
    parser.add_argument("--render", help="a picture to leave")
    parser.add_argument("--frame", type=int, default=0, help="the frame of that picture")
    parser.add_argument("--samples", type=int, default=32, help="of Cycles, a pixel")
    parser.add_argument("--shutter", type=float, default=0.5, help="how long the shutter is open, in frames; 0: no motion blur")
    a = parser.parse_args(words)
    folder = os.path.abspath(a.folder)
    water = files_of(folder, "surface")
    if not water:
        sys.exit(f"{a.folder}/surface holds no surface_*.ply; make them with: brim surface {a.folder}")

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = min(water), max(water)
    rate = number_of(folder, "frames_per_second", 30) or 30
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate

    materials = {"surface": material_of("Water", (0.75, 0.92, 0.98), 0.02, True), "bodies": material_of("Bodies", (0.8, 0.35, 0.15)),
                 "cloth": material_of("Cloth", (0.75, 0.1, 0.12)), "solids": material_of("Solids", (0.45, 0.45, 0.46)),
                 "foam": material_of("Foam", (0.95, 0.97, 0.98), 0.9)}
    # The text of this file goes with the scene, so that a saved one reads its frames by itself.
    text = bpy.data.texts.new("brim_frames.py")
    with open(os.path.abspath(__file__)) as f:
        text.write(f.read())
    text.use_module = True
    place = bpy.path.relpath(folder, start=os.path.dirname(os.path.abspath(a.save))) if a.save else folder
    made = []
    for what, name in SORTS.items():
        if not files_of(folder, what):
            continue
        thing = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        thing.data.materials.append(materials[what])
        thing.data["brim_smooth"] = int(what in ("surface", "cloth"))
        thing["brim_what"], thing["brim_folder"] = what, folder
        scene.collection.objects.link(thing)
        if what == "foam":
            as_points(thing, 0.12 * number_of(folder, "spacing", 0.02), materials[what])
        made.append(thing)
    register()
    low, high = [1e30] * 3, [-1e30] * 3
    for frame in sorted({scene.frame_start, (scene.frame_start + scene.frame_end) // 2, scene.frame_end}):
        scene.frame_set(frame)
        for thing in made:
            co = numpy.empty(3 * len(thing.data.vertices), numpy.float32)
            thing.data.vertices.foreach_get("co", co)
            if len(co) and thing["brim_what"] not in ("foam", "solids"):
                low = numpy.minimum(low, co.reshape(-1, 3).min(axis=0))
                high = numpy.maximum(high, co.reshape(-1, 3).max(axis=0))
    low, high = [float(x) for x in low], [float(x) for x in high]

    size = max(h - l for l, h in zip(low, high))
    middle = [(l + h) / 2 for l, h in zip(low, high)]
    bpy.ops.mesh.primitive_plane_add(size=20 * size, location=(middle[0], middle[1], low[2] - 0.002 * size))
    bpy.context.object.name = "Floor"
    bpy.context.object.data.materials.append(material_of("Floor", (0.6, 0.58, 0.55)))
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
    denoiser = "none in this Blender"  # Debian's has none
    try:
        scene.cycles.denoiser = "OPENIMAGEDENOISE"
        scene.cycles.use_denoising = True
        denoiser = "OpenImageDenoise"
    except TypeError:
        scene.cycles.use_denoising = False
    scene.render.use_motion_blur = a.shutter > 0
    if hasattr(scene.render, "motion_blur_shutter"):
        scene.render.motion_blur_shutter = max(a.shutter, 0.01)
    scene.render.resolution_x, scene.render.resolution_y = 960, 540
    scene.frame_set(a.frame)
    for thing in made:
        thing["brim_folder"] = place
        if a.save:
            thing.data["brim_file"] = ""  # places are others there: it reads its frame anew
    if a.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(a.save))
        show(scene)
    if a.render:
        scene.render.filepath = os.path.abspath(a.render)
        bpy.ops.render.render(write_still=True)
    print(f"{len(water)} frames at {rate:g} a second; {', '.join(t.name for t in made)}; denoiser: {denoiser}")


# In a saved scene this text stands already, and Blender runs it when it opens the file.
if __name__ == "__main__" and "brim_frames.py" not in bpy.data.texts:
    main()
else:
    register()
