"""One program run alone, in the interpreter or on the GPU: what it wrote and printed."""

from __future__ import annotations

import contextlib
import io
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.debug_messages import RunPrograms
from playground.engine.elements import NOWHERE, byte_views
from playground.engine.replay_layout import layout_for
from playground.model.debugging import AloneRun, Prints, WrittenTensor
from playground.protocol.debugging import RanAlone, WrittenValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from playground.engine.counter_layout import Layout
    from playground.engine.debug_messages import Ran, StoredBytes
    from playground.engine.debug_process import DebugProcess
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.model.debugging import Program

    Array = np.ndarray[Any, np.dtype[Any]]

KEPT_VALUES = 1 << 16
"""Elements of a tensor whose values are told; how many there were is told of all."""
_MOST_PRINTED = 20_000


def program_place(grid: Program, program: int) -> Program:
    """Return x, y and z of the program with a linear id.

    Raises
    ------
    IndexError
        The grid has no such program.
    """
    count = grid[0] * grid[1] * grid[2]
    if not 0 <= program < count:
        raise IndexError(f"there is no program {program}: the grid has {count}, from 0")
    return program % grid[0], program // grid[0] % grid[1], program // (grid[0] * grid[1])


def in_the_interpreter(
    prepared: PreparedReplay, process: DebugProcess, program: int, job: Job
) -> RanAlone:
    """Run one program in the debug worker, which has the launch already."""
    program_place(prepared.grid, program)
    ran = process.run(RunPrograms((program,)), job)
    prepared.restore()
    layout = layout_for(prepared)
    written = [
        (layout.tensors[number].name, elements, values)
        for number, elements, values in stored_elements(ran, layout, prepared)
    ]
    return _result("interpreter", prepared, program, written, ran.prints, ran.duration_ms,
                   ran.findings)  # fmt: skip


def on_the_gpu(
    prepared: PreparedReplay, program: int, elements: Sequence[tuple[str, Array]], job: Job
) -> RanAlone:
    """Run one program on the GPU, as a copy of the kernel over a grid of one.

    Parameters
    ----------
    elements
        The tensors that the program stores to, with the elements (counted row by row).
    """
    import torch

    from playground.engine import gpu_prints
    from playground.engine.triton_private.compile_beside import compile_beside
    from playground.engine.triton_private.one_program import OneProgramCopy
    from playground.engine.triton_private.tracing_runs import device_of

    program_place(prepared.grid, program)
    device = device_of(prepared)
    size = gpu_prints.buffer_size()
    static = io.StringIO()
    with torch.cuda.device(device):
        copy = OneProgramCopy(prepared.launch.function, prepared.options, prepared.grid, device)

        def compile_copy() -> None:
            with contextlib.redirect_stdout(static):
                copy.compile(prepared.arguments)

        compile_beside(compile_copy, device, job)
        prepared.restore()
        torch.cuda.synchronize(device)
        started = time.perf_counter()
        with gpu_prints.standard_output_taken() as said:
            copy.launch(program, prepared.arguments)
            torch.cuda.synchronize(device)
        duration_ms = (time.perf_counter() - started) * 1e3
        after = {name: values_at(prepared, name, places) for name, places in elements}
        overruns = tuple(prepared.overruns())
        prepared.restore()
    prints = printed_on_gpu(said, prepared.grid, static.getvalue(), size, program)
    written = [(name, places, after[name]) for name, places in elements]
    return _result("gpu", prepared, program, written, prints, duration_ms, overruns)


def prints_on_gpu(prepared: PreparedReplay, job: Job) -> Prints:
    """Run the whole launch once on the GPU, and return what its programs print."""
    import torch

    from playground.engine import gpu_prints
    from playground.engine.triton_private import one_program
    from playground.engine.triton_private.compile_beside import compile_beside
    from playground.engine.triton_private.tracing_runs import device_of

    device = device_of(prepared)
    size = gpu_prints.buffer_size()
    static = io.StringIO()
    made: list[Any] = []
    launch = prepared.launch
    options = {name: value for name, value in prepared.options.items() if value is not None}

    def compile_copy() -> None:
        # Not the kernel that is kept compiled: `tl.static_print` prints while it compiles.
        with contextlib.redirect_stdout(static):
            kernel = one_program.compiled_copy(launch.function, prepared.arguments, options, None)
            kernel._init_handles()
        made.append(kernel)

    with torch.cuda.device(device):
        compile_beside(compile_copy, device, job)
        prepared.restore()
        torch.cuda.synchronize(device)
        names = [parameter.name for parameter in launch.function.params]
        with gpu_prints.standard_output_taken() as said:
            made[0][prepared.grid](*(prepared.arguments[name] for name in names))
            torch.cuda.synchronize(device)
        prepared.restore()
    return printed_on_gpu(said, prepared.grid, static.getvalue(), size, None)


