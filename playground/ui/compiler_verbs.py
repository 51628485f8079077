"""What the actions about the compiler do, and how its texts and the editor mark each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QTimer

from playground.ui.views.overview_ruler import OverviewRuler

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.code_margin import CodeMargin
    from playground.ui.views.compiler import CompilerView
    from playground.ui.window import MainWindow

FOLLOW_MS = 60
"""How long the cursor must rest on a line before its code is marked."""


class CompilerVerbs(QObject):
    """Verbs of one window; a line of the editor marks what it became, a line of code its source.

    The editor's margin begins to follow once the compiler's panel is there.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._editor = window.editor
        self._margin: CodeMargin | None = None
        self._view: CompilerView | None = None
        self._marked: tuple[int, ...] = ()
        self._ruler = OverviewRuler("editor.ruler", window.theme, window.area)
        window.area.put_beside(self._ruler)
        self._ruler.lineRequested.connect(lambda line: self._editor.go_to(line + 1))
        self._follow = QTimer(self)
        self._follow.setSingleShot(True)
        self._follow.setInterval(FOLLOW_MS)
        self._follow.timeout.connect(self._on_rest)
        self._editor.cursorPositionChanged.connect(self._follow.start)
        self._editor.blockCountChanged.connect(lambda _count: self._rule())
        self._editor.marksChanged.connect(self._rule)
        window.docks.filled.connect(self._on_filled)

    # ------------------------------------------------------------------------------ verbs

    def set_mix(self, on: bool) -> None:
        """Show or hide what each line became in the editor's margin, and remember the choice."""
        if on and self._margin is None:
            from playground.ui.code_margin import CodeMargin

            self._margin = CodeMargin(self._window.document, self._editor)
        if self._margin is not None:
            self._margin.set_shown(on)
        self._window.settings.code_margin = on

    def show(self, part: str) -> None:
        """Bring a tab of the compiler's panel forward, by the name of its attribute."""
        self._window.docks.show("compiler")
        if self._view is not None:
            self._view.show_part(cast("QWidget", getattr(self._view, part)))

    def show_stage(self, part: str, stage: str) -> None:
        """Bring a stage forward within the stages' texts or the comparison (`compilations`)."""
        if self._view is not None:
            page = self._view.stages if part == "stages" else self._view.compilations
            page.show_stage(stage)

    def show_stages(self) -> None:
        """Bring the stages' texts forward."""
        self.show("stages")

    def show_lines(self) -> None:
        """Bring the table of code by line forward."""
        self.show("lines")

    def show_passes(self) -> None:
        """Bring the compiler's passes forward; they are recorded."""
        self.show("passes")

    def compare(self) -> None:
        """Bring two compilations side by side forward."""
        self.show("compilations")

    def fit_everywhere(self) -> None:
        """Compile the config shown for every target chosen."""
        self.show("fits")
        self._window.document.compiler.fits.compile()

    # ------------------------------------------------------------------------------ marks

    def _on_filled(self, name: str, view: QWidget) -> None:
        if name == "compiler":
            self._view = cast("CompilerView", view)
            self._view.sourceLinesMarked.connect(self.mark)
            shown = self._window.settings.code_margin
            self._window.actions_table["view.codeMargin"].setChecked(shown)

    def mark(self, lines: tuple[int, ...]) -> None:
        """Mark source lines in the editor (innermost first) and bring the first into view.

        Lines of a kernel that lives in another file are not those of the text shown.
        """
        if not self._window.document.compiler.code.is_of_this_file():
            return
        self._marked = lines
        self._editor.mark_lines(lines)
        self._rule()
        if lines:
            self._editor.go_to(lines[0], focus=False)
            self._follow.stop()

    def _on_rest(self) -> None:
        line = self._editor.textCursor().blockNumber() + 1
        if self._marked and line not in self._marked:
            self._marked = ()
            self._editor.mark_lines(())
        here = self._window.document.compiler.code.is_of_this_file
        if self._view is not None and not self._marked and here():
            self._view.showSourceLine(line)
        self._rule()

    def _rule(self) -> None:
        lines = dict.fromkeys(self._marked, "accent") | self._editor.marked_lines()
        marks = [(line - 1, line - 1, token) for line, token in sorted(lines.items())]
        height = self._editor.fontMetrics().lineSpacing()
        self._ruler.show_marks(marks, self._editor.blockCount(), height)
