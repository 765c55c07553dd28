"""Arrays in a GPU's memory. Without a GPU, or without a package that takes them, these are skipped."""

import numpy as np
import pytest

import brim

pytestmark = pytest.mark.skipif("cuda32" not in brim.flavours(), reason="no GPU here")


def taken_by_torch(column):
    torch = pytest.importorskip("torch")
    return torch.as_tensor(column, device="cuda")


def taken_by_torch_as_dlpack(column):
    torch = pytest.importorskip("torch")
    return torch.from_dlpack(column)


def taken_by_cupy(column):
    cupy = pytest.importorskip("cupy")
    return cupy.asarray(column)


def taken_by_jax(column):
    jax = pytest.importorskip("jax")
    return jax.dlpack.from_dlpack(column)


def on_host(array):
    for name in ("cpu", "get"):
        if hasattr(array, name):
            array = getattr(array, name)()
    return np.asarray(array)


@pytest.mark.parametrize("take", [taken_by_torch, taken_by_torch_as_dlpack, taken_by_cupy])
def test_others_see_and_write_the_particles_where_they_are(dam, take):
    sim = brim.Simulation(dam, device="cuda")
    sim.run(until=0.05)
    state = sim.state()
    order = np.argsort(on_host(take(sim.id)))
    np.testing.assert_allclose(on_host(take(sim.position))[order] + sim.origin, state.position, atol=1e-6)
    np.testing.assert_array_equal(on_host(take(sim.pressure))[order], state.pressure)
    velocity = take(sim.velocity)
    assert tuple(velocity.shape) == sim.velocity.shape == (sim.count, 2)
    velocity[:] = velocity * 0
    np.testing.assert_array_equal(sim.state().velocity, 0)
    kept = on_host(velocity)
    sim.step()
    np.testing.assert_array_equal(on_host(velocity), kept)  # an array that is kept keeps its values
    assert sim.state().velocity.any()


def test_jax_takes_densities(dam):
    sim = brim.Simulation(dam, device="cuda")
    np.testing.assert_array_equal(np.sort(on_host(taken_by_jax(sim.density))), np.sort(sim.state().density))


def test_a_state_is_written_and_checked(dam):
    sim = brim.Simulation(dam, device="cuda")
    start = sim.state()
    sim.run(until=0.05)
    sim.set_state(start)
    np.testing.assert_allclose(sim.state().position, start.position, atol=1e-7)
    with pytest.raises(brim.Failure, match="set_state"):
        sim.velocity = 0
    sim.set_state(velocity=np.full((sim.count, 2), np.nan))
    with pytest.raises(brim.Failure, match="cannot be simulated as it was written"):
        sim.step()


def test_an_array_outlives_its_simulation(dam):
    sim = brim.Simulation(dam, device="cuda")
    before = sim.state()
    velocity, ids = taken_by_torch(sim.velocity), taken_by_torch(sim.id)
    del sim
    assert on_host(velocity).shape == before.velocity.shape and set(on_host(ids)) == set(before.id)
