"""Pictures of counters: a rectangle of a tensor's plane, reduced to the pixels asked for.

Everything here only reads, so that the engine's side thread may call it at any time.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.counter_layout import PROGRAM_LIMIT, on_tensor
from playground.engine.one_thread import one_thread
from playground.model.plane import clamp_slices, index_at, plane_shape
from playground.protocol.messages import Element, Paint, Plane, PlaneView, ProgramFootprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.counter_layout import TensorView
    from playground.engine.counters import Counts

OUTSIDE_FLAG = 4
"""Bit of a pixel's flags: no element is there (behind the end of a folded tensor's last row)."""


def plane(counts: Counts, tensor: str, paint: Paint, view: PlaneView) -> Plane:
    """Return the picture of a tensor coloured by `paint`.

    Loads and stores are the maximum over a pixel's elements; the owner and the first writer are
    those of the element in the pixel's middle; a flag is set when any element of the pixel has it.
    """
    where = counts.layout.tensor(tensor)
    rows, columns = plane_shape(where.shape)
    area = rectangle(where, view)
    step_rows, step_columns = steps(area)
    summary = counts.summary().tensor(tensor)
    with _reading(counts):
        if paint == "owner":
            owner = cut(on_tensor(counts.cells.storer_last, where), where, area, 0)
            values = _middle(owner, step_rows, step_columns) - 1
            maximum = max(counts.run.programs - 1, 0)
        elif paint == "first":
            first = cut(on_tensor(counts.cells.storer_first, where), where, area, 0)
            held = _middle(first, step_rows, step_columns)
            values = torch.where(held > 0, PROGRAM_LIMIT - held, -1)
            maximum = max(counts.run.programs - 1, 0)
        else:
            chosen = counts.cells.loads if paint == "loads" else counts.cells.stores
            values = block_maximum(
                cut(on_tensor(chosen, where), where, area, 0), step_rows, step_columns
            )
            maximum = (summary.loads if paint == "loads" else summary.stores).maximum
        marks = counts.flags(tensor)
        if marks is None:
            flags = torch.zeros(values.shape, dtype=torch.uint8, device=values.device)
            flags |= _outside(where, area, step_rows, step_columns, values.device)
        else:
            flags = block_or(cut(marks, where, area, OUTSIDE_FLAG), step_rows, step_columns)
            flags = torch.where(flags == OUTSIDE_FLAG, flags, flags & ~OUTSIDE_FLAG)
        picture, marked = values.to(torch.int32).cpu(), flags.cpu()
    return Plane(
        tensor=tensor,
        paint=paint,
        view=area,
        plane_rows=rows,
        plane_columns=columns,
        values=picture.contiguous().numpy(),
        flags=marked.contiguous().numpy(),
        programs=counts.run.programs,
        maximum=maximum,
    )


def element(
    counts: Counts, tensor: str, row: int, column: int, slices: tuple[int, ...] = ()
) -> Element:
    """Return the exact counters of the element drawn at a plane position.

    Raises
    ------
    IndexError
        The plane has no element there.
    """
    where = counts.layout.tensor(tensor)
    index = index_at(where.shape, row, column, slices)
    if index is None:
        raise IndexError(f"{tensor} has no element at row {row}, column {column}")
    cell = where.offset + sum(
        position * stride for position, stride in zip(index, where.strides, strict=True)
    )
    cells = counts.cells
    known = [cells.loads, cells.stores, cells.storer_last, cells.storer_first]
    if cells.loader_last is not None and cells.loader_first is not None:
        known += [cells.loader_last, cells.loader_first]
    with _reading(counts):
        figures = torch.stack([vector[cell] for vector in known]).tolist()
    loads, stores, last, first, *loaders = figures
    loader_last, loader_first = loaders or (0, 0)
    return Element(
        tensor=tensor,
        index=index,
        loads=loads,
        stores=stores,
        owner=last - 1,
        first_loader=PROGRAM_LIMIT - loader_first if loader_first else -1,
        last_loader=loader_last - 1,
        multi_written=bool(stores) and last - 1 != PROGRAM_LIMIT - first,
    )


def footprint(
    counts: Counts, tensor: str, program: int, view: PlaneView,
    loads: torch.Tensor, stores: torch.Tensor,
) -> ProgramFootprint:  # fmt: skip
    """Return what one program touches in a rectangle, given its own loads and stores."""
    where = counts.layout.tensor(tensor)
    area = rectangle(where, view)
    step_rows, step_columns = steps(area)
    mine_loads, mine_stores = on_tensor(loads, where), on_tensor(stores, where)
    loaded = cut(mine_loads, where, area, 0) > 0
    stored = cut(mine_stores, where, area, 0) > 0
    touched = loaded.to(torch.uint8) | (stored.to(torch.uint8) << 1)
    return ProgramFootprint(
        tensor=tensor,
        program=program,
        view=area,
        touched=block_or(touched, step_rows, step_columns).cpu().contiguous().numpy(),
        loads=int(mine_loads.sum(dtype=torch.int64)),
        stores=int(mine_stores.sum(dtype=torch.int64)),
    )


# ---------------------------------------------------------------- geometry


def rectangle(where: TensorView, view: PlaneView) -> PlaneView:
    """Return `view` cut to the plane; no rows or columns means all from its corner on."""
    rows, columns = plane_shape(where.shape)
    row = min(max(view.row, 0), max(rows - 1, 0))
    column = min(max(view.column, 0), max(columns - 1, 0))
    return replace(
        view,
        row=row,
        column=column,
        rows=min(view.rows or rows, rows - row),
        columns=min(view.columns or columns, columns - column),
        slices=clamp_slices(where.shape, view.slices),
        max_rows=max(view.max_rows, 1),
        max_columns=max(view.max_columns, 1),
    )


def steps(area: PlaneView) -> tuple[int, int]:
    """Return the rows and columns of elements in one pixel: 1 by 1 where the rectangle fits."""
    return -(-area.rows // area.max_rows) or 1, -(-area.columns // area.max_columns) or 1


def cut(values: torch.Tensor, where: TensorView, area: PlaneView, fill: int) -> torch.Tensor:
    """Return the rectangle of a tensor-shaped `values` as a matrix; `fill` where no element is."""
    shape = where.shape
    stop_row, stop_column = area.row + area.rows, area.column + area.columns
    if len(shape) >= 2:
        return values[area.slices][area.row : stop_row, area.column : stop_column]
    if len(shape) == 0:
        return values.reshape(1, 1)
    columns = plane_shape(shape)[1]
    flat = values[area.row * columns : min(stop_row * columns, shape[0])]
    missing = area.rows * columns - flat.numel()
    if missing:
        flat = torch.nn.functional.pad(flat, (0, missing), value=fill)
    return flat.reshape(area.rows, columns)[:, area.column : stop_column]


def _outside(
    where: TensorView, area: PlaneView, step_rows: int, step_columns: int, device: torch.device
) -> torch.Tensor:
    """Return the outside flag for a picture without other flags."""
    rows, columns = -(-area.rows // step_rows), -(-area.columns // step_columns)
    flags = torch.zeros((rows, columns), dtype=torch.uint8, device=device)
    if len(where.shape) == 1:
        width = plane_shape(where.shape)[1]
        # A pixel has an element when its first one exists: rows fill from the left.
        first = (area.row + torch.arange(rows, device=device) * step_rows) * width
        first = first[:, None] + area.column + torch.arange(columns, device=device) * step_columns
        flags[first >= where.shape[0]] = OUTSIDE_FLAG
    return flags


def _middle(values: torch.Tensor, step_rows: int, step_columns: int) -> torch.Tensor:
    """Return the element in the middle of each pixel."""
    if step_rows == step_columns == 1:
        return values
    chosen = values
    for axis, step in enumerate((step_rows, step_columns)):
        size = values.shape[axis]
        middles = torch.arange(0, size, step, device=values.device) + step // 2
        chosen = chosen.index_select(axis, middles.clamp_(max=size - 1))
    return chosen


def block_maximum(values: torch.Tensor, step_rows: int, step_columns: int) -> torch.Tensor:
    """Return the maximum of every block of `step_rows` by `step_columns`."""
    return _reduced(values, step_rows, step_columns, torch.maximum)


def block_or(values: torch.Tensor, step_rows: int, step_columns: int) -> torch.Tensor:
    """Return the bits that any element of a block has."""
    return _reduced(values, step_rows, step_columns, torch.bitwise_or)


def _reduced(values: torch.Tensor, step_rows: int, step_columns: int, combine: Any) -> torch.Tensor:
    # Whole rows first: they are contiguous, and few columns are left for the strided second pass.
    for axis, step in enumerate((step_rows, step_columns)):
        if step == 1:
            continue
        pieces = [values[start::step] if axis == 0 else values[:, start::step]
                  for start in range(min(step, values.shape[axis]))]  # fmt: skip
        result = pieces[0].clone(memory_format=torch.contiguous_format)
        for piece in pieces[1:]:
            target = result.narrow(axis, 0, piece.shape[axis])
            combine(target, piece, out=target)
        values = result
    return values


@contextlib.contextmanager
def _reading(counts: Counts) -> Iterator[None]:
    """Read counters on the GPU in a stream of this thread's own: the main one may be timing.

    On the CPU in one thread, which is less work than several.
    """
    device = counts.cells.loads.device
    if device.type != "cuda":
        with one_thread():
            yield
        return
    with torch.cuda.stream(_stream(device)):
        yield


_streams: dict[torch.device, torch.cuda.Stream] = {}


def _stream(device: torch.device) -> torch.cuda.Stream:
    if device not in _streams:
        _streams[device] = torch.cuda.Stream(device)
    return _streams[device]
