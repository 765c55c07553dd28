"""Simulations: arrays without copies, what can be changed between steps, states."""
import gc
import threading
import time

import numpy as np
import pytest

import brim


def test_arrays_are_the_memory_of_the_simulation(dam):
    sim = brim.Simulation(dam)
    x, v = sim.position, sim.velocity
    assert x.shape == v.shape == (sim.count, 2) and x.dtype == np.float32
    assert not x.flags.owndata and x.strides[0] > 2 * x.itemsize  # records with one more number
    assert np.shares_memory(sim.position, x)
    assert sim.density.shape == sim.pressure.shape == sim.id.shape == (sim.count,)
    v[:] = [0.25, 0]
    assert np.all(sim.state().velocity == np.float32([0.25, 0]))


def test_positions_count_from_the_corner_and_states_from_the_scenes_origin(dam):
    sim = brim.Simulation(dam)
    sim.step()
    state = sim.state()
    order = np.argsort(sim.id)
    assert list(sim.origin) == [-1, -0.5]
    np.testing.assert_allclose(sim.position[order] + sim.origin, state.position, atol=1e-6)
    np.testing.assert_array_equal(sim.velocity[order], state.velocity)
    np.testing.assert_array_equal(sim.id[order], state.id)
    np.testing.assert_array_equal(sim.density[order], state.density)


@pytest.mark.parametrize("solver", brim.solvers())
def test_an_array_that_is_kept_keeps_its_values_and_changes_nothing(dam, solver):
    dam.solver = {"name": solver}
    watched, alone = brim.Simulation(dam), brim.Simulation(dam)
    kept, values = [], []
    for _ in range(5):
        kept.append((watched.position, watched.id))
        values.append((kept[-1][0].copy(), kept[-1][1].copy()))
        watched.step(), alone.step()
    assert watched.state_hash() == alone.state_hash()
    for (x, i), (y, j) in zip(kept, values):
        np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(i, j)
    kept[0][0][:] = np.nan  # nobody's but ours
    watched.step(), alone.step()
    assert watched.state_hash() == alone.state_hash()
    last = watched.position
    before = last.copy()
    del watched
    gc.collect()
    np.testing.assert_array_equal(last, before)


def test_written_velocities_count_from_the_next_step(dam):
    dam.gravity = [0, 0]
    dam.fluid.blocks[0] = {"kind": "box", "min": [-0.2, -0.2], "max": [0.2, 0.2]}  # far from walls
    sim = brim.Simulation(dam)
    start = sim.state()
    sim.velocity[:] = [0.5, 0.25]
    sim.velocity *= np.float32(2)
    report = sim.step()
    moved = sim.state().position - start.position
    np.testing.assert_allclose(moved.mean(axis=0), np.array([1, 0.5]) * report.dt, rtol=1e-3)


def test_a_speed_that_was_written_bounds_the_step(dam):
    sim = brim.Simulation(dam)
    sim.velocity[:] = [0, 50]
    report = sim.step()
    assert report.dt_limit == "velocity" and report.dt <= 0.011 / 50  # half a spacing, and a tenth for rounding


def test_results_cannot_be_written(dam):
    sim = brim.Simulation(dam)
    for column in (sim.density, sim.pressure, sim.id):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


@pytest.mark.parametrize("value", [np.nan, np.inf, -3.0, 7.0])
def test_positions_that_cannot_be_simulated_are_refused_and_can_be_mended(dam, value):
    sim = brim.Simulation(dam)
    good = sim.position.copy()
    sim.position[3, 0] = value
    for _ in range(2):
        with pytest.raises(brim.Failure, match="cannot be simulated as it was written"):
            sim.step()
    with pytest.raises(brim.Failure):
        sim.save()
    sim.position[:] = good
    sim.step()
    assert sim.steps == 1


def open_flume():
    """Fluid that leaves through open sides, several cells a step."""
    scene = brim.Scene(dimension=2, domain={"max": [1, 0.5], "boundary": ["open", "walls"]}, resolution={"spacing": 0.025}, solver={"name": "flip"})
    scene.time = {"cfl": 4, "dt_max": 0.02}
    scene.fluid.blocks.add(kind="box", min=[0.4, 0], max=[0.9, 0.3], velocity=[5, 0])
    return scene


@pytest.mark.parametrize("name", ["fountain", "periodic_channel_2d", "flume"])
def test_looking_at_particles_that_come_and_go_changes_nothing(source, name):
    scene = open_flume() if name == "flume" else brim.Scene.load(source / f"scenes/{name}.toml", set={"resolution.spacing": 0.05})
    watched, alone = brim.Simulation(scene), brim.Simulation(scene)
    kept = []
    for _ in range(25):
        kept.append((watched.position, watched.velocity))
        watched.step(), alone.step()
        assert watched.position.shape == (watched.count, watched.scene.dimension)
    assert watched.state_hash() == alone.state_hash()
    assert all(np.isfinite(x).all() and np.isfinite(v).all() for x, v in kept)


