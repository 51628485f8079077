"""What the actions that debug do: they bring the debugger forward, and move the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt, QTimer

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.ui.debug_margin import DebugMargin
    from playground.ui.document_debugging import DocumentDebugging
    from playground.ui.views.debugger import DebuggerView
    from playground.ui.window import MainWindow


class DebugVerbs(QObject):
    """Verbs of one window; the margin is made with the debugger's panel, after the first paint."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._margin: DebugMargin | None = None
        self._grown = False
        window.docks.filled.connect(self._on_filled)

    @property
    def _debugging(self) -> DocumentDebugging:
        return self._window.document.debugging

    @property
    def _line(self) -> int:
        return self._window.editor.textCursor().blockNumber() + 1

    def start(self) -> None:
        """Go on to the next breakpoint; where no program is stepped through, begin with one."""
        if self._debugging.active:
            self._debugging.move("go")
            return
        self._show("step")
        self._debugging.start()

    def end(self) -> None:
        """End the program."""
        self._debugging.end()

    def pause(self) -> None:
        """Stop the program at its next line."""
        self._debugging.move("pause")

    def over(self) -> None:
        """Run to the next line of this function."""
        self._debugging.move("over")

    def into(self) -> None:
        """Run to the next line, wherever it is."""
        self._debugging.move("into")

    def out(self) -> None:
        """Run until the function has returned."""
        self._debugging.move("out")

    def round(self) -> None:
        """Run to the loop's next round."""
        self._debugging.move("round")

    def to_cursor(self) -> None:
        """Run to the line at the cursor; from the start where no program is stepped through."""
        if self._debugging.active:
            self._debugging.move("until", self._line)
        else:
            self._show("step")
            self._debugging.start_at(self._debugging.program, self._line)

    def toggle_point(self) -> None:
        """Set a breakpoint at the line at the cursor, or take it away."""
        self._debugging.toggle_point(self._line)

    def ask_condition(self) -> None:
        """Ask for the condition of the breakpoint at the line at the cursor."""
        if self._margin is not None:
            self._margin.ask_condition(self._line)

    def clear_points(self) -> None:
        """Take all breakpoints away."""
        self._debugging.clear_points()

    def run_alone(self) -> None:
        """Run one program and no other, on the GPU where there is one."""
        self._show("alone")
        device = self._window.document.device
        on_gpu = device is not None and device.mode == "gpu"
        self._debugging.run_alone("gpu" if on_gpu else "interpreter")

    def show_prints(self) -> None:
        """Run the launch and gather what its programs print."""
        self._show("prints")
        device = self._window.document.device
        on_gpu = device is not None and device.mode == "gpu"
        self._debugging.ask_prints("gpu" if on_gpu else "interpreter", whole=True)

    def hunt(self) -> None:
        """Find where NaN and infinities come about."""
        self._show("hunt")
        self._debugging.hunt()

    def compare(self) -> None:
        """Compare the result with the reference, element by element."""
        self._show("compare")
        self._debugging.compare("reference")

    def _show(self, page: str) -> None:
        window = self._window
        window.docks.show("debugger")
        dock = window.docks["debugger"]
        if not self._grown and not dock.isFloating():
            # Values and elements want more room than a panel has at first; once is enough.
            self._grown = True
            QTimer.singleShot(0, self, self._grow)
        view = cast("DebuggerView | None", self._window.docks.views.get("debugger"))
        if view is not None:
            view.show_page(page)

    def _grow(self) -> None:
        window = self._window
        dock = window.docks["debugger"]
        height = max(dock.height(), round(0.58 * window.height()))
        window.resizeDocks([dock], [height], Qt.Orientation.Vertical)

    def _on_filled(self, name: str, view: QWidget) -> None:
        if name != "debugger":
            return
        from playground.ui.debug_margin import DebugMargin

        window = self._window
        self._margin = DebugMargin(window.document, window.editor)
        cast("DebuggerView", view).mapPlaceRequested.connect(window.coverage_verbs.show_place)
        self._debugging.changed.connect(window.refresh_actions)
