"""Many tanks at once."""
import numpy as np
import pytest

import brim


def tanks(dam, count):
    scenes = []
    for k in range(count):
        scene = dam.copy()
        scene.fluid.blocks[0].max = [-0.7 + 0.02 * k, -0.1]
        scene.solver = {"name": ["pbf", "wcsph", "dfsph"][k % 3]}
        scenes.append(scene)
    return scenes


def test_each_tank_has_the_bits_that_it_has_alone(dam):
    scenes = tanks(dam, 9)
    batch = brim.Batch(scenes)
    for k in range(4):
        batch.step()
    batch.run(until=0.05)
    assert np.all(batch.time == 0.05) and not batch.failures
    for k, scene in enumerate(scenes):
        alone = brim.Simulation(scene)
        for _ in range(4):
            alone.step()
        alone.run(until=0.05)
        assert batch[k].state_hash() == alone.state_hash(), k


def test_the_number_of_tanks_at_a_time_changes_nothing(dam):
    hashes = []
    for threads in (1, 3):
        batch = brim.Batch(tanks(dam, 5), threads=threads)
        batch.run(until=np.linspace(0.01, 0.05, 5))
        assert batch.time.tolist() == pytest.approx(np.linspace(0.01, 0.05, 5))
        hashes.append([t.state_hash() for t in batch])
    assert hashes[0] == hashes[1]


def test_tanks_are_read_and_steered_like_simulations(tank):
    batch = brim.Batch([tank, tank], statistics=True)
    batch[0].bodies["box"].apply(force=[20, 0])
    batch[1].gravity = [1, -9.81]
    batch.run(until=0.03)
    assert batch[0].bodies["box"].velocity[0] > batch[1].bodies["box"].velocity[0]
    assert len(batch[1].statistics["time"]) == batch[1].steps
    assert batch[1].position.shape == (batch[1].count, 2)
    with pytest.raises(brim.Failure, match="batch.replace"):
        batch[0].set("solver.iterations", 2)


def test_a_tank_that_fails_leaves_the_others_alone_and_is_replaced(dam):
    batch = brim.Batch(tanks(dam, 3))
    batch[1].velocity[:] = np.nan
    batch.run(until=0.02)
    assert list(batch.failures) == [1] and "cannot be simulated" in batch.failures[1]
    assert batch.time[0] == batch.time[2] == 0.02
    batch.replace(1, dam)
    batch.run(until=0.02)
    alone = brim.Simulation(dam)
    alone.run(until=0.02)
    assert not batch.failures and batch[1].state_hash() == alone.state_hash()


def test_mistakes_name_the_tank(dam):
    wrong = dam.copy()
    built = wrong._built()
    assert built.dimension == 2
    wrong.time.until = -1
    with pytest.raises(brim.SceneError, match="until"):
        brim.Batch([dam, wrong])
