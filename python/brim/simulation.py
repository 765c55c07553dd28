"""A scene in motion."""
import math
import os
import warnings

import numpy as np

from . import _core, errors, pictures
from .scene import Scene


def _vector(v, what):
    """Two or three numbers as three."""
    v = [float(x) for x in np.ravel(v)]
    if len(v) not in (2, 3):
        raise ValueError(f"{what} has {len(v)} numbers; it needs two (in 2D) or three")
    return v + [0.0] * (3 - len(v))


class State(pictures.Shown):
    """The fluid and all that moves at one time: a copy, ordered by ``id``, in the coordinates of the scene.

    ``position`` [m] and ``velocity`` [m/s] are arrays (n, dimension), ``density`` [kg/m^3], ``pressure`` [Pa] and ``id`` arrays (n,); ``bodies``,
    ``joints`` and ``gauges`` are dicts by name, ``surfaces`` the cloth and soft bodies. In a notebook it is shown as a picture.
    """

    def __init__(self, snapshot, scene):
        self._snapshot, self._scene = snapshot, scene
        self.dimension, self.time, self.step = snapshot.dimension, snapshot.time, snapshot.step

    def __len__(self):
        return len(self._snapshot)

    def __repr__(self):
        return f"<brim.State: {len(self)} particles at t = {self.time:g} s>"

    id = property(lambda self: self._snapshot.id, doc="Which particle is which: numbers that stay the same for the whole run.")
    position = property(lambda self: self._snapshot.position, doc="[m] (n, dimension), double precision.")
    velocity = property(lambda self: self._snapshot.velocity, doc="[m/s] (n, dimension).")
    density = property(lambda self: self._snapshot.density, doc="[kg/m^3] (n,).")
    pressure = property(lambda self: self._snapshot.pressure, doc="[Pa] (n,).")
    surfaces = property(lambda self: self._snapshot.surfaces, doc="Cloth and skins of soft bodies: name, vertices [m], elements.")

    @property
    def bodies(self):
        """Reports of the rigid bodies by name: position, rotation, centre, velocity, spin, force, torque."""
        return _named(self._snapshot.bodies)

    @property
    def joints(self):
        """Reports of the joints by name: force, torque, motor, position, error."""
        return _named(self._snapshot.joints)

    @property
    def gauges(self):
        """What the gauges read, by name."""
        return _readings(self._snapshot.gauges)

    def save(self, path):
        """Writes the particles as .vtp (ParaView), .ply or .bgeo (Houdini)."""
        _core.write_frame(os.fspath(path), self._snapshot, self._scene.spacing)


def _readings(gauges):
    return {g.name: g.values[0] if len(g.values) == 1 else np.array(g.values) for g in gauges}


def _named(reports):
    return {r.name or str(k): r for k, r in enumerate(reports)}


