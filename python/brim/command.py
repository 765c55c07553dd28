"""The command `brim`, for what is not in the library: pages about several runs, and the viewer."""
import os
import pathlib
import shutil
import subprocess

from . import errors


def path():
    """Where the command is: in the package, beside the build's package, or on the PATH. Raises Failure where there is none."""
    here = pathlib.Path(__file__).resolve().parent
    build = here.parent.parent
    candidates = [here / "bin" / "brim"] + ([build / "brim"] if (build / "CMakeCache.txt").is_file() else [])
    for candidate in candidates:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("brim")
    if not found:
        raise errors.Failure("the command `brim` was not found: it is in wheels that `make python` makes, or put it on the PATH")
    return found


def run(*words, quiet=True):
    """Runs the command; raises Failure with what it wrote if it refuses."""
    done = subprocess.run([path(), *map(str, words)], capture_output=quiet, text=True)
    if done.returncode == 3:
        raise errors.Diverged((done.stderr or "").strip() or "the simulation diverged")
    if done.returncode != 0:
        raise errors.Failure((done.stderr or "").strip() or f"brim {' '.join(map(str, words))} ended with {done.returncode}")
    return done.stdout


def main():
    """The command of the package, as `brim` on the PATH of an environment."""
    import sys

    program = path()
    os.execv(program, [program, *sys.argv[1:]])
