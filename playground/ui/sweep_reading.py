"""What is typed in a sweep's set-up, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from playground.model.sweep_space import Count, SweepSpace
from playground.model.sweep_workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.constraints import ConstraintError
    from playground.model.knobs import KnobValue
    from playground.model.sweep_plan import Strategy
    from playground.model.sweep_sizes import Sizes

Source = Literal["values", "own", "both"]
"""Combinations of the values, the configs that the file itself offers, or both."""


@dataclass(frozen=True)
class ConditionProblem:
    """What is wrong with a condition: its line from 0, its column from 1, and why."""

    line: int
    column: int
    why: str


@dataclass(frozen=True)
class Choice:
    """All of the set-up as it is typed; equal choices ask for the same sweep."""

    values: tuple[tuple[str, str], ...] = ()
    where: str = ""
    source: Source = "values"
    sizes: tuple[tuple[str, str], ...] = ()
    together: bool = True
    strategy: Strategy = "auto"
    most: int | None = None
    total_s: float | None = None
    workers: Workers = field(default_factory=Workers)


@dataclass
class Reading:
    """What the texts come to: the values and what is wrong where, by the field's name."""

    values: dict[str, tuple[KnobValue, ...]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    conditions: list[ConditionProblem] = field(default_factory=list)
    sizes: tuple[Sizes, ...] = ()
    space: SweepSpace | None = None
    count: Count = field(default_factory=lambda: Count(0, 0))
    counting: bool = False
    too_many: str = ""

    @property
    def problem(self) -> str:
        """The first thing wrong, in one line; empty when the sweep can begin."""
        first = next(iter(self.problems.values()), "")
        if not first and self.conditions:
            wrong = self.conditions[0]
            first = f"condition {wrong.line + 1}, column {wrong.column}: {wrong.why}"
        if not first and self.space is not None and not self.counting and not self.count.valid:
            first = self._none() if self.count.total else "nothing to try"
        return first or self.too_many

    def _none(self) -> str:
        """Say that no config is left to try, and what a condition says of the first of them."""
        if self.space is None or not self.count.exact:
            return self.count.text()
        first = next(self.space.combinations())
        return f"no config meets the conditions: {self.space.violation(first)}"


def condition_problem(where: str, error: ConstraintError) -> ConditionProblem:
    """Return a condition's problem at its place in the text of all conditions."""
    lines: Sequence[str] = where.splitlines()
    for number, line in enumerate(lines):
        if line.strip() == error.text.strip():
            indent = len(line) - len(line.lstrip())
            return ConditionProblem(number, error.column + indent, error.why)
    return ConditionProblem(0, error.column, error.why)
