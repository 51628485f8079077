"""What a curve is to be drawn over: ranges of problem sizes, and lines."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol, get_args

from PySide6.QtCore import QObject, Signal

from playground.model.curve import Axis, AxisError, Line, Spacing, axis, names_of, tied
from playground.model.problem_sizes import SizeError, around, parse_size, size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.model.curve import OwnBenchmark
    from playground.ui.document import Document

MOST_POINTS = 2000
MOST_EXPRESSIONS = 12
DEFAULT_COUNT = 12
POINT_BUDGETS_MS = (20.0, 50.0, 100.0, 200.0, 500.0)
"""Measuring times of a point that can be chosen."""
_MOST_TIES = 4
"""Problem sizes up to which every choice of those that move together is offered."""


@dataclass(frozen=True)
class AxisChoice:
    """A range as it is typed, of one problem size or of several that move together.

    `count` is for `linear` and `log`.
    """

    name: str = ""
    low: str = ""
    high: str = ""
    spacing: Spacing = "powers of two"
    count: int = DEFAULT_COUNT

    def axis(self) -> Axis:
        """Return the sizes; raises `SizeError` or `AxisError` with what is wrong."""
        return axis(
            self.name, parse_size(self.low), parse_size(self.high), self.count, self.spacing
        )

    @classmethod
    def of(cls, stored: object) -> AxisChoice | None:
        """Return the choice that `asdict` made a table of, or None where it is none."""
        if not isinstance(stored, dict) or stored.get("spacing") not in get_args(Spacing):
            return None
        count = stored.get("count")
        return cls(
            str(stored.get("name", "")), str(stored.get("low", "")), str(stored.get("high", "")),
            stored["spacing"], count if isinstance(count, int) else DEFAULT_COUNT,
        )  # fmt: skip


class SetupStore(Protocol):
    """Where what was chosen for a file is kept between sessions."""

    def curve_setup(self, path: str) -> str:
        """Return what was kept for a file, or an empty text."""

    def set_curve_setup(self, path: str, text: str) -> None:
        """Keep what was chosen for a file."""

    def sweep_setup(self, path: str) -> str:
        """Return what was kept of a file's sweep, or an empty text."""

    def set_sweep_setup(self, path: str, text: str) -> None:
        """Keep what was swept of a file."""


@dataclass(frozen=True)
class LineOffer:
    """A line that can be drawn: `key` names it whatever its config is at the moment."""

    key: str
    title: str
    line: Line


