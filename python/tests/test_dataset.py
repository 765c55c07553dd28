"""Data sets: LagrangeBench's layout, seeds, and going on after an interruption."""
import filecmp
import json

import numpy as np
import pytest

import brim
from brim import _core

SCENE = """version = 1
dimension = 2
[domain]
max = [1, 0.6]
[resolution]
spacing = 0.05
[[fluid.blocks]]
kind = "box"
min = [0, 0]
max = [0.4, 0.4]
[[solids]]
name = "post"
kind = "box"
min = [0.7, 0]
max = [0.8, 0.2]
[[solids]]
name = "lid"
kind = "box"
min = [0.2, 0.5]
max = [0.4, 0.55]
[solids.motion]
velocity = [0.5, 0]
[[bodies]]
name = "box"
kind = "box"
min = [0.1, 0.42]
max = [0.2, 0.5]
density = 500
[solver]
name = "pbf"
iterations = 3
"""

SPEC = f"""scene = "pool.toml"
title = "POOL"
seed = 7
frames = 6
every = 0.02
walls = 2
hdf5 = {str(_core.hdf5_available()).lower()}
[splits]
train = 3
valid = 1
test = 2
[set]
time.dt_max = 0.01
[[vary]]
path = "fluid.blocks[0].max[0]"
low = 0.3
high = 0.5
[[vary]]
path = "fluid.viscosity"
low = 1e-3
high = 10
log = true
[[vary]]
path = "solver.iterations"
low = 2
high = 5
whole = true
[[vary]]
path = "solver.name"
values = ["pbf", "dfsph"]
"""


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "pool.toml").write_text(SCENE)
    (tmp_path / "spec.toml").write_text(SPEC)
    return tmp_path / "spec.toml"


