"""Data sets for learning: many trajectories of varied scenes."""
import json
import os
import pathlib

import numpy as np

from . import _core, errors


class Dataset:
    """A data set in its folder: ``path``, ``metadata`` (the keys of LagrangeBench), ``manifest`` (seeds, values, hashes, what was ruined)."""

    def __init__(self, folder):
        self.path = pathlib.Path(folder)
        try:
            self.metadata = json.loads((self.path / "metadata.json").read_text(encoding="utf-8"))
        except OSError as e:
            raise errors.Failure(f"{folder} holds no finished data set: {e}") from e

    def __repr__(self):
        return f"<brim.Dataset {str(self.path)!r}>"

    @property
    def manifest(self):
        """manifest.json: a dict."""
        return json.loads((self.path / "manifest.json").read_text(encoding="utf-8"))

    def load(self, split, index):
        """A trajectory: positions [m] (frames, particles, dimension), and the particles' types (0 fluid, 1 wall, 2 wall that moves, 3 rigid body)."""
        with np.load(self.path / "npz" / split / f"{index:05d}.npz") as arrays:
            return arrays["position"], arrays["particle_type"]


def dataset(spec, out, overwrite=False, precision="single", threads=0, progress=False):
    """Makes the data set that a TOML file describes, as `brim dataset` does (`brim dataset --help` shows its keys), in the folder ``out``.

    What an interrupted call has made stays, and the next one goes on. ``progress=True`` shows a bar (tqdm); a function is called with (done, all) after
    every trajectory, and ends the work by returning True. Returns a Dataset, or raises Failure if it was ended. The result depends on the seed alone.
    """
    told, bar = progress, None
    if progress is True:
        from tqdm.auto import tqdm

        bar = tqdm(unit="trajectory")

        def told(done, of):
            bar.total = of
            bar.update(done - bar.n)

    try:
        result = _core.make_dataset(os.fspath(spec), os.fspath(out), overwrite, precision, threads, told or None)
    finally:
        if bar is not None:
            bar.close()
    if not result["finished"]:
        raise errors.Failure(f"ended after {result['trajectories']} trajectories; the same call goes on")
    return Dataset(out)
