"""What a verb is asked to do: the command line's answer to a message between the processes."""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playground.model.knobs import KnobValue

INTERRUPTED = 130
"""The exit status of shells for what Ctrl-C ended."""

_POWER = re.compile(r"(\d+)\s*(\*\*|<<)\s*(\d+)")


@dataclass(frozen=True)
class Task:
    """One verb with its options; `settings` and `values` are still text, as they were typed."""

    verb: str
    file: str = ""
    driver: str | None = None
    launch: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    target: str | None = None
    emit: tuple[str, ...] = ()
    lines: bool = False
    all_targets: bool = False
    diff: str | None = None
    diff_target: str | None = None
    values: dict[str, str] = field(default_factory=dict)
    where: tuple[str, ...] = ()
    strategy: Literal["auto", "exhaustive", "random", "tpe", "climb"] = "auto"
    most: int | None = None
    sizes: tuple[str, ...] = ()
    total_s: float | None = None
    resume: bool = False
    gpus: int | None = None
    share: bool = False
    cluster: str = ""
    budget_ms: float = 200.0
    cache: Literal["cold", "warm"] = "cold"
    source: Literal["cupti", "proton", "graph", "events"] | None = None
    progress: bool = False
    against: str | None = None
    curve: tuple[str, ...] = ()
    roofline: bool = False
    host: bool = False
    energy: bool = False
    ncu: bool = False
    keep_autotune: bool = False
    past: tuple[int, ...] = ()
    best: int | None = None
    dispatch: bool = False
    attempt: bool = False
    program: str | None = None
    mode: Literal["gpu", "interpreter"] | None = None
    breakpoints: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    trace: bool = False
    commands: tuple[str, ...] = ()
    prints: bool = False
    hunt: bool = False
    compare: Literal["reference", "captured", "interpreter"] | None = None
    schedule: bool = False
    reuse: bool = False
    steps: str | None = None
    sample: int | None = None
    npz: str = ""
    picture_data: str = ""
    benchmarks: bool = False
    tuning: bool = False

    def to_json(self) -> str:
        """Return the task as one argument of a command."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Task:
        """Return the task that `to_json` wrote."""
        fields = json.loads(text)
        for name in ("emit", "curve", "where", "sizes", "past", "breakpoints", "watches",
                     "commands"):  # fmt: skip
            fields[name] = tuple(fields[name])
        return cls(**fields)


def typed_value(text: str) -> KnobValue:
    """Return what `text` stands for: a number, `true`, `false`, `none`, or the text itself.

    `1_000`, `0x40`, `2**20` and `1<<20` are whole numbers, as people write sizes.
    """
    words: dict[str, KnobValue] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    power = _POWER.fullmatch(text.strip())
    if power and int(power[3]) < 64:
        base, exponent = int(power[1]), int(power[3])
        return base << exponent if power[2] == "<<" else int(base**exponent)
    for number in (lambda: int(text, 0), lambda: float(text)):
        try:
            return number()
        except ValueError:
            continue
    return text


def whole_number(name: str, text: str) -> int:
    """Return the problem size in `text`; raises `ValueError` with what is wrong."""
    value = typed_value(text)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(
            f"{name} is a problem size, so a whole number, not {text!r}: "
            f"for example --set {name}=4096 or --set {name}=2**20"
        )
    return value
