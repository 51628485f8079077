"""A rule of thumb as an experiment: figures measured on one GPU, and the verdict they give.

Figures are a table of cases. The verdict is worked out from them by the experiment's own rule
(`model.experiment_rules`), each time it is shown: nobody writes one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Cell = str | float | None
"""A word that names the case, a figure, or nothing where the case could not be measured."""

VerdictKind = Literal["holds", "holds only when", "does not hold here", "not measured"]


@dataclass(frozen=True)
class Figures:
    """Rows of cells under named columns; the names carry the units (`time (us)`)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def column(self, name: str) -> tuple[Cell, ...]:
        """Return one column's cells; raises `KeyError` for a name that is none."""
        if name not in self.columns:
            raise KeyError(name)
        place = self.columns.index(name)
        return tuple(row[place] for row in self.rows)

    def numbers(self, name: str) -> tuple[float, ...]:
        """Return one column's figures; what could not be measured is left out."""
        return tuple(float(cell) for cell in self.column(name) if isinstance(cell, (int, float)))

    def words(self, name: str) -> tuple[str, ...]:
        """Return the different words of a column, in the order in which they come."""
        return tuple(dict.fromkeys(str(cell) for cell in self.column(name)))

    def where(self, name: str, word: str) -> Figures:
        """Return the rows whose cell in column `name` is `word`."""
        place = self.columns.index(name)
        return Figures(self.columns, tuple(row for row in self.rows if str(row[place]) == word))


@dataclass(frozen=True)
class Machine:
    """Where figures come from; versions as their packages tell them."""

    gpu: str
    multiprocessors: int
    copy_gbps: float
    driver: str = ""
    torch: str = ""
    triton: str = ""


@dataclass(frozen=True)
class ExperimentResult:
    """The figures of one run of an experiment; `measured` is a date, year first.

    `version` is the experiment's: figures of another one are not judged by today's rule.
    """

    name: str
    version: int
    figures: Figures
    machine: Machine
    measured: str
    elapsed_s: float
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Verdict:
    """What the figures say of the rule of thumb: the kind, and the sentence with the figures."""

    kind: VerdictKind
    text: str


@dataclass(frozen=True)
class Plot:
    """How the figures are drawn: `value` over `along`, a line for every word of `line`.

    `along` is drawn as bars where its cells are words. `level` is a line across, in the unit of
    `value`, and `level_name` what it stands for.
    """

    along: str
    value: str
    line: str = ""
    logarithmic: bool = False
    level: float | None = None
    level_name: str = ""
