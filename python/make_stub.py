"""Writes brim/tables.pyi beside the compiled module: the tables of a scene with their keys, for editors and type checkers.

    python3 make_stub.py build/python/brim
"""
import keyword
import pathlib
import sys

package = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(package))
import _core  # noqa: E402  (alone: the package needs numpy, and a build need not have it)

TYPES = {"number": "float", "whole number": "int", "true or false": "bool", "text": "str", "word": "str", "vector": "Vector",
         "list of vectors": "Sequence[Vector]", "list of words": "Sequence[str]", "keyframes": "Sequence[Mapping[str, Any]]"}


def class_of(path):
    return "".join(word.capitalize() for word in path.replace("_", ".").split(".")) or "Top"


def written(path, text, rows, below, base="Table"):
    lines = [f"class {class_of(path)}({base}):", f'    """{text}"""']
    for r in rows:
        name = r["name"] + "_" if keyword.iskeyword(r["name"]) else r["name"]
        about = ", ".join(filter(None, [f"[{r['unit']}]" if r["unit"] else "", r["range"], "required" if r["default"] == "required" else f"default {r['default']}"]))
        lines += [f"    {name}: {TYPES.get(r['type'], 'Any')}", f'    """{about}. {r["text"]}"""'.replace("\\", "\\\\")]
    for name, inner, is_list in below:
        lines.append(f"    {name}: Tables[{class_of(inner)}]" if is_list else f"    {name}: {class_of(inner)}")
    return "\n".join(lines)


sections = _core.catalogue()
paths = {path: is_list for path, is_list, _, _ in sections}
out = [
    "# Written by python/make_stub.py from the declaration of scenes.",
    "from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence",
    "from typing import Any, Generic, TypeVar",
    "",
    "Vector = Sequence[float]",
    'T = TypeVar("T", bound="Table")',
    "",
    "class Table(MutableMapping[str, Any]):",
    "    def doc(self, key: str | None = None) -> str: ...",
    "",
    "class Tables(MutableSequence[T], Generic[T]):",
    "    def add(self, **values: Any) -> T: ...",
    "    def named(self, name: str) -> T: ...",
    "    def doc(self) -> str: ...",
]
for path, is_list, text, rows in sections:
    below = [(p.rpartition(".")[2], p, paths[p]) for p in paths if p and p.rpartition(".")[0] == path]
    out += ["", written(path, text, rows, below)]
    if path == "solver":  # parameters of the solver that is chosen may stand here
        out.append("    def __getattr__(self, name: str) -> Any: ...")
(package / "tables.pyi").write_text("\n".join(out) + "\n", encoding="utf-8")
