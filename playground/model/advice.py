"""Advice: what an expert would say of a launch, in the order of a five-point checklist.

Every piece carries its evidence, what acting on it should gain, and where possible something to
try. Where nothing is known nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from playground.model.comparison import Comparison
from playground.model.config import Config, label
from playground.model.knobs import KnobValue

Topic = Literal[
    "slips", "memory access", "arithmetic intensity", "parallelism", "resources", "instructions"
]
TOPICS: tuple[Topic, ...] = (
    "slips", "memory access", "arithmetic intensity", "parallelism", "resources", "instructions",
)  # fmt: skip
"""The checklist in its order; what is wrong in the text itself comes before its five points."""

Source = Literal["source", "launch", "counted", "compiled", "measured", "data sheet", "assumed"]
"""Where a figure comes from; `assumed` is a constant of the model, named in its formula."""

CHANCE = 1.05
"""A try is worth offering from this expected gain on."""


@dataclass(frozen=True)
class Evidence:
    """One figure that advice rests on: `value` in `unit`, or only `text` where it is no number."""

    text: str
    value: float | None = None
    unit: str = ""
    source: Source = "counted"

    def words(self) -> str:
        """Return the figure with its unit, as `bytes moved in all: 16.8 MB`."""
        return self.text if self.value is None else f"{self.text}: {amount(self.value, self.unit)}"


def amount(value: float, unit: str) -> str:
    """Return a number with its unit: bytes and operations with a prefix, shares in per cent."""
    if unit == "share":
        return f"{value:.0%}"
    if unit in ("B", "FLOP"):
        for prefix in ("", "k", "M", "G"):
            if abs(value) < 1000:
                return f"{value:.3g} {prefix}{unit}"
            value /= 1000
        return f"{value:.3g} T{unit}"
    whole = f"{value:,.0f}" if value == int(value) or value >= 1000 else f"{value:.3g}"
    return f"{whole} {unit}".strip()


@dataclass(frozen=True)
class ExpectedGain:
    """The time now over the time expected afterwards: 2.0 is twice as fast.

    `saved_ms` is that in time, where the time now is known; `formula` says with figures how it was
    worked out. `measured` tells whether the time now was measured; the time afterwards never is.
    `below_roof` is the factor before it was held against the roof, None where it was not.
    """

    factor: float
    formula: str
    saved_ms: float | None = None
    measured: bool = False
    below_roof: float | None = None

    def text(self) -> str:
        """Return `up to 1.9 × faster (saves 12.1 µs), expected, not measured`."""
        from playground.model.roofline import duration

        saved = f" (saves {duration(self.saved_ms)})" if self.saved_ms else ""
        return f"up to {self.factor:.3g} × faster{saved}, expected, not measured"


@dataclass(frozen=True)
class LineEdit:
    """Replace the lines `before`, the first of them number `line` (from 1), by `after`."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Try:
    """Something that can be tried at once: values of knobs, or a change of the file's text."""

    label: str
    values: tuple[tuple[str, KnobValue], ...] = ()
    edits: tuple[LineEdit, ...] = ()
    gain: ExpectedGain | None = None

    def config(self, before: Config) -> Config:
        """Return `before` with this try's values."""
        return before.updated(dict(self.values))

    def text(self, before: str) -> str:
        """Return the file's text with this try's changes.

        Raises
        ------
        StaleTryError
            The lines to be replaced are no longer there.
        """
        return edited(before, self.edits)


class StaleTryError(ValueError):
    """The text was edited since the advice was given: ask for advice again."""


@dataclass(frozen=True)
class Advice:
    """One thing to do about a launch.

    `cause` is a short name that stays the same over versions (`spills`, `uncoalesced`); `message`
    says what is the case, `remedy` what to write. `notes` say what it does not know.
    """

    topic: Topic
    cause: str
    message: str
    remedy: str
    evidence: tuple[Evidence, ...] = ()
    gain: ExpectedGain | None = None
    tries: tuple[Try, ...] = ()
    file: str | None = None
    line: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def weight(self) -> tuple[float, float]:
        """What it is ranked by: the expected gain; a slip makes results wrong and goes first.

        Of several that would all reach the roof, the one whose cause alone takes longest leads.
        """
        if self.topic == "slips":
            return float("inf"), 0.0
        if self.gain is None:
            return 1.0, 1.0
        return self.gain.factor, self.gain.below_roof or self.gain.factor


@dataclass(frozen=True)
class Answer:
    """The checklist's answer to one of its points: the figures that were looked at, in words."""

    topic: Topic
    text: str


