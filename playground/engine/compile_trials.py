"""The nearest configs that need less, tried one after the other until one fits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.model.knobs import is_power_of_two

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.compile_outcome import CompileOutcome
    from playground.model.compiling import CompileReport
    from playground.model.config import Config
    from playground.model.finding import Finding
    from playground.model.launch import Launch

    Wanted = tuple[Config, str]

TRIALS = 6
"""Configs that a search compiles at most, unless fewer are asked for."""

_SMALLEST_BLOCK = 16


class Search:
    """The search for configs near `made`, which compiles but cannot launch, that fit.

    Ask for a `trial`, compile it, `tell` what came out, until there is none any more; `fitting`
    then holds what was found, as text.
    """

    def __init__(self, launch: Launch, made: CompileReport, most: int = TRIALS) -> None:
        self._asked = made.config
        self._families = _smaller_configs(launch, made)
        self._family = next(self._families, None)
        self._left = most
        self.fitting: list[str] = []

    def trial(self) -> Config | None:
        """Return the next config to compile, or None when the search is over."""
        while self._family is not None and self._left > 0:
            config = next(self._family, None)
            if config is not None:
                self._left -= 1
                return config
            self._family = next(self._families, None)
        return None

    def tell(self, made: CompileReport | None) -> None:
        """Take note of what the last trial came to; None where it did not compile."""
        if made is not None and made.fits:
            self.fitting.append(_difference(self._asked, made))
            self._family = next(self._families, None)


def blocks_of(launch: Launch, config: Config) -> dict[str, int]:
    """Return the knobs that look like blocks, with their values: powers of two, not small."""
    return {
        knob.name: value
        for knob in launch.knobs
        if knob.kind == "pow2" and knob.origin == "constexpr" and not knob.derived
        and knob.name in config
        and isinstance(value := config[knob.name], int)
        and is_power_of_two(value) and value > _SMALLEST_BLOCK
    }  # fmt: skip


def _smaller_configs(launch: Launch, made: CompileReport) -> Iterator[Iterator[Config]]:
    """Yield families of configs that need less, the likeliest first member of each first."""
    limit = made.shared_limit_bytes or 0
    if made.shared_bytes > limit:
        stages = made.config.as_dict().get("num_stages")
        if isinstance(stages, int) and stages > 1:
            # Shared memory grows about in proportion to the stages; the compiler has the last word.
            guess = min(stages - 1, max(1, stages * limit // made.shared_bytes))
            yield (made.config.with_value("num_stages", count) for count in range(guess, 0, -1))
        yield _halved(launch, made.config)
    if made.shared_bytes > limit:
        return
    most = made.config.as_dict().get("maxnreg")
    if isinstance(most, int):
        # Only with a limit set by hand does the compiler give more than a program can have.
        yield (made.config.with_value("maxnreg", count) for count in _halves(most))
    warps = made.config.as_dict().get("num_warps")
    if isinstance(warps, int) and warps > 1:
        yield (made.config.with_value("num_warps", count) for count in _halves(warps))


def _halved(launch: Launch, config: Config) -> Iterator[Config]:
    blocks = blocks_of(launch, config)
    # One block halved, the largest first; then two of them.
    ordered = sorted(blocks, key=lambda name: -blocks[name])
    for name in ordered:
        yield config.with_value(name, blocks[name] // 2)
    for name in ordered:
        if blocks[name] // 4 >= _SMALLEST_BLOCK:
            yield config.with_value(name, blocks[name] // 4)


def _halves(value: int) -> Iterator[int]:
    while value > 1:
        value //= 2
        yield value


def _difference(asked: Config, made: CompileReport) -> str:
    """Return `num_stages=2 (98304 bytes)`: what a fitting config changes, its shared memory."""
    before = asked.as_dict()
    changed = " ".join(
        f"{name}={value}" for name, value in made.config.values if before.get(name) != value
    )
    return f"{changed} ({made.shared_bytes} bytes)" if made.shared_bytes else changed


def with_remedies(
    launch: Launch,
    outcomes: dict[str, CompileOutcome],
    compile_them: Callable[[tuple[Wanted, ...]], dict[Wanted, CompileOutcome]],
    most: int = TRIALS,
) -> dict[str, CompileOutcome]:
    """Return the outcomes, by target, with the nearest configs that fit where one does not fit.

    Each of those is really compiled, a trial of every target at a time.
    """
    searches = {
        name: Search(launch, made.report, most)
        for name, made in outcomes.items()
        if made.report is not None and not made.report.fits
    }
    while True:
        trials = tuple(
            (trial, name)
            for name, search in searches.items()
            if (trial := search.trial()) is not None
        )
        if not trials:
            break
        for (_, name), tried in compile_them(trials).items():
            searches[name].tell(tried.report)
    found = {
        name: replace(
            outcomes[name], findings=_with_remedy(outcomes[name].findings, search.fitting)
        )
        for name, search in searches.items()
    }
    return {**outcomes, **found}


def _with_remedy(findings: tuple[Finding, ...], fitting: list[str]) -> tuple[Finding, ...]:
    """Return the findings with a hint on the errors: what fits."""
    hint = (
        f"{' or '.join(fitting)} fits" if fitting
        else "no nearby config fits: make the blocks smaller"
    )  # fmt: skip
    return tuple(
        replace(item, hint=hint) if item.severity == "error" and item.stage == "resources" else item
        for item in findings
    )
