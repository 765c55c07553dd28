"""Runs in folders, and what the command makes of them."""
import urllib.request

import numpy as np
import pytest

import brim


def needs(subcommand):
    """A command that was built without the pages has no such subcommand."""
    try:
        brim.command.run(subcommand, "--help")
    except brim.Failure:
        pytest.skip(f"the command was built without `{subcommand}`")


@pytest.fixture
def short(tank):
    tank.time.until = 0.06
    tank.output.frames_per_second = 50
    return tank


def test_a_run_is_read_as_it_was_written(short, tmp_path):
    run = brim.run(short, tmp_path / "run")
    assert len(run.frames) == 5 or len(run.frames) == 4
    first, last = run.frames[0], run.frames[-1]
    sim = brim.Simulation(short)
    np.testing.assert_allclose(first.position, sim.state().position, atol=1e-6)
    sim.run(every=1 / 50)
    np.testing.assert_allclose(last.position, sim.state().position, atol=1e-6)
    assert last.time == pytest.approx(0.06) and set(last.bodies) == {"box", "paddle"}
    assert run.statistics["time"][-1] == pytest.approx(0.06) and run.statistics["dt"].sum() == pytest.approx(0.06)
    assert run.gauges and run.bodies and run.summary["steps"] == sim.steps
    assert run.scene == brim.Scene.parse(short.text())
    assert [s.time for s in run.frames[1:3]] == pytest.approx([0.02, 0.04])
    assert run._repr_png_().startswith(b"\x89PNG")


def test_progress_is_told_and_stops_a_run_which_then_resumes(short, tmp_path):
    told = []
    brim.run(short, tmp_path / "run", progress=lambda p: told.append(p["time"]) or True)
    assert told and told[-1] < 0.06
    resumed = brim.run(short, tmp_path / "run", resume=True)
    whole = brim.run(short, tmp_path / "whole", progress=True)
    hashes = [brim.Simulation.load(r.path).state_hash() for r in (resumed, whole)]
    assert hashes[0] == hashes[1]


def test_an_error_in_a_progress_function_reaches_the_caller_after_a_checkpoint(short, tmp_path):
    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        brim.run(short, tmp_path / "run", progress=fail)
    assert (tmp_path / "run/checkpoint/state.brim").exists()


def test_a_folder_without_a_run_is_a_failure(tmp_path):
    with pytest.raises(brim.Failure):
        brim.Run(tmp_path)


def test_pictures_and_surfaces_are_drawn(short, tmp_path):
    run = brim.run(short, tmp_path / "run")
    pictures = brim.render(run, tmp_path / "pictures", frames=[0, -1], style="speed", width=320, height=180)
    assert [open(p, "rb").read(4) for p in pictures] == [b"\x89PNG"] * 2
    with pytest.raises(brim.Failure):
        brim.surface(run, tmp_path / "surfaces")  # flat frames have none
    scene = brim.Scene(resolution={"spacing": 0.1})
    scene.fluid.blocks.add(kind="sphere", centre=[0.5, 0.5, 0.5], radius=0.4)
    state = brim.Simulation(scene).state()
    points, triangles, velocity = state.surface()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(len(state) * 0.1**3, rel=0.05) and velocity.shape == points.shape
    (path,) = brim.surface(state, tmp_path / "surfaces", format="obj")
    assert open(path).read().count("\nf ") == len(triangles)


def test_comparisons_and_sweeps_leave_a_page(short, tmp_path):
    needs("compare")
    report = brim.compare(short, ["pbf", "wcsph"], tmp_path / "compare", set={"time.until": 0.02})
    assert report.path.exists() and len(report.runs) == 2
    report = brim.sweep(short, {"solver.iterations": [1, 2]}, tmp_path / "sweep", set={"time.until": 0.02})
    assert len(report.runs) == 2 and len(next(iter(report.table.values()))) == 2
    with pytest.raises(brim.Failure, match="pfb"):
        brim.compare(short, ["pfb"], tmp_path / "wrong")


def test_a_validation_has_scores(tmp_path):
    needs("validate")
    report = brim.validate(["poiseuille"], ["pbf"], tmp_path / "validate", effort="quick")
    assert report.path.exists()
    assert set(report.table["solver"]) == {"pbf"} and len(report.table["error"]) >= 2
    with pytest.raises(brim.Failure, match="no case"):
        brim.validate(["poisseuille"], out=tmp_path / "wrong")
    with pytest.raises(ValueError, match="quick"):
        brim.validate(effort="fast")


def test_the_viewer_is_served_in_a_frame(short, tmp_path):
    needs("view")
    with brim.view(short, paused=True) as viewer:
        page = urllib.request.urlopen(viewer.address, timeout=30).read()
        assert b"<html" in page.lower()
        assert f'<iframe src="{viewer.address}"' in viewer._repr_html_()
    with pytest.raises(brim.Failure):
        brim.view(tmp_path / "nothing")
