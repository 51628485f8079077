"""The space of a sweep: values a knob, conditions, and how many configs meet them."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playground.model.config import Config
from playground.model.constraints import Constraint, ConstraintError, parse_constraint
from playground.model.knobs import Knob, KnobValue

Axis = tuple[str, tuple[KnobValue, ...]]

MOST_STEPS = 60_000
"""Partial configs looked at for an exact count; it takes about half a second."""
_DRAWS = 20_000
"""Random configs from which a count is estimated where an exact one would take too long."""
_TICK = 256
"""Partial configs, or random ones, between two looks at whether something else is to be done."""


@dataclass(frozen=True)
class Count:
    """How many configs a space holds, and how many of them meet its conditions.

    `exact` is False where `valid` was estimated from random configs.
    """

    total: int
    valid: int
    exact: bool = True

    def text(self) -> str:
        """Return `36 of 72 configs meet the conditions`, for people."""
        about = "" if self.exact else "about "
        if not self.exact and not self.valid:
            return f"no config that meets the conditions was found among {self.total:,}"
        if self.valid == self.total:
            return f"{self.total:,} configs"
        return f"{about}{self.valid:,} of {self.total:,} configs meet the conditions"


@dataclass(frozen=True)
class SweepSpace:
    """Every combination of the axes' values, and the `listed` configs (the file's own) beside it.

    `sizes` are the problem sizes that conditions may name. Without axes only what is listed is in
    the space.
    """

    axes: tuple[Axis, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    listed: tuple[Config, ...] = field(default=(), repr=False)

    @property
    def product(self) -> int:
        """Number of combinations of the axes' values, valid or not."""
        return math.prod(len(values) for _, values in self.axes) if self.axes else 0

    @property
    def extra(self) -> tuple[Config, ...]:
        """The listed configs that are no combination of the axes' values."""
        return tuple(c for c in dict.fromkeys(self.listed) if not self._is_combination(c))

    def __contains__(self, config: object) -> bool:
        return isinstance(config, Config) and (
            config in self.listed or self._is_combination(config)
        )

    def violation(self, config: Config) -> str:
        """Return why a config meets the conditions not, or an empty string when it does."""
        values = {**dict(self.sizes), **config.as_dict()}
        return next(
            (why for item in self.constraints if (why := item.violation(values))), ""
        )  # fmt: skip

    def combinations(self) -> Iterator[Config]:
        """Yield every config, valid or not: what is listed first, then combination by combination.

        The product is never held in memory.
        """
        yield from self.extra
        if self.axes:
            names = [name for name, _ in self.axes]
            for values in itertools.product(*(values for _, values in self.axes)):
                yield Config(tuple(zip(names, values, strict=True)))

    def meets(self, config: Config) -> bool:
        """Tell whether a config meets the conditions."""
        values = {**dict(self.sizes), **config.as_dict()}
        return all(item.meets(values) for item in self.constraints)

    def valid(self, most_steps: int | None = None) -> Iterator[Config]:
        """Yield every config that meets the conditions; hopeless branches are not walked.

        With `most_steps` it ends after about so many partial configs were looked at.
        """
        for config in self.extra:
            if self.meets(config):
                yield config
        if self.axes:
            ticks = 0
            for values in self._walk(self.axes, self.constraints):
                if values is not None:
                    yield Config(tuple((name, values[name]) for name, _ in self.axes))
                    continue
                ticks += 1
                if most_steps is not None and ticks * _TICK >= most_steps:
                    return

    def count(self, most_steps: int = MOST_STEPS) -> Count:
        """Return how many configs there are and how many meet the conditions.

        Knobs that no condition ties together are counted apart and multiplied, so the product is
        not walked; what takes more than `most_steps` is estimated.
        """
        return next(count for count in self.counting(most_steps) if count is not None)

    def counting(self, most_steps: int = MOST_STEPS) -> Iterator[Count | None]:
        """Yield None now and then while the configs are counted, and the count at the end.

        Between two of them lies about a millisecond, so that a window can do other things.
        """
        extra = self.extra
        valid = sum(self.meets(config) for config in extra)
        if not self.axes:
            yield Count(len(extra), valid)
            return
        product, exact = 1.0, True
        for axes, constraints in self._groups():
            number: float | None = None
            for number, sure in self._counting_group(axes, constraints, most_steps):
                if number is None:
                    yield None
                else:
                    product *= number
                    exact = exact and sure
            if number == 0 and sure:
                exact = True  # whatever the others come to
                break
        yield Count(len(extra) + self.product, valid + round(product), exact)

    def draw(self, source: random.Random, tries: int = 2000) -> Config | None:
        """Return a random valid config, or None when none of `tries` random ones met all."""
        extra = self.extra
        for _ in range(tries):
            place = source.randrange(self.product + len(extra)) if self.product + len(extra) else 0
            if place < len(extra):
                config = extra[place]
            elif self.axes:
                config = Config(tuple((n, values[source.randrange(len(values))])
                                      for n, values in self.axes))  # fmt: skip
            else:
                return None
            if self.meets(config):
                return config
        return None

    def neighbours(self, config: Config) -> tuple[Config, ...]:
        """Return the valid configs one step away: one knob moved to the value before or after."""
        found: list[Config] = []
        for name, values in self.axes:
            if name not in config:
                continue
            if config[name] not in values:
                found.extend(config.with_value(name, value) for value in values)
                continue
            place = values.index(config[name])
            found.extend(
                config.with_value(name, values[other])
                for other in (place - 1, place + 1)
                if 0 <= other < len(values)
            )
        return tuple(one for one in found if self.meets(one))

    # ------------------------------------------------------------------------------ inside

    def _is_combination(self, config: Config) -> bool:
        given = config.as_dict()
        return bool(self.axes) and given.keys() == {name for name, _ in self.axes} and all(
            given[name] in values for name, values in self.axes
        )  # fmt: skip

    def _groups(self) -> list[tuple[tuple[Axis, ...], tuple[Constraint, ...]]]:
        """Return the axes that conditions tie together, each group with its conditions."""
        groups: list[tuple[set[str], list[Constraint]]] = [({name}, []) for name, _ in self.axes]
        fixed: list[Constraint] = []
        for item in self.constraints:
            touched = [group for group in groups if group[0] & item.names]
            if not touched:
                fixed.append(item)
                continue
            first = touched[0]
            first[1].append(item)
            for other in touched[1:]:
                first[0].update(other[0])
                first[1].extend(other[1])
                groups.remove(other)
        found: list[tuple[tuple[Axis, ...], tuple[Constraint, ...]]] = [
            (tuple(axis for axis in self.axes if axis[0] in names), tuple(items))
            for names, items in groups
        ]
        return [*found, ((), tuple(fixed))] if fixed else found

    def _counting_group(
        self, axes: tuple[Axis, ...], constraints: tuple[Constraint, ...], most_steps: int
    ) -> Iterator[tuple[float | None, bool]]:
        """Yield None now and then, at the end the number of valid configs and whether it is so."""
        total = math.prod(len(values) for _, values in axes)
        if not constraints:
            yield total, True
            return
        found = ticks = 0
        for met in self._walk(axes, constraints):
            if met is not None:
                found += 1
                continue
            ticks += 1
            if ticks * _TICK >= most_steps:
                break
            yield None, False
        else:
            yield found, True
            return
        source = random.Random(0)
        fixed = dict(self.sizes)
        hits = 0
        for number in range(_DRAWS):
            if number % _TICK == 0:
                yield None, False
            values = {**fixed, **{n: options[source.randrange(len(options))]
                                  for n, options in axes}}  # fmt: skip
            hits += all(item.meets(values) for item in constraints)
        yield max(total * hits / _DRAWS, found), False

    def _walk(
        self, axes: tuple[Axis, ...], constraints: Sequence[Constraint]
    ) -> Iterator[Mapping[str, KnobValue] | None]:
        """Yield the values that meet the conditions; each is asked as soon as its names are set.

        After each `_TICK` partial configs comes None: there may be long ways between valid ones.
        """
        values: dict[str, KnobValue] = dict(self.sizes)
        steps = 0
        names = [name for name, _ in axes]
        due: list[list[Constraint]] = [[] for _ in range(len(axes) + 1)]
        for item in constraints:
            places = [names.index(name) + 1 for name in item.names if name in names]
            due[max(places, default=0)].append(item)

        def met(depth: int) -> bool:
            return all(item.meets(values) for item in due[depth])

        def walk(depth: int) -> Iterator[Mapping[str, KnobValue] | None]:
            nonlocal steps
            if depth == len(axes):
                yield values
                return
            name, options = axes[depth]
            for value in options:
                values[name] = value
                steps += 1
                if steps % _TICK == 0:
                    yield None
                if met(depth + 1):
                    yield from walk(depth + 1)

        if met(0):
            yield from walk(0)


