"""Running the scheduled copy of a kernel: one compile, then the fastest of a few runs."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from playground.engine.triton_private.compile_beside import compile_beside
from playground.engine.triton_private.stamping import WORDS, StampPlan, build_stamped
from playground.engine.triton_private.tracing import bind, private_copy
from playground.engine.triton_private.tracing_runs import device_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay

LARGEST = 1 << 22
"""Programs whose stamps are kept: of a larger grid, the first of them."""
_SMALLEST = 1 << 12
_KEPT_COPIES = 16


@dataclass(frozen=True, eq=False)
class Stamps:
    """What a run stored: per program its start and end (int64 ns) and multiprocessor (int64).

    `registers` of a thread and `shared_bytes` of a program are those of the copy.
    """

    start_ns: np.ndarray[Any, np.dtype[np.int64]]
    end_ns: np.ndarray[Any, np.dtype[np.int64]]
    multiprocessor: np.ndarray[Any, np.dtype[np.int64]]
    registers: int
    shared_bytes: int

    @property
    def duration_ns(self) -> int:
        """Time from the first start to the last end."""
        return int(self.end_ns.max() - self.start_ns.min())


class StampedCopy:
    """A scheduled copy with room for its stamps; compiled when first run."""

    def __init__(
        self, function: Any, options: Mapping[str, Any], programs: int, device: torch.device
    ) -> None:
        self.function = function
        self.options = dict(options)
        self.names = [parameter.name for parameter in function.params]
        self.capacity = room_for(programs)
        self.words = torch.zeros((self.capacity, WORDS), dtype=torch.int64, device=device)
        self._plan = StampPlan(self.words.data_ptr(), self.capacity, programs > LARGEST)
        self._kernel: Any = None
        self._compiling = threading.Lock()

    def compile(self, arguments: Mapping[str, Any]) -> None:
        """Compile and load the copy; raises `OutOfResources` where the kernel itself would."""
        with self._compiling:
            if self._kernel is None:
                kernel = build_stamped(self.function, arguments, self.options, self._plan)
                kernel._init_handles()
                self._kernel = kernel

    def run(self, prepared: PreparedReplay) -> Stamps:
        """Launch once on restored inputs and return the stamps of its programs."""
        prepared.restore()
        self.words.zero_()
        torch.cuda.synchronize(self.words.device)
        self._kernel[prepared.grid](*(prepared.arguments[name] for name in self.names))
        torch.cuda.synchronize(self.words.device)
        x, y, z = prepared.grid
        table = self.words[: min(x * y * z, self.capacity)].cpu().numpy()
        start, end, multiprocessor = (np.ascontiguousarray(table[:, word]) for word in range(WORDS))
        shared_bytes = int(self._kernel.metadata.shared)
        return Stamps(start, end, multiprocessor, int(self._kernel.n_regs), shared_bytes)


def room_for(programs: int) -> int:
    """Return for how many programs room is made: a power of two, so that grids share copies."""
    return min(max(1 << (programs - 1).bit_length(), _SMALLEST), LARGEST)


_copies: OrderedDict[tuple[Any, ...], StampedCopy] = OrderedDict()


def _copy_of(prepared: PreparedReplay, device: torch.device) -> StampedCopy:
    function = prepared.launch.function
    options = {name: value for name, value in prepared.options.items() if value is not None}
    *_, specialization = bind(private_copy(function), prepared.arguments, options)
    x, y, z = prepared.grid
    programs = x * y * z
    key = (
        function.fn.__code__.co_filename, function.cache_key, str(specialization),
        str(sorted(options.items())), room_for(programs), programs > LARGEST, str(device),
    )  # fmt: skip
    if key not in _copies:
        _copies[key] = StampedCopy(function, options, programs, device)
        while len(_copies) > _KEPT_COPIES:
            _copies.popitem(last=False)
    _copies.move_to_end(key)
    return _copies[key]


def fastest(prepared: PreparedReplay, job: Job, *, warm_ups: int, runs: int) -> Stamps:
    """Return the stamps of the fastest of `runs` runs, after `warm_ups` that do not count."""
    device = device_of(prepared)
    with torch.cuda.device(device):
        copy = _copy_of(prepared, device)
        job.progress("compiling the scheduled copy of the kernel")
        compile_beside(lambda: copy.compile(prepared.arguments), device, job)
        job.progress("running it to see where and when its programs run")
        for _ in range(warm_ups):
            copy.run(prepared)
        best = copy.run(prepared)
        for _ in range(runs - 1):
            job.check()
            stamps = copy.run(prepared)
            if stamps.duration_ns < best.duration_ns:
                best = stamps
    return best
