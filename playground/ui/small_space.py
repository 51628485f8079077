"""A sweep that is over soon: a few steps of the first knobs that move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.knobs import KnobValue, sweep_values

if TYPE_CHECKING:
    from playground.ui.document import Document

_SWEPT_KNOBS = {"gpu": 2, "interpreter": 1}
"""An interpreted launch can take seconds: without a GPU one knob is enough."""


def small_space(document: Document) -> dict[str, tuple[KnobValue, ...]]:
    """Return a few values of the first knobs that move; all others stay where they are."""
    launch = document.launch
    if launch is None:
        return {}
    allowed = _SWEPT_KNOBS[document.device.mode if document.device else "interpreter"]
    values: dict[str, tuple[KnobValue, ...]] = {}
    moved = 0
    for knob in launch.knobs:
        if knob.name not in document.config:
            continue
        value = document.config[knob.name]
        steps = tuple(sweep_values(knob, value))
        if knob.derived or len(steps) < 2 or moved == allowed:
            steps = (value,)
        else:
            moved += 1
        values[knob.name] = steps
    return values
