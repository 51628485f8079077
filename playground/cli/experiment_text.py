"""Experiments as text: the list of them, one result with its figures, all verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from playground.cli.text_table import table
from playground.model.experiments import EXPERIMENTS, named, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.experiment import ExperimentResult


def listed() -> str:
    """Return every experiment's name and claim."""
    return table(("name", "rule of thumb"), [(item.name, item.claim) for item in EXPERIMENTS])


def place(result: ExperimentResult) -> str:
    """Return where and when a result was measured."""
    machine = result.machine
    return f"{machine.gpu}, triton {machine.triton}, torch {machine.torch}, {result.measured}"


def report(result: ExperimentResult) -> str:
    """Return one result: the claim, its figures, the rule, and the verdict."""
    experiment, said = named(result.name), verdict(result)
    rows = [[_cell(cell) for cell in row] for row in result.figures.rows]
    return "\n".join((
        f"{experiment.title} ({experiment.name})",
        f"  claim    {experiment.claim}",
        f"  measured {place(result)}, in {result.elapsed_s:.0f} s",
        "",
        table(result.figures.columns, rows),
        "",
        f"  rule     {experiment.judged}",
        f"  verdict  {said.kind}: {said.text}",
        *(f"  note     {note}" for note in result.notes),
    ))  # fmt: skip


def summary(results: Iterable[ExperimentResult]) -> str:
    """Return a line a result: name, verdict, and where it was measured."""
    rows = [(r.name, verdict(r).kind, verdict(r).text, place(r)) for r in results]
    return table(("name", "verdict", "why", "measured"), rows)


def data(result: ExperimentResult) -> dict[str, Any]:
    """Return a result with its verdict as plain JSON data."""
    found: dict[str, Any] = msgspec.to_builtins(result)
    said = verdict(result)
    return {**found, "claim": named(result.name).claim, "judged": named(result.name).judged,
            "verdict": {"kind": said.kind, "text": said.text}}  # fmt: skip


def _cell(cell: str | float | None) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 1000 or cell == int(cell) else f"{cell:,.4g}"