class CurvesChoice(QObject):
    """Sizes and lines chosen for the next curve.

    `own_name` names the file's own benchmark that is drawn instead of the launch, if one is chosen.
    """

    setupChanged = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self.budget_ms = 50.0
        self._kept: dict[str, object] = {}
        self.first = AxisChoice()
        self.second: AxisChoice | None = None
        self.chosen: set[str] = {"config", "reference"}
        self.expressions: list[str] = []
        self.own: tuple[OwnBenchmark, ...] = ()
        self.own_name = ""
        document.driverChanged.connect(self._take_sizes)
        for changed in (
            document.launchSelected, document.configChanged, document.baselineChanged,
            document.outlineChanged, document.cacheChanged, document.deviceChanged,
        ):  # fmt: skip
            changed.connect(self._tell_setup)
        self._recall()

    def _tell_setup(self, _what: object = None) -> None:
        self.setupChanged.emit()

    # ------------------------------------------------------------------------------ the sizes

    def size_names(self) -> tuple[str, ...]:
        """Return the problem sizes of the driver chosen."""
        driver = self._document.driver
        return tuple(size.name for size in driver.sizes) if driver else ()

    def axis_names(self) -> tuple[str, ...]:
        """Return what an axis can be: each problem size, and those that can move together."""
        names = self.size_names()
        least = 2 if len(names) <= _MOST_TIES else len(names)
        together = [
            tied(group)
            for count in range(least, len(names) + 1)
            for group in itertools.combinations(names, count)
        ]
        return (*names, *together)

    def _take_sizes(self) -> None:
        known = set(self.size_names())
        first, second = (AxisChoice.of(self._kept.get(key)) for key in ("first", "second"))
        if known and first is not None and set(names_of(first.name)) <= known:
            # What was chosen for this file in an earlier session, now that its sizes are known.
            self.first = first
            if second is not None and set(names_of(second.name)) <= known:
                self.second = second
            del self._kept["first"]
        if not self.first.name or not set(names_of(self.first.name)) <= known:
            self.first = self.suggested(self.size_names()[0]) if known else AxisChoice()
        if self.second is not None and not set(names_of(self.second.name)) <= known:
            self.second = None
        self.setupChanged.emit()

    # ------------------------------------------------------------------------------ remembering

    def _recall(self) -> None:
        """Take what was chosen for the file in an earlier session."""
        document = self._document
        self._kept = {}
        if document.setup_store is not None and document.path:
            try:
                kept = json.loads(document.setup_store.curve_setup(document.path) or "{}")
            except ValueError:  # not what was stored: as if there were none
                kept = {}
            self._kept = kept if isinstance(kept, dict) else {}
        self.first, self.second = AxisChoice(), None
        chosen, typed = self._kept.get("chosen"), self._kept.get("expressions")
        self.chosen = {"config", "reference"}
        if isinstance(chosen, list):
            self.chosen = set(map(str, chosen))
        self.expressions = list(map(str, typed)) if isinstance(typed, list) else []
        budget = self._kept.get("budget_ms")
        self.budget_ms = float(budget) if isinstance(budget, (int, float)) and budget > 0 else 50.0
        self._take_sizes()

    def _changed_by_hand(self) -> None:
        """Keep what was chosen, and tell."""
        document = self._document
        if document.setup_store is not None and document.path:
            second = asdict(self.second) if self.second is not None else None
            kept = {
                "first": asdict(self.first), "second": second, "chosen": sorted(self.chosen),
                "expressions": self.expressions, "budget_ms": self.budget_ms,
            }  # fmt: skip
            document.setup_store.set_curve_setup(document.path, json.dumps(kept))
        self.setupChanged.emit()

    def set_budget(self, budget_ms: float) -> None:
        """Choose the measuring time of a point."""
        self.budget_ms = budget_ms
        self._changed_by_hand()

    # ------------------------------------------------------------------------------ the ranges

    def suggested(self, name: str) -> AxisChoice:
        """Return a range round the size that the driver runs with (of several, the smallest)."""
        sizes = [self._document.sizes.get(each, 1024) for each in names_of(name)]
        low, high = around(max(min(sizes, default=1024), 1))
        return AxisChoice(name, size_text(low), size_text(high))

    def set_first(self, choice: AxisChoice) -> None:
        """Choose the first size and its range; another name brings its own range."""
        self.first = choice if choice.name == self.first.name else self.suggested(choice.name)
        if self.second is not None and self.overlaps(self.second.name):
            self.second = self._other()
        self._changed_by_hand()

    def overlaps(self, name: str) -> bool:
        """Tell whether the first axis moves a problem size of `name`."""
        return bool(set(names_of(name)) & set(names_of(self.first.name)))

    def set_second(self, choice: AxisChoice | None) -> None:
        """Choose the second size and its range, or none."""
        before = self.second.name if self.second else ""
        if choice is not None and self.overlaps(choice.name):
            choice = self._other()
        elif choice is not None and choice.name != before:
            choice = self.suggested(choice.name)
        self.second = choice
        self._changed_by_hand()

    def can_have_second(self) -> bool:
        """Tell whether the first axis leaves a problem size to a second one."""
        return any(not self.overlaps(name) for name in self.size_names())

    def add_second(self) -> None:
        """Choose a second size: the first one that the first axis does not move."""
        self.set_second(self._other())

    def _other(self) -> AxisChoice | None:
        name = next((name for name in self.size_names() if not self.overlaps(name)), None)
        return self.suggested(name) if name else None

    def axes(self) -> tuple[Axis, ...]:
        """Return the sizes to time; raises `SizeError` or `AxisError` with what is wrong."""
        if (own := self.chosen_own()) is not None:
            return own.axes
        choices = [self.first] if self.second is None else [self.first, self.second]
        axes = tuple(choice.axis() for choice in choices)
        points = math.prod(len(item.values) for item in axes) * max(len(self.chosen_lines()), 1)
        if points > MOST_POINTS:
            raise AxisError(f"{points} points are too many: up to {MOST_POINTS} are timed")
        return axes

    def wrong(self) -> str:
        """Return why nothing can be drawn, or an empty text."""
        document = self._document
        device = document.device
        if device is not None and device.mode == "interpreter":
            return "there is no GPU here: the interpreter's time says nothing to draw"
        if document.launch is None:
            return "run the file first"
        if self.own_name:
            return "" if self.chosen_own() else f"the file has no benchmark {self.own_name} now"
        if not self.size_names():
            return "the driver has no problem size"
        if not self.chosen_lines():
            return "choose at least one line"
        try:
            self.axes()
        except (SizeError, AxisError) as error:
            return str(error)
        return ""

    def points(self) -> int:
        """Return how many points the choice has, 0 where it can't be drawn."""
        if self.wrong():
            return 0
        if (own := self.chosen_own()) is not None:
            return own.points
        return math.prod(len(item.values) for item in self.axes()) * len(self.chosen_lines())

    # ------------------------------------------------------------------------------ the lines

    def offers(self) -> tuple[LineOffer, ...]:
        """Return the lines that can be drawn, each config once."""
        document = self._document
        launch = document.launch
        if launch is None:
            return ()
        label = document.config.label() or "as launched"
        found = [LineOffer("config", "This config", Line(label, document.config))]
        baseline = document.baseline
        if baseline is not None and baseline.launch == launch.index:
            label = baseline.config.label()
            found.append(LineOffer("baseline", "Baseline", Line(label, baseline.config)))
        if launch.config != document.config:
            label = launch.config.label()
            found.append(LineOffer("launched", "As launched", Line(label, launch.config)))
        if document.outline.has_reference:
            rival = Line("reference", expression="reference")
            found.append(LineOffer("reference", "reference", rival))
        for preset in launch.presets:
            line = Line(preset.config.label(), preset.config)
            found.append(LineOffer(f"preset:{preset.label}", f"Preset {preset.label}", line))
        for code in self.expressions:
            found.append(LineOffer(f"expression:{code}", code, Line(code, expression=code)))
        by_label: dict[str, LineOffer] = {}
        for offer in found:
            by_label.setdefault(offer.line.label, offer)
        return tuple(by_label.values())

    def chosen_lines(self) -> tuple[Line, ...]:
        """Return the lines to draw, in the order offered."""
        return tuple(offer.line for offer in self.offers() if offer.key in self.chosen)

    def choose_line(self, key: str, on: bool) -> None:
        """Draw a line of `offers`, or leave it out."""
        (self.chosen.add if on else self.chosen.discard)(key)
        self._changed_by_hand()

    def add_expression(self, code: str) -> None:
        """Offer a typed expression as a line, and choose it."""
        code = code.strip()
        if not code:
            return
        if code == "reference" and self._document.outline.has_reference:
            self.choose_line("reference", True)
            return
        self.expressions = [code, *(other for other in self.expressions if other != code)]
        for dropped in self.expressions[MOST_EXPRESSIONS:]:
            self.chosen.discard(f"expression:{dropped}")
        self.expressions = self.expressions[:MOST_EXPRESSIONS]
        self.choose_line(f"expression:{code}", True)

    def chosen_own(self) -> OwnBenchmark | None:
        """Return the file's own benchmark that is chosen, or None for the launch."""
        return next((item for item in self.own if item.name == self.own_name), None)

    def choose_own(self, name: str) -> None:
        """Draw the file's own benchmark of that name; an empty one means the launch."""
        if name != self.own_name:
            self.own_name = name
            self.setupChanged.emit()


def labels_short(lines: Sequence[Line]) -> dict[str, str]:
    """Return what tells each line from the others: knobs that all configs share are left out."""
    configs = [line.config.as_dict() for line in lines if line.config is not None]
    names = {name for config in configs for name in config}
    varying = {
        name for name in names if len({repr(config.get(name)) for config in configs}) > 1
    }  # fmt: skip
    found: dict[str, str] = {}
    for line in lines:
        if line.config is None:
            found[line.label] = line.expression
            continue
        parts = [f"{name}={value}" for name, value in line.config.values if name in varying]
        found[line.label] = " ".join(parts) or line.label
    return found
