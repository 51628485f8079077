"""A sweep at several problem sizes: the best at each, one best for all, and who loses how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from playground.model.problem_sizes import size_text
from playground.model.sweep_sizes import SizedSweep, compromises
from playground.ui.views.formatting import time_text
from playground.ui.views.sweep_picture import SweepPicture, ink_on
from playground.ui.views.sweep_scene import (
    Scene,
    ratio_words,
    row_words,
    sizes_words,
    speed_colour,
    value_words,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from playground.model.config import Config
    from playground.model.sweep import SweepRow
    from playground.model.sweep_sizes import Compromise
    from playground.ui.theme import Theme

_MOST = 10
_WORST_SHOWN = 1.5
"""A loss from which on the colour is that of the slow end."""


@dataclass(frozen=True)
class Candidate:
    """A config worth a row: why, its geometric mean and worst loss, and its row at each size."""

    titles: tuple[str, ...]
    config: Config
    found: Compromise | None
    rows: tuple[SweepRow | None, ...]
    losses: tuple[float | None, ...]


def candidates(sweeps: Sequence[SizedSweep]) -> tuple[Candidate, ...]:
    """Return the best on average, the best in the worst case, each size's best, and the next few.

    One best for all comes first; a config that is several of them is one row.
    """
    ordered = compromises(sweeps)
    by_config = {item.config: item for item in ordered}
    titles: dict[Config, list[str]] = {}
    if ordered:
        titles.setdefault(ordered[0].config, []).append("best on average")
        worst = min(ordered, key=lambda item: item.worst[1])
        titles.setdefault(worst.config, []).append("best in the worst case")
    for sweep in sweeps:
        if sweep.result.best is not None:
            titles.setdefault(sweep.result.best.config, []).append(
                f"best at {sizes_words(sweep.sizes)}"
            )
    for item in ordered:
        if len(titles) >= _MOST:
            break
        titles.setdefault(item.config, [])
    bests = [min(sweep.times_ms().values(), default=None) for sweep in sweeps]
    found = []
    for config, names in titles.items():
        rows = [
            next((row for row in sweep.result.rows if row.config == config), None)
            for sweep in sweeps
        ]
        losses = [
            row.median_ms / best
            if row is not None and row.status == "correct" and row.median_ms and best
            else None
            for row, best in zip(rows, bests, strict=True)
        ]
        found.append(
            Candidate(tuple(names), config, by_config.get(config), tuple(rows), tuple(losses))
        )
    return tuple(found)


class SizesPicture(SweepPicture):
    """A row a config, a column a size: each cell what the size loses under the config."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("sweep.sizes", "Configs over problem sizes", theme, parent)
        self._sweeps: tuple[SizedSweep, ...] = ()
        self.candidates: tuple[Candidate, ...] = ()
        self._moved: tuple[str, ...] = ()

    def show_sweeps(self, sweeps: Sequence[SizedSweep], scene: Scene) -> None:
        """Draw the sweeps of all sizes that have ended."""
        if tuple(sweeps) != self._sweeps:
            self._sweeps = tuple(sweeps)
            self.candidates = candidates(self._sweeps)
        self._moved = tuple(name for name in scene.knobs if all(
            name in candidate.config for candidate in self.candidates))  # fmt: skip
        line = self.fontMetrics().height()
        self.setMinimumHeight(round((2.4 + 2.3 * len(self.candidates)) * line))
        self.setAccessibleDescription(self.summary())
        self.show_scene(scene)

    def summary(self) -> str:
        """Return the one best for all in a line."""
        first = next((one for one in self.candidates if "best on average" in one.titles), None)
        if first is None or first.found is None:
            return "No config was right and timed at every size"
        sizes, loss = first.found.worst
        if first.found.mean < 1.0005:
            return f"One best for all sizes, without loss at any: {self._short(first.config)}"
        return (
            f"One best for all: {self._short(first.config)}, "
            f"{(first.found.mean - 1) * 100:.1f} % slower than each size's own best on average "
            f"(geometric mean), {(loss - 1) * 100:.1f} % at {sizes_words(sizes)}, the worst"
        )

    def _short(self, config: Config) -> str:
        return " ".join(f"{name}={value_words(config[name])}" for name in self._moved)

    # ------------------------------------------------------------------------------ places

    def _columns(self) -> list[float]:
        """Return the left edges of the columns: the sizes', then mean and worst, and the end."""
        line = self.fontMetrics().height()
        count = len(self._sweeps) + 2
        left = min(max(self.width() * 0.42, 14 * line), self.width() - count * 3 * line)
        left = max(left, 6.0 * line)
        width = (self.width() - left - 0.5 * line) / count
        return [left + i * width for i in range(count + 1)]

    def _cell(self, row: int, column: int) -> QRectF:
        line, edges = self.fontMetrics().height(), self._columns()
        top = 1.9 * line + row * 2.3 * line
        return QRectF(edges[column], top, edges[column + 1] - edges[column], 2.3 * line).adjusted(
            1.5, 1.5, -1.5, -1.5
        )

    def _at(self, place: QPointF) -> tuple[Candidate, int] | None:
        for i, candidate in enumerate(self.candidates):
            top = self._cell(i, 0)
            if top.top() - 2 <= place.y() <= top.bottom() + 2:
                inside = [
                    j for j in range(len(self._sweeps) + 2) if self._cell(i, j).contains(place)
                ]
                return candidate, inside[0] if inside else -1
        return None

    def row_at(self, place: QPointF) -> SweepRow | None:
        """Return the row of a config at a size; beside the cells that of any size."""
        found = self._at(place)
        if found is None:
            return None
        candidate, column = found
        if 0 <= column < len(candidate.rows):
            return candidate.rows[column]
        return next((row for row in candidate.rows if row is not None), None)

    def rows_in_order(self) -> list[SweepRow]:
        """Return one row of every config shown."""
        return [row for one in self.candidates if (row := next(
            (each for each in one.rows if each is not None), None)) is not None]  # fmt: skip

    def words_at(self, place: QPointF) -> str:
        """Return a config's figures at a size."""
        found = self._at(place)
        if found is None:
            return ""
        candidate, column = found
        if 0 <= column < len(candidate.rows):
            row, loss = candidate.rows[column], candidate.losses[column]
            where = sizes_words(self._sweeps[column].sizes)
            if row is None:
                return f"{self._short(candidate.config)}\nnot tried at {where}"
            against = f"at {where}: {ratio_words(loss)}\n" if loss is not None else f"at {where}\n"
            return against + row_words(
                row, Scene(knobs=self.scene.knobs, current=self.scene.current)
            )
        titles = ", ".join(candidate.titles)
        return f"{candidate.config.label()}\n{titles}".strip()

    # ------------------------------------------------------------------------------ drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the matrix."""
        if not self.candidates:
            self.say(painter, "Problem sizes are compared here as soon as the first have ended")
            return
        theme, line = self.theme, self.fontMetrics().height()
        edges = self._columns()
        painter.setFont(self.small_font())
        painter.setPen(theme.color("muted"))
        heads = [*map(_head, self._sweeps), "mean", "worst"]
        names = [name for name, _ in self._sweeps[0].sizes] if self._sweeps else []
        equal = all(len({value for _, value in sweep.sizes}) == 1 for sweep in self._sweeps)
        knobs = ", ".join(self._moved)
        caption = f"{knobs} over {('=' if equal else ', ').join(names)}"
        painter.drawText(
            QRectF(0.6 * line, 0.3 * line, edges[0] - 1.2 * line, 1.4 * line),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            painter.fontMetrics().elidedText(
                caption, Qt.TextElideMode.ElideMiddle, round(edges[0] - 1.2 * line)
            ),
        )  # fmt: skip
        for j, head in enumerate(heads):
            width = edges[j + 1] - edges[j]
            text = painter.fontMetrics().elidedText(head, Qt.TextElideMode.ElideMiddle,
                                                    round(width - 4))  # fmt: skip
            painter.drawText(QRectF(edges[j], 0.3 * line, width, 1.4 * line),
                             Qt.AlignmentFlag.AlignCenter, text)  # fmt: skip
        for i, candidate in enumerate(self.candidates):
            self._draw_name(painter, i, candidate)
            for j, loss in enumerate(candidate.losses):
                row = candidate.rows[j]
                below = time_text(row.median_ms) if row is not None and row.median_ms else ""
                self._draw_loss(painter, self._cell(i, j), loss, below)
            found = candidate.found
            for j, loss in enumerate((found.mean, found.worst[1]) if found else (None, None)):
                self._draw_loss(painter, self._cell(i, len(self._sweeps) + j), loss, "")

    def _draw_name(self, painter: QPainter, index: int, candidate: Candidate) -> None:
        theme, line = self.theme, self.fontMetrics().height()
        cell = self._cell(index, 0)
        room = QRectF(0.6 * line, cell.top(), cell.left() - 1.2 * line, cell.height())
        if self.hovered is not None and self.hovered.config == candidate.config:
            ground = QColor(theme.color("hover"))
            painter.fillRect(QRectF(0, cell.top(), cell.left(), cell.height()), ground)
        if self.scene.is_current(candidate.config):
            painter.fillRect(QRectF(0, cell.top(), 0.25 * line, cell.height()),
                             theme.color("plot_2"))  # fmt: skip
        metrics = painter.fontMetrics()
        half = room.height() / 2
        both = bool(candidate.titles)
        painter.setPen(theme.color("text"))
        name = self._short(candidate.config)
        if metrics.horizontalAdvance(name) > room.width():
            # The knobs stand in the caption then.
            name = ", ".join(value_words(candidate.config[knob]) for knob in self._moved)
        name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, round(room.width()))
        upper = QRectF(room.left(), room.top(), room.width(), half if both else room.height())
        flags = Qt.AlignmentFlag.AlignLeft
        side = Qt.AlignmentFlag.AlignBottom if both else Qt.AlignmentFlag.AlignVCenter
        painter.drawText(upper, flags | side, name)
        if both:
            painter.setPen(theme.color("good"))
            titles = metrics.elidedText(", ".join(candidate.titles), Qt.TextElideMode.ElideRight,
                                        round(room.width()))  # fmt: skip
            lower = QRectF(room.left(), room.top() + half, room.width(), half)
            painter.drawText(lower, flags | Qt.AlignmentFlag.AlignTop, titles)

    def _draw_loss(self, painter: QPainter, at: QRectF, loss: float | None, below: str) -> None:
        if loss is None:
            painter.setPen(QPen(self.theme.color("border"), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(at, 3, 3)
            return
        speed = 1 - min((loss - 1) / (_WORST_SHOWN - 1), 1.0)
        ground = speed_colour(self.theme, speed)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(at, 3, 3)
        ink = ink_on(ground)
        painter.setPen(ink)
        metrics = painter.fontMetrics()
        words = ratio_words(loss)
        if below and metrics.horizontalAdvance(below) < at.width() - 4:
            half = at.height() / 2
            middle = Qt.AlignmentFlag.AlignHCenter
            upper = QRectF(at.left(), at.top(), at.width(), half + 1)
            painter.drawText(upper, middle | Qt.AlignmentFlag.AlignBottom, words)
            ink.setAlphaF(0.78)
            painter.setPen(ink)
            lower = QRectF(at.left(), at.top() + half, at.width(), half)
            painter.drawText(lower, middle | Qt.AlignmentFlag.AlignTop, below)
        else:
            painter.drawText(at, Qt.AlignmentFlag.AlignCenter, words)


def _head(sweep: SizedSweep) -> str:
    values = dict.fromkeys(value for _, value in sweep.sizes)
    return " × ".join(map(size_text, values))
