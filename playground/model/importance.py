"""How much each knob matters to the time: shares of variance, and what each value can reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from playground.model.knobs import KnobValue
from playground.model.sweep import SweepRow

FORMULA = (
    "ε² = (SS between − (k − 1) · MS within) / SS total, of log time over the right configs: the "
    "share of variance that knowing this knob alone explains, corrected for its number k of values"
)
LIMITS = (
    "What knobs do only together counts for none of them, and where conditions, failures or a "
    "search leave the space uneven, one knob's share holds some of another's."
)


@dataclass(frozen=True)
class ValueReach:
    """The best time with a knob at one value, and how much slower that is than the best of all."""

    value: KnobValue
    best: SweepRow
    loss: float
    configs: int


@dataclass(frozen=True)
class KnobImportance:
    """One knob: `share` of the variance of log time it explains alone, in [0, 1].

    None where it cannot be told: every value was timed once only. `values` are in the order of the
    knob's values; `spread` is the largest loss among them.
    """

    name: str
    share: float | None
    values: tuple[ValueReach, ...]

    @property
    def spread(self) -> float:
        """How much slower the best is with the knob at its worst value."""
        return max((item.loss for item in self.values), default=1.0)


@dataclass(frozen=True)
class Importance:
    """The knobs that differ, the most important first; `rest` is what no knob explains alone."""

    knobs: tuple[KnobImportance, ...] = ()
    configs: int = 0

    @property
    def rest(self) -> float | None:
        """Share of the variance left: knobs together, and noise. None where nothing is known."""
        shares = [knob.share for knob in self.knobs if knob.share is not None]
        return max(0.0, 1.0 - sum(shares)) if shares else None


def importance(rows: Iterable[SweepRow]) -> Importance:
    """Return how much each knob matters among the right, timed rows.

    The share is ε² of a one-way analysis of variance (T. L. Kelley, PNAS 21 (1935) 554) of the
    logarithm of the time, 0 where it would be negative: a main effect, without interactions.
    """
    timed = [row for row in rows if row.status == "correct" and row.median_ms]
    if not timed:
        return Importance()
    names = [
        name
        for name in timed[0].config
        if len({_key(row.config.as_dict().get(name)) for row in timed}) > 1
    ]
    found = [_knob(name, timed) for name in names]
    found.sort(key=lambda knob: (-(knob.share or 0.0), -knob.spread))
    return Importance(tuple(found), len(timed))


def explained(groups: Sequence[Sequence[float]]) -> float | None:
    """Return ε² of groups of numbers: the variance that the grouping explains, corrected.

    None where no group has two members, or all numbers are equal.
    """
    everything = [value for group in groups for value in group]
    count, kinds = len(everything), sum(bool(group) for group in groups)
    if count <= kinds or kinds < 1:
        return None
    mean = math.fsum(everything) / count
    total = math.fsum((value - mean) ** 2 for value in everything)
    if total <= 1e-24 * count:
        return None
    within = 0.0
    for group in groups:
        if group:
            middle = math.fsum(group) / len(group)
            within += math.fsum((value - middle) ** 2 for value in group)
    between = total - within
    share = (between - (kinds - 1) * within / (count - kinds)) / total
    return min(max(share, 0.0), 1.0)


def _knob(name: str, timed: Sequence[SweepRow]) -> KnobImportance:
    groups: dict[tuple[str, KnobValue], list[SweepRow]] = {}
    for row in timed:
        groups.setdefault(_key(row.config.as_dict().get(name)), []).append(row)
    best_ms = min(row.median_ms or math.inf for row in timed)
    reached = []
    for key in sorted(groups, key=lambda item: order_of(item[1])):
        best = min(groups[key], key=lambda row: row.median_ms or math.inf)
        loss = (best.median_ms or math.inf) / best_ms
        reached.append(ValueReach(key[1], best, loss, len(groups[key])))
    share = explained(
        [[math.log(row.median_ms or 1.0) for row in group] for group in groups.values()]
    )
    return KnobImportance(name, share, tuple(reached))


def order_of(value: KnobValue) -> tuple[int, float, str]:
    """Return what sorts values of a knob: numbers by size, an unset one first, text last."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, (bool, int, float)):
        return 1, float(value), ""
    return 2, 0.0, value


def _key(value: KnobValue) -> tuple[str, KnobValue]:
    # True and 1 are equal as keys, and not the same value.
    return type(value).__name__, value