def make_space(
    knobs: Iterable[Knob],
    config: Config,
    values: Mapping[str, Sequence[KnobValue]],
    where: Iterable[str] = (),
    sizes: Mapping[str, int] | None = None,
    listed: Sequence[Config] = (),
) -> SweepSpace:
    """Return the space of `values`, knobs not named keeping that of `config`.

    Parameters
    ----------
    where
        Conditions (see `parse_constraint`) over the knobs and `sizes`; those behind a # are left
        out.
    listed
        Configs that are in it besides; with no `values` only they are.

    Raises
    ------
    ConstraintError
        A condition cannot be read, or has no answer for any config at all.
    """
    axes: tuple[Axis, ...] = tuple(
        (knob.name, tuple(values.get(knob.name, (config[knob.name],))))
        for knob in knobs
        if knob.name in config
    )
    known = {**dict.fromkeys(config), **dict(sizes or {})}
    constraints = tuple(
        parse_constraint(text, known) for text in where if text.strip() and text.strip()[0] != "#"
    )
    space = SweepSpace(
        axes if values or not listed else (), constraints,
        tuple((n, v) for n, v in (sizes or {}).items() if n not in config), tuple(listed),
    )  # fmt: skip
    first = next(space.combinations(), None)
    if first is not None:
        _try_out(space, first)
    return space


def _try_out(space: SweepSpace, config: Config) -> None:
    """Raise what a condition says of every config: text compared with a number, most often."""
    values = {**dict(space.sizes), **config.as_dict()}
    for item in space.constraints:
        try:
            item.holds(values)
        except ConstraintError as error:
            if isinstance(error.__cause__, TypeError):
                raise
