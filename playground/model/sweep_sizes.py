"""One kernel tuned at several problem sizes: the best at each, and the best for all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playground.model.config import Config
from playground.model.problem_sizes import SizeError, parse_size
from playground.model.sweep import SweepResult, timed_rows

Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class SizedSweep:
    """The sweep of one problem size."""

    sizes: Sizes
    result: SweepResult

    def times_ms(self) -> dict[Config, float]:
        """Return the time of every config that is right here, on the first of its devices."""
        rows = timed_rows(self.result.rows)
        if not rows or rows[0].relative is None or not rows[0].median_ms:
            return {row.config: row.median_ms or 0.0 for row in rows}
        whole_ms = rows[0].median_ms / rows[0].relative
        return {row.config: (row.relative or 0.0) * whole_ms for row in rows}


@dataclass(frozen=True)
class Compromise:
    """A config for all sizes: at each, its time over that of the size's best (1.0: no loss)."""

    config: Config
    losses: tuple[tuple[Sizes, float], ...]

    @property
    def mean(self) -> float:
        """Geometric mean of the losses."""
        return math.exp(sum(math.log(loss) for _, loss in self.losses) / len(self.losses))

    @property
    def worst(self) -> tuple[Sizes, float]:
        """The size that loses most, and its loss."""
        return max(self.losses, key=lambda item: item[1])


@dataclass(frozen=True)
class Across:
    """The best configs for all sizes at once: by geometric mean, and by the worst case.

    Both are None where no config is right and timed at every size.
    """

    by_mean: Compromise | None = None
    by_worst: Compromise | None = None


def across(sweeps: Sequence[SizedSweep]) -> Across:
    """Return the configs that lose least over all sizes.

    Only configs that were right and timed at every size come into question.
    """
    found = compromises(sweeps)
    if not found:
        return Across()
    return Across(found[0], min(found, key=lambda item: item.worst[1]))


def compromises(sweeps: Sequence[SizedSweep]) -> tuple[Compromise, ...]:
    """Return every config that was right and timed at all sizes, the least lossy on average first.

    A time that was cut short because the config was hopeless still says by about how much it loses.
    """
    tables = [(item.sizes, item.times_ms()) for item in sweeps]
    if not tables or not all(times for _, times in tables):
        return ()
    common = [c for c in tables[0][1] if all(c in times for _, times in tables)]
    return tuple(
        sorted((_compromise(config, tables) for config in common), key=lambda item: item.mean)
    )


MOST_SIZES = 64
"""Combinations of problem sizes in one sweep; each is a sweep of its own."""


def parse_sizes(texts: Mapping[str, str], *, together: bool) -> tuple[Sizes, ...]:
    """Return the combinations of problem sizes in `texts`, typed by name.

    A text is sizes separated by commas, each as `parse_size` takes it, or a range that doubles
    (`1024..8192`) or steps (`512..4096:512`). Those with one size hold for every combination; of
    the others the first ones belong together, the second ones, and so on, unless not `together`:
    then each is paired with each. No text, no combination.

    Raises
    ------
    SizeError
        A text is no size, or the sizes that go together are not equally many.
    """
    values = {name: _size_values(name, text) for name, text in texts.items() if text.strip()}
    if not values:
        return ()
    if together:
        most = max(map(len, values.values()))
        for name, each in values.items():
            if len(each) not in (1, most):
                longest = next(n for n, other in values.items() if len(other) == most)
                raise SizeError(
                    f"{name} has {len(each)} sizes and {longest} {most}: those that go together "
                    "are equally many, or one"
                )
        rows = [[each[min(at, len(each) - 1)] for each in values.values()] for at in range(most)]
    else:
        rows = [list(row) for row in itertools.product(*values.values())]
    if len(rows) > MOST_SIZES:
        raise SizeError(f"{len(rows)} combinations of sizes; {MOST_SIZES} are the most")
    return tuple(tuple(zip(values, row, strict=True)) for row in rows)


def _size_values(name: str, text: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in (piece.strip() for piece in text.split(",")):
        if not part:
            continue
        try:
            low, dots, rest = part.partition("..")
            if not dots:
                found.append(parse_size(part))
                continue
            high, _, step = rest.partition(":")
            first, last = parse_size(low), parse_size(high)
            by = 0 if step.strip() in ("", "pow2") else parse_size(step)
        except SizeError as error:
            raise SizeError(f"{name}: {error}") from None
        if first > last:
            raise SizeError(f"{name}: {part} runs down; write {high.strip()}..{low.strip()}")
        value = first
        while value <= last and len(found) <= MOST_SIZES:
            found.append(value)
            value = value + by if by else 2 * value
    if not found:
        raise SizeError(f"{name} needs at least one size")
    return tuple(dict.fromkeys(found))


def sizes_text(sizes: Sizes) -> str:
    """Return `m=1024 n=4096`, for people."""
    return " ".join(f"{name}={value}" for name, value in sizes)


def _compromise(
    config: Config, tables: Sequence[tuple[Sizes, Mapping[Config, float]]]
) -> Compromise:
    return Compromise(
        config, tuple((sizes, times[config] / min(times.values())) for sizes, times in tables)
    )
