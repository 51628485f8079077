"""What all pictures of a sweep share: its rows, its knobs, the scale of times, who is ahead."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playground.model.config import Config
from playground.model.problem_sizes import size_text
from playground.model.sweep_values import value_text
from playground.model.sweep_views import comparable, fastest, knob_values, time_of
from playground.ui.views.formatting import bytes_text, interval_text, time_text
from playground.ui.views.sweep_columns import STATUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QColor

    from playground.model.knobs import KnobValue
    from playground.model.sweep import SweepResult, SweepRow
    from playground.model.sweep_sizes import Sizes
    from playground.ui.theme import Theme

_SLOW_SHARE = 0.9
"""Share of the rows that lie within the scale: a few hopeless ones must not flatten the rest."""
_LEAST_RANGE = 1.05


@dataclass(frozen=True, eq=False)
class Scene:
    """Rows of one sweep at one problem size; `knobs` are those that differ, with their values.

    `fast_ms` and `slow_ms` are the ends of the scale of times, None where nothing was timed: slower
    ones take the colour of the end. `tied` are the configs that share the first place.
    """

    rows: tuple[SweepRow, ...] = ()
    knobs: dict[str, tuple[KnobValue, ...]] = field(default_factory=dict)
    best: SweepRow | None = None
    tied: frozenset[Config] = frozenset()
    current: Config = field(default_factory=Config)
    fast_ms: float | None = None
    slow_ms: float | None = None

    @property
    def timed(self) -> bool:
        """Whether any right config was timed."""
        return self.fast_ms is not None

    def speed(self, time_ms: float) -> float:
        """Return where a time stands on the scale: 1 the fastest, 0 the slow end and beyond."""
        if self.fast_ms is None or self.slow_ms is None or self.slow_ms <= self.fast_ms:
            return 1.0
        share = math.log(self.slow_ms / time_ms) / math.log(self.slow_ms / self.fast_ms)
        return min(max(share, 0.0), 1.0)

    def is_current(self, config: Config) -> bool:
        """Tell whether the sliders stand at a config."""
        if config == self.current:
            return True
        if len(config.values) != len(self.current.values):
            return False
        return config.as_dict() == self.current.as_dict()

    def label(self, config: Config) -> str:
        """Return the values of the knobs that differ."""
        chosen = Config(tuple(pair for pair in config.values if pair[0] in self.knobs))
        return (chosen if chosen.values else config).label()

    def loss_text(self, time_ms: float) -> str:
        """Return how much slower than the best a time is, as `+3.1 %`, `best`, or `2.4×`."""
        best_ms = self.best.median_ms if self.best is not None else None
        if not best_ms:
            return ""
        return ratio_words(time_ms / best_ms)


def scene(
    rows: Sequence[SweepRow], result: SweepResult | None, current: Config
) -> Scene:  # fmt: skip
    """Return the scene of rows that came so far, and of the result where it is there."""
    rows = comparable(rows)
    best = result.best if result is not None else fastest(rows)
    if best is not None:
        best = next((row for row in rows if row.config == best.config), best)
    values = knob_values(rows)
    moved = {name: each for name, each in values.items() if len(each) > 1}
    times = sorted(ms for row in rows if (ms := time_of(row)) is not None)
    fast = slow = None
    if times:
        fast = times[0]
        at = min(round(_SLOW_SHARE * (len(times) - 1)), len(times) - 1)
        slow = max(times[at], fast * _LEAST_RANGE)
    tied = frozenset(row.config for row in rows if row.place == 1 and row.status == "correct")
    return Scene(
        tuple(rows), moved or values, best, tied if len(tied) > 1 else frozenset(), current, fast,
        slow,
    )  # fmt: skip


def ratio_words(ratio: float) -> str:
    """Return a ratio of times to the best as people say it: `+3.1 %`, from twice on `2.4×`."""
    if ratio < 1.0005:
        return "best"
    if ratio >= 2:
        return f"{ratio:.1f}×" if ratio < 9.95 else f"{ratio:.0f}×"
    share = (ratio - 1) * 100
    return f"+{share:.1f} %" if share < 9.95 else f"+{share:.0f} %"


def row_words(row: SweepRow, shown: Scene) -> str:
    """Return a row in a few lines, for tooltips: its values, its time, or why it has none."""
    lines = [shown.label(row.config)]
    if row.median_ms is not None:
        text = time_text(row.median_ms, 4)
        if row.low_ms is not None and row.high_ms is not None:
            text += f" (95 % {interval_text(row.low_ms, row.high_ms)})"
        if row.status == "correct" and row is not shown.best:
            text += f", {shown.loss_text(row.median_ms)}"
        lines.append(text)
    status = STATUS[row.status][0]
    if row.confirmed:
        status += ", timed in turns among the fastest"
    elif row.screened:
        status += ", timing cut short: far from the best"
    if row.config in shown.tied:
        status += f"; tied with {len(shown.tied) - 1} for the first place"
    elif row is shown.best:
        status += "; the best"
    if row.proved:
        status += "; right on other inputs as well"
    lines.append(status + (f": {row.reason}" if row.reason else ""))
    parts = []
    if row.registers is not None:
        parts.append(f"{row.registers} registers")
    if row.spill_bytes:
        parts.append(f"{bytes_text(row.spill_bytes)} spilled")
    if row.shared_bytes is not None:
        parts.append(f"{bytes_text(row.shared_bytes)} shared")
    if row.programs_per_sm is not None:
        parts.append(f"{row.programs_per_sm} programs an SM")
    if parts:
        lines.append(", ".join(parts))
    if row.device and len({each.device for each in shown.rows if each.device}) > 1:
        lines.append(f"on {row.device}, its time put on one scale with the others")
    if shown.is_current(row.config):
        lines.append("the sliders stand here")
    return "\n".join(lines)


def speed_colour(theme: Theme, speed: float) -> QColor:
    """Return the colour of a speed in [0, 1]; the slow end stands out from either ground."""
    from PySide6.QtGui import QColor

    entries = theme.sequential_colormap(256)
    return QColor(*entries[round(255 * min(max(speed, 0.0), 1.0))])


def sizes_words(sizes: Sizes) -> str:
    """Return problem sizes as short as they are said: `m=n=k=1024`."""
    names: dict[int, list[str]] = {}
    for name, value in sizes:
        names.setdefault(value, []).append(name)
    return " ".join(f"{'='.join(each)}={size_text(value)}" for value, each in names.items())


def value_words(value: KnobValue) -> str:
    """Return a knob's value as short as it is said."""
    text = value_text(value) or "''"
    return text.removeprefix("tl.")
