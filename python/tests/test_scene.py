"""Scenes: the same keys, checks and messages as those of files."""
import copy
import pickle

import numpy as np
import pytest

import brim

TEXT = """version = 1
dimension = 2

[domain]
max = [2, 1]

[resolution]
spacing = 0.02

[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.5, 0.8]
"""


def test_every_scene_of_the_project_is_read_and_reads_back_to_the_same(source):
    files = sorted((source / "scenes").glob("*.toml"))
    assert len(files) > 20
    for file in files:
        if "three_knots" in file.name:  # its meshes are made by node
            continue
        scene = brim.Scene.load(file)
        assert scene.text() == file.read_text()
        again = brim.Scene.parse("\n".join(line for line, _ in scene._lines()), str(file))
        assert again == scene, file


def test_attributes_items_and_dicts_are_the_same():
    scene = brim.Scene(domain={"max": [2, 1, 1]})
    assert scene["domain"]["max"] == scene.domain.max == [2, 1, 1]
    scene.domain.max = np.array([3.0, 1, 1])
    scene["time"] = {"until": np.float32(0.5)}
    block = scene.fluid.blocks.add(kind="sphere", centre=(1, 0.5, 0.5), radius=0.2)
    block.radius = 0.1
    assert scene.fluid.blocks[0].radius == 0.1 and scene.time.until == 0.5
    assert "max = [3.0, 1.0, 1.0]" in scene.text() and "[[fluid.blocks]]" in scene.text()


def test_what_was_not_given_has_its_default():
    scene = brim.Scene()
    assert scene.resolution.support == 2 and scene.dimension == 3 and scene.gravity == (0, -9.81, 0)
    assert scene.solver.name == "pbf"
    scene.solver.name = "wcsph"
    assert scene.solver.sound_speed is not None
    assert "resolution" not in scene.text()  # looking at a table does not make one


def test_an_unknown_attribute_names_the_nearest():
    scene = brim.Scene()
    with pytest.raises(AttributeError, match="did you mean 'until'"):
        scene.time.untill = 2
    with pytest.raises(AttributeError, match="did you mean 'gravity'"):
        scene.gravitation
    scene.solver.sound_speed = 20  # of a solver that is chosen later


def test_keys_are_documented_and_completed():
    scene = brim.Scene()
    assert {"until", "dt", "dt_max", "cfl"} <= set(dir(scene.time))
    assert "[s]" in scene.time.doc("until") and "blocks" in dir(scene.fluid)
    assert "Largest adaptive time step" in brim.describe("time.dt_max")
    assert "iterations" in brim.describe("pbf")
    with pytest.raises(KeyError):
        brim.describe("nonsense")


def test_all_mistakes_of_a_file_have_line_and_column(tmp_path):
    file = tmp_path / "dam.toml"
    file.write_text(TEXT.replace("spacing = 0.02", "spacing = -1").replace('kind = "box"', 'kind = "bax"'))
    with pytest.raises(brim.SceneError) as e:
        brim.Scene.load(file)
    places = [(m.line, m.column) for m in e.value.mistakes]
    assert (8, 11) in places and (11, 8) in places
    assert e.value.file == str(file) and e.value.line == 8 and e.value.column == 11
    assert "dam.toml:8:11" in str(e.value) and 'did you mean "box"' in str(e.value)


def test_mistakes_in_changed_values_name_the_value_and_others_their_line(tmp_path):
    scene = brim.Scene.parse(TEXT, "dam.toml")
    scene.time.until = -1
    scene.fluid.blocks[0].max = [5, 5]
    with pytest.raises(brim.SceneError) as e:
        scene.check()
    files = {m.file for m in e.value.mistakes}
    assert "scene.time.until = -1" in files and "scene.fluid.blocks[0].max = [5, 5]" in files
    scene = brim.Scene.parse(TEXT, "dam.toml")
    scene.domain.max = [0.3, 0.3]  # the block of the file, at its line, is now outside
    with pytest.raises(brim.SceneError) as e:
        scene.check()
    assert any(m.file == "dam.toml" and m.line >= 10 for m in e.value.mistakes)


def test_mistakes_of_a_scene_built_in_python_have_path_line_and_column():
    scene = brim.Scene(dimension=2, resolution={"spacing": "fine"})
    scene.fluid.blocks.add(kind="box", min=[0, 0])
    with pytest.raises(brim.SceneError) as e:
        scene.check()
    by_path = {m.file: m for m in e.value.mistakes}
    bad = by_path["scene.resolution.spacing"]
    assert scene.text().splitlines()[bad.line - 1][bad.column - 1 :].startswith('"fine"')
    assert 'needs "max"' in by_path["scene.fluid.blocks[0]"].what


def test_a_key_that_is_taken_out_has_its_default_again():
    scene = brim.Scene.parse(TEXT + 'velocity = [1, 0]\n\n[time]\nuntil = 3\n', "dam.toml")
    del scene.fluid.blocks[0].velocity
    del scene.time
    scene.fluid.blocks.add(kind="sphere", centre=[1, 0.5], radius=0.1)
    built = brim.Scene.parse(scene.text())
    assert built.time.until == 1 and built.fluid.blocks[0].velocity == [0, 0] and len(built.fluid.blocks) == 2
    assert scene._built().until == 1


def test_copies_and_pickles_are_equal_and_apart(source):
    scene = brim.Scene.load(source / "scenes/dam_break_2d.toml", set={"resolution.spacing": 0.05})
    assert scene.resolution.spacing == 0.05
    for other in (scene.copy(), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert other == scene and other.file == scene.file
        other.time.until = 7
        assert scene.time.until != 7
    error = pickle.loads(pickle.dumps(brim.SceneError([("f", 1, 2, "what", "f:1:2: what")])))
    assert (error.line, error.column) == (1, 2)


def test_values_are_set_by_their_path():
    scene = brim.Scene.parse(TEXT)
    scene.set("fluid.blocks[0].max", [0.4, 0.8]).set("solver.iterations", 7).set("domain.max[0]", 3)
    assert scene.fluid.blocks[0].max == [0.4, 0.8] and scene.solver.iterations == 7 and scene.domain.max[0] == 3
    assert scene.estimate()["particles"] == pytest.approx(0.32 / 0.02**2, rel=0.05)


def test_a_missing_file_is_a_failure(tmp_path):
    with pytest.raises(brim.Failure, match="there is|No such file"):
        brim.Scene.load(tmp_path / "none.toml")
