"""What a measurement says against the baseline, and whether that means anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playground.ui.views.formatting import change_text, floor_text, method_text, time_text
from playground.ui.views.samples_plot import FEW_SAMPLES

if TYPE_CHECKING:
    from playground.model.measurement import Measurement
    from playground.ui.views.marks import Mark, Tone

Meaning = Literal["faster", "slower", "overlap", "noise", "few"]


@dataclass(frozen=True)
class Delta:
    """A measurement's median over the baseline's, with bounds from both intervals."""

    ratio: float
    low: float
    high: float
    meaning: Meaning
    text: str
    tip: str

    @property
    def tone(self) -> Tone:
        """Good or bad where something is claimed."""
        return {"faster": "good", "slower": "bad"}.get(self.meaning, "muted")  # type: ignore[return-value]

    @property
    def mark(self) -> Mark:
        """The sign beside the text: colour is never the only difference."""
        return {"faster": "check", "slower": "warning"}.get(self.meaning, "none")  # type: ignore[return-value]


def comparable(measurement: Measurement | None, baseline: Measurement | None) -> bool:
    """Tell whether the two are times of the same kind: same launch, clock family and cache mode."""
    if measurement is None or baseline is None or measurement.launch != baseline.launch:
        return False
    same = (baseline.source == "interpreter") == (measurement.source == "interpreter")
    return same and baseline.cache == measurement.cache


def delta(measurement: Measurement, baseline: Measurement, floor: float | None) -> Delta:
    """Return what `measurement` says against `baseline`; under the `floor` it says nothing."""
    low_ms, high_ms = measurement.interval_ms
    base_low_ms, base_high_ms = baseline.interval_ms
    ratio = measurement.median_ms / baseline.median_ms
    few = min(len(measurement.samples_ms), len(baseline.samples_ms)) < FEW_SAMPLES
    meaning: Meaning = "faster" if ratio < 1 else "slower"
    why = ""
    if few:
        meaning, why = "few", "too few samples to tell"
    elif floor is not None and abs(ratio - 1) <= floor:
        meaning, why = "noise", "under the noise floor: means nothing"
    elif low_ms <= base_high_ms and high_ms >= base_low_ms:
        meaning, why = "overlap", "intervals overlap"
    known = (
        f"On this machine the launch differs from itself by up to {floor_text(floor)}"
        if floor is not None
        else "The noise floor of this launch is measured when the engine is idle"
    )
    tip = (
        f"Against the baseline {baseline.config.label()}: {time_text(baseline.median_ms)}, "
        f"{method_text(baseline)}\n{known}\n"
        "Measured one after the other; Compare times both in turns and finds smaller differences"
    )
    change = change_text(measurement.median_ms, baseline.median_ms)
    text = f"{change}, {why or meaning}"
    return Delta(ratio, low_ms / base_high_ms, high_ms / base_low_ms, meaning, text, tip)
