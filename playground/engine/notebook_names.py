"""What a notebook saved as a script calls: `get_ipython()` and `display`, which plain Python lacks.

Magics that only set up the notebook (`%matplotlib`, `!pip install`) are passed by and told; code
that a magic times or captures runs as it stands.
"""

from __future__ import annotations

import builtins
import contextlib
import re
import sys
from typing import TYPE_CHECKING, Any

from playground.engine import run_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

_RUNS_ITS_CODE = frozenset({"time", "timeit", "capture", "prun"})
_OPTIONS = re.compile(r"^(?:\s*-\w+(?:\s+\d+)?\s+)*")
_NAMES = re.compile(r"\bget_ipython\b|\bdisplay\s*\(")


@contextlib.contextmanager
def known(text: str) -> Iterator[None]:
    """Let the names of a notebook be known while a file runs, if `text` has one of them."""
    if not _NAMES.search(text):
        yield
        return
    before = {name: getattr(builtins, name, None) for name in ("get_ipython", "display")}
    shell = _Shell()
    names = {"get_ipython": lambda: shell, "display": before["display"] or _display}
    for name, value in names.items():
        setattr(builtins, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                delattr(builtins, name)
            else:
                setattr(builtins, name, value)


def _display(*shown: object, **_options: Any) -> None:
    for item in shown:
        sys.stdout.write(f"{item!r}\n")


class _Shell:
    """Stands for the notebook's shell."""

    def run_line_magic(self, name: str, line: str = "", *_depth: Any) -> Any:
        """Run the statement that a magic is about, or pass it by."""
        if name in _RUNS_ITS_CODE:
            return self._run(line)
        return self._passed(f"%{name} {line}")

    def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        """Run the cell that a magic is about, or pass it by."""
        if name in _RUNS_ITS_CODE:
            if name == "timeit":
                self._run(line)
            return self._run(cell)
        return self._passed(f"%%{name} {line}")

    def magic(self, line: str) -> Any:
        """As notebooks of long ago call a line's magic."""
        name, _, rest = line.partition(" ")
        return self.run_line_magic(name, rest)

    def system(self, line: str) -> Any:
        """Pass a command of the system by."""
        return self._passed(f"!{line}")

    def getoutput(self, line: str, *_options: Any, **_named: Any) -> list[str]:
        """Pass a command of the system by; it has printed nothing."""
        self._passed(f"!{line}")
        return []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_arguments, **_named: self._passed(f"get_ipython().{name}()")

    def _run(self, code: str) -> None:
        """Run code where the notebook's line stands."""
        frame = sys._getframe(2)
        exec(compile(_OPTIONS.sub("", code, count=1), "<notebook>", "exec"), frame.f_globals)

    def _passed(self, what: str) -> None:
        run_notes.tell(
            f"{what.strip()} was passed by: it is for a notebook",
            "what the file needs installed or set belongs into a terminal, or into plain Python",
        )