class Body:
    """A rigid body of a simulation. Poses and velocities that are set hold from the next step on; ``apply`` acts until it is called again."""

    def __init__(self, simulation, index):
        self._simulation, self._index = simulation, index

    def _report(self):
        return self._simulation._core.bodies()[self._index]

    def _set(self, name, value):
        report = self._report()
        setattr(report, name, value)
        self._simulation._core.set_body(self._index, report)

    def __repr__(self):
        return f"<brim.Body {self.name!r} at {self.position}>"

    name = property(lambda self: self._report().name)
    position = property(
        lambda self: np.array(self._report().position), lambda self, x: self._set("position", _vector(x, "position")),
        doc="[m] of the shape's own frame, whose origin is its middle.")
    rotation = property(
        lambda self: np.array(self._report().rotation).reshape(3, 3),
        lambda self, r: self._set("rotation", [float(x) for x in np.reshape(r, 9)]),
        doc="The matrix (3, 3) that turns vectors of the body into vectors of the scene.")
    velocity = property(
        lambda self: np.array(self._report().velocity), lambda self, v: self._set("velocity", _vector(v, "velocity")),
        doc="[m/s] of the centre of mass.")
    spin = property(
        lambda self: np.array(self._report().spin),
        lambda self, w: self._set("spin", [0.0, 0.0, float(w)] if np.ndim(w) == 0 else _vector(w, "spin")), doc="[rad/s]; in 2D one number will do.")
    centre = property(lambda self: np.array(self._report().centre), doc="[m] of mass.")
    force = property(lambda self: np.array(self._report().force), doc="[N] of the fluid, a mean since restart_averages().")
    torque = property(lambda self: np.array(self._report().torque), doc="[N m] of the fluid about the centre of mass, a mean.")

    @property
    def angle(self):
        """[rad] about the z axis."""
        r = self._report().rotation
        return math.atan2(r[3], r[0])

    @angle.setter
    def angle(self, a):
        c, s = math.cos(a), math.sin(a)
        self._set("rotation", [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])

    def apply(self, force=(0, 0, 0), torque=0.0):
        """A force [N] on the centre of mass and a torque [N m] (in 2D one number) from now on, until it is called again."""
        torque = [0.0, 0.0, float(torque)] if np.ndim(torque) == 0 else _vector(torque, "torque")
        self._simulation._core.set_load(self._index, _vector(force, "force"), torque)


class Joint:
    """A joint of a simulation; hinges and sliders may have a motor."""

    def __init__(self, simulation, index):
        self._simulation, self._index = simulation, index

    def _report(self):
        return self._simulation._core.joints()[self._index]

    def _motor(self):
        return self._simulation._core.scene.motor(self._index)

    name = property(lambda self: self._report().name)
    position = property(lambda self: self._report().position, doc="[rad] of a hinge, [m] of a slider or a distance.")
    force = property(lambda self: np.array(self._report().force), doc="[N] on its first body, a mean since restart_averages().")
    torque = property(lambda self: np.array(self._report().torque), doc="[N m] on its first body, a mean.")
    error = property(lambda self: self._report().error, doc="[m] by which the joint is apart.")
    motor = property(lambda self: self._report().motor, doc="[N m] (slider: [N]) of the motor, a mean.")
    motor_speed = property(
        lambda self: self._motor()[0], lambda self, v: self._simulation._core.set_motor(self._index, float(v), self._motor()[1]),
        doc="[rad/s] or [m/s] that the motor aims at.")
    motor_limit = property(
        lambda self: self._motor()[1], lambda self, v: self._simulation._core.set_motor(self._index, self._motor()[0], float(v)),
        doc="[N m] or [N] that the motor has.")


class Solid:
    """A solid with a prescribed motion. It can be given another one if it moves already; a solid at rest cannot."""

    def __init__(self, simulation, index):
        self._simulation, self._index = simulation, index

    def _report(self):
        return self._simulation._core.solids()[self._index]

    def __repr__(self):
        return f"<brim.Solid {self.name!r} at {self.position}>"

    name = property(lambda self: self._simulation._core.scene.solids[self._index])
    position = property(lambda self: np.array(self._report().position), doc="[m] of the shape's own frame, whose origin is its middle.")
    rotation = property(lambda self: np.array(self._report().rotation).reshape(3, 3), doc="The matrix (3, 3) from the shape's frame to the scene.")
    spin = property(lambda self: np.array(self._report().spin), doc="[rad/s]")

    def move(self, velocity=(0, 0, 0), displacement=(), axis=(0, 0, 1), pivot=(0, 0, 0), rate=0.0, start=0.0, stop=1e30):
        """Another motion from now on, with the keys of ``[solids.motion]``; ``displacement`` is a list of (time [s], vector [m]). It should pass
        through the present place: a solid that jumps leaves fluid inside of it."""
        keys = [(float(t), _vector(x, "displacement")) for t, x in displacement]
        self._simulation._core.set_motion(self._index, _vector(velocity, "velocity"), _vector(axis, "axis"), _vector(pivot, "pivot"),
                                          float(rate), keys, float(start), float(stop))

    @property
    def velocity(self):
        """[m/s] of ``position``. Setting it lets the solid go on from where it is with that velocity, and turn as before."""
        return np.array(self._report().velocity)

    @velocity.setter
    def velocity(self, v):
        self._simulation._core.set_velocity(self._index, _vector(v, "velocity"))


