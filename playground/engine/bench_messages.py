"""What the engine and a bench worker tell each other: a recipe of the launch, orders, outcomes.

The recipe is source text and how it was run, never a tensor: the worker makes its own inputs from
it, on whatever machine it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playground.engine.compile_messages import Order, Spec
    from playground.model.config import Config
    from playground.model.device import DeviceInfo
    from playground.model.launch import Launch
    from playground.model.measurement import CacheMode, ClockSource, ClockState
    from playground.model.outline import Driver
    from playground.model.sweep import SweepStatus


@dataclass(frozen=True)
class Recipe:
    """How to come to the launch: the file's text, its driver and sizes, and the inputs' seed.

    `launch` is the one to find again, told by what `likeness` makes of it. `clock` is the one asked
    for, `rebound` are globals that the console has bound anew since (module, name, value). `device`
    is the engine's: a worker on another one finds out about its own. With `named_host` it says on
    which host its device is.
    """

    path: str
    text: str
    driver: Driver | None
    sizes: tuple[tuple[str, int], ...]
    seed: int
    device: DeviceInfo
    launch: int
    likeness: tuple[Any, ...]
    benchmarks: bool = False
    tuning: bool = False
    clock: ClockSource | None = None
    rebound: tuple[tuple[str, str, Spec], ...] = ()
    search_path: tuple[str, ...] = ()
    named_host: bool = False


@dataclass(frozen=True)
class Started:
    """The worker's answer to a recipe: it stands before the launch, or why it does not.

    `device` names what it runs on, so that rows of one device are known by it.
    """

    problem: str = ""
    took_s: float = 0.0
    device: str = ""


@dataclass(frozen=True)
class Try:
    """Check one config, and time it where there is a GPU.

    `best_ms` is the fastest median so far: what is hopeless against it is not timed to the end.
    """

    config: Config
    budget_ms: float
    cache: CacheMode
    best_ms: float | None = None
    thorough: bool = False


@dataclass(frozen=True)
class Tried:
    """What came of one config; `fatal` means that the worker is of no use any more.

    `screened` means that timing was stopped early, because the config is hopeless. The phases are
    wall time in seconds.
    """

    status: SweepStatus
    reason: str = ""
    samples_ms: tuple[float, ...] = field(default=(), repr=False)
    source: ClockSource | None = None
    screened: bool = False
    fatal: bool = False
    unwritten: int | None = None
    clocks: ClockState | None = None
    check_s: float = 0.0
    screen_s: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Confirm:
    """Time these configs in random turns: `least` to `most` rounds, `seconds` long at the most."""

    configs: tuple[Config, ...]
    cache: CacheMode
    least: int = 100
    most: int = 400
    seconds: float = 5.0


@dataclass(frozen=True)
class Confirmed:
    """Times in ms by config, one a round: what disturbed a round disturbed all in it.

    `wrong` are configs whose result was wrong when looked at again, with the reason.
    """

    configs: tuple[Config, ...]
    times_ms: tuple[tuple[float, ...], ...] = field(repr=False)
    source: ClockSource | None
    wrong: tuple[tuple[Config, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Foresee:
    """Run the file on the other inputs of a later `Prove` now; tell what configs compile to there.

    They are other kernels than those that were timed: numbers that 16 divides are special to
    Triton, and a ragged size is none.
    """

    seed: int
    sizes: tuple[tuple[str, int], ...] = ()
    configs: tuple[Config, ...] = ()


@dataclass(frozen=True)
class Foreseen:
    """What to compile for each config on other inputs; `problem` says why nothing is known.

    `fatal` means that these inputs have made the worker useless.
    """

    orders: tuple[tuple[Config, Order], ...] = field(default=(), repr=False)
    problem: str = ""
    fatal: bool = False


@dataclass(frozen=True)
class Prove:
    """Check these configs, the best first, on other inputs: with `seed`, at other `sizes`.

    After `seconds` the rest is left out; the first that is right is always found.
    """

    configs: tuple[Config, ...]
    seed: int
    sizes: tuple[tuple[str, int], ...] = ()
    seconds: float = 0.25


@dataclass(frozen=True)
class Proved:
    """Which configs are right on other inputs, which are wrong and why, and what inputs those were.

    Where the file runs on no other inputs `note` says why, and nothing was looked at. `fatal` means
    that the last of `wrong` has made the worker useless, so that the others are still to be asked.
    """

    right: tuple[Config, ...] = ()
    wrong: tuple[tuple[Config, str], ...] = ()
    at: str = ""
    note: str = ""
    fatal: bool = False


def likeness(launch: Launch) -> tuple[Any, ...]:
    """Return what two runs of one file must agree on for a launch to be the same one."""
    return (
        launch.kernel,
        launch.grid,
        launch.config,
        tuple(
            (item.name, item.kind, item.tensor and (item.tensor.shape, item.tensor.dtype))
            for item in launch.arguments
        ),
    )
