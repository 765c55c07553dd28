"""Scenes: read from a file, or built in Python with the same keys."""
import copy
import difflib
import keyword
import os
import tomllib
from collections.abc import MutableMapping, MutableSequence

import numpy as np

from . import _core, errors, keys, toml


class Table(MutableMapping):
    """A table of a scene, as a dict and with attributes: ``scene.time["until"]`` and ``scene.time.until`` are the same.

    A key that was not given has its default. Tables and lists of tables that were not given are empty. An attribute that the table does not have
    is an AttributeError that names the nearest one. ``from``, a word of Python, is written ``from_``. ``help(scene.time)`` and ``print(scene.time.doc())`` show all keys with unit, range, default and
    meaning.
    """

    def __init__(self, path, values=None):
        object.__setattr__(self, "_path", path)
        object.__setattr__(self, "_values", {})
        for k, v in (values or {}).items():
            self[k] = v

    # As a dict: what was given.
    def __getitem__(self, key):
        return self._values[key]

    def __setitem__(self, key, value):
        key = _unescaped(key)
        self._values[key] = _wrapped(_join(self._path, key), value)

    def __delitem__(self, key):
        del self._values[key]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __repr__(self):
        return repr(_plain(self))

    # As attributes: also defaults, and tables that come to be when they are used.
    def __getattr__(self, name):
        name = _unescaped(name)
        if name in self._values:
            return self._values[name]
        section = keys.sections().get(self._path)
        if section is None or name.startswith("_"):
            raise AttributeError(name)
        if name in section.tables:
            self[name] = [] if section.tables[name].is_list else {}
            return self._values[name]
        known = keys.keys_of(self._path, self._values)
        if name in known:
            return known[name].default
        raise AttributeError(self._complaint(name))

    def __setattr__(self, name, value):
        name = _unescaped(name)
        section = keys.sections().get(self._path)
        # A parameter of a solver may be set before the solver is chosen.
        anywhere = self._path == "solver" and any(name in s.keys for s in section.tables.values())
        if section and not anywhere and name not in section.tables and name not in keys.keys_of(self._path, self._values):
            raise AttributeError(self._complaint(name))
        self[name] = value

    def __delattr__(self, name):
        if name not in self._values:
            raise AttributeError(name)
        del self[name]

    def __dir__(self):
        section = keys.sections().get(self._path)
        own = list(keys.keys_of(self._path, self._values)) + list(section.tables) if section else []
        return sorted(set(super().__dir__()) | set(own) | set(self._values))

    def _complaint(self, name):
        near = difflib.get_close_matches(name, self.__dir__(), 1)
        return f"{self._path or 'a scene'} has no {name!r}" + (f"; did you mean {near[0]!r}?" if near else "")

    def doc(self, key=None):
        """All keys of this table with unit, range, default and meaning, or one of them."""
        if key is not None:
            return str(keys.keys_of(self._path, self._values)[key])
        return keys.sections()[self._path].doc() if self._path in keys.sections() else ""


class Tables(MutableSequence):
    """A list of tables: ``scene.fluid.blocks``. ``add`` appends one from keywords and returns it."""

    def __init__(self, path, items=()):
        self._path = path
        self._items = [_entry(path, i) for i in items]

    def __getitem__(self, i):
        return self._items[i]

    def __setitem__(self, i, value):
        self._items[i] = [_entry(self._path, v) for v in value] if isinstance(i, slice) else _entry(self._path, value)

    def __delitem__(self, i):
        del self._items[i]

    def __len__(self):
        return len(self._items)

    def insert(self, i, value):
        self._items.insert(i, _entry(self._path, value))

    def add(self, **values):
        """Appends a table with these keys: ``scene.fluid.blocks.add(kind="box", min=[0, 0], max=[1, 0.3])``."""
        self.append(values)
        return self[-1]

    def named(self, name):
        """The table whose name is ``name``."""
        for item in self:
            if item.get("name") == name:
                return item
        raise KeyError(name)

    def __eq__(self, other):
        return _plain(self) == _plain(other)

    def __repr__(self):
        return repr(_plain(self))

    def doc(self):
        """All keys of an entry."""
        return keys.sections()[self._path].doc()


