"""The package as others see it: documentation, stubs, examples, notebooks."""
import ast
import inspect
import os
import pathlib
import pydoc
import runpy
import subprocess
import sys

import pytest

import brim

PACKAGE = pathlib.Path(brim.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "python/examples").glob("[0-9]*.py"))


def test_help_reads_like_documentation():
    text = pydoc.plain(pydoc.render_doc(brim))
    for word in ("Simulation", "Scene", "without a copy", "SI units"):
        assert word in text
    for name in dir(brim):
        thing = getattr(brim, name)
        if not name.startswith("_") and not inspect.ismodule(thing) and callable(thing):
            assert thing.__doc__ and len(thing.__doc__) > 20, f"{name} has no documentation"


def stub_names(body, path=""):
    """All that a stub declares: (path, its arguments or None)."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield path + node.name, None
            yield from stub_names(node.body, path + node.name + ".")
        elif isinstance(node, ast.FunctionDef):
            is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)
            yield path + node.name, None if is_property else [a.arg for a in node.args.posonlyargs + node.args.args]
        elif isinstance(node, ast.AnnAssign) and not path:
            yield node.target.id, None


def test_stubs_say_what_there_is():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    declared = dict(stub_names(stub.body))
    for path, arguments in declared.items():
        name, _, member = path.partition(".")
        thing = brim.pictures.Shown if name == "Shown" else getattr(brim, name)
        thing = getattr(thing, member) if member else thing
        if arguments is not None and member not in ("__exit__",):
            found = [p.name for p in inspect.signature(thing).parameters.values() if p.kind is not p.VAR_KEYWORD]
            assert [a for a in arguments if a not in ("self", "cls")] == [f for f in found if f != "self"], path
    public = {n for n in dir(brim) if not n.startswith("_") and not inspect.ismodule(getattr(brim, n))}
    assert public - {"Table", "Tables"} <= set(declared)
    for name in public:
        thing = getattr(brim, name)
        if inspect.isclass(thing) and name not in ("Table", "Tables") and not issubclass(thing, Exception):
            own = {m for m, v in vars(thing).items() if not m.startswith("_") and (callable(v) or isinstance(v, (property, classmethod)))}
            assert own <= {d.partition(".")[2] for d in declared if d.startswith(name + ".")} | {
                n.target.id for c in stub.body if isinstance(c, ast.ClassDef) and c.name == name for n in c.body if isinstance(n, ast.AnnAssign)
            }, name


def test_stubs_have_every_key_of_a_scene():
    tables = ast.parse((PACKAGE / "tables.pyi").read_text())
    keys = {c.name: {n.target.id for n in c.body if isinstance(n, ast.AnnAssign)} for c in tables.body if isinstance(c, ast.ClassDef)}
    for path, section in brim.keys.sections().items():
        name = "".join(w.capitalize() for w in path.replace("_", ".").split(".")) or "Top"
        wanted = {k + "_" if k == "from" else k for k in section.keys} | set(section.tables)
        assert wanted <= keys[name], path


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_examples_run(file, tmp_path):
    done = subprocess.run([sys.executable, file], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") >= 1


def test_there_are_nine_short_examples():
    assert len(EXAMPLES) == 9 and all(len(f.read_text().splitlines()) <= 40 for f in EXAMPLES)


def test_the_paddle_learns():
    paddle = runpy.run_path(str(ROOT / "python/examples/paddle.py"))
    _, value, rest = paddle["learn"](generations=4, show=lambda text: None)
    assert -value < 0.8 * -rest  # [m] nearer than without the paddle


@pytest.mark.parametrize("file", sorted((ROOT / "python/notebooks").glob("*.ipynb")), ids=lambda f: f.stem)
def test_notebooks_run(file, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE.parent))
    notebook = nbformat.read(file, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without results
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert any("image/png" in o.get("data", {}) for o in shown)
