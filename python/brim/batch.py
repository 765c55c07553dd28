"""Many small tanks at once."""
import collections.abc

import numpy as np

from . import _core
from .scene import Scene
from .simulation import Simulation


class Batch(collections.abc.Sequence):
    """Independent simulations that go on side by side: each tank on one core at a time, all cores at work. Each has exactly the bits that it has
    alone.

    ``batch[k]`` is a Simulation: its arrays, bodies, motors and gravity are read and set as usual between the steps of the batch. ``threads`` says how
    many tanks go on at a time (0: one for each core). A tank that diverges stops where it is, and the others go on: ``failures`` tells which and
    why. ``statistics=True`` keeps the statistics of every step of every tank.
    """

    def __init__(self, scenes, precision="single", threads=0, flavour="", statistics=False):
        scenes = [s if isinstance(s, Scene) else Scene.load(s) for s in scenes]
        self._core = _core.Batch([s._built() for s in scenes], precision, threads, flavour)
        self._tanks = [Simulation._of(self._core.tank(k), s.copy()) for k, s in enumerate(scenes)]
        self._statistics = statistics
        for t in self._tanks:
            t._core.recording = statistics

    def __len__(self):
        return len(self._tanks)

    def __getitem__(self, k):
        return self._tanks[k]

    def __repr__(self):
        return f"<brim.Batch of {len(self)} tanks>"

    def _advance(self, until, one):
        limits = np.broadcast_to(np.minimum(np.asarray(until, dtype=float), 1e30), len(self))
        self._core.advance([t._core for t in self._tanks], limits.tolist(), one)
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
        return np.array([t.time for t in self._tanks])

    @property
    def failures(self):
        """Index -> why, of the tanks that failed."""
        return {k: self._core.failure(k) for k in range(len(self)) if self._core.failure(k)}

    def replace(self, k, scene):
        """Starts another scene in the place of tank ``k``, failed or not."""
        self._core.replace(k, scene._built())
        self._tanks[k]._scene = scene.copy()
        self._tanks[k]._core.forget()
