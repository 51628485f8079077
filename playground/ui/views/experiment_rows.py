"""The gallery's rows and the figures' columns: an experiment a row, a case a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.experiments import verdict
from playground.ui.views.formatting import significant
from playground.ui.views.marks import mark_icon
from playground.ui.views.table_twin import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QIcon

    from playground.model.experiment import Cell, ExperimentResult, Figures, VerdictKind
    from playground.model.experiments import Experiment
    from playground.ui.document_experiments import DocumentExperiments
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Mark, Tone

LOOKS: dict[VerdictKind, tuple[Tone, Mark]] = {
    "holds": ("good", "check"),
    "holds only when": ("warn", "warning"),
    "does not hold here": ("bad", "cross"),
    "not measured": ("muted", "question"),
}

SHORT: dict[VerdictKind, str] = {
    "holds": "holds",
    "holds only when": "only when …",
    "does not hold here": "does not hold",
    "not measured": "not measured",
}
"""The verdicts in a narrow column."""

Row = tuple["Cell", ...]


def place_text(result: ExperimentResult) -> str:
    """Return where and when a result was measured."""
    return f"{result.machine.gpu}, {result.measured}"


def gallery_columns(
    experiments: DocumentExperiments, theme: Theme
) -> tuple[Column[Experiment], ...]:
    """Return the columns of the gallery: the rule, the verdict here, the verdict that came."""

    def verdict_column(
        title: str, result_of: Callable[[str], ExperimentResult | None], none: str
    ) -> Column[Experiment]:
        def text(item: Experiment) -> str:
            if experiments.running == item.name and title == "Here":
                return "measuring …"
            result = result_of(item.name)
            return none if result is None else SHORT[verdict(result).kind]

        def tip(item: Experiment) -> str:
            result = result_of(item.name)
            return "" if result is None else f"{place_text(result)}: {verdict(result).text}"

        return Column(title, text, tip=tip)

    def first_mark(item: Experiment) -> QIcon:
        result = experiments.own(item.name) or experiments.shipped(item.name)
        tone, mark = LOOKS["not measured" if result is None else verdict(result).kind]
        return mark_icon(mark, theme.color(tone))

    return (
        Column(
            "Rule of thumb", lambda item: item.title, icon=first_mark, tip=lambda item: item.claim
        ),
        verdict_column("Here", experiments.own, "–"),
        verdict_column("Shipped", experiments.shipped, "–"),
    )


def figure_columns(figures: Figures) -> tuple[Column[Row], ...]:
    """Return one column for each of the figures'."""

    def column(place: int, title: str) -> Column[Row]:
        numeric = any(isinstance(row[place], (int, float)) for row in figures.rows)
        return Column(
            title, lambda row: row[place], lambda row: _text(row[place]), numeric=numeric
        )  # fmt: skip

    return tuple(column(place, title) for place, title in enumerate(figures.columns))


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if cell == int(cell) else significant(cell, 4)