def _entry(path, value):
    # What is no table is kept as it is, and complained about with its place when the scene is checked.
    return Table(path, value) if hasattr(value, "items") else value


def _unescaped(name):
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def _join(path, key):
    return f"{path}.{key}" if path else key


def _wrapped(path, value):
    section = keys.sections().get(path)
    if section and section.is_list and isinstance(value, (list, tuple, Tables)):
        return Tables(path, value)
    if hasattr(value, "items"):
        return Table(path, value)
    if isinstance(value, np.generic):
        return value.item()
    return value


def _plain(v):
    if hasattr(v, "items"):
        return {k: _plain(x) for k, x in v.items()}
    if isinstance(v, np.ndarray):
        return v.tolist()
    if isinstance(v, (list, tuple, Tables)):
        return [_plain(x) for x in v]
    return v


def _given(v):
    """Without tables and lists that came to be by looking at them."""
    return {k: _given(x) if isinstance(x, Table) else x for k, x in v.items() if not (isinstance(x, (Table, Tables)) and not len(x))}


class Scene(Table):
    """What is simulated: a tree of tables with the keys of the scene format (docs/scene_format.md, or ``print(brim.describe())``).

    ``Scene.load(file)`` reads one. ``Scene(dimension=2, ...)`` starts one in Python; its keys are set as attributes, as items or as nested dicts.
    Mistakes are found by ``check()`` and by ``Simulation(scene)``: SceneError lists all of them. Those in values from a file name its line and
    column; those in values that were set afterwards, the path of the value. For a scene built in Python, lines and columns are those of
    ``scene.text()``, and the path stands with them.

    >>> scene = brim.Scene(dimension=2, domain={"max": [2, 1]}, resolution={"spacing": 0.02})
    >>> scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.5, 0.8])
    >>> scene.solver.name = "pbf"
    >>> simulation = brim.Simulation(scene)
    """

    def __init__(self, values=None, **more):
        object.__setattr__(self, "_file", "")
        object.__setattr__(self, "_text", None)  # of the file
        object.__setattr__(self, "_settings", ())
        object.__setattr__(self, "_loaded", None)  # the tree as it was read
        super().__init__("", {"version": 1, **(values or {}), **more})

    @classmethod
    def load(cls, file, set=None):
        """Reads a TOML file. ``set`` changes values as ``--set`` does: ``{"solver.iterations": 4}``. Raises SceneError, or Failure if there
        is no such file."""
        path = os.fspath(file)
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except (OSError, UnicodeDecodeError) as e:
            raise errors.Failure(f"cannot read the scene {path}: {e}") from e
        return cls.parse(text, path, set)

    @classmethod
    def parse(cls, text, file="", set=None):
        """The same from a text. Mesh files are relative to the folder of ``file``."""
        settings = tuple((k, toml.value(v), f"{k} = {toml.value(v)}") for k, v in (set or {}).items())
        read = _core.parse_scene(text, file, list(settings))
        scene = cls._of(tomllib.loads(_core.to_toml(read)))
        object.__setattr__(scene, "_file", file)
        object.__setattr__(scene, "_text", text)
        object.__setattr__(scene, "_settings", settings)
        object.__setattr__(scene, "_loaded", _plain(scene))
        return scene

    @classmethod
    def _of(cls, tree):
        scene = cls()
        for k, v in tree.items():
            scene[k] = v
        return scene

    @property
    def file(self):
        """Where it was read from; "" for one built in Python."""
        return self._file

    def copy(self):
        """Another scene with the same values."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memo):
        scene = type(self)._of(copy.deepcopy(_plain(self), memo))
        for name in ("_file", "_text", "_settings", "_loaded"):
            object.__setattr__(scene, name, getattr(self, name))
        return scene

    def __reduce__(self):
        return _unpickled, (_plain(self), self._file, self._text, self._settings, self._loaded)

    def set(self, path, value):
        """Changes one value by its path: ``scene.set("fluid.blocks[0].max", [1, 2])``."""
        *way, last = path.replace("[", ".[").split(".")
        here = self
        for step in way:
            here = here[int(step[1:-1])] if step.startswith("[") else getattr(here, step)
        if last.startswith("["):
            here[int(last[1:-1])] = value
        else:
            setattr(here, last, value)
        return self

    def text(self):
        """The scene as TOML: of a file that was not changed its own text."""
        if self._text is not None and not self._settings and _plain(self) == self._loaded:
            return self._text
        return "\n".join(line for line, _ in self._lines()) + "\n"

    def save(self, file):
        """Writes ``text()``."""
        with open(os.fspath(file), "w", encoding="utf-8") as f:
            f.write(self.text())

    def check(self):
        """Raises SceneError with all mistakes, if there are any. Returns warnings: what is no mistake and yet may not be meant."""
        return _core.warnings(self._built())

    def estimate(self):
        """How large the scene is, before it is built: particles, samples of boundaries, bytes, volume [m^D]."""
        return _core.estimate(self._built())

    def _lines(self):
        lines = []
        toml.document(_given(self), lambda path: path in keys.sections() and keys.sections()[path].is_list, lines)
        return lines

    def _built(self):
        """The library's scene."""
        if self._text is None:
            return self._built_from_lines()
        settings = _changes(self._loaded, _plain(_given(self)))
        if settings is None:
            return self._built_from_lines()
        own = [(path, toml.value(v), f"scene.{path} = {_short(toml.value(v))}") for path, v in settings]
        return _core.parse_scene(self._text, self._file, list(self._settings) + own)

    def _built_from_lines(self):
        lines = self._lines()
        name = self._file or "<scene>"
        try:
            return _core.parse_scene("\n".join(line for line, _ in lines) + "\n", name, [])
        except errors.SceneError as e:
            raise errors.SceneError([_at_path(m, lines, name) for m in e.mistakes]) from None


