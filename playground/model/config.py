"""A config: one value for every knob of a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model.knobs import Knob, KnobError, KnobValue, validate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True)
class Config:
    """Values by knob name, in the knobs' order; hashable, so it can key a cache."""

    values: tuple[tuple[str, KnobValue], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, KnobValue]) -> Config:
        """Return the config with these values."""
        return cls(tuple(values.items()))

    def __getitem__(self, name: str) -> KnobValue:
        for key, value in self.values:
            if key == name:
                return value
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(key == name for key, _ in self.values)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.values)

    def as_dict(self) -> dict[str, KnobValue]:
        """Return the values as a dictionary of its own."""
        return dict(self.values)

    def with_value(self, name: str, value: KnobValue) -> Config:
        """Return the config with one value replaced, or added at the end."""
        return self.updated({name: value})

    def updated(self, values: Mapping[str, KnobValue]) -> Config:
        """Return the config with several values replaced or added."""
        return Config.of({**self.as_dict(), **values})

    def label(self) -> str:
        """Return `BLOCK_SIZE=1024 num_warps=4`, for people and tables; unset ones left out."""
        return label(self.as_dict())


def label(values: Mapping[str, object]) -> str:
    """Return `BLOCK_SIZE=1024 ACTIVATION=''`; knobs that are not set are left out."""
    # An empty string alone would read as a value left out.
    return " ".join(
        f"{name}={value if value != '' else repr(value)}"
        for name, value in values.items()
        if value is not None
    )


def default_config(knobs: Iterable[Knob]) -> Config:
    """Return the captured value of every knob that can be moved."""
    return Config(tuple((knob.name, knob.default) for knob in knobs if knob.kind != "fixed"))


def validated(config: Config, knobs: Iterable[Knob]) -> Config:
    """Return `config` in the knobs' order with every value checked.

    Raises
    ------
    KnobError
        A name is no knob of this launch, or a value is not one its knob can take.
    """
    known = {knob.name: knob for knob in knobs}
    for name in config:
        if name not in known:
            raise KnobError(
                f"{name} is no knob of this launch; its knobs are {', '.join(known) or 'none'}"
            )
    given = config.as_dict()
    return Config(tuple(
        (name, validate(knob, given[name]) if name in given else knob.default)
        for name, knob in known.items() if knob.kind != "fixed" or name in given
    ))  # fmt: skip
