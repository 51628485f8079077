"""One side of a comparison of compilations: which config, for which target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from playground.ui.document_compilations import Side
from playground.ui.views.elided import ElidedComboBox

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.document_compilations import What


class CompilationChooser(QWidget):
    """A list of configs, a field for a typed one, and a list of targets."""

    def __init__(
        self, side: Literal["left", "right"], document: Document, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"compilations.{side}")
        self._side: Literal["left", "right"] = side
        self._document = document
        self._state = document.compiler.compilations
        self.what = ElidedComboBox(self)
        self.what.setObjectName(f"compilations.{side}.what")
        self.what.setAccessibleName(f"Config on the {side}")
        self.what.setMinimumContentsLength(8)
        self.what.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.typed = QLineEdit(self)
        self.typed.setObjectName(f"compilations.{side}.typed")
        self.typed.setAccessibleName(f"Values of the config on the {side}")
        self.typed.setPlaceholderText("num_warps=8 …")
        self.typed.setToolTip("NAME=VALUE, several with blanks between; the others are as shown")
        self.target = ElidedComboBox(self)
        self.target.setObjectName(f"compilations.{side}.target")
        self.target.setAccessibleName(f"Target on the {side}")
        self.target.setMinimumContentsLength(10)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.what, 3)
        row.addWidget(self.typed, 2)
        row.addWidget(self.target, 1)
        self.what.activated.connect(self._on_choice)
        self.target.activated.connect(self._on_choice)
        self.typed.editingFinished.connect(self._on_choice)
        for changed in (
            document.launchSelected, document.baselineChanged, document.configChanged,
            document.deviceChanged, document.targetChanged, document.launchesChanged,
        ):  # fmt: skip
            changed.connect(self._fill)
        self._state.changed.connect(self._show)
        self._fill()

    def _fill(self, _what: object = None) -> None:
        document, launch = self._document, self._document.launch
        baseline = document.baseline
        choices: list[tuple[What, str]] = [
            ("current", f"Shown now: {document.config.label()}"),
            ("captured", f"As captured: {launch.config.label() if launch else ''}"),
            ("baseline", f"Baseline: {baseline.config.label()}" if baseline else "Baseline: none"),
            ("before", "Shown now, before the last edit"),
            ("typed", "Typed values"),
        ]
        blockers = QSignalBlocker(self.what), QSignalBlocker(self.target)
        self.what.clear()
        for what, text in choices:
            self.what.addItem(text, what)
        self.target.clear()
        self.target.addItem(document.target, "")
        for name in document.targets:
            if name != document.target:
                self.target.addItem(name, name)
        del blockers
        self._show()

    def _show(self) -> None:
        side: Side = getattr(self._state, self._side)
        blockers = QSignalBlocker(self.what), QSignalBlocker(self.target)
        self.what.setCurrentIndex(self.what.findData(side.what))
        at = self.target.findData("" if side.target == self._document.target else side.target)
        self.target.setCurrentIndex(max(at, 0))
        del blockers
        self.typed.setVisible(side.what == "typed")
        if side.what == "typed" and not self.typed.hasFocus():
            self.typed.setText(side.typed)
        self.what.setToolTip(self.what.currentText())

    def _on_choice(self, _index: int = 0) -> None:
        what: What = self.what.currentData()
        side = Side(what, str(self.target.currentData()), self.typed.text())
        self.typed.setVisible(what == "typed")
        if what == "typed" and not side.typed:
            self.typed.setFocus()
        self._state.choose(self._side, side)
