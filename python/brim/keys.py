"""The declaration of all that a scene may say, as `brim list parameters` shows it."""
import functools
import tomllib

from . import _core


class Key:
    """One key: its unit, range, default and meaning."""

    def __init__(self, path, row):
        self.path = path
        self.name, self.type, self.unit = row["name"], row["type"], row["unit"]
        self.range, self.text = row["range"], row["text"]
        self.required = row["default"] == "required"
        self._default = row["default"]

    @property
    def default(self):
        """The value where the scene gives none; None where there is none."""
        try:
            return _frozen(tomllib.loads("v = " + self._default)["v"])
        except tomllib.TOMLDecodeError:  # "required", "none", "no limit"
            return None

    def __str__(self):
        about = [self.type] + ([f"[{self.unit}]"] if self.unit else []) + ([self.range] if self.range else [])
        about.append("required" if self.required else f"default {self._default}")
        return f"{self.name}: {', '.join(about)}. {self.text}"


def _frozen(value):
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value


class Section:
    """A table of a scene, or a list of tables: its keys, and the tables within it."""

    def __init__(self, path, is_list, text):
        self.path, self.is_list, self.text = path, is_list, text
        self.keys, self.tables = {}, {}

    def doc(self):
        lines = [self.text, ""]
        lines += [f"  {k}" for k in self.keys.values()]
        lines += [f"  {name}: {'list of tables' if s.is_list else 'table'}. {s.text}" for name, s in self.tables.items()]
        return "\n".join(lines)


@functools.cache
def sections():
    """All sections by their path; "" is the top of a scene."""
    all_ = {}
    for path, is_list, text, rows in _core.catalogue():
        section = all_[path] = Section(path, is_list, text)
        for row in rows:
            section.keys[row["name"]] = Key(f"{path}.{row['name']}" if path else row["name"], row)
    for path, section in list(all_.items()):
        parent, _, name = path.rpartition(".")
        if path and parent in all_:
            all_[parent].tables[name] = section
    return all_


def keys_of(path, table=None):
    """The keys of a table. [solver] itself also has the parameters of the solver that it names."""
    section = sections()[path]
    if path != "solver":
        return section.keys
    chosen = section.tables.get((table or {}).get("name", section.keys["name"].default))
    return {**section.keys, **(chosen.keys if chosen else {})}


def describe(name=""):
    """What a table, a solver or a key means: ``print(brim.describe("time.dt_max"))``. Without a name: everything."""
    parent, _, last = name.rpartition(".")
    section = sections().get(parent)
    if section and last in section.keys:
        return str(section.keys[last])
    text = _core.catalogue_text(name)
    if not text:
        raise KeyError(f"no table, solver or key is called {name!r}")
    return text
