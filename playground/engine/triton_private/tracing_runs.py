"""The runs of a tracing copy: one copy for every schedule of a kernel, and its table filled."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import torch
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.engine.counter_layout import Layout, named_tensors
from playground.engine.planes_warm_up import warm_up
from playground.engine.triton_private.compile_beside import compile_beside
from playground.engine.triton_private.tracing import (
    TracingCopy,
    bind,
    private_copy,
    tracing_options,
)
from playground.engine.triton_private.tracing_plan import (
    FLOPS,
    FLOPS_CELLS,
    HEAD,
    HEADER_WORDS,
    MODE,
    NARROW_CELLS,
    OUTSIDE,
    SCRATCH,
    SELECTED,
    SITE_CELLS,
    STORAGE_WORDS,
    WINDOW,
)
from playground.model.coverage import FLOP_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay

BUDGET_SHARE = 0.25
"""Share of the GPU's free memory that counters and recordings may take."""

_KEPT_COPIES = 64
_PAD_CELLS = 16  # an element wider than the grain may reach behind the last cell

_copies: OrderedDict[tuple[Any, ...], TracingCopy] = OrderedDict()


def copy_of(prepared: PreparedReplay, layout: Layout, device: torch.device) -> TracingCopy:
    """Return the tracing copy for a replay, compiled or not; one for every schedule."""
    function = prepared.launch.function
    units = tuple(slot.unit for slot in layout.storages)
    mixed = tuple(slot.mixed for slot in layout.storages)
    narrow = layout.cells < NARROW_CELLS and all(
        slot.start % slot.unit == 0 for slot in layout.storages
    )
    descriptors = tuple(
        name for name, value in prepared.arguments.items() if isinstance(value, TensorDescriptor)
    )
    warps = int(prepared.options.get("num_warps") or 4)
    options = tracing_options(prepared.options, min(max(warps, 4), 8))
    *_, specialization = bind(private_copy(function), prepared.arguments, options)
    key = (
        function.fn.__code__.co_filename, function.cache_key, str(specialization),
        str(sorted(options.items())), units, mixed, descriptors, narrow, str(device),
    )  # fmt: skip
    if key not in _copies:
        _copies[key] = TracingCopy(
            function, options, units, mixed, descriptors, device, narrow=narrow
        )
        while len(_copies) > _KEPT_COPIES:
            _copies.popitem(last=False)
    _copies.move_to_end(key)
    return _copies[key]


class StartedRun:
    """A run of a tracing copy between two events on the current stream."""

    def __init__(self) -> None:
        self._begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self._begin.record()

    def wait(self) -> float:
        """Wait for the run's end; return the milliseconds that it took the GPU."""
        self.end.synchronize()
        return float(self._begin.elapsed_time(self.end))


