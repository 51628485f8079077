"""Each access compared with the storages of the launch: lanes outside are taken out, and told."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from playground.engine.triton_private.interpreter_access import (
    Access,
    Filled,
    LaunchMemory,
    Observer,
    Site,
    narrowed,
    place,
    place_with_column,
)
from playground.engine.triton_private.interpreter_storages import Ranges, Storage
from playground.model.addresses import elements_outside
from playground.model.coverage import OutOfBounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playground.engine.triton_private.interpreter_arithmetic import Arithmetic
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.model.access_site import AccessKind


ORIGIN = "_playground_origin"
"""Attribute of an argument's pointer type: its `Storage`. Pointer arithmetic hands the type on."""

MOST_SITES = 64
"""Places in the source of which lanes outside are told."""
_SPINS = 200
"""Reads of the same values before a program is thought to wait; fewer once it was."""
_SPINS_AGAIN = 4
_VALUES_WAITED_FOR = 8
_CHECK_EVERY_S = 0.2


class RunBatched(Protocol):
    """Runs a launch's programs in a way of its own, in place of one after the other."""

    def __call__(
        self, kernel: Any, arguments: dict[str, Any], grid: tuple[int, int, int],
        launch: LaunchMemory,
    ) -> None:  # fmt: skip
        """Run `kernel` over `grid`; `launch` says what it may touch."""


