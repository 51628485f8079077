"""What an autotuner would try, and what a kernel sees under each of its configs.

Depends on attributes of `Autotuner` and `Heuristics` that are no public interface; checked against
triton 3.6 and 3.9.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from triton.runtime.autotuner import Autotuner, Config, Heuristics

from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Sequence

_ONE_IS_TAKEN_AS_IT_IS = "len(pruned_configs) == 1" in inspect.getsource(Autotuner.run)
"""Whether a tuner left with one config after pruning skips tuning, and resetting with it."""


class Tuners:
    """Remembers, for each autotuner and tuning key, which configs came in question."""

    def __init__(self) -> None:
        self._pruned: dict[tuple[int, tuple[Any, ...]], list[Any]] = {}

    def configs(self, tuner: Any, kwargs: dict[str, Any]) -> tuple[list[Any], bool]:
        """Return the configs to try in order, and whether Triton would tune at this launch.

        `tuner.nargs` holds the positional arguments by name.
        """
        if len(tuner.configs) < 2:
            return list(tuner.configs), False
        key = (id(tuner), _tuning_key(tuner, kwargs))
        if key in self._pruned:
            return self._pruned[key], False
        if key[1] in tuner.cache:  # tuned in the console
            return [tuner.cache[key[1]]], False
        configs = list(tuner.prune_configs(kwargs))
        self._pruned[key] = configs
        return configs, len(configs) > 1 or not _ONE_IS_TAKEN_AS_IT_IS

    def took(self, tuner: Any, kwargs: dict[str, Any], config: Any) -> None:
        """Note which config could run: later launches with this key take it at once."""
        if len(tuner.configs) > 1:
            key = (id(tuner), _tuning_key(tuner, kwargs))
            if key in self._pruned:
                self._pruned[key] = [config]


def _tuning_key(tuner: Any, kwargs: dict[str, Any]) -> tuple[Any, ...]:
    named = {**tuner.nargs, **kwargs}
    own = {name: value for name, value in named.items() if name in tuner.arg_names}
    return (
        *(own[name] for name in tuner.keys if name in own),
        *(str(value.dtype) for value in own.values() if hasattr(value, "dtype")),
    )


def offered(
    kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Sequence[tuple[Any, bool]]:
    """Return the `triton.Config`s that the autotuner around `kernel` offers for a call.

    Those that its own `early_config_prune` rules out for these arguments are left out. With each
    comes whether it would be timed: a performance model only guesses, and the tuner takes the best
    `top_k` by its guess.
    """
    tuner = wrappers.autotuner_of(kernel)
    if tuner is None:
        return ()
    configs = list(tuner.configs)
    pruned = tuner.early_config_prune is not None or tuner.perf_model is not None
    if not pruned or len(configs) < 2:
        return [(config, True) for config in configs]
    nargs = dict(zip(tuner.arg_names, args, strict=False))
    try:
        if tuner.early_config_prune is not None:
            configs = list(tuner.early_config_prune(configs, nargs, **kwargs)) or configs
        timed = configs if tuner.perf_model is None else _by_model(tuner, nargs, kwargs)
    except Exception:
        # The launch itself, which calls them too, has told what is wrong with them.
        return [(config, True) for config in configs]
    return [(config, any(config is one for one in timed)) for config in configs]


def _by_model(tuner: Any, nargs: dict[str, Any], kwargs: dict[str, Any]) -> Sequence[Any]:
    """Return the configs that the tuner would time, the best by its performance model."""
    before = getattr(tuner, "nargs", None)
    tuner.nargs = nargs
    try:
        return list(tuner.prune_configs(kwargs))
    finally:
        tuner.nargs = before


def seen_by_kernel(
    kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], config: Any
) -> dict[str, Any]:
    """Return the named arguments and options that reach the function when `config` is taken.

    Follows the wrappers from the outermost in, as a launch does: what a heuristic sets after the
    autotuner has the last word.
    """
    named = dict(kwargs)
    tuner = wrappers.autotuner_of(kernel)
    for link in wrappers.links(kernel):
        if link is tuner:
            named.update(config.all_kwargs())
        elif isinstance(link, Heuristics):
            for name, heuristic in link.values.items():
                named[name] = heuristic({**dict(zip(link.arg_names, args, strict=False)), **named})
    return named


def own_configs(kernel: Any) -> list[dict[str, Any]]:
    """Return what each config of a project's own tuner around a kernel sets.

    Such a tuner is known by its list `configs`: of `triton.Config`s, or of plain dictionaries.
    """
    for link in wrappers.links(kernel):
        configs = getattr(link, "configs", None)
        if not isinstance(configs, (list, tuple)) or not configs:
            continue
        if all(isinstance(item, Config) for item in configs):
            return [item.all_kwargs() for item in configs]
        if all(isinstance(item, dict) for item in configs):
            return [dict(item) for item in configs]
    return []


@dataclass(frozen=True)
class TunerFacts:
    """What a kernel's `Autotuner` does to tensors between its trials, by argument name."""

    configs: int
    restored: tuple[str, ...]
    cleared: tuple[str, ...]


def tuner_of(kernel: Any) -> TunerFacts | None:
    """Return the facts of the `Autotuner` around a kernel, None where there is none."""
    for link in wrappers.links(kernel):
        if isinstance(link, Autotuner):
            return TunerFacts(
                len(link.configs), tuple(link.restore_value), tuple(link.reset_to_zero)
            )
    return None