@dataclass(frozen=True)
class Advisory:
    """All advice on one launch under one config, for one target.

    `items` are in the checklist's order; `answers` has one for every point. `time_ms` is the time
    now and `floor_ms` the least that the ceilings allow (None where unknown); `measured` tells
    whether `time_ms` was measured on a GPU or follows from figures alone. `missing` says which
    evidence there was none of, and why.
    """

    launch: int
    config: Config
    kernel: str
    target: str
    items: tuple[Advice, ...]
    answers: tuple[Answer, ...]
    time_ms: float | None = None
    floor_ms: float | None = None
    measured: bool = False
    missing: tuple[str, ...] = ()

    @property
    def first(self) -> Advice | None:
        """What to do first: a slip, else what promises most; None where there is no advice."""
        return max(self.items, key=lambda item: item.weight, default=None)

    def text(self) -> str:
        """Return the advice in a few lines: what to start with, then all of it in order."""
        first = self.first
        lines = [f"{self.kernel} under {self.config.label()}, for {self.target}"]
        if first is None:
            lines.append("nothing to say: no figure speaks for a change")
        for item in self.items:
            gain = f" ({item.gain.text()})" if item.gain is not None else ""
            start = "* " if item is first else "  "
            lines.append(f"{start}{item.topic}: {item.message}{gain}")
            lines.append(f"    {item.remedy}")
            lines += [f"    try {attempt.label}" for attempt in item.tries]
        return "\n".join([*lines, *self.missing])

    def of(self, topic: Topic) -> tuple[Advice, ...]:
        """Return the advice on one point of the checklist."""
        return tuple(item for item in self.items if item.topic == topic)


@dataclass(frozen=True)
class TryResult:
    """What came of a try: the paired comparison with what was before, or why there is none.

    `comparison` is after against before. Without a GPU there is none: `note` says so, and what was
    found without a clock.
    """

    attempt: Try
    comparison: Comparison | None
    status: Literal["measured", "not measured", "wrong", "failed"]
    note: str = ""

    @property
    def gain(self) -> float | None:
        """The time before over the time after, None where it was not measured."""
        return 1 / self.comparison.ratio if self.comparison is not None else None

    def text(self) -> str:
        """Return the result in one line."""
        if self.comparison is None:
            return f"{self.attempt.label}: {self.note}"
        return f"{self.attempt.label}: {gained(self.comparison)}"


def gained(comparison: Comparison) -> str:
    """Return `2.31 × faster (2.28 to 2.33)` for after against before."""
    fast, low, high = 1 / comparison.ratio, 1 / comparison.high, 1 / comparison.low
    if comparison.verdict in ("same", "unsure"):
        word = "no difference" if comparison.verdict == "same" else "unsure: measure more"
        return f"{word} ({fast:.3f} ×, 95 % interval {low:.3f} to {high:.3f})"
    if comparison.verdict == "slower":
        return f"{1 / fast:.3g} × slower (95 % interval {1 / high:.3g} to {1 / low:.3g})"
    return f"{fast:.3g} × faster (95 % interval {low:.3g} to {high:.3g})"


def try_label(values: tuple[tuple[str, KnobValue], ...]) -> str:
    """Return what setting these knobs is called."""
    return label({name: "none" if value is None else value for name, value in values})


def line_edits(before: str, after: str) -> tuple[LineEdit, ...]:
    """Return the lines by which two texts differ."""
    import difflib

    old, new = before.split("\n"), after.split("\n")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        LineEdit(first + 1, tuple(old[first:last]), tuple(new[start:end]))
        for tag, first, last, start, end in matcher.get_opcodes()
        if tag != "equal"
    )


def edited(text: str, edits: tuple[LineEdit, ...]) -> str:
    """Return `text` with lines replaced; raises `StaleTryError` where they are not there."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda item: -item.line):
        first = edit.line - 1
        if tuple(lines[first : first + len(edit.before)]) != edit.before:
            raise StaleTryError(
                f"line {edit.line} was edited since the advice was given: ask for advice again"
            )
        lines[first : first + len(edit.before)] = edit.after
    return "\n".join(lines)


def capped(gain: ExpectedGain, time_ms: float | None, floor_ms: float | None) -> ExpectedGain:
    """Return a gain that promises no more than the roof allows."""
    if not time_ms or not floor_ms:
        return gain
    most = max(time_ms / floor_ms, 1.0)
    if gain.factor <= most:
        return replace(gain, saved_ms=time_ms * (1 - 1 / gain.factor))
    return replace(
        gain, factor=most, saved_ms=time_ms - time_ms / most, below_roof=gain.factor,
        formula=f"{gain.formula}; the roof allows no more than {most:.3g} ×",
    )  # fmt: skip
