"""What interpreted programs print, kept by program instead of going to standard output."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private.interpreter_access import place
from playground.engine.triton_private.interpreter_arithmetic import values
from playground.model.debugging import Printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEPT_LINES = 20_000
"""Elements whose printed text is kept of one launch; the others are counted."""


class PrintCollector:
    """Collects `tl.device_print` with its values, and texts, by the program that runs.

    Parameters
    ----------
    program
        Returns the linear id of the program that runs, -1 outside of any.
    """

    def __init__(self, program: Callable[[], int]) -> None:
        self._program = program
        self.printed: list[Printed] = []
        self.texts: list[str] = []
        self.lines = 0
        self._room = KEPT_LINES

    def take(self, prefix: str, hexadecimal: bool, printed: Any) -> None:
        """Take one `tl.device_print`."""
        line, _ = place()
        for number, handle in enumerate(printed):
            data = handle.data if hexadecimal else values(handle)
            kept = data.reshape(-1)[: max(self._room, 0)]
            self._room -= kept.size
            self.lines += data.size
            self.printed.append(
                Printed(
                    self._program(), prefix.strip(" :"),
                    tuple(_text(item, hexadecimal) for item in kept),
                    tuple(data.shape) if data.size > 1 else (), int(data.size), line or 0, number,
                )
            )  # fmt: skip
        if not printed:
            self.lines += 1
            self.printed.append(Printed(self._program(), prefix.strip(" :"), (), (), 1, line or 0))

    def take_text(self, text: str) -> None:
        """Take a line that Python printed: `tl.static_print`, or `print` in a kernel."""
        if text not in self.texts and len(self.texts) < KEPT_LINES:
            self.texts.append(text)


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Let programs print nothing: what a replay prints was printed when the file ran."""
    with collected(_Nobody()):
        yield


class _Nobody(PrintCollector):
    def __init__(self) -> None:
        super().__init__(lambda: -1)

    def take(self, prefix: str, hexadecimal: bool, printed: Any) -> None:
        """Take no notice."""

    def take_text(self, text: str) -> None:
        """Take no notice."""


class _Lines(io.TextIOBase):
    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take
        self._rest = ""

    def write(self, text: str, /) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._take(line)
        return len(text)


@contextlib.contextmanager
def collected(collector: PrintCollector) -> Iterator[None]:
    """Hand what programs print to `collector`; nothing of it reaches standard output."""
    from triton.runtime import interpreter

    def create_print(
        _me: Any, prefix: Any, hexadecimal: Any, printed: Any, _signed: Any = None
    ) -> None:
        collector.take(prefix, bool(hexadecimal), printed)

    builder = interpreter.InterpreterBuilder
    before, stdout = builder.create_print, sys.stdout
    builder.create_print = create_print
    sys.stdout = _Lines(collector.take_text)
    try:
        yield
    finally:
        builder.create_print, sys.stdout = before, stdout


def _text(item: Any, hexadecimal: bool) -> str:
    if not hexadecimal:
        return f"{item:.6g}" if isinstance(item, np.floating) else str(item.item())
    if isinstance(item, np.floating):
        return float(item).hex()
    width = item.dtype.itemsize * 2
    return f"0x{int(item) & ((1 << 4 * width) - 1):0{width}x}"
