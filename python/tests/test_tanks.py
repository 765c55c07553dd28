"""Tanks that step together."""
import numpy as np
import pytest

import brim

GPU = pytest.param("cuda", marks=pytest.mark.skipif("cuda32" not in brim.flavours(), reason="no GPU here"))
DEVICES = pytest.mark.parametrize("device", ["cpu", GPU])


def tanks(dam, count):
    scenes = []
    for k in range(count):
        scene = dam.copy()
        scene.fluid.blocks[0].max = [-0.7 + 0.02 * k, -0.1]
        scene.fluid.blocks[0].velocity = [0.1 * k, 0]
        scene.gravity = [0.2 * k, -9.81]
        scene.time.dt = 2e-3
        scene.solver = {"name": "pbf", "acceleration": "none", "tolerance": 0, "iterations": 4}
        scenes.append(scene)
    return scenes


@DEVICES
@pytest.mark.parametrize("threads", [1, 2])
def test_each_tank_has_the_bits_that_it_has_alone(dam, device, threads):
    scenes = tanks(dam, 8)
    batch = brim.Batch(scenes, device=device, together=True, threads=threads)
    for _ in range(10):
        batch.step()
    batch.run(until=0.05)
    assert np.all(batch.time == 0.05) and not batch.failures and len(batch.groups) == 1
    for k, scene in enumerate(scenes):
        alone = brim.Simulation(scene, device=device)
        for _ in range(10):
            alone.step()
        alone.run(until=0.05)
        assert batch[k].state_hash() == alone.state_hash(), k
        assert batch[k].report.kinetic_energy == alone.report.kinetic_energy


def test_arrays_of_all_and_of_one_are_the_same_memory(dam):
    batch = brim.Batch(tanks(dam, 3), together=True)
    batch.step()
    rows = slice(batch.offsets[1], batch.offsets[2])
    assert batch.position.shape == (batch.offsets[-1], 2) and batch[1].count == batch.offsets[2] - batch.offsets[1]
    assert np.shares_memory(batch.position, batch[1].position)
    np.testing.assert_array_equal(batch.velocity[rows], batch[1].velocity)
    np.testing.assert_array_equal(np.sort(batch.id[rows]), np.arange(batch[1].count))
    batch.velocity[rows] = [1, 0]
    assert np.all(batch[1].velocity == [1, 0]) and np.any(batch[0].velocity != [1, 0])
    with pytest.raises(ValueError):
        batch.density[0] = 1
    kept = batch.position
    before = kept.copy()
    batch.step()
    np.testing.assert_array_equal(kept, before)  # an array that is kept keeps its values
    assert np.any(batch.position != before)


@DEVICES
def test_what_is_written_to_a_tank_counts_for_it_alone(dam, device):
    scenes = tanks(dam, 3)
    batch, alone = brim.Batch(scenes, device=device, together=True), brim.Simulation(scenes[1], device=device)
    for one in (batch[1], alone):
        state = one.state()
        one.set_state(position=state.position, velocity=state.velocity + [0.5, 0.1])
        one.gravity = [1, -5]
    for _ in range(5):
        batch.step(), alone.step()
    assert batch[1].state_hash() == alone.state_hash()
    assert batch[1].gravity.tolist() == [1, -5] and batch[1].scene.gravity == [1, -5]
    np.testing.assert_array_equal(batch[1].state().position, alone.state().position)
    g = batch.gravity
    assert g.tolist() == [[0, -9.81], [1, -5], [0.4, -9.81]]
    batch.gravity = g  # all at once
    other = brim.Simulation(scenes[2], device=device)
    for _ in range(5):
        other.step()
    assert batch[2].state_hash() == other.state_hash()


@DEVICES
def test_a_tank_that_fails_leaves_the_others_alone_and_is_replaced(dam, device):
    scenes = tanks(dam, 3)
    batch = brim.Batch(scenes, device=device, together=True)
    batch[1].set_state(velocity=np.full((batch[1].count, 2), np.nan))
    batch.step()
    assert list(batch.failures) == [1] and "cannot be simulated" in batch.failures[1]
    assert batch[1].steps == 0 and batch[0].steps == 1
    batch.replace(1, scenes[1])
    batch.step()
    alone = brim.Simulation(scenes[1], device=device)
    alone.step()
    assert not batch.failures and batch[1].state_hash() == alone.state_hash()
    with pytest.raises(brim.Failure, match="single steps"):
        batch.run(until=0.1)


def test_scenes_that_do_not_match_go_in_groups(dam):
    scenes = tanks(dam, 4)
    scenes[2].domain.max = [1.2, 0.5]
    batch = brim.Batch(scenes, together=True)
    assert [g.tanks.tolist() for g in batch.groups] == [[0, 1, 3], [2]]
    batch.run(until=0.02)
    alone = brim.Simulation(scenes[3])
    alone.run(until=0.02)
    assert batch[3].state_hash() == alone.state_hash()
    with pytest.raises(brim.Failure, match="2 states"):
        batch.position
    assert batch.groups[1].position.shape == batch[2].position.shape


def test_scenes_that_cannot_go_together_are_refused_at_their_keys(dam):
    scenes = tanks(dam, 2)
    del scenes[1].solver["tolerance"]
    scenes[1].bodies.add(name="box", kind="box", min=[0.2, -0.2], max=[0.4, 0.0])
    with pytest.raises(brim.SceneError, match="tank 1: tanks that step together need solver.tolerance = 0"):
        brim.Batch(scenes, together=True)
    with pytest.raises(brim.SceneError, match="no bodies"):
        brim.Batch(scenes, together=True)
    with pytest.raises(brim.Failure, match="together=True"):
        brim.Batch(tanks(dam, 2)).position