def test_trajectories_have_the_layout_of_lagrangebench(spec, tmp_path):
    data = brim.dataset(spec, tmp_path / "data")
    about = data.metadata
    assert about["dim"] == 2 and about["dx"] == 0.05 and about["dt"] == 0.02 and about["sequence_length_train"] == 5
    assert about["num_trajs_train"] == 3 and about["num_trajs_test"] == 2 and about["periodic_boundary_conditions"] == [False, False]
    np.testing.assert_allclose(about["bounds"], [[-0.1, 1.1], [-0.1, 0.7]])
    counts, steps, changes = [], [], []
    for split, count in (("train", 3), ("valid", 1), ("test", 2)):
        for k in range(count):
            position, kind = data.load(split, k)
            assert position.shape == (6, len(kind), 2) and position.dtype == np.float32
            counts.append(len(kind))
            fluid, wall, moving, body = (position[:, kind == t] for t in range(4))
            assert np.all(fluid > -1e-6) and np.all(fluid < [1 + 1e-6, 0.6 + 1e-6]) and np.ptp(fluid[:, :, 1], axis=0).max() > 0.01
            assert np.all(wall == wall[0])
            np.testing.assert_allclose(moving[:, 0] - moving[0, 0], np.arange(6)[:, None] * [0.5 * 0.02, 0], atol=1e-6)
            np.testing.assert_allclose(moving - moving[:, :1], np.broadcast_to(moving[0] - moving[0, :1], moving.shape), atol=1e-6)
            assert len(body[0]) > 0
            outside = np.any((wall[0] < 0) | (wall[0] > [1, 0.6]), axis=1)
            assert outside.sum() == (20 + 4) * (12 + 4) - 20 * 12  # two layers around 20 by 12 cells
            assert (~outside).sum() == 2 * 4  # the post
            velocity = np.diff(fluid.astype(float), axis=0)
            steps.append(velocity.mean(axis=(0, 1))), changes.append((velocity**2).mean(axis=(0, 1)))
    assert about["num_particles_max"] == max(counts)
    mean = np.mean(steps, axis=0)
    np.testing.assert_allclose(about["vel_mean"], mean, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(about["vel_std"], np.sqrt(np.mean(changes, axis=0) - mean**2), rtol=1e-4)
    drawn = [t["values"] for t in data.manifest["trajectories"]]
    assert len({d["fluid.viscosity"] for d in drawn}) == 6 and {d["solver.iterations"] for d in drawn} <= {"2", "3", "4", "5"}
    assert {d["solver.name"] for d in drawn} <= {'"pbf"', '"dfsph"', "'pbf'", "'dfsph'"}


@pytest.mark.skipif(not _core.hdf5_available(), reason="built without HDF5")
def test_hdf5_files_hold_what_the_npz_files_hold(spec, tmp_path):
    h5py = pytest.importorskip("h5py")
    data = brim.dataset(spec, tmp_path / "data")
    with h5py.File(data.path / "train.h5") as file:
        assert list(file) == ["00000", "00001", "00002"]
        for k, name in enumerate(file):
            position, kind = data.load("train", k)
            np.testing.assert_array_equal(file[name]["position"][:], position)
            np.testing.assert_array_equal(file[name]["particle_type"][:], kind)


@pytest.mark.skipif(_core.hdf5_available(), reason="built with HDF5")
def test_without_hdf5_it_says_so_before_anything_is_made(spec, tmp_path):
    spec.write_text(SPEC.replace("hdf5 = false", ""))
    with pytest.raises(brim.Failure, match="libhdf5-dev"):
        brim.dataset(spec, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_an_interrupted_data_set_goes_on_to_the_same_files(spec, tmp_path):
    whole = brim.dataset(spec, tmp_path / "whole", threads=1)
    with pytest.raises(brim.Failure, match="goes on"):
        brim.dataset(spec, tmp_path / "parts", threads=1, progress=lambda done, of: done == 2)
    assert len(list((tmp_path / "parts/npz").rglob("*.json"))) == 2 and not (tmp_path / "parts/metadata.json").exists()
    parts = brim.dataset(spec, tmp_path / "parts", threads=3)
    names = [str(f.relative_to(whole.path)) for f in whole.path.rglob("*.npz")] + ["manifest.json", "metadata.json"]
    assert len(names) == 8 and filecmp.cmpfiles(whole.path, parts.path, names, shallow=False)[0] == names
    spec.write_text(SPEC.replace("seed = 7", "seed = 8"))
    with pytest.raises(brim.Failure, match="another data set"):
        brim.dataset(spec, tmp_path / "parts")
    other = brim.dataset(spec, tmp_path / "parts", overwrite=True)
    assert other.manifest["trajectories"][0]["values"] != whole.manifest["trajectories"][0]["values"]


def test_a_ruined_trajectory_is_replaced_and_counted(spec, tmp_path):
    # Half of the draws put the block where the post is, through the domain's end: such scenes are refused.
    spec.write_text(SPEC.replace("high = 0.5", "high = 1.7").replace("attempts = 10", "attempts = 40"))
    data = brim.dataset(spec, tmp_path / "data")
    manifest = data.manifest
    ruined = [r for t in manifest["trajectories"] for r in t["ruined"]]
    assert len(ruined) == manifest["ruined"] > 0 and "outside" in ruined[0]["why"]
    assert all(float(t["values"]["fluid.blocks[0].max[0]"]) <= 1 for t in manifest["trajectories"])
    spec.write_text(SPEC + '\n[[vary]]\npath = "time.until"\nlow = -2\nhigh = -1\n')
    with pytest.raises(brim.Failure, match="ruined 10 times.*until"):
        brim.dataset(spec, tmp_path / "never")


def test_mistakes_of_the_specification_have_line_and_column(spec, tmp_path):
    spec.write_text(SPEC.replace("frames = 6", "frames = 2").replace("low = 0.3\n", ""))
    with pytest.raises(brim.SceneError) as e:
        brim.dataset(spec, tmp_path / "data")
    assert e.value.line == 4 and any("low and high" in m.what for m in e.value.mistakes)


def test_the_manifest_tells_how_to_make_a_trajectory_again(spec, tmp_path):
    data = brim.dataset(spec, tmp_path / "data")
    about = next(t for t in data.manifest["trajectories"] if t["split"] == "test")
    changes = {path: json.loads(text.replace("'", '"')) for path, text in about["values"].items()}
    scene = brim.Scene.load(tmp_path / "pool.toml", set={"time.dt_max": 0.01, **changes})
    sim = brim.Simulation(scene)
    for k in range(1, 6):
        sim.run(until=k * 0.02)
    assert f"{sim.state_hash():016x}" == about["state"]