class Statistics(dict):
    """Columns over the steps, as numpy arrays by name. ``to_dataframe()`` gives a pandas DataFrame, where pandas is installed."""

    def to_dataframe(self):
        import pandas

        return pandas.DataFrame(dict(self))


class Simulation(pictures.Shown):
    """A scene in motion.

    ``device`` is "cpu" or "cuda", ``precision`` "single" or "double", ``threads`` how many cores (0: all; the result does not depend on it).
    Raises SceneError with all mistakes of the scene.

    ``position``, ``velocity``, ``density``, ``pressure`` and ``id`` are numpy arrays over the simulation's own memory, without a copy:

    * their order is the one in which the solver keeps the particles. It changes with every step; ``id`` tells who is who;
    * ``position`` counts from the lower corner of the domain, ``origin``: in the scene it is ``position + origin``;
    * what is written to ``position`` and ``velocity`` counts from the next step on. The others cannot be written;
    * an array that is kept over a step keeps its values, and the simulation goes on in a copy. Take it anew after each step;
    * with device="cuda" they are DeviceArrays in the GPU's memory, which torch, cupy and jax take without a copy.

    ``state()`` is a copy ordered by id in the coordinates of the scene, which is simpler where speed does not matter.
    """

    def __init__(self, scene, device="cpu", precision="single", threads=0, flavour=""):
        if not isinstance(scene, Scene):
            scene = Scene(scene) if hasattr(scene, "items") else Scene.load(scene)
        self._scene = scene.copy()
        self._options = dict(device=device, precision=precision, threads=threads, flavour=flavour)
        self._core = _core.Simulation(self._scene._built(), **self._options)
        self._told = set()

    @classmethod
    def _of(cls, core, scene):
        """A tank of a batch."""
        self = cls.__new__(cls)
        self._core, self._scene, self._options = core, scene, None
        self._told = set()
        return self

    def __repr__(self):
        return f"<brim.Simulation: {self.count} particles, {self._scene.solver.name}, t = {self.time:g} s>"

    # Going on.
    def step(self, limit=math.inf):
        """One step, at most to the time ``limit`` [s]. Returns its report. Raises Diverged when the state stops being finite."""
        self._core.advance(min(float(limit), 1e30))
        self._warn()
        return self._core.report

    def _warn(self):
        """Each kind of health warning once, as Python's own warning."""
        for w in self._core.warnings():
            if w["kind"] not in self._told:
                self._told.add(w["kind"])
                warnings.warn(w["text"], RuntimeWarning, stacklevel=3)

    def run(self, until=None, callback=None, every=None, progress=False):
        """Steps until the time ``until`` [s]; without it, to the end of the scene (time.until).

        ``callback(simulation)`` is called after every step, or ``every`` so many seconds of simulated time; if it returns True, the run ends.
        Steps land on these times exactly, so that ``every=1/30`` gives the bits of `brim run` with 30 frames a second. ``progress=True`` shows a bar
        (tqdm). Other Python threads go on meanwhile, and Ctrl-C ends the run after a step.
        """
        until = float(self._core.scene.until if until is None else until)
        bar = _bar(progress, self.time, until)
        try:
            if every is None:
                while self.time < until:
                    if callback is None and bar is None:
                        self._core.advance_to(until)
                    else:
                        self._core.advance(until)
                    _show(bar, self.time)
                    if callback is not None and callback(self) is True:
                        break
                return self
            rate = 1 / every
            if abs(rate - round(rate)) < 1e-9 * rate:
                rate = round(rate)
            while self.time < until:
                k = math.floor(self.time * rate)
                while k / rate <= self.time + 1e-9 / rate:
                    k += 1
                frame = until if abs(k / rate - until) < 1e-6 / rate else k / rate
                self._core.advance_to(min(frame, until))
                _show(bar, self.time)
                if frame <= until and callback is not None and callback(self) is True:
                    break
            return self
        finally:
            self._warn()
            if bar is not None:
                bar.close()

    # What it is.
    time = property(lambda self: self._core.time, doc="[s]")
    steps = property(lambda self: self._core.step, doc="How many were done.")
    report = property(lambda self: self._core.report, doc="What the last step did: dt, iterations, density errors, energies, ...")
    warnings = property(
        lambda self: self._core.warnings(),
        doc="What ruined the simulation, by the checks of docs/trust.md: dicts of kind, time, step, value, limit and text. Empty: nothing. Volume and "
        "noise are judged by `brim run` alone.")
    facts = property(lambda self: self._core.facts, doc="Flavour, particles at the start, samples of boundaries, mass of a particle [kg], support [m].")
    count = property(lambda self: self._core.count, doc="How many particles there are.")
    bytes = property(lambda self: self._core.bytes, doc="Memory that particles, samples, lists and tables take.")
    origin = property(lambda self: np.array(self._core.origin[: self._core.scene.dimension]), doc="[m] from which positions count.")

    @property
    def scene(self):
        """A copy of its scene, as it was made or changed by ``set``."""
        return self._scene.copy()

    # The particles, without a copy.
    def _column(self, name):
        return self._core.column(name)

    def _fill(self, name, values):
        column = self._column(name)
        if not isinstance(column, np.ndarray):
            raise errors.Failure(f"{name} is in a GPU's memory: write it with set_state(), or as torch.as_tensor(simulation.{name}, device=\"cuda\")[:] = ...")
        column[:] = values

    @property
    def position(self):
        """[m] from ``origin``: (n, dimension), a view. May be written."""
        return self._column("position")

    @position.setter
    def position(self, values):
        self._fill("position", values)

    @property
    def velocity(self):
        """[m/s] (n, dimension), a view. May be written."""
        return self._column("velocity")

    @velocity.setter
    def velocity(self, values):
        self._fill("velocity", values)

    density = property(lambda self: self._column("density"), doc="[kg/m^3] (n,), a view.")
    pressure = property(lambda self: self._column("pressure"), doc="[Pa] (n,), a view.")
    id = property(lambda self: self._column("id"), doc="Numbers that stay with the particles, (n,), a view.")

    def state(self):
        """A copy of all: ordered by id, in the coordinates of the scene."""
        return State(self._core.snapshot(), self._core.scene)

    def set_state(self, state=None, position=None, velocity=None):
        """Writes positions [m] and velocities [m/s] in the coordinates of the scene, in ascending order of id: those of a State, or arrays
        (n, dimension). Particles do not come or go by it."""
        if state is not None:
            if len(state) != self.count or not np.array_equal(state.id, self.state().id):
                raise errors.Failure("the state is of other particles")
            position, velocity = state.position, state.velocity
        shape = (self.count, self._core.scene.dimension)
        written = []
        for values in (position, velocity):
            values = np.empty(0) if values is None else np.asarray(values, dtype=float)
            if values.size and values.shape != shape:
                raise ValueError(f"the array has the shape {values.shape}; it must be {shape}")
            written.append(values.ravel())
        self._core.write(*written)

    # What can be changed between steps.
    @property
    def gravity(self):
        """[m/s^2]; may be set at any time. A scene with keyframes has them until then."""
        return np.array(self._core.scene.gravity[: self._core.scene.dimension])

    @gravity.setter
    def gravity(self, g):
        self._core.set_gravity(_vector(g, "gravity"))
        self._scene.gravity = [float(x) for x in np.ravel(g)]

    @property
    def bodies(self):
        """The rigid bodies by name."""
        return {r.name or str(k): Body(self, k) for k, r in enumerate(self._core.bodies())}

    @property
    def joints(self):
        """The joints by name."""
        return {name or str(k): Joint(self, k) for k, name in enumerate(self._core.scene.joints)}

    @property
    def solids(self):
        """The solids by name."""
        return {name or str(k): Solid(self, k) for k, name in enumerate(self._core.scene.solids)}

    def set(self, path, value):
        """Changes any value of the scene: ``simulation.set("solver.iterations", 8)``. A simulation of the changed scene takes on the state, which takes
        as long as building it; gravity, bodies, motors and motions have quicker ways. Raises SceneError, and then nothing is changed."""
        if self._options is None:
            raise errors.Failure("a tank of a batch keeps its scene; batch.replace(k, scene) starts another in its place")
        scene = self._scene.copy()
        for k in range(len(self._core.scene.joints)):
            scene.joints[k].motor_speed, scene.joints[k].motor_limit = self._core.scene.motor(k)
        scene.set(path, value)
        core = _core.Simulation(scene._built(), **self._options)
        core.restore(self._core.save())
        if not path.startswith("solids"):
            core.take_motions(self._core)
        self._scene, self._core = scene, core
        return self

    # What is measured.
    @property
    def gauges(self):
        """What the gauges read now, by name: a number, or an array of what is in the columns of its table (docs/instruments.md)."""
        return _readings(self._core.gauges())

    @property
    def statistics(self):
        """Columns over all steps that were taken: step, time, dt, iterations, density errors, energies, max_speed, particles, neighbours."""
        return Statistics(self._core.statistics())

    def forget_statistics(self):
        """Begins ``statistics`` anew."""
        self._core.forget()

    def restart_averages(self):
        """Forces on bodies and flows of gauges are means from here on."""
        self._core.restart_averages()

    # States.
    def save(self):
        """The whole state as bytes. ``restore`` in a simulation of the same scene, solver and precision goes on with the same bits."""
        return self._core.save()

    def restore(self, state):
        """Takes on the state that ``save`` gave."""
        self._core.restore(state)
        return self

    def state_hash(self):
        """A number that is equal for equal states, whatever the order of the particles."""
        return self._core.state_hash()

    def save_checkpoint(self, folder):
        """Writes the state into ``folder``/state.brim, as runs do: ``Simulation.load(folder)`` and `brim run --from` read it. Returns its path."""
        path = os.fspath(folder)
        self._core.write_state(path)
        return os.path.join(path, "state.brim")

    @classmethod
    def load(cls, path, scene=None, device="cpu", threads=0, flavour=""):
        """A simulation that goes on from a checkpoint: a file, or the folder of a run. Its own scene is taken (without its title, time.until and output,
        which a checkpoint does not keep), or ``scene``, whose parameters then hold from here on. Mesh files of its own scene are looked for from
        the present folder."""
        kept = _core.read_state(os.fspath(path))
        if scene is None:
            scene = Scene.parse(kept["scene"])
            if not flavour and device == "cpu" and kept["flavour"] in _core.flavours():
                flavour = kept["flavour"]  # the same bits need the same instructions
        elif not isinstance(scene, Scene):
            scene = Scene.load(scene)
        self = cls(scene, device=device, precision=kept["precision"], threads=threads, flavour=flavour)
        return self.restore(kept["state"])

    # Pictures: of the state.
    @property
    def _snapshot(self):
        return self._core.snapshot()


def _bar(progress, start, until):
    if not progress:
        return None
    from tqdm.auto import tqdm

    return tqdm(total=until, initial=start, unit="s", bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}]")


def _show(bar, time):
    if bar is not None:
        bar.n = time
        bar.refresh()