def printed_on_gpu(
    said: Any, grid: Program, static: str, size: int | None, program: int | None
) -> Prints:
    """Return a GPU's lines by program; `size` is that of the buffer they came through."""
    from playground.model import device_print

    lines = said.lines()
    printed, other, count = device_print.grouped(lines, grid, _MOST_PRINTED, program)
    lost = said.cut or (size is not None and device_print.buffer_bytes(lines) > 0.9 * size)
    notes = []
    kept = sum(len(one.values) for one in printed)
    if lost:
        shown = f"{size >> 20} MB" if size else "its size"
        notes.append(
            f"the GPU's print buffer ({shown}) was full: earlier lines are lost; print less, or "
            "run one program alone"
        )
    if count > kept:
        notes.append("what several threads or rounds print alike is shown once")
    return Prints("gpu", printed, tuple(static.splitlines()), count, lost, other, tuple(notes))


def stored_elements(
    ran: Ran, layout: Layout, prepared: PreparedReplay
) -> list[tuple[int, Array, Array]]:
    """Return (tensor's number, elements, values) of what interpreted programs wrote.

    Values are float64 or int64; an element that a store covers only in part is left out.
    """
    return [(number, elements, values) for number, elements, values, _ in placed(ran, layout)]


def placed(ran: Ran, layout: Layout) -> list[tuple[int, Array, Array, tuple[StoredBytes, Array]]]:
    """Return the same with, of each, the stores it comes from and which of them."""
    found = []
    for stored in ran.stored:
        left = np.ones(len(stored.addresses), np.bool_)
        for number, view in enumerate(byte_views(layout)):
            tensor = layout.tensors[number]
            if tensor.element_size != stored.size:
                continue
            elements = view.places(stored.addresses)
            mine = (elements != NOWHERE) & left
            if not mine.any():
                continue
            left &= ~mine
            which = np.flatnonzero(mine)
            order = np.argsort(elements[which], kind="stable")
            which = which[order]
            values = _numbers(stored.data[which], tensor.dtype)
            found.append((number, elements[which], values, (stored, which)))
    return found


def values_at(prepared: PreparedReplay, name: str, elements: Array) -> Array:
    """Return the values of a tensor's elements (counted row by row) as it is now."""
    import torch

    tensor = tensor_called(prepared, name)
    index = torch.from_numpy(np.ascontiguousarray(elements)).to(tensor.device)
    flat = tensor.detach().reshape(-1) if tensor.is_contiguous() else None
    if flat is not None:
        found = flat[index]
    else:
        places = []
        rest = index
        for size in reversed(tensor.shape):
            places.append(rest % size)
            rest = rest // size
        found = tensor.detach()[tuple(reversed(places))]
    return as_numbers(found)


def tensor_called(prepared: PreparedReplay, name: str) -> torch.Tensor:
    """Return a tensor argument by the layout's name of it; raises `KeyError`."""
    from playground.engine.arguments import tensors_in
    from playground.engine.reached import reached_by_address

    named = {**prepared.arguments, **reached_by_address(prepared.launch)}
    for argument, value in named.items():
        held = list(tensors_in(value))
        for number, tensor in enumerate(held):
            if name in (argument, f"{argument}[{number}]"):
                return tensor
    raise KeyError(name)


def as_numbers(tensor: torch.Tensor) -> Array:
    """Return a tensor as float64, or int64 for whole numbers."""
    kind = tensor.detach().cpu()
    return kind.double().numpy() if kind.is_floating_point() else kind.long().numpy()


def _numbers(data: Array, dtype: str) -> Array:
    """Return the bytes of elements as numbers."""
    import torch

    kind = getattr(torch, dtype)
    return as_numbers(torch.from_numpy(np.ascontiguousarray(data).reshape(-1)).view(kind))


def _result(
    mode: Any, prepared: PreparedReplay, program: int, written: list[tuple[str, Array, Array]],
    prints: Prints, duration_ms: float, findings: Any,
) -> RanAlone:  # fmt: skip
    layout = layout_for(prepared)
    told, values, notes = [], [], []
    for name, elements, after in written:
        if not len(elements):
            continue
        view = layout.tensor(name)
        floats = after if after.dtype.kind == "f" else np.zeros(1)
        told.append(
            WrittenTensor(
                name, view.shape, view.dtype, len(elements), int(elements.min()),
                int(elements.max()), int(np.isnan(floats).sum()), int(np.isinf(floats).sum()),
            )
        )  # fmt: skip
        kept = elements[:KEPT_VALUES]
        if len(elements) > KEPT_VALUES:
            notes.append(f"{name}: of {len(elements)} elements the first {KEPT_VALUES} are here")
        values.append(
            WrittenValues(name, kept, values_at(prepared, name, kept), after[:KEPT_VALUES])
        )
    if not told:
        notes.append("it writes nothing")
    run = AloneRun(
        mode, program, prepared.grid, tuple(told), prints, duration_ms, tuple(notes)
    )  # fmt: skip
    return RanAlone(run, tuple(values), tuple(findings))
