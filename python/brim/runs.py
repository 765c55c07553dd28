"""Runs in folders: making them, reading them, comparing them."""
import collections.abc
import csv
import html
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

from . import _core, command, errors, pictures, toml
from .scene import Scene, Table, Tables
from .simulation import State, Statistics


def run(scene, out, resume=False, from_="", device="cpu", precision="single", threads=0, progress=False):
    """Runs a scene to its end as `brim run` does, and leaves frames, statistics, checkpoints, a summary and a picture in ``out``.

    ``scene`` is a Scene or a file. ``resume=True`` goes on with an interrupted run; ``from_`` is a checkpoint or a run whose state starts this one.
    ``progress=True`` shows a bar (tqdm); a function is called with a dict (time, until, step, ...) several times a second, and ends the run by
    returning True. Returns a Run. Raises SceneError, Failure and Diverged.
    """
    scene = scene if isinstance(scene, Scene) else Scene.load(scene)
    told, bar = progress, None
    if progress is True:
        from tqdm.auto import tqdm

        bar = tqdm(unit="s", bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} s [{elapsed}<{remaining}]", total=scene.time.until)

        def told(p):
            bar.n = p["time"]
            bar.refresh()

    try:
        _core.run(scene._built(), os.fspath(out), resume, os.fspath(from_), device, precision, threads, told or None)
    finally:
        if bar is not None:
            bar.close()
    return Run(out)


class Run:
    """The folder of a run: what it left, read when it is asked for.

    >>> run = brim.Run("out/dam_break")
    >>> run.frames[-1].position             # a State; len(run.frames), slices and loops work
    >>> run.statistics["kinetic_energy"]    # a column of statistics.csv
    >>> run.summary["density_error_mean"]
    """

    def __init__(self, folder):
        self._folder = _core.RunFolder(os.fspath(folder))
        self.path = pathlib.Path(folder)

    def __repr__(self):
        return f"<brim.Run {str(self.path)!r}: {len(self.frames)} frames>"

    @property
    def scene(self):
        """Its scene."""
        return Scene.parse(_core.to_toml(self._folder.scene), self._folder.scene.file)

    @property
    def frames(self):
        """Its frames as States, each read when it is used."""
        return Frames(self._folder)

    @property
    def statistics(self):
        """The columns of statistics.csv, a row for every step."""
        return self._table("statistics.csv")

    @property
    def gauges(self):
        """The columns of gauges.csv, a row for every frame; empty if the scene has no gauges."""
        return self._table("gauges.csv")

    @property
    def bodies(self):
        """The columns of bodies.csv, a row for every frame; empty if the scene has no bodies."""
        return self._table("bodies.csv")

    @property
    def summary(self):
        """summary.json: a dict."""
        with open(self.path / "summary.json", encoding="utf-8") as f:
            return json.load(f)

    @property
    def warnings(self):
        """What ruined the run, by the checks of docs/trust.md: dicts of kind, time, step, value, limit and text. Empty: nothing."""
        return self.summary.get("health", {}).get("ruined", [])

    def _table(self, name):
        file = self.path / name
        if not file.exists():
            return Statistics()
        with open(file, newline="", encoding="utf-8") as f:
            heading, *rows = [row for row in csv.reader(f) if row]
        # "time [s]" is called "time".
        return Statistics((h.split(" [")[0], _column([row[k] for row in rows if len(row) == len(heading)])) for k, h in enumerate(heading))

    def _repr_png_(self):
        return self.frames[-1]._repr_png_() if len(self.frames) else None


def _column(words):
    try:
        return np.array(words, dtype=float)
    except ValueError:  # a column of words
        return np.array(words)


class Frames(collections.abc.Sequence):
    """The frames of a run, a sequence of States: each is read when it is used."""

    def __init__(self, folder, numbers=None):
        self._folder = folder
        self.numbers = list(folder.frames if numbers is None else numbers)  #: of their files

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, k):
        if isinstance(k, slice):
            return Frames(self._folder, self.numbers[k])
        return State(self._folder.read(self.numbers[k]), self._folder.scene)


def _states(what, frames):
    """The library's scene and the snapshots of a run, a folder, a simulation or a state."""
    if isinstance(what, (str, os.PathLike)):
        what = Run(what)
    if isinstance(what, Run):
        chosen = what.frames if frames is None else Frames(what._folder, [what.frames.numbers[k] for k in frames])
        return what._folder.scene, [(n, s._snapshot) for n, s in zip(chosen.numbers, chosen)]
    return pictures._library_scene(what), [(0, what._snapshot)]


def render(what, out, frames=None, style="water", view="", width=1280, height=720, label=True, film=0.0):
    """Pictures of a run (a Run or its folder), a Simulation or a State, as PNG files in the folder ``out``. ``frames`` are places in ``run.frames``
    (default: all), ``film`` how many of them a second of an mp4 film has (0: no film). Returns the paths."""
    scene, snapshots = _states(what, frames)
    if not snapshots:
        raise errors.Failure("there are no frames to draw")
    os.makedirs(out, exist_ok=True)
    drawn = _core.Pictures(scene, [s for _, s in snapshots], width, height, style, view, label)
    paths = []
    for number, snapshot in snapshots:
        paths.append(os.path.join(os.fspath(out), f"{number:06d}.png"))
        drawn.write(paths[-1], snapshot)
    if film:
        paths.append(os.path.join(os.fspath(out), "film.mp4"))
        _core.write_film(paths[-1], paths[:-1], float(film))
    return paths