def _unpickled(tree, file, text, settings, loaded):
    scene = Scene._of(tree)
    for name, value in (("_file", file), ("_text", text), ("_settings", settings), ("_loaded", loaded)):
        object.__setattr__(scene, name, value)
    return scene


def _short(text):
    return text if len(text) < 60 else text[:57] + "..."


def _at_path(m, lines, name):
    """A mistake at a line of a text that nobody wrote: with the path of the value that the line gives."""
    path = lines[m.line - 1][1] if 0 < m.line <= len(lines) else ""
    if not path:
        return m
    return errors.Mistake(f"scene.{path}", m.line, m.column, m.what, f"scene.{path}: {m.what}")


def _changes(before, now, path=""):
    """(path, value) of all that differs, the tables where something was taken out as a whole; None where that cannot be said so."""
    if any(k not in now and not _empty(v) for k, v in before.items()):
        return None
    found = []
    for k, v in now.items():
        here = _join(path, k)
        old = before.get(k)
        if k in before and v == old:
            continue
        if isinstance(v, dict) and isinstance(old, dict):
            inner = _changes(old, v, here)
            found += [(here, v)] if inner is None else inner
        elif isinstance(v, list) and isinstance(old, list) and len(v) == len(old) and all(isinstance(x, dict) for x in v + old) and v:
            for i, (a, b) in enumerate(zip(old, v)):
                inner = _changes(a, b, f"{here}[{i}]") if a != b else []
                found += [(f"{here}[{i}]", b)] if inner is None else inner
        else:
            found.append((here, v))
    return found


def _empty(v):
    return v in ({}, [])
