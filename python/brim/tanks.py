"""Tanks that step together: one state, one launch for all on a GPU."""
import numpy as np

from . import errors, pictures
from .simulation import State, _vector


def _written(column, name, values, how):
    if not isinstance(column, np.ndarray):
        raise errors.Failure(f"{name} is in a GPU's memory: write it with {how}, or as torch.as_tensor(batch.{name}, device=\"cuda\")[:] = ...")
    column[:] = values


class Columns:
    """The particles of one tank, or of many, where they lie in memory: numpy arrays without a copy, or with device="cuda" DeviceArrays. As with
    a Simulation, what is written to position and velocity counts from the next step on, and arrays are taken anew after each step."""

    def _column(self, name):
        raise NotImplementedError

    _writing = "set_state()"

    @property
    def position(self):
        """[m] from ``origin``: (n, dimension), a view. May be written."""
        return self._column("position")

    @position.setter
    def position(self, values):
        _written(self._column("position"), "position", values, self._writing)

    @property
    def velocity(self):
        """[m/s] (n, dimension), a view. May be written."""
        return self._column("velocity")

    @velocity.setter
    def velocity(self, values):
        _written(self._column("velocity"), "velocity", values, self._writing)

    density = property(lambda self: self._column("density"), doc="[kg/m^3] (n,), a view.")
    pressure = property(lambda self: self._column("pressure"), doc="[Pa] (n,), a view.")
    id = property(lambda self: self._column("id"), doc="Which particle is which, in each tank from 0 on.")


class TankGroup(Columns):
    """Tanks of a batch that are one state: the arrays hold the particles of all, tank after tank.

    ``tanks`` are their indices in the batch; those of ``tanks[j]`` are the rows ``offsets[j]`` to ``offsets[j + 1]`` of every array, after every step."""

    _writing = "batch[k].set_state()"

    def __init__(self, core, dimension):
        self._core = core
        self._dimension = dimension
        self.tanks = np.array(core.members)
        self.offsets = np.array(core.offsets)
        self._steered = np.zeros(len(self.tanks), dtype=bool)  # whose gravity is no longer that of the scene

    def __len__(self):
        return len(self.tanks)

    def __repr__(self):
        return f"<brim.TankGroup: {len(self)} tanks, {self.count} particles>"

    def _column(self, name):
        return self._core.column(name)

    @property
    def gravity(self):
        """[m/s^2] of each tank: a copy (tanks, dimension). Setting it, one for all or one for each, holds from the next step on; with the solver pbf."""
        return self._core.gravities()[:, : self._dimension].copy()

    @gravity.setter
    def gravity(self, values):
        g = np.zeros((len(self), 3))
        g[:, : self._dimension] = values
        self._core.set_gravities(g.tolist())
        self._steered[:] = True

    count = property(lambda self: int(self.offsets[-1]), doc="How many particles all have.")
    origin = property(lambda self: np.array(self._core.origin[: self._dimension]), doc="[m] from which positions count.")
    bytes = property(lambda self: self._core.bytes, doc="Memory that particles, samples, lists and tables take.")


class Tank(Columns, pictures.Shown):
    """One tank of a batch that steps together. Its arrays are parts of its group's, without a copy."""

    def __init__(self, group, k, scene):
        self._group, self._k, self._scene_given = group, k, scene

    def __repr__(self):
        return f"<brim.Tank: {self.count} particles, t = {self.time:g} s>"

    def _column(self, name):
        return self._group._core.column_of(self._k, name)

    count = property(lambda self: int(self._group.offsets[self._k + 1] - self._group.offsets[self._k]), doc="How many particles it has.")
    origin = property(lambda self: self._group.origin, doc="[m] from which positions count.")
    time = property(lambda self: self._group._core.time(self._k), doc="[s] since it started, or was replaced.")
    steps = property(lambda self: self._group._core.step(self._k), doc="How many were done since then.")
    report = property(
        lambda self: self._group._core.report(self._k),
        doc="Energies, density errors and speeds of this tank now; dt, iterations and times of stages of the last step of all.")

    @property
    def scene(self):
        """A copy of its scene, with the gravity that was set last."""
        scene = self._scene_given.copy()
        if self._group._steered[self._k]:
            scene.gravity = self.gravity.tolist()
        return scene

    @property
    def gravity(self):
        """[m/s^2]; may be set at any time with the solver pbf. ``batch.gravity`` sets all at once."""
        return self._group._core.gravities()[self._k, : self._group._dimension]

    @gravity.setter
    def gravity(self, g):
        self._group._core.set_gravity(self._k, _vector(g, "gravity"))
        self._group._steered[self._k] = True

    def state(self):
        """A copy of the state, ordered by id, in the coordinates of the scene."""
        return State(self._snapshot, self._scene)

    def set_state(self, state=None, position=None, velocity=None):
        """Writes positions [m] in the coordinates of the scene and velocities [m/s], ordered by id: those of a State, or arrays (n, dimension)."""
        if state is not None:
            position = state.position if position is None else position
            velocity = state.velocity if velocity is None else velocity
        shape, written = (self.count, self._group._dimension), []
        for values in (position, velocity):
            values = np.empty(0) if values is None else np.asarray(values, dtype=float)
            if values.size and values.shape != shape:
                raise ValueError(f"the array has the shape {values.shape}; it must be {shape}")
            written.append(values.ravel())
        self._group._core.write(self._k, *written)

    def state_hash(self):
        """A number that is equal for equal states: that of the tank alone in a Simulation."""
        return self._group._core.state_hash(self._k)

    # Pictures: of the state.
    @property
    def _scene(self):
        return self._group._core.scene(self._k)

    @property
    def _snapshot(self):
        return self._group._core.snapshot(self._k)