class GpuRuns:
    """The tracing copy for one replay on its GPU, and how to run it.

    Parameters
    ----------
    like
        Other runs of the same replay, whose copy is taken: finding it takes milliseconds.
    """

    device: torch.device
    copy: TracingCopy
    _flops: torch.Tensor
    _outside: torch.Tensor
    _scratch: torch.Tensor

    def __init__(
        self, layout: Layout, prepared: PreparedReplay, like: GpuRuns | None = None
    ) -> None:
        self.layout = layout
        if like is not None:
            self.device, self.copy = like.device, like.copy
            self._flops, self._outside, self._scratch = like._flops, like._outside, like._scratch
            return
        self.device = device_of(prepared)
        with torch.cuda.device(self.device):
            self.copy = copy_of(prepared, layout, self.device)
            self._flops = torch.zeros(
                (len(FLOP_KINDS), FLOPS_CELLS), dtype=torch.int64, device=self.device
            )
            self._outside = torch.zeros(3 * SITE_CELLS, dtype=torch.int64, device=self.device)
            self._scratch = torch.zeros(2, dtype=torch.int64, device=self.device)

    def _run(
        self, prepared: PreparedReplay, mode: int, given: Mapping[int, int],
        window: tuple[int, int] = (0, 1), selected: int = -1, variant: str = "chosen",
    ) -> float:  # fmt: skip
        """Run the copy once, as `_start` does; return the milliseconds that it takes the GPU."""
        return self._start(prepared, mode, given, window, selected, variant).wait()

    def _start(
        self, prepared: PreparedReplay, mode: int, given: Mapping[int, int],
        window: tuple[int, int] = (0, 1), selected: int = -1, variant: str = "chosen",
    ) -> StartedRun:  # fmt: skip
        """Start a run of the copy; what it writes has to be kept until it has ended.

        `given` holds further words of the table: addresses of what the run writes, as a rule.
        """
        first, cells = window
        words = [0] * self.copy.plan.words
        head = self.copy.plan.head_cells
        words[MODE], words[SELECTED], words[WINDOW], words[HEAD] = mode, selected, cells, head
        for word, value in given.items():
            words[word] = value
        words[FLOPS], words[OUTSIDE] = self._flops.data_ptr(), self._outside.data_ptr()
        words[SCRATCH] = self._scratch.data_ptr()
        for index, slot in enumerate(self.layout.storages):
            place = HEADER_WORDS + STORAGE_WORDS * index
            words[place : place + 3] = slot.start, slot.nbytes, slot.first - first + head
        place = HEADER_WORDS + STORAGE_WORDS * len(self.layout.storages)
        for index, name in enumerate(self.copy.plan.descriptors):
            words[place + index] = prepared.arguments[name].base.data_ptr()
        self.copy.table.copy_(torch.tensor(words, dtype=torch.int64))
        prepared.restore()
        run = StartedRun()
        if 0 not in prepared.grid:
            self.copy.launch(prepared.grid, prepared.arguments, variant)
        run.end.record()
        return run

    def _vector(self, cells: int) -> torch.Tensor:
        """Return counters for so many cells, with those of sites and accesses before them."""
        size = self.copy.plan.head_cells + cells + _PAD_CELLS
        return torch.zeros(size, dtype=torch.int32, device=self.device)

    def _cells(self, vector: torch.Tensor, cells: int) -> torch.Tensor:
        """Return the cells of the storages in what `_vector` made."""
        head = self.copy.plan.head_cells
        return vector[head : head + cells]

    def _count_run(
        self, prepared: PreparedReplay, mode: int, vectors: Mapping[int, torch.Tensor],
        window: tuple[int, int] = (0, 1), selected: int = -1, variant: str = "chosen",
        more: Mapping[int, int] | None = None,
    ) -> StartedRun:  # fmt: skip
        """Start a counting variant into `vectors`, given by their words of the table.

        Only "windows" takes heed of the window, only "chosen" of the mode and the program.
        """
        given = {word: vector.data_ptr() for word, vector in vectors.items()} | dict(more or {})
        return self._start(prepared, mode, given, window, selected, variant)

    def _free_bytes(self) -> int:
        """Return the GPU's free memory, with what torch holds and does not use."""
        free_bytes, _ = torch.cuda.mem_get_info(self.device)
        # Torch's other ways to ask rebuild all of its figures for each.
        figures = torch.cuda.memory_stats_as_nested_dict(self.device)
        if not figures:
            return free_bytes
        held, used = (
            int(figures[name]["all"]["current"]) for name in ("reserved_bytes", "allocated_bytes")
        )
        return free_bytes + held - used

    def _compile_beside(self, arguments: Mapping[str, Any], job: Job, *variants: str) -> str:
        """Compile variants of the copy beside this thread, all at once, where not done before.

        What keeps the first from compiling is raised; what keeps another from it is returned.
        """
        missing = [variant for variant in variants if not self.copy.compiled(variant)]
        if not missing:
            return ""
        job.progress("compiling the counting copy of the kernel")
        failures: list[str] = []

        def one(variant: str) -> None:
            try:
                with torch.cuda.device(self.device):
                    self.copy.compile(arguments, variant)
            except Exception as error:
                if variant == variants[0]:
                    raise
                failures.append(str(error) or type(error).__name__)

        def work() -> None:
            with ThreadPoolExecutor(len(missing) + 1) as pool:
                started = [pool.submit(one, variant) for variant in missing]
                started.append(pool.submit(warm_up, self.device))
                for done in started:
                    done.result()

        compile_beside(work, self.device, job)
        return failures[0] if failures else ""


def device_of(prepared: PreparedReplay) -> torch.device:
    """Return the GPU that a replay's tensors are on."""
    for _, tensor in named_tensors(prepared.arguments):
        if tensor.is_cuda:
            return tensor.device
    return torch.device("cuda", torch.cuda.current_device())
