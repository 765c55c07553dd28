"""What can go wrong."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """One mistake in a scene.

    ``file``, ``line`` and ``column`` tell where it is (line and column count from 1; 0: not in a text), ``what`` tells what is wrong.
    For a value that was set from Python, ``file`` is its path: ``scene.time.until``.
    """

    file: str
    line: int
    column: int
    what: str
    text: str  #: the whole line: "dam.toml:14:12: solver ..."

    def __str__(self):
        return self.text


class BrimError(Exception):
    """The base of all errors of Brim."""


class SceneError(BrimError, ValueError):
    """A scene that cannot be run. ``mistakes`` lists all that is wrong with it; ``file``, ``line`` and ``column`` are the first one's."""

    def __init__(self, mistakes):
        self.mistakes = [m if isinstance(m, Mistake) else Mistake(*m) for m in mistakes]
        super().__init__("\n".join(str(m) for m in self.mistakes))

    def __reduce__(self):
        return SceneError, (self.mistakes,)

    @property
    def file(self):
        return self.mistakes[0].file

    @property
    def line(self):
        return self.mistakes[0].line

    @property
    def column(self):
        return self.mistakes[0].column


class Failure(BrimError, RuntimeError):
    """Something outside Brim refused (a full disk, a damaged file), or something was asked for that is not possible."""


class Diverged(BrimError, ArithmeticError):
    """The state is no longer finite. ``time`` [s], ``step`` and ``particle`` (its id) tell where it began."""

    def __init__(self, text, time=0.0, step=0, particle=-1):
        super().__init__(text)
        self.time, self.step, self.particle = time, step, particle

    def __reduce__(self):
        return Diverged, (str(self), self.time, self.step, self.particle)
