"""What the engine and its debug worker tell each other: a launch with its bytes, orders, events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from playground.engine.compile_messages import KernelRef, UseFile
    from playground.model.debugging import (
        Breakpoint,
        Origin,
        Prints,
        StepVerb,
    )
    from playground.model.finding import Finding

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class PackedStorage:
    """One storage of the launch: where it lies in the engine, and in the file of bytes."""

    start: int
    end: int
    offset: int


@dataclass(frozen=True)
class Package:
    """A launch as the worker does it again: the file, the kernel, its arguments, their bytes.

    `arguments` is a pickle in which tensors and kernels are told by place; `bytes_path` is a file
    that holds every storage. With `addresses` arguments hold addresses of these storages.
    """

    use: UseFile
    target: str
    kernel: KernelRef
    ordinal: int
    grid: tuple[int, int, int]
    arguments: bytes = field(repr=False)
    options: tuple[tuple[str, Any], ...]
    positional: int
    bytes_path: str
    storages: tuple[PackedStorage, ...]
    addresses: bool = False


@dataclass(frozen=True)
class Opened:
    """The worker has the launch, or findings say why not."""

    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class RunPrograms:
    """Run these programs (linear ids; None for all) without stepping.

    With `hunt` operations are looked at for NaN and infinities; with `stores` what the programs
    write comes back, `most` elements at the most.
    """

    programs: tuple[int, ...] | None
    hunt: bool = False
    stores: bool = True
    most: int = 1 << 22


@dataclass(frozen=True)
class StoredBytes:
    """What programs wrote to one storage by stores of one size.

    `addresses` are the engine's, ascending; `data` is uint8 (stores, size), `program` and `site`
    (an index into `Ran.sites`) who wrote each last; `many` which several programs wrote.
    """

    size: int
    addresses: Array = field(repr=False)
    data: Array = field(repr=False)
    program: Array = field(repr=False)
    site: Array = field(repr=False)
    many: Array = field(repr=False)


@dataclass(frozen=True)
class StoredOdd:
    """Elements that are not finite that one program stored: the engine's addresses, values."""

    program: int
    line: int
    file: str
    addresses: Array = field(repr=False)
    values: Array = field(repr=False)
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True)
class Ran:
    """What a run of programs left; `findings` tell what ended it, or fell outside of tensors."""

    prints: Prints
    stored: tuple[StoredBytes, ...] = ()
    sites: tuple[tuple[str, int], ...] = ()
    odd: tuple[StoredOdd, ...] = ()
    made: int = 0
    programs: int = 0
    duration_ms: float = 0.0
    truncated: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Begin:
    """Step through one program; events are those of the protocol."""

    program: int
    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[str, ...] = ()
    shown: str = ""
    stop_at_entry: bool = True


@dataclass(frozen=True)
class Command:
    """Move a stepped program, or change what is looked at; what is None stays as it is."""

    verb: StepVerb | None = None
    file: str = ""
    line: int = 0
    breakpoints: tuple[Breakpoint, ...] | None = None
    watches: tuple[str, ...] | None = None
    shown: str | None = None


@dataclass(frozen=True)
class Looking:
    """How far a run of many programs is."""

    program: int
    programs: int
