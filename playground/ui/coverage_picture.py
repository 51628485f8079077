"""A picture of the tile maps of a counted launch, drawn without the window: PNG or SVG.

`python -m playground.ui.coverage_picture DATA FILE …` draws what the engine put into DATA
(`protocol.message_files`): the coverage, and for each tensor the plane to show.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from playground.protocol.message_files import load_replies
from playground.protocol.messages import Covered, Plane
from playground.ui.theme import ThemeName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QGridLayout, QWidget

    from playground.model.coverage import Coverage, TensorCoverage
    from playground.ui.theme import Theme

MAP_SIZE = (520, 400)
"""Logical pixels of one map at least."""
_MOST_COLUMNS = 3
_ROWS_A_MAP = 4
_GAP = 10


def page(title: str, coverage: Coverage, planes: Sequence[Plane], theme: Theme) -> QWidget:
    """Return the maps of some tensors with their legends, under one title; not shown yet."""
    from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

    from playground.ui.views.roles import set_role

    sheet = QWidget()
    sheet.setObjectName("coveragePicture")
    sheet.setAccessibleName(title)
    sheet.setAutoFillBackground(True)
    outer = QVBoxLayout(sheet)
    outer.setContentsMargins(16, 12, 16, 14)
    outer.setSpacing(6)
    heading = QLabel(title, sheet)
    set_role(heading, "heading")
    outer.addWidget(heading)
    facts = QLabel(_facts(coverage, len(planes)), sheet)
    set_role(facts, "muted")
    outer.addWidget(facts)
    grid = QGridLayout()
    grid.setHorizontalSpacing(18)
    grid.setVerticalSpacing(4)
    outer.addLayout(grid, 1)
    columns = min(_MOST_COLUMNS, math.ceil(math.sqrt(len(planes)))) or 1
    if len(planes) <= _MOST_COLUMNS:
        columns = len(planes) or 1
    for number, plane in enumerate(planes):
        _add_map(grid, number // columns, number % columns, plane, coverage, theme, sheet)
    return sheet


def _facts(coverage: Coverage, maps: int) -> str:
    from playground.ui.views.formatting import bytes_text, count_text, shape_text

    x, y, z = coverage.grid
    parts = [
        f"grid {shape_text(coverage.grid)}, {count_text(x * y * z)} programs",
        f"{bytes_text(coverage.bytes_requested)} requested",
        f"{bytes_text(coverage.bytes_unique)} unique",
    ]
    touched = sum(bool(item.loads.total or item.stores.total) for item in coverage.tensors)
    if not touched:
        parts.append("no tensor is touched, so there is no map")
    if touched > maps:
        parts.append(f"the first {maps} of {touched} tensors")
    if coverage.resolution != "every element":
        parts.append(f"counted: {coverage.resolution}")
    return " · ".join(parts)


def _add_map(
    grid: QGridLayout, row: int, column: int, plane: Plane, coverage: Coverage, theme: Theme,
    sheet: QWidget,
) -> None:  # fmt: skip
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QLabel, QSizePolicy

    from playground.ui.views.coverage_legend import CoverageLegend, LegendFacts
    from playground.ui.views.plane_canvas import PlaneCanvas
    from playground.ui.views.plane_image import colour

    tensor = coverage.tensor(plane.tensor)
    x, y, z = coverage.grid
    folded = len(tensor.shape) == 1
    canvas = PlaneCanvas(f"picture.{tensor.name}", f"Tile map of {tensor.name}", theme, sheet)
    canvas.setMinimumSize(*MAP_SIZE)
    canvas.set_plane(plane.plane_rows, plane.plane_columns, folded=folded)
    canvas.show_pictures(colour(plane, theme, tensor.elements if folded else None), None)
    name = QLabel(_caption(tensor, plane), sheet)
    name.setTextFormat(Qt.TextFormat.PlainText)
    name.setWordWrap(True)
    name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
    name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    legend = CoverageLegend(theme, sheet)
    legend.show_facts(
        LegendFacts(
            plane.paint, x * y * z, plane.maximum, tensor.unwritten, tensor.multi_written,
            tensor.disputed or 0, chosen=False,
        )
    )  # fmt: skip
    # Captions of one row may have more lines than one: the maps below stand level all the same.
    first = _ROWS_A_MAP * row
    for place, widget in enumerate((name, canvas, legend)):
        grid.addWidget(widget, first + place, column)
    grid.setRowStretch(first + 1, 1)
    grid.setRowMinimumHeight(first + 3, _GAP)


def _caption(tensor: TensorCoverage, plane: Plane) -> str:
    from playground.ui.views.coverage_text import tensor_text

    text = tensor_text(tensor)
    if len(tensor.shape) > 2:
        index = ", ".join(map(str, (*plane.view.slices, "…", "…")))
        text += f" · shown: [{index}]"
    return text


def draw(
    data: str | Path, files: Sequence[str | Path], title: str, theme_name: ThemeName = "light"
) -> None:
    """Draw the page of `data` into each of `files`, as SVG where its name ends so, else as PNG.

    Raises
    ------
    OSError
        A file cannot be read or written.
    """
    from PySide6.QtCore import QSize

    from playground.ui import app
    from playground.ui.drawing import save_svg
    from playground.ui.theme import Theme

    replies = load_replies(data)
    covered = next(item for item in replies if isinstance(item, Covered))
    planes = [item for item in replies if isinstance(item, Plane)]
    if covered.coverage is None:
        raise OSError(f"{data} holds no coverage")
    application = app.application([sys.argv[0]])
    theme = Theme(theme_name)
    theme.apply(application)
    sheet = page(title, covered.coverage, planes, theme)
    try:
        # Legends wrap: their height is known once their width is, and that after a layout.
        for _ in range(3):
            sheet.ensurePolished()
            sheet.resize(sheet.sizeHint().expandedTo(QSize(640, 360)))
            application.sendPostedEvents()
            if layout := sheet.layout():
                layout.activate()
        for file in files:
            if Path(file).suffix.lower() == ".svg":
                if why := save_svg(sheet, str(file)):
                    raise OSError(f"cannot write {file}: {why}")
            elif not sheet.grab().save(str(file), "PNG"):
                raise OSError(f"cannot write {file}")
    finally:
        sheet.deleteLater()
        application.processEvents()


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw what the command line asks for; 1 with a line on standard error where that fails."""
    parser = argparse.ArgumentParser("playground.ui.coverage_picture", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="ending in .png or .svg"
    )
    parser.add_argument("--title", default="Coverage")
    parser.add_argument("--theme", choices=get_args(ThemeName), default="light")
    parser.add_argument("--scale", type=float, default=2.0, help="pixels of a PNG a logical pixel")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QT_SCALE_FACTOR", f"{options.scale:g}")
    try:
        draw(options.data, options.files, options.title, options.theme)
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
