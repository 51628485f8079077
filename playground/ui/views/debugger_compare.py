"""The debugger's pages that look at results: where NaN come from, and elements compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from playground.model.plane import index_text, position_of
from playground.ui.coverage_places import MapPlace
from playground.ui.views import debugger_tables as tables
from playground.ui.views.block_image import BlockImage
from playground.ui.views.block_plane import BlockPlane
from playground.ui.views.debugger_pages import QuestionPage
from playground.ui.views.roles import set_role

if TYPE_CHECKING:
    from playground.model.debugging import ElementDifference, Origin, Stored
    from playground.protocol import messages
    from playground.ui.document import Document
    from playground.ui.theme import Theme
    from playground.ui.views.table_twin import RecordModel


class HuntPage(QuestionPage):
    """Where NaN and infinities came about."""

    kind = "hunt"
    introduction = (
        "Looks for elements of the result that are NaN or infinite, interprets the programs that "
        "wrote them, and finds the first line that made one, with the values that went in."
    )

    def __init__(self, document: Document, theme: Theme, parent: QWidget) -> None:
        super().__init__("hunt", "Where NaN and infinities come from", document, theme, parent)
        self.asker("all", "Hunt NaN and infinities", "Look at the whole launch's result",
                   lambda: self.debugging.hunt())  # fmt: skip
        self.asker("one", "In this program", "Look at all that the program chosen above computes",
                   lambda: self.debugging.hunt(whole=False))  # fmt: skip
        self._step = QPushButton("Step there", self)
        self._step.setObjectName("debugger.hunt.step")
        self._step.setAccessibleName("Step through the program up to the line")
        self._step.setToolTip("Run this program up to the line that made it, and stop there")
        self._step.clicked.connect(self._step_there)
        self._flow.addWidget(self._step)
        self.origins_model: RecordModel[Origin]
        self.origins_model, self.origins = self.table(
            "origins", "Where they were made", tables.ORIGIN_COLUMNS
        )
        self.stored_model: RecordModel[Stored]
        self.stored_model, self.stored = self.table(
            "stored", "Where they were stored", tables.STORED_COLUMNS
        )
        self.origins.recordPicked.connect(self._go)
        self.stored.recordPicked.connect(self._go_stored)
        self.part(self.origins, 3)
        self.part(self.stored, 2)
        self.begin()

    def answered(self) -> bool:
        """Tell whether there was a hunt."""
        return self.debugging.hunted is not None

    def show_answer(self) -> str:
        """Show where they were made and stored."""
        hunted = self.debugging.hunted
        if hunted is None:
            return ""
        found = hunted.found
        if self.origins_model.records != found.origins:
            self.origins_model.set_records(found.origins)
            self.origins.fit_columns()
            self.origins.select_record(0 if found.origins else -1)
        if self.stored_model.records != found.stored:
            self.stored_model.set_records(found.stored)
            self.stored.fit_columns()
        self.origins.setVisible(bool(found.origins))
        self.stored.setVisible(bool(found.stored))
        self._step.setEnabled(bool(found.origins) and not self.debugging.asking)
        if not found.stored:
            text = "Every element of the result is finite"
        else:
            text = f"{found.programs} of {found.of:,} programs were interpreted"
        if found.harmless:
            text += f"; {found.harmless} more came about in lanes that no store let out"
        return ". ".join((text, *found.notes)) + "."

    def refresh(self, what: object = None) -> None:
        """Show the answer, or how to ask."""
        super().refresh(what)
        hunted = self.debugging.hunted
        self._step.setVisible(hunted is not None and bool(hunted.found.origins))

    def _go(self, row: object) -> None:
        self.placeRequested.emit(self.debugging.text_line(getattr(row, "line", 0)))

    def _go_stored(self, row: object) -> None:
        self.mapPlaceRequested.emit(
            MapPlace(getattr(row, "tensor", ""), getattr(row, "element", ()),
                     (getattr(row, "program", -1),))
        )  # fmt: skip

    def _step_there(self) -> None:
        row = max(self.origins.currentIndex().row(), 0)
        if row < len(self.origins_model.records):
            origin = self.origins.record_at(row)
            line = self.debugging.text_line(getattr(origin, "line", 0))
            self.debugging.start_at(getattr(origin, "program", 0), line)


class ComparePage(QuestionPage):
    """The result beside another one, element by element."""

    kind = "compare"
    introduction = (
        "Compares the result element by element: with the file's reference(), with the launch as "
        "captured, or the GPU's with the interpreter's. The first difference is located: its "
        "program, and the line that stored it."
    )

    def __init__(self, document: Document, theme: Theme, parent: QWidget) -> None:
        super().__init__("compare", "Elements compared", document, theme, parent)
        self.asker("reference", "With the reference", "Compare with what reference() returns",
                   lambda: self.debugging.compare("reference"))  # fmt: skip
        self._interpreter = self.asker(
            "interpreter", "GPU with interpreter", "Compare the GPU's with the interpreter's",
            lambda: self.debugging.compare("interpreter"),
        )  # fmt: skip
        self.asker("captured", "With the captured", "Compare with the launch as it was captured",
                   lambda: self.debugging.compare("captured"))  # fmt: skip
        self._map = QPushButton("Show on the map", self)
        self._map.setObjectName("debugger.compare.map")
        self._map.setToolTip("Show the first difference in the tile maps, with its program")
        self._map.setAccessibleName(self._map.toolTip())
        self._map.clicked.connect(self._show_on_map)
        self._debug = QPushButton("Debug its program", self)
        self._debug.setObjectName("debugger.compare.debug")
        self._debug.setToolTip("Run the program up to the line that stored it, and stop there")
        self._debug.setAccessibleName(self._debug.toolTip())
        self._debug.clicked.connect(self._debug_it)
        self._flow.addWidget(self._map)
        self._flow.addWidget(self._debug)
        self.model: RecordModel[ElementDifference]
        self.model, self.tensors = self.table("tensors", "Tensors", tables.DIFFERENCE_COLUMNS)
        self.tensors.selectionModel().currentRowChanged.connect(lambda *_: self._show_map())
        self.image = BlockImage("debugger.compare.heat", theme, self)
        self._told = QLabel(self)
        set_role(self._told, "muted")
        self.part(self.tensors, 2)
        self.part(self.image, 5)
        self.part(self._told, 0)
        self.begin()

    def refresh(self, what: object = None) -> None:
        """Show the answer, or how to ask."""
        super().refresh(what)
        self._interpreter.setVisible(self.has_gpu)
        differed = self.debugging.differed
        wrong = differed is not None and differed.differences.first is not None
        self._map.setVisible(wrong)
        self._debug.setVisible(wrong)

    def answered(self) -> bool:
        """Tell whether something was compared."""
        return self.debugging.differed is not None

    def show_answer(self) -> str:
        """Show how far the two are apart."""
        differed = self.debugging.differed
        if differed is None:
            return ""
        told = differed.differences
        if self.model.records != told.tensors:
            self.model.set_records(told.tensors)
            self.tensors.fit_columns()
            self.tensors.select_record(0 if told.tensors else -1)
        self._show_map()
        first = told.first
        if first is None:
            text = f"Every element agrees: the {told.left}'s and the {told.right}'s"
        else:
            text = (
                f"The {told.left}'s beside the {told.right}'s: {first.mismatches:,} of "
                f"{first.compared:,} elements of {first.tensor} differ, the first at "
                f"{index_text(first.first or ())}: {first.got:.6g}, not {first.want:.6g}"
            )
            if first.line:
                text += f" (program {first.program}, line {first.line})"
            if first.worst is not None:
                text += (
                    f". The largest error is {first.max_abs_error:.3g} at "
                    f"{index_text(first.worst)}, {first.tolerance:.3g} is allowed"
                )
        return ". ".join((text, *told.notes)) + "."

    def _row(self) -> ElementDifference | None:
        row = max(self.tensors.currentIndex().row(), 0)
        if row >= len(self.model.records):
            return None
        record = self.tensors.record_at(row)
        return record if record in self.model.records else None

    def _show_map(self) -> None:
        differed, row = self.debugging.differed, self._row()
        picture = None
        if differed is not None and row is not None:
            picture = next((one for one in differed.maps if one.tensor == row.tensor), None)
        if picture is None or row is None:
            self.image.show_plane(None)
            self._told.setText("")
            return
        ratios = np.log10(np.clip(np.asarray(picture.ratios), 1e-3, 1e3))
        plane = BlockPlane(
            row.tensor, row.shape, (), ratios, ~np.isnan(ratios), -3.0, 3.0, figures=False
        )
        self.image.show_plane(plane, self._mark(row, picture), ("agrees", "1,000 × allowed"))
        scale = "" if picture.ratios.shape == picture.plane else ", the largest of each cell"
        self._told.setText(
            f"error over what is allowed{scale}; the ring is at the first difference"
            if row.first is not None else f"error over what is allowed{scale}"
        )  # fmt: skip

    @staticmethod
    def _mark(row: ElementDifference, picture: messages.ErrorMap) -> tuple[int, int] | None:
        if row.first is None:
            return None
        at_row, at_column, slices = position_of(row.shape, row.first)
        if any(slices):
            return None
        rows, columns = picture.plane
        height, width = picture.ratios.shape
        step = -(-rows // height), -(-columns // width)
        return min(at_row // step[0], height - 1), min(at_column // step[1], width - 1)

    def _show_on_map(self) -> None:
        row = self._row()
        if row is not None and row.first is not None:
            programs = (row.program,) if row.program >= 0 else ()
            self.mapPlaceRequested.emit(MapPlace(row.tensor, row.first, programs))

    def _debug_it(self) -> None:
        row = self._row()
        if row is not None and row.program >= 0:
            if row.line:
                self.debugging.start_at(row.program, self.debugging.text_line(row.line))
            else:
                self.debugging.start(row.program)