class LaunchChecks:
    """What an access is compared with, who is told of it, and which launch it belongs to.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`.
    arithmetic
        Makes handles from computed values.
    """

    def __init__(self, interpreter: Any, arithmetic: Arithmetic) -> None:
        self._interpreter = interpreter
        self._arithmetic = arithmetic
        self._native = interpreter._interpreter
        self._handle = interpreter.TensorHandle
        self._observers: list[Observer] = []
        self._told_ranges: list[list[tuple[int, int]]] = []
        self._fills: list[Filled] = []
        self.switched_off = False
        self._next_check_s = 0.0
        self.check: Callable[[int, int], None] | None = None
        self.stopped_by: Exception | None = None
        self.launch = LaunchMemory()
        self.batched: RunBatched | None = None
        self.chosen: Sequence[int] | None = None

    # Contexts --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def observing(self, observer: Observer) -> Iterator[None]:
        """Tell `observer` of every access inside the context."""
        self._observers.append(observer)
        try:
            yield
        finally:
            self._observers.remove(observer)

    @contextlib.contextmanager
    def storages(self, ranges: Sequence[tuple[int, int]]) -> Iterator[None]:
        """Allow launches inside the context these ranges only."""
        self._told_ranges.append(list(ranges))
        try:
            yield
        finally:
            self._told_ranges.pop()

    @contextlib.contextmanager
    def masked_fill(self, value: float, only: Site | None = None) -> Iterator[Filled]:
        """Fill lanes that load nothing with `value` inside the context."""
        filled = Filled(value, only)
        self._fills.append(filled)
        try:
            yield filled
        finally:
            self._fills.pop()

    @property
    def ranges_are_told(self) -> bool:
        """Whether somebody said which ranges launches may touch."""
        return bool(self._told_ranges)

    def begin(self, storages: list[Storage], programs: int) -> None:
        """Start a launch of `programs` programs over `storages`."""
        allowed = [(storage.start, storage.end) for storage in storages]
        if self._told_ranges:
            allowed = [self._seen(item, storages) for item in self._told_ranges[-1]]
            # Working copies lie within larger memory: distances count from the copy's own ends.
            storages = [narrowed(storage, allowed) for storage in storages]
            # What the caller knows beyond the arguments: storages reached by address.
            storages = storages + [
                Storage(f"storage at {start:#x}", start, end, start)
                for start, end in allowed
                if not any(held.start < end and start < held.end for held in storages)
            ]
        self.launch = LaunchMemory(storages, Ranges(allowed), count=programs)

    @staticmethod
    def _seen(told: tuple[int, int], storages: list[Storage]) -> tuple[int, int]:
        for storage in storages:
            size = storage.end - storage.start
            if storage.told <= told[0] < storage.told + size:
                shift = storage.start - storage.told
                return told[0] + shift, told[1] + shift
        return told

    def begin_program(self, index: int) -> None:
        """Move on to a program, unless the launch was cancelled."""
        self.launch.program = index
        self.launch.read = set()
        self.launch.moved()
        self._look_up()

    def _look_up(self) -> None:
        if self.check is not None:
            try:
                self.check(self.launch.program, self.launch.count)
            except Exception as error:
                self.stopped_by = error
                raise
            self._next_check_s = time.monotonic() + _CHECK_EVERY_S

    # Checks ----------------------------------------------------------------------------------

    def _enter(
        self, kind: AccessKind, pointers: Any, addresses: Array, active: Array, size: int,
        changes: Callable[[Array], Array] | None = None,
    ) -> tuple[Array, Array | None]:  # fmt: skip
        """Check one access; return the lanes to touch, and those that were taken out of them.

        `changes` tells, of the lanes to touch, those that a store changes; asked for observers.
        """
        if self.check is not None and time.monotonic() > self._next_check_s:
            self._look_up()
        launch = self.launch
        lost = launch.ranges.outside(addresses, active, size)
        if lost is None and not self._observers:
            return active, None
        line, file, column = place_with_column()
        if lost is not None:
            origin = getattr(pointers.dtype, ORIGIN, None)
            self._record(kind, origin, addresses[lost], size, line, file)
        if self._observers:
            inside = np.broadcast_to(np.True_, active.shape) if lost is None else ~lost
            told = launch.told_address(addresses)
            changed = None if changes is None else changes(active & inside)
            access = Access(
                kind, told, active, size, launch.program, line, file, inside, changed, column
            )
            for observer in self._observers:
                observer.on_access(access)
        return (active if lost is None else active & ~lost), lost

    def _record(
        self, kind: AccessKind, origin: Storage | None, outside: Array, size: int,
        line: int | None, file: str | None,
    ) -> None:  # fmt: skip
        name, distance = self._nearest(origin, int(outside[0]), size)
        events, key = self.launch.events, (name, kind, line, file)
        lanes = int(outside.size)
        if key in events:
            events[key] = replace(events[key], lanes=events[key].lanes + lanes)
        elif len(events) < MOST_SITES:
            program = self.launch.program
            events[key] = OutOfBounds(name, kind, program, distance, lanes, line, file)

    def nearest(self, pointer: Any, address: int, size: int) -> tuple[str, int]:
        """Return a tensor and how many elements off an address is, by the type of its pointer."""
        return self._nearest(getattr(pointer, ORIGIN, None), address, size)

    def _nearest(self, origin: Storage | None, address: int, size: int) -> tuple[str, int]:
        """Return a tensor and how many elements past its end or before its start an address is.

        The tensor is the argument that the pointer was computed from; where that got lost in a
        cast, the nearest one.
        """
        storages = self.launch.storages if origin is None else [origin]
        best, best_distance = "", 0
        for storage in storages:
            distance = elements_outside(address, storage.start, storage.end, size)
            if not best or abs(distance) < abs(best_distance):
                best, best_distance = storage.name, distance
        return best, best_distance

    def _note_wait(self, kind: str, addresses: Array, touched: Array, result: Array) -> None:
        """Let other programs go on when this one reads the same few values again and again."""
        launch = self.launch
        if addresses.size != 1 or not touched.all():
            launch.moved()
            return
        seen = (kind, int(addresses.flat[0]), result.tobytes())
        if seen not in launch.read:
            if len(launch.read) >= _VALUES_WAITED_FOR:
                launch.read.clear()
            launch.read.add(seen)
            launch.waited, launch.progressed = 0, True
            return
        launch.waited += 1
        patience = _SPINS if launch.progressed else _SPINS_AGAIN
        if launch.waited >= patience and launch.programs is not None:
            line, file = place()
            launch.waits_at = launch.waits_at or (line, file)
            read = launch.read
            launch.programs.wait(launch.progressed, f"at line {line}")
            launch.read, launch.waited, launch.progressed = read, 0, False