def surface(what, out, frames=None, format="ply", method="anisotropic", voxel=0.5):
    """The liquid's surface of a run, a Simulation or a State, as files in the folder ``out``: "ply", "obj" or "vdb". Returns the paths."""
    scene, snapshots = _states(what, frames)
    os.makedirs(out, exist_ok=True)
    paths = []
    for number, snapshot in snapshots:
        paths.append(os.path.join(os.fspath(out), f"{number:06d}.{format}"))
        _core.write_surface(paths[-1], snapshot, scene.spacing, method, float(voxel))
    return paths


class Report:
    """The page of a comparison, a sweep or a validation: ``path``, ``runs`` (by name; none of a validation) and ``table``, the columns of
    report.csv, or of a validation's scores.csv. In a notebook it is a link."""

    def __init__(self, folder, table="report.csv"):
        self.folder = pathlib.Path(folder)
        self.path = self.folder / "report.html"
        self._table = table

    def __repr__(self):
        return f"<brim.Report {str(self.path)!r}>"

    @property
    def runs(self):
        return {f.name: Run(f) for f in sorted(self.folder.iterdir()) if (f / "scene.toml").exists()}

    @property
    def table(self):
        with open(self.folder / self._table, newline="", encoding="utf-8") as f:
            heading, *rows = [row for row in csv.reader(f) if row]
        return Statistics((h, _column([row[k] for row in rows])) for k, h in enumerate(heading))

    def _repr_html_(self):
        return f'<a href="{html.escape(str(self.path))}" target="_blank">{html.escape(str(self.path))}</a>'


def compare(scene, solvers, out, set=None, overwrite=False):
    """One page about runs of a scene with several solvers, by `brim compare`. Returns a Report."""
    return _report("compare", scene, ["--solvers", ",".join(solvers)], out, set, overwrite)


def sweep(scene, vary, out, set=None, overwrite=False):
    """One page about runs of a scene with varied values, by `brim sweep`: ``vary={"solver.iterations": [1, 2, 5]}``. Returns a Report."""
    words = []
    for path, values in vary.items():
        words += ["--vary", f"{path}={','.join(toml.value(v) for v in values)}"]
    return _report("sweep", scene, words, out, set, overwrite)


def validate(cases=(), solvers=(), out="out/validate", effort="", set=None, overwrite=False):
    """Experiments and exact solutions with every solver, by `brim validate`. ``cases`` are names or folders (default: all that come with Brim),
    ``solvers`` names (default: all), ``effort`` "quick" (coarse), "" or "full" (two resolutions). Returns a Report whose table has the scores."""
    if effort not in ("", "quick", "full"):
        raise ValueError(f'effort is "quick", "" or "full", and not {effort!r}')
    words = ["--solvers", ",".join(solvers)] if solvers else []
    if effort:
        words.append("--" + effort)
    for path, value in (set or {}).items():
        words += ["--set", f"{path}={toml.value(value)}"]
    if overwrite:
        words.append("--overwrite")
    command.run("validate", *cases, "--quiet", "--out", os.fspath(out), *words)
    return Report(out, "scores.csv")


def _report(kind, scene, words, out, set, overwrite):
    for path, value in (set or {}).items():
        words += ["--set", f"{path}={toml.value(value)}"]
    if overwrite:
        words.append("--overwrite")
    with tempfile.TemporaryDirectory() as folder:
        file = scene
        if isinstance(scene, Scene):
            file = _written(scene, folder)
        command.run(kind, file, "--quiet", "--out", os.fspath(out), *words)
    return Report(out)


def _written(scene, folder):
    """A file of the scene for the command, in another folder than that of its meshes."""
    moved = scene.copy()

    def absolute(table):
        for k, v in list(table.items()):
            if k == "file" and isinstance(v, str):
                table[k] = os.path.abspath(os.path.join(os.path.dirname(scene.file), v))
            for x in [v] if isinstance(v, Table) else v if isinstance(v, Tables) else []:
                absolute(x)

    absolute(moved)
    file = os.path.join(folder, (pathlib.Path(scene.file).stem or "scene") + ".toml")
    moved.save(file)
    return file


class View:
    """The live viewer of a scene, or the frames of a run, in the browser and in a notebook's cell. It ends with ``close()``, or with Python."""

    def __init__(self, what, paused=False, width="100%", height=600):
        self._folder = None
        if isinstance(what, Scene):
            self._folder = tempfile.TemporaryDirectory()
            what = _written(what, self._folder.name)
        elif isinstance(what, Run):
            what = what.path
        words = [command.path(), "view", os.fspath(what), "--port", "0", "--no-open"]
        if paused and not os.path.isdir(what):
            words.append("--paused")
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self._process.stdout.readline().strip()  #: "http://127.0.0.1:.../"
        if not self.address.startswith("http"):
            text = self._process.stderr.read().strip()
            self.close()
            raise errors.Failure(text or "the viewer did not start")
        self._size = width, height

    def close(self):
        """Ends the viewer."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_process", None) is not None and self._process.returncode is None:
            self.close()

    def __repr__(self):
        return f"<brim.View at {self.address}>"

    def _repr_html_(self):
        width, height = self._size
        return f'<iframe src="{html.escape(self.address)}" width="{width}" height="{height}" frameborder="0" allowfullscreen></iframe>'


def view(what, paused=False, height=600):
    """Shows a Scene (live: steer it), a scene file, a Run or its folder in the viewer. In a notebook it appears in the cell."""
    return View(what, paused, height=height)
