"""One access of an interpreted program, and what a running launch knows of its memory."""

from __future__ import annotations

import itertools
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import triton

from playground.engine.triton_private.interpreter_storages import Ranges, Storage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, FrameType

    from playground.engine.triton_private.interpreter_formats import Array
    from playground.engine.triton_private.interpreter_programs import Programs
    from playground.model.access_site import AccessKind
    from playground.model.coverage import OutOfBounds

_OWN_FOLDERS = tuple(f"{Path(file).parent}{os.sep}" for file in (triton.__file__, __file__))


@dataclass(slots=True)
class Access:
    """One load, store or atomic of one program.

    `addresses` (uint64), `active` and `in_bounds` (bool) have one shape. Addresses are those of
    the caller's tensors. `line` and `file` are the innermost place outside of Triton itself, whose
    `column` counts from 0. `changes` are the lanes of a store that write other bits than lie there.
    """

    kind: AccessKind
    addresses: Array
    active: Array
    element_size: int
    program: int
    line: int | None
    file: str | None
    in_bounds: Array
    changes: Array | None = None
    column: int = 0


class Observer(Protocol):
    """Is told what interpreted programs do."""

    def on_access(self, access: Access) -> None:
        """Take one load, store or atomic, after the bounds check."""

    def on_dot(self, m: int, n: int, k: int, kind: str) -> None:
        """Take one `tl.dot` of (m, k) by (k, n) operands; a batch counts as more rows.

        `kind` is one of `model.coverage.FLOP_KINDS`.
        """

    def on_operations(self, name: str, count: int) -> None:
        """Take the element operations of a reduction or scan (`model.coverage.operation_name`)."""


Site = tuple[int | None, str | None]
"""Line and file of an access."""


@dataclass
class Filled:
    """What lanes that load nothing are filled with: everywhere, or in one access `only`.

    `sites` collects the accesses that had such lanes.
    """

    value: float
    only: Site | None = None
    sites: set[Site] = field(default_factory=set)
    here: bool = True

    def enter(self, site: Site) -> None:
        """Note an access with such lanes, and whether it is one to fill."""
        self.sites.add(site)
        self.here = self.only is None or self.only == site


@dataclass
class LaunchMemory:
    """What one running launch may touch, where it is, and what it did wrong so far."""

    storages: list[Storage] = field(default_factory=list)
    ranges: Ranges = field(default_factory=lambda: Ranges(()))
    program: int = 0
    count: int = 1
    programs: Programs | None = None
    events: dict[tuple[str, str, int | None, str | None], OutOfBounds] = field(default_factory=dict)
    read: set[tuple[str, int, bytes]] = field(default_factory=set)
    waited: int = 0
    progressed: bool = True
    waits_at: Site | None = None
    open_lanes: bool = False

    def moved(self) -> None:
        """Note that the current program did something else than wait."""
        self.read.clear()
        self.waited, self.progressed = 0, True

    def told_address(self, addresses: Array) -> Array:
        """Return the addresses of the caller's tensors for those that the kernel computed."""
        result = addresses
        for storage in self.storages:
            if storage.told != storage.start:
                here = (addresses >= storage.start) & (addresses < storage.end)
                if here.any():
                    shift = np.uint64((storage.told - storage.start) % (1 << 64))
                    result = np.where(here, addresses + shift, result)
        return result


def place() -> Site:
    """Return line and file of the innermost frame that is neither Triton's nor ours."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_OWN_FOLDERS):
            return frame.f_lineno, frame.f_code.co_filename
        frame = frame.f_back
    return None, None


_columns: dict[tuple[CodeType, int], int] = {}


def place_with_column() -> tuple[int | None, str | None, int]:
    """Return line and file as `place` does, and the column (from 0) at which the call begins."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_OWN_FOLDERS):
            key = code, frame.f_lasti
            if key not in _columns:
                found = next(itertools.islice(code.co_positions(), key[1] // 2, None), None)
                _columns[key] = (found[2] or 0) if found else 0
            return frame.f_lineno, code.co_filename, _columns[key]
        frame = frame.f_back
    return None, None, 0


def narrowed(storage: Storage, allowed: Sequence[tuple[int, int]]) -> Storage:
    """Return the part of a storage that a launch may touch: a working copy lies in a larger one."""
    for start, end in allowed:
        if storage.start <= start and end <= storage.end and start < end:
            return Storage(storage.name, start, end, storage.told + start - storage.start)
    return storage