def test_a_state_is_set_by_id(dam):
    sim = brim.Simulation(dam)
    start = sim.state()
    sim.run(until=0.1)
    sim.set_state(start)
    np.testing.assert_allclose(sim.state().position, start.position, atol=1e-6)
    velocity = np.stack([start.id, -start.id], axis=1) * 1e-3
    sim.set_state(velocity=velocity)
    np.testing.assert_allclose(sim.state().velocity, velocity, atol=1e-6)
    with pytest.raises(ValueError, match="shape"):
        sim.set_state(velocity=velocity[:-1])


def test_states_go_on_with_the_same_bits(tank):
    a = brim.Simulation(tank)
    a.bodies["box"].apply(force=[3, 0], torque=0.2)
    a.run(until=0.03)
    state = a.save()
    b = brim.Simulation(tank).restore(state)
    assert isinstance(state, bytes) and b.time == a.time and b.state_hash() == a.state_hash()
    for sim in (a, b):
        sim.run(until=0.06)
    assert a.state_hash() == b.state_hash()
    with pytest.raises(brim.Failure):
        b.restore(state[:-100])


def test_checkpoints_on_disk_go_on_with_the_same_bits(tank, tmp_path):
    a = brim.Simulation(tank)
    a.run(until=0.02)
    path = a.save_checkpoint(tmp_path / "checkpoint")
    b = brim.Simulation.load(path)
    assert b.scene.solver.iterations == 3 and b.time == a.time
    for sim in (a, b):
        sim.run(until=0.04)
    assert a.state_hash() == b.state_hash()
    c = brim.Simulation.load(tmp_path / "checkpoint", scene=tank)
    c.run(until=0.04)
    assert c.state_hash() == a.state_hash()


def test_run_calls_back_at_times_that_are_met_exactly(dam):
    sim, times = brim.Simulation(dam), []
    sim.run(until=0.1, every=1 / 30, callback=lambda s: times.append(s.time))
    assert times == [1 / 30, 2 / 30, 0.1] or times == [1 / 30, 2 / 30, 3 / 30]
    steps = []
    sim.run(until=0.2, callback=lambda s: steps.append(s.steps) or len(steps) == 4)
    assert len(steps) == 4 and sim.time < 0.2


def test_the_bits_are_those_of_the_command(dam, tmp_path):
    dam.output.frames_per_second = 50
    dam.time.until = 0.1
    assert brim.run(dam, tmp_path / "run")
    sim = brim.Simulation(dam)
    sim.run(every=1 / 50)
    assert brim.Simulation.load(tmp_path / "run").state_hash() == sim.state_hash()


def test_errors_in_callbacks_reach_the_caller_and_the_simulation_goes_on(dam):
    sim = brim.Simulation(dam)

    def fail(_):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        sim.run(until=0.1, callback=fail)
    sim.run(until=0.01)
    assert sim.time == 0.01


