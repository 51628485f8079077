"""Two sweeps as points, before across and after upwards; and what they come to in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip

from playground.model.sweep_compare import ConfigChange, counts_text
from playground.ui.views.formatting import ratio_text, time_text
from playground.ui.views.log_axis import ReadableAxis
from playground.ui.views.plot_style import DrawnPlot
from playground.ui.views.sweep_past import when_text
from playground.ui.views.sweep_scene import value_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from playground.model.config import Config
    from playground.model.past_sweep import PastSweep
    from playground.model.sweep_compare import Change, SweepComparison
    from playground.ui.theme import Theme
    from playground.ui.views.marks import Tone

_LOOKS: dict[Change, tuple[Tone, str]] = {
    "faster": ("good", "t1"), "slower": ("bad", "t"), "same": ("muted", "o"),
    "unsure": ("muted", "d"),
}  # fmt: skip


class ComparePlot(DrawnPlot):
    """Times of both sweeps, log by log; on the diagonal nothing changed. `configPicked` picks."""

    configPicked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._xs = ReadableAxis("bottom", lambda value: time_text(value))
        self._ys = ReadableAxis("left", lambda value: time_text(value))
        super().__init__(
            "sweep.comparePlot", "Times of two sweeps", theme, parent,
            {"left": self._ys, "bottom": self._xs},
        )  # fmt: skip
        self._found: SweepComparison | None = None
        self._names: tuple[str, ...] = ()
        self._titles = ("before", "after")
        self.recolour()

    def show_comparison(
        self, found: SweepComparison | None, names: tuple[str, ...], titles: tuple[str, str]
    ) -> None:
        """Draw another comparison; `names` are the knobs that tooltips tell."""
        self._found, self._names, self._titles = found, names, titles
        self.redraw()

    def draw(self) -> None:
        """Draw what is shown."""
        self.label_axes(self._titles[1], self._titles[0])
        changes = [item for item in self._found.changes if item.ratio] if self._found else []
        if not changes:
            return
        times = [_times(item) for item in changes]
        low = math.log10(min(min(pair) for pair in times))
        high = math.log10(max(max(pair) for pair in times))
        room = max((high - low) * 0.05, 0.01)
        self.setXRange(low - room, high + room, padding=0)
        self.setYRange(low - room, high + room, padding=0)
        ends = [low - room, high + room]
        self.item.plot(ends, ends, pen=self.pen("muted", 1.0, dashed=True))
        size = self.fontMetrics().height() * 0.6
        self.points = pg.ScatterPlotItem(hoverable=True, hoverPen=self.pen("text", 1.6), tip=None)
        winner = self._found.winner if self._found else None
        # Those that changed lie on top of those that did not.
        order = sorted(range(len(changes)), key=lambda i: changes[i].change in ("faster", "slower"))
        self.points.setData([
            {
                "pos": (math.log10(times[i][0]), math.log10(times[i][1])), "data": changes[i],
                "symbol": _LOOKS[changes[i].change][1],
                "size": size * (1.7 if winner is not None and changes[i].config in (
                    winner.before, winner.after) else 1.0),
                "brush": self.tint(_LOOKS[changes[i].change][0], 0.85),
                "pen": pg.mkPen(self.theme.color("plot_background"), width=0.8),
            }
            for i in order
        ])  # fmt: skip
        self.points.sigHovered.connect(self._on_hover)
        self.points.sigClicked.connect(self._on_click)
        self.item.addItem(self.points)
        if self._found is not None:
            self.setAccessibleDescription(counts_text(self._found.changes))

    def _on_hover(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            QToolTip.showText(QCursor.pos(), change_words(points[0].data(), self._names), self)
        else:
            QToolTip.hideText()

    def _on_click(self, _item: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            self.configPicked.emit(points[0].data().config)


def sweep_words(sweep: PastSweep) -> str:
    """Return a past sweep in one line."""
    return f"{sweep.number}: {when_text(sweep.started)}, {sweep.title}, {sweep.machine()}"


def comparison_words(
    found: SweepComparison, before: PastSweep, after: PastSweep
) -> tuple[str, str, str]:
    """Return in a line each what changed, who won, and how far the ranking holds."""
    counts = counts_text(found.changes)
    if found.mean is not None:
        counts += f"; {ratio_text(found.mean)} on average over {found.timed} timed in both"
    winner = found.winner
    names = moved_knobs([item.config for item in found.changes])
    if winner is None:
        won = "No winner in one of them: nothing was right and timed"
    else:
        against = f" {ratio_text(winner.ratio)}" if winner.ratio is not None else ""
        if winner.is_same:
            won = f"The same winner{against}: {_label(winner.before, names)}"
        else:
            loss = ""
            if winner.loss is not None:
                loss = f", keeping the old one costs {(winner.loss - 1) * 100:.1f} %"
            won = (f"Winner against winner{against}{loss}: {_label(winner.before, names)} → "
                   f"{_label(winner.after, names)}")  # fmt: skip
    order = ""
    if found.order_kept is not None:
        order = f"{found.order_kept * 100:.0f} % of pairs stand in the same order"
        if before.gpu != after.gpu:
            order += "; times of different GPUs are not ranked against each other"
    return counts, won, order


def change_words(item: ConfigChange, names: tuple[str, ...]) -> str:
    """Return one config's change in a few lines."""
    before, after = _times(item)
    lines = [_label(item.config, names), f"{time_text(before, 4)} → {time_text(after, 4)}"]
    if item.ratio is not None and item.low is not None and item.high is not None:
        interval = f"{ratio_text(item.low)} to {ratio_text(item.high)}"
        lines.append(f"{item.change}: {ratio_text(item.ratio)} (95 % {interval})")
    return "\n".join(lines)


def _times(item: ConfigChange) -> tuple[float, float]:
    one = item.before.median_ms if item.before is not None else None
    other = item.after.median_ms if item.after is not None else None
    return one or 1.0, other or 1.0


def moved_knobs(configs: list[Config]) -> tuple[str, ...]:
    """Return the knobs that differ among configs; all of them where none does."""
    names = list(configs[0]) if configs else []
    return tuple(
        name for name in names if len({repr(c.as_dict().get(name)) for c in configs}) > 1
    ) or tuple(names)


def _label(config: Config, names: tuple[str, ...]) -> str:
    return " ".join(f"{n}={value_words(v)}" for n, v in config.values if n in names)
