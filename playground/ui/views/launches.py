"""The launches a run captured, and the arguments of the selected one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from playground.model.launch import Argument, Launch
from playground.ui.views.formatting import bytes_text, count_text, shape_text
from playground.ui.views.notice import EmptyState
from playground.ui.views.table_twin import Column, RecordModel, RecordTable

if TYPE_CHECKING:
    from playground.ui.document import Document
    from playground.ui.theme import Theme


class LaunchesView(QWidget):
    """Lists the captured launches; the selected one is the document's.

    `sourceLineRequested` asks the editor for the line of the selected kernel or of its launch.
    """

    sourceLineRequested = Signal(int)

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("launches")
        self.setAccessibleName("Launches")
        self._document = document
        self._launches: RecordModel[Launch] = RecordModel(_LAUNCH_COLUMNS, self)
        self._table = RecordTable("launches.table", "Captured launches", self._launches, self)
        self._arguments: RecordModel[Argument] = RecordModel(_ARGUMENT_COLUMNS, self)
        self._details = RecordTable(
            "launches.arguments", "Arguments of the selected launch", self._arguments, self
        )
        self._caption = QLabel(self)
        self._caption.setObjectName("launches.caption")
        self._caption.setWordWrap(True)
        self._caption.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._empty = EmptyState("launches.empty", "", "", theme, self)

        lower = QWidget(self)
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(2)
        self._caption.setContentsMargins(6, 4, 6, 2)
        below.addWidget(self._caption)
        below.addWidget(self._details, 1)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setObjectName("launches.splitter")
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._table)
        splitter.addWidget(lower)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(splitter)

        self._table.selectionModel().currentRowChanged.connect(self._select)
        self._table.recordPicked.connect(self._show_source)
        document.launchesChanged.connect(self._show_launches)
        document.launchSelected.connect(self._show_selected)
        document.pathChanged.connect(self._say_what_to_do)
        document.engineStateChanged.connect(self._say_what_to_do)
        self._show_launches()

    def _show_launches(self) -> None:
        self._table.selectionModel().blockSignals(True)
        self._launches.set_records(self._document.launches)
        self._table.selectionModel().blockSignals(False)
        # Columns that say nothing leave their room to the tensors.
        launches = self._document.launches
        self._table.setColumnHidden(_TIMES, all(launch.count == 1 for launch in launches))
        alike = all(launch.programs == max(launch.grid) for launch in launches)
        self._table.setColumnHidden(_PROGRAMS, alike)
        self._table.fit_columns()
        self._stack.setCurrentIndex(1 if self._document.launches else 0)
        self._say_what_to_do()
        if self._document.launches:
            self._show_selected(self._document.launch_index)

    def _say_what_to_do(self) -> None:
        if self._document.launches:
            return
        if not self._document.path and not self._document.text:
            self._empty.say("No file is open", "Open a Python file that launches Triton kernels.")
        elif self._document.engine_state in ("starting", "restarting"):
            self._empty.say("No launches yet", "The engine is starting; then press F5 to run.")
        else:
            self._empty.say(
                "No launches yet", "Press F5 to run the driver and capture its launches."
            )

    def _select(self) -> None:
        index = self._table.currentIndex()
        if not index.isValid():
            return
        launch = self._table.record_at(index.row())
        if isinstance(launch, Launch) and launch.index != self._document.launch_index:
            self._document.select_launch(launch.index)

    def _show_selected(self, index: int) -> None:
        launch = self._document.launch
        if launch is None:
            return
        self._table.select_record(index)
        self._arguments.set_records(launch.arguments)
        self._details.fit_columns()
        wrapped = f" under {', '.join(launch.wrappers)}" if launch.wrappers else ""
        place = f", launched at line {launch.call_line}" if launch.call_line else ""
        kind = "recomputed for each config" if launch.grid_kind == "callable" else "fixed"
        times = f", {count_text(launch.count)} like launches" if launch.count > 1 else ""
        self._caption.setText(
            f"{launch.kernel}{wrapped}: {count_text(launch.programs)} programs, grid {kind}{place}"
            f"{times}"
        )

    def _show_source(self, launch: object) -> None:
        if isinstance(launch, Launch):
            self.sourceLineRequested.emit(launch.call_line or launch.line)


def _tensors_text(launch: Launch) -> str:
    shapes: dict[str, int] = {}
    for argument in launch.tensors():
        if argument.tensor is not None:
            text = f"{argument.tensor.dtype} {shape_text(argument.tensor.shape)}"
            shapes[text] = shapes.get(text, 0) + 1
    return ", ".join(f"{count} of {text}" if count > 1 else text for text, count in shapes.items())


def _grid_text(launch: Launch) -> str:
    used = list(launch.grid)
    while len(used) > 1 and used[-1] == 1:
        used.pop()
    return " × ".join(count_text(size) for size in used)


_LAUNCH_COLUMNS: tuple[Column[Launch], ...] = (
    Column("#", lambda launch: launch.index, numeric=True),
    Column("Kernel", lambda launch: launch.kernel),
    Column(
        "Times", lambda launch: launch.count,
        lambda launch: f"×{count_text(launch.count)}" if launch.count > 1 else "", numeric=True,
        tip=lambda launch: "like launches, of which the first is shown" if launch.count > 1 else "",
    ),
    Column("Grid", lambda launch: launch.programs, _grid_text, numeric=True),
    Column(
        "Programs", lambda launch: launch.programs,
        lambda launch: count_text(launch.programs), numeric=True,
    ),
    Column("Tensors", _tensors_text, tip=_tensors_text),
    Column(
        "Place", lambda launch: f"{Path(launch.file).name}:{launch.line}",
        tip=lambda launch: f"{launch.file}:{launch.line}",
    ),
)  # fmt: skip

_TIMES, _PROGRAMS = (
    [column.title for column in _LAUNCH_COLUMNS].index(title) for title in ("Times", "Programs")
)


def _value_text(argument: Argument) -> str:
    if argument.tensor is None:
        return argument.text
    return shape_text(argument.tensor.shape)


def _strides_text(argument: Argument) -> str:
    if argument.tensor is None:
        return ""
    return ", ".join(str(stride) for stride in argument.tensor.strides)


_ARGUMENT_COLUMNS: tuple[Column[Argument], ...] = (
    Column("Argument", lambda argument: argument.name),
    Column("Kind", lambda argument: argument.kind),
    Column("Value or shape", _value_text, tip=lambda argument: argument.text),
    Column("dtype", lambda argument: argument.tensor.dtype if argument.tensor else ""),
    Column("Strides", _strides_text),
    Column(
        "Alignment", lambda argument: argument.tensor.alignment if argument.tensor else None,
        lambda argument: f"{argument.tensor.alignment} B" if argument.tensor else "", numeric=True,
    ),
    Column(
        "Storage", lambda argument: argument.tensor.storage_nbytes if argument.tensor else None,
        lambda argument: (
            f"{bytes_text(argument.tensor.storage_nbytes)} on {argument.tensor.device}"
            if argument.tensor else ""
        ), numeric=True,
    ),
)  # fmt: skip
