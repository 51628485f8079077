"""What to compare a launch with: the baseline, the reference, an expression, another file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from playground.ui.document_timing import Rival
from playground.ui.views.elided import ElidedLabel
from playground.ui.views.expression_edit import ExpressionEdit
from playground.ui.views.roles import set_role
from playground.ui.views.segmented import Segmented

if TYPE_CHECKING:
    from playground.ui.document import Document

_KINDS = (
    ("baseline", "Baseline", "The config pinned as the baseline"),
    ("reference", "Reference", "The file's reference() with the driver's arguments"),
    ("expression", "Expression", "Any torch expression over the launch's arguments"),
    ("file", "Other file", "A launch of another kernel file, under its own config"),
)
_TORCH = (
    "torch.add", "torch.matmul", "torch.softmax", "torch.sum", "torch.nn.functional", "torch.exp",
    "torch.empty_like", "torch.clone", "reference",
)  # fmt: skip


class RivalChooser(QWidget):
    """A switch and, below it, what the choice still needs; `entered` asks for a comparison."""

    changed = Signal()
    entered = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.kind = Segmented("compare.kind", "Compare with", _KINDS, self)
        self.kind.set_value("baseline")
        self.kind.chosen.connect(lambda _kind: self._choose())
        self._baseline = self._label("compare.baseline")
        self._reference = self._label("compare.reference")
        self.expression = ExpressionEdit(
            "compare.expression", "Expression to compare with", "torch.add(x, y)", self
        )
        self.expression.edit.textChanged.connect(lambda _text: self.changed.emit())
        self.expression.entered.connect(self.entered)
        self.path = QLineEdit(self)
        self.path.setObjectName("compare.file")
        self.path.setAccessibleName("File to compare with")
        self.path.setPlaceholderText("other.py")
        self.path.textChanged.connect(lambda _text: self.changed.emit())
        self.path.returnPressed.connect(self.entered)
        self.launch = QSpinBox(self)
        self.launch.setObjectName("compare.launch")
        self.launch.setAccessibleName("Launch of that file")
        self.launch.setToolTip("Which of that file's launches, from 0")
        self.launch.setPrefix("launch ")
        self._pages = QStackedWidget(self)
        for page in (self._baseline, self._reference, self.expression, self._file_page()):
            self._pages.addWidget(page)
        self._pages.setFixedHeight(self.path.sizeHint().height() + 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(self.fontMetrics().height() // 4)
        layout.addWidget(self.kind)
        self._row = QHBoxLayout()
        self._row.addWidget(self._pages, 1)
        layout.addLayout(self._row)
        for signal in (
            document.baselineChanged, document.outlineChanged, document.launchesChanged,
            document.launchSelected, document.timing.expressionsChanged,
        ):  # fmt: skip
            signal.connect(self.refresh)
        self.refresh()

    def add_button(self, button: QPushButton) -> None:
        """Put a button beside what the choice needs."""
        self._row.addWidget(button)

    def _label(self, name: str) -> QLabel:
        label = ElidedLabel(name, self)
        set_role(label, "muted")
        return label

    def _file_page(self) -> QWidget:
        page = QWidget(self)
        browse = QPushButton("Browse…", page)
        browse.setObjectName("compare.browse")
        browse.setAccessibleName("Choose the file to compare with")
        browse.clicked.connect(self._browse)
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.path, browse, self.launch):
            row.addWidget(widget, int(widget is self.path))
        return page

    def choose(self, kind: str) -> None:
        """Choose what to compare with, and give what it needs the keyboard."""
        self.kind.set_value(kind)
        self._choose()

    def _choose(self) -> None:
        order = [kind for kind, _, _ in _KINDS]
        self._pages.setCurrentIndex(order.index(self.kind.value))
        target = {"expression": self.expression, "file": self.path}.get(self.kind.value)
        if target is not None:
            target.setFocus()
        self.changed.emit()

    def refresh(self) -> None:
        """Show what there is to compare with."""
        document = self._document
        baseline = document.baseline
        if baseline is None or baseline.launch != document.launch_index:
            self._baseline.setText("No baseline of this launch is pinned: Ctrl+B pins one")
        else:
            self._baseline.setText(baseline.config.label())
        self._reference.setText(
            "reference() with the driver's arguments"
            if document.outline.has_reference
            else "This file has no reference(): type an expression instead"
        )
        launch = document.launch
        names = [argument.name for argument in launch.arguments] if launch else []
        tensors = [arg.name for arg in launch.arguments if arg.kind == "tensor"] if launch else []
        self.expression.edit.set_names((*names, *_TORCH))
        if tensors:
            hint = f"torch.add({', '.join(tensors[:2])})"
            self.expression.edit.setPlaceholderText(f"{hint}   names: {', '.join(names)}")
            self.expression.setToolTip(
                f"Python over the file's names, torch and the arguments {', '.join(names)}; "
                "Ctrl+Space offers them"
            )
        self.expression.set_history(document.timing.expressions)
        self.changed.emit()

    def rival(self) -> Rival | None:
        """Return what is chosen, or None while something is missing."""
        document, kind = self._document, self.kind.value
        if kind == "baseline":
            baseline = document.baseline
            mine = baseline is not None and baseline.launch == document.launch_index
            return Rival(baseline.config) if baseline is not None and mine else None
        if kind == "reference":
            return Rival(expression="reference") if document.outline.has_reference else None
        if kind == "expression":
            return Rival(expression=self.expression.text) if self.expression.text else None
        path = self.path.text().strip()
        if not path.endswith(".py"):
            return None
        return Rival(expression=f"{path}:{self.launch.value()}")

    def _browse(self) -> None:
        folder = os.path.dirname(self._document.path)
        path, _ = QFileDialog.getOpenFileName(
            self, "Compare with a launch of", folder, "Python files (*.py)"
        )
        if path:
            self.path.setText(path)
