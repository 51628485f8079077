"""How long a stage's text of 5,000 lines takes to open, to scroll by a page, and to be marked.

Run it from the checkout's root: `python -m tests.benchmarks.ir_views`. The text is the SASS of a
matrix product for `cuda:90`, as the engine hands it out, repeated until it is long enough; drawn
offscreen. The same text in a plain `QPlainTextEdit` and under a `QSyntaxHighlighter` is timed in
turns with ours.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QSyntaxHighlighter
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from playground.ui import app as ui_app
from playground.ui.theme import Theme, mono_font
from playground.ui.views.ir_highlight import IrColours
from playground.ui.views.ir_text import IrText

ROOT = Path(__file__).resolve().parents[2]
LINES = 5000


def sass(lines: int) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Return at least so many lines of SASS, and the source lines behind each."""
    command = [
        sys.executable, "-m", "playground", "compile", "kernels/matmul.py", "--target", "cuda:90",
        "--emit", "sass",
    ]  # fmt: skip
    one = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    text = one * (-(-lines // max(one.count("\n"), 1)))
    behind: list[tuple[int, ...]] = []
    here: tuple[int, ...] = ()
    for line in text.split("\n"):
        if found := re.search(r'//## File ".*matmul\.py", line (\d+)', line):
            here = (int(found[1]),)
        behind.append(here)
    return text, tuple(behind)


class AllAtOnce(QSyntaxHighlighter):
    """Colours every line when the text is set, as Qt's own class does it."""

    def __init__(self, edit: QPlainTextEdit, theme: Theme) -> None:
        super().__init__(edit.document())
        self._colours = IrColours("sass", theme)

    def highlightBlock(self, text: str) -> None:
        for part in self._colours.formats(text):
            self.setFormat(part.start, part.length, part.format)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args()
    app = ui_app.application(["ir_views"])
    theme = Theme("light")
    theme.apply(app)
    text, behind = sass(LINES)
    ours = IrText("sass", theme)
    plain, coloured = QPlainTextEdit(), QPlainTextEdit()
    highlighter = AllAtOnce(coloured, theme)
    for widget in (ours, plain, coloured):
        widget.setFont(mono_font())
        widget.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        widget.resize(700, 500)
        widget.show()
    app.processEvents()
    print(f"{text.count(chr(10))} lines, {len(text)} characters")

    opening: dict[str, list[float]] = {}
    for _ in range(options.repeat):
        for name, act in (
            ("open, ours", lambda: ours.show_ir(text, behind)),
            ("open, plain QPlainTextEdit", lambda: plain.setPlainText(text)),
            ("open, with QSyntaxHighlighter", lambda: coloured.setPlainText(text)),
        ):
            opening.setdefault(name, []).append(timed(app, act))
    for name, times in opening.items():
        show(name, times)
    bar = ours.verticalScrollBar()
    pages = bar.maximum() // bar.pageStep()
    ours.show_ir(text, behind)
    show("scroll a page, first time", [
        timed(app, lambda at=at: bar.setValue(at * bar.pageStep())) for at in range(pages)
    ])  # fmt: skip
    show("scroll a page, seen before", [
        timed(app, lambda at=at: bar.setValue(at * bar.pageStep())) for at in range(pages)
    ])  # fmt: skip
    lines = sorted({line for held in behind for line in held})
    show("mark a source line", [
        timed(app, lambda line=line: ours.show_source_line(line)) for line in lines
    ])  # fmt: skip
    show("fold everything", [timed(app, lambda: ours.fold_all(True))])
    show("unfold everything", [timed(app, lambda: ours.fold_all(False))])
    del highlighter


def timed(app: QApplication, act: object) -> float:
    """Return how many ms `act` takes until what it changed is painted."""
    begin = time.perf_counter()
    act()  # type: ignore[operator]
    app.processEvents()
    return (time.perf_counter() - begin) * 1e3


def show(name: str, times: list[float]) -> None:
    """Print the median and the worst of some times."""
    print(f"{name:32} median {statistics.median(times):7.1f} ms, worst {max(times):7.1f} ms")


if __name__ == "__main__":
    main()
