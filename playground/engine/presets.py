"""The configs that a file itself offers, as the kernel would see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine.arguments import knob_value
from playground.engine.triton_private import tuning, wrappers
from playground.model.config import Config
from playground.model.launch import Preset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.knobs import Knob

    Call = tuple[tuple[Any, ...], dict[str, Any]]


def presets_of(
    kernel: Any, knobs: tuple[Knob, ...], config: Config, call: Call
) -> tuple[Preset, ...]:
    """Return the configs that an autotuned kernel offers, as configs of its knobs.

    Parameters
    ----------
    kernel
        What was launched, wrappers included.
    config
        The captured config: what a preset does not set stays.
    call
        The arguments that the outermost wrapper was launched with. Heuristics are evaluated for
        every config, so that a preset holds what the kernel would see.
    """
    movable = {knob.name for knob in knobs if knob.kind != "fixed"}
    presets = []
    for values, seen, tuned in _offered(kernel, call):
        own = {name: knob_value(one, one) for name, one in values.items() if name in movable}
        label = Config.of(own).label()
        effective = {name: knob_value(one, one) for name, one in seen.items() if name in movable}
        presets.append(Preset(label, config.updated({**own, **effective}), tuned))
    return tuple(presets)


def _offered(kernel: Any, call: Call) -> Iterator[tuple[dict[str, Any], dict[str, Any], bool]]:
    """Yield what each config of an autotuner, or of a project's own tuner, sets and leads to.

    And whether that tuner would time it.
    """
    args, kwargs = call
    set_anyway = wrappers.heuristics_of(kernel)
    for item, tuned in tuning.offered(kernel, args, kwargs):
        values = item.all_kwargs()
        seen = tuning.seen_by_kernel(kernel, args, kwargs, item)
        yield values, {name: seen[name] for name in (*values, *set_anyway) if name in seen}, tuned
    if wrappers.autotuner_of(kernel) is None:
        for values in tuning.own_configs(kernel):
            yield values, values, True


def heuristic_values(kernel: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a kernel's heuristics set, given its other arguments, as knob values."""
    known = dict(arguments)
    values: dict[str, Any] = {}
    for name, heuristic in wrappers.heuristics_of(kernel).items():
        known[name] = heuristic(dict(known))
        values[name] = knob_value(known[name], known[name])
    return values
