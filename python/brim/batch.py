"""Many small tanks at once."""
import collections.abc

import numpy as np

from . import _core, errors
from .scene import Scene
from .simulation import Simulation
from .tanks import Tank, TankGroup


class Batch(collections.abc.Sequence):
    """Independent simulations that go on at the same time. Each has exactly the bits that it has alone.

    On CPUs they go on side by side: each tank on one core at a time, all cores at work. Then ``batch[k]`` is a Simulation: its arrays, bodies, motors
    and gravity are read and set as usual between the steps of the batch. ``threads`` says how many tanks go on at a time (0: one for each core).
    ``statistics=True`` keeps the statistics of every step of every tank.

    With ``device="cuda"``, or ``together=True``, they step together: tanks whose scenes differ in their blocks of fluid alone, and with pbf in gravity,
    are one state, which a GPU steps with one launch for all. ``groups`` are these states and ``batch[k]`` is a Tank; with one group,
    ``position``, ``velocity``, ``density``, ``pressure``, ``id`` and ``offsets`` are those of all tanks. Such scenes have walls on all sides, a fixed step
    (time.dt) and the solver pbf (acceleration "none", tolerance 0) or wcsph (with a sound_speed); no bodies, cloth, emitters, sinks, absorbers, gauges,
    and a viscosity like water's. A scene that cannot raises SceneError at its key. ``threads`` are those that work on all tanks.

    A tank that diverges stops, and the others go on: ``failures`` tells which and why. Together it also goes back to its start, at rest.
    """

    def __init__(self, scenes, precision="single", threads=0, flavour="", statistics=False, device="cpu", together=None):
        scenes = [s if isinstance(s, Scene) else Scene.load(s) for s in scenes]
        built = {id(s): s._built() for s in scenes}
        self._together = device == "cuda" if together is None else bool(together)
        self._statistics = statistics
        if not self._together:
            if device != "cpu":
                raise errors.Failure("tanks go on side by side on CPUs only; on a GPU they step together")
            self._core = _core.Batch([built[id(s)] for s in scenes], precision, threads, flavour)
            self._tanks = [Simulation._of(self._core.tank(k), s.copy()) for k, s in enumerate(scenes)]
            for t in self._tanks:
                t._core.recording = statistics
            return
        if statistics:
            raise errors.Failure("tanks that step together keep no statistics; batch[k].report tells the present ones")
        self._groups = [TankGroup(core, built[id(scenes[core.members[0]])].dimension)
                        for core in _core.tanks_of([built[id(s)] for s in scenes], device, precision, threads, flavour)]
        self._tanks = [None] * len(scenes)
        for group in self._groups:
            for j, k in enumerate(group.tanks):
                self._tanks[k] = Tank(group, j, scenes[k].copy())

    def __len__(self):
        return len(self._tanks)

    def __getitem__(self, k):
        return self._tanks[k]

    def __repr__(self):
        return f"<brim.Batch of {len(self)} tanks" + (", together>" if self._together else ">")

    def _advance(self, until, one):
        limits = np.broadcast_to(np.minimum(np.asarray(until, dtype=float), 1e30), len(self))
        if not self._together:
            self._core.advance([t._core for t in self._tanks], limits.tolist(), one)
            return self
        for group in self._groups:
            own = limits[group.tanks]
            if np.any(own != own[0]):
                raise errors.Failure("tanks that step together are run to one time")
            if one:
                group._core.advance(own[0])
            else:
                group._core.advance_to(own[0])
        return self

    def step(self, limit=np.inf):
        """One step of every tank, each with its own size, at most to the time ``limit`` [s] (a number, or one for each tank)."""
        return self._advance(limit, True)

    def run(self, until):
        """All tanks to the time ``until`` [s] (a number, or one for each tank)."""
        return self._advance(until, False)

    @property
    def time(self):
        """[s] of each tank."""
        if not self._together:
            return np.array([t.time for t in self._tanks])
        times = np.empty(len(self))
        for group in self._groups:
            times[group.tanks] = group._core.times()
        return times

    @property
    def failures(self):
        """Index -> why, of the tanks that failed."""
        if not self._together:
            return {k: self._core.failure(k) for k in range(len(self)) if self._core.failure(k)}
        return {int(group.tanks[k]): why for group in self._groups for k, why in group._core.failures().items()}

    def replace(self, k, scene):
        """Starts another scene in the place of tank ``k``, failed or not. Together it must match the tank's group and have as many particles; its
        time starts from zero, so that from then on the batch goes on by ``step()`` alone."""
        tank = self._tanks[k]
        if self._together:
            tank._group._core.replace(tank._k, scene._built())
            tank._scene_given = scene.copy()
            tank._group._steered[tank._k] = False
            return
        self._core.replace(k, scene._built())
        tank._scene = scene.copy()
        tank._core.forget()

    # All tanks that step together.
    @property
    def groups(self):
        """The states that the tanks are, each a TankGroup; empty if they go on side by side."""
        return list(self._groups) if self._together else []

    def _one(self, name):
        if not self._together:
            raise errors.Failure(f"tanks side by side have memory of their own: batch[k].{name}, or Batch(..., together=True)")
        if len(self._groups) > 1:
            raise errors.Failure(f"the tanks of this batch are {len(self._groups)} states, since their scenes differ: batch.groups[j].{name}")
        return self._groups[0]

    @property
    def offsets(self):
        """The particles of tank k are the rows offsets[k] to offsets[k + 1] of every array."""
        return self._one("offsets").offsets

    @property
    def position(self):
        """[m] from the lower corner of each tank's domain, of all particles: a view. May be written."""
        return self._one("position").position

    @position.setter
    def position(self, values):
        self._one("position").position = values

    @property
    def velocity(self):
        """[m/s] of all particles, a view. May be written."""
        return self._one("velocity").velocity

    @velocity.setter
    def velocity(self, values):
        self._one("velocity").velocity = values

    @property
    def gravity(self):
        """[m/s^2] of each tank: a copy (tanks, dimension). Setting it, one for all or one for each, holds from the next step on; with the solver pbf."""
        return self._one("gravity").gravity

    @gravity.setter
    def gravity(self, values):
        self._one("gravity").gravity = values

    density = property(lambda self: self._one("density").density, doc="[kg/m^3] of all particles, a view.")
    pressure = property(lambda self: self._one("pressure").pressure, doc="[Pa] of all particles, a view.")
    id = property(lambda self: self._one("id").id, doc="Which particle is which, in each tank from 0 on.")