def test_other_threads_run_while_it_steps_but_not_in_it(dam):
    dam.resolution.spacing = 0.006
    sim = brim.Simulation(dam, threads=1)
    refused, counted, done = [], [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            try:
                sim.time
            except brim.Failure as e:
                refused.append(str(e))
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    sim.run(until=0.05)
    done.set()
    thread.join()
    assert counted[0] > 10 and refused and "another thread" in refused[0]


def test_bodies_are_placed_pushed_and_turned(tank):
    tank.gravity = [0, 0]
    del tank["fluid"]["blocks"]
    sim = brim.Simulation(tank)
    box = sim.bodies["box"]
    assert box.name == "box" and box.position[:2] == pytest.approx([0.3, -0.1])
    box.position = [0.1, 0.1]
    box.angle = 0.3
    assert box.position[:2] == pytest.approx([0.1, 0.1]) and box.angle == pytest.approx(0.3)
    mass = 400 * 0.2 * 0.2
    box.apply(force=[mass * 2, 0], torque=0)
    dt = sim.step().dt
    assert box.velocity[0] == pytest.approx(2 * dt)
    box.apply()
    box.velocity, box.spin = [0.5, 0.25], 2.0
    dt = sim.step().dt
    assert box.velocity[:2] == pytest.approx([0.5, 0.25]) and box.angle == pytest.approx(0.3 + 2 * dt)
    for wrong in (lambda: setattr(box, "rotation", np.full((3, 3), 2.0)), lambda: setattr(box, "spin", [1, 0, 0]),
                  lambda: setattr(box, "position", [np.nan, 0]), lambda: box.apply(force=[0, 0, 1])):
        with pytest.raises(brim.Failure):
            wrong()


def test_motors_obey(tank):
    tank.gravity = [0, 0]
    del tank["fluid"]["blocks"]
    sim = brim.Simulation(tank)
    axle = sim.joints["axle"]
    assert (axle.motor_speed, axle.motor_limit) == (0, 50)
    axle.motor_speed = 1.5
    inertia = 2000 * 0.05 * 0.4 * (0.4**2 + 0.05**2 / 4) / 3  # [kg m^2] about the axle
    sim.run(until=0.05)
    assert sim.bodies["paddle"].spin[2] == pytest.approx(0.05 * 50 / inertia, rel=0.01)  # all that the motor has
    sim.run(until=0.1)
    assert sim.bodies["paddle"].spin[2] == pytest.approx(1.5, rel=1e-3)
    assert axle.motor_speed == 1.5
    with pytest.raises(brim.Failure, match="at least 0"):
        axle.motor_limit = -1


def test_solids_move_on_from_where_they_are(tank):
    sim = brim.Simulation(tank)
    gate = sim.solids["gate"]
    start = gate.position
    sim.run(until=0.07)
    assert gate.position - start == pytest.approx([0, 0.01, 0]) and gate.velocity[1] == pytest.approx(0.5)
    gate.velocity = [0, -0.2]
    sim.run(until=0.09)
    assert gate.position[1] - start[1] == pytest.approx(0.01 - 0.2 * 0.02)
    sim.set("solver.iterations", 4)  # another simulation, with the motions of this one
    sim.run(until=0.1)
    assert gate.position[1] - start[1] == pytest.approx(0.01 - 0.2 * 0.03)
    with pytest.raises(brim.Failure, match="only a solid that moves"):
        gate.move(velocity=[0, 0])


def test_a_solid_that_turns_turns_on_when_it_is_moved(dam):
    dam.solids.add(name="blade", kind="box", min=[0.3, -0.3], max=[0.35, 0.1], motion={"rate": 2, "pivot": [0.3, 0]})
    sim = brim.Simulation(dam)
    blade = sim.solids["blade"]
    sim.run(until=0.05)
    before = blade.position
    own = blade.velocity
    blade.velocity = [0.5, 0]
    assert blade.position == pytest.approx(before) and blade.spin[2] == pytest.approx(2)
    assert blade.velocity - own == pytest.approx([0.5, 0, 0])


def test_gravity_turns(dam):
    sim = brim.Simulation(dam)
    sim.gravity = [9.81, 0]
    assert list(sim.gravity) == [9.81, 0]
    sim.run(until=0.1)
    fluid = sim.state()
    middle = fluid.position.mean(axis=0) - [-0.8, -0.25]  # of the column at the start
    assert middle[0] == pytest.approx(9.81 * 0.1**2 / 2, rel=0.15)  # the free side falls; the other leaves its wall
    assert abs(middle[1]) < 0.2 * middle[0]
    with pytest.raises(brim.Failure, match="leaves the plane"):
        sim.gravity = [0, 0, 1]


def test_parameters_change_between_steps(dam):
    sim = brim.Simulation(dam)
    sim.run(until=0.02)
    before = sim.state_hash()
    sim.set("solver.iterations", 1).set("solver.tolerance", 0)
    assert sim.state_hash() == before and sim.scene.solver.iterations == 1
    assert sim.step().iterations == 1
    with pytest.raises(brim.SceneError):
        sim.set("solver.iterations", -4)
    assert sim.step().iterations == 1
    sim.set("solver.name", "wcsph")
    assert sim.step().dt_limit == "sound"


def test_gauges_and_statistics_are_read(tank):
    sim = brim.Simulation(tank)
    assert sim.gauges["level"] == pytest.approx(0.0, abs=0.02)  # [m] the height of the surface
    sim.run(until=0.02)
    columns = sim.statistics
    assert len(columns["time"]) == sim.steps and columns["time"][-1] == sim.time
    assert columns["dt"].sum() == pytest.approx(sim.time)
    sim.forget_statistics()
    assert len(sim.statistics["time"]) == 0


def test_a_state_is_a_picture_and_files(dam, tmp_path):
    state = brim.Simulation(dam).state()
    assert state._repr_png_().startswith(b"\x89PNG") and len(state._repr_png_()) > 2000
    state.save(tmp_path / "particles.vtp")
    assert (tmp_path / "particles.vtp").stat().st_size > len(state) * 8
    with pytest.raises(brim.Failure, match="none of them"):
        state.save(tmp_path / "particles.xyz")


def test_what_is_not_there_says_so(dam):
    with pytest.raises(brim.SceneError, match="device"):
        brim.Simulation(dam, device="abacus")
    with pytest.raises(brim.SceneError, match="precision"):
        brim.Simulation(dam, precision="half")
    dam.solver.name = "pfb"
    with pytest.raises(brim.SceneError, match='did you mean "pbf"'):
        brim.Simulation(dam)


def test_divergence_tells_time_step_and_particle():
    error = brim.Diverged("text", 0.5, 7, 3)
    assert (error.time, error.step, error.particle) == (0.5, 7, 3) and isinstance(error, ArithmeticError)
