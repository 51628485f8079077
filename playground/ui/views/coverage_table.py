"""The table twin of the tile map: every tensor's counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.ui.views.formatting import count_text, shape_text
from playground.ui.views.table_twin import Column, RecordModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from playground.model.coverage import TensorCoverage


def coverage_model(parent: QWidget) -> RecordModel[TensorCoverage]:
    """Return the model of a table with one row a tensor."""
    return RecordModel(_COLUMNS, parent)


def _number(title: str, value: Callable[[TensorCoverage], int | None]) -> Column[TensorCoverage]:
    def text(tensor: TensorCoverage) -> str:
        count = value(tensor)
        return "" if count is None else count_text(count)

    return Column(title, value, text, numeric=True)


_COLUMNS: tuple[Column[TensorCoverage], ...] = (
    Column("Tensor", lambda tensor: tensor.name),
    Column("Shape", lambda tensor: shape_text(tensor.shape)),
    Column("dtype", lambda tensor: tensor.dtype),
    _number("Elements", lambda tensor: tensor.elements),
    _number("Loads", lambda tensor: tensor.loads.total),
    _number("Loads, least", lambda tensor: tensor.loads.minimum),
    _number("Loads, most", lambda tensor: tensor.loads.maximum),
    _number("Stores", lambda tensor: tensor.stores.total),
    _number("Stores, least", lambda tensor: tensor.stores.minimum),
    _number("Stores, most", lambda tensor: tensor.stores.maximum),
    _number("Unwritten", lambda tensor: tensor.unwritten),
    _number("By several programs", lambda tensor: tensor.multi_written),
    _number("Lanes out of bounds", lambda tensor: tensor.out_of_bounds),
)
