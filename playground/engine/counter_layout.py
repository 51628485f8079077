"""Where the storages and tensors of a launch lie on its counters."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.engine.arguments import dtype_text, tensors_in
from playground.model.addresses import elements_outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import torch

ONE_CELL_BYTES = 1 << 40
"""The grain of a storage that is not counted by element: all of it is one cell."""

PROGRAM_LIMIT = 2**31 - 1
"""The "first" counters hold this minus the program: 0 is "none", and more is earlier."""


@dataclass(frozen=True)
class StorageSlot:
    """One distinct piece of memory that the launch may touch.

    `unit` is the counters' grain in bytes (the smallest element among its arguments), `mixed` says
    that arguments with elements of several sizes share it; `first` is its first counter cell.
    """

    start: int
    nbytes: int
    unit: int
    mixed: bool
    first: int
    cells: int
    argument: str

    @property
    def end(self) -> int:
        """First address behind it."""
        return self.start + self.nbytes


@dataclass(frozen=True)
class TensorView:
    """One tensor argument on the counters; `strides` and `offset` in counter cells."""

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage: int
    dtype: str
    element_size: int

    @property
    def elements(self) -> int:
        """Number of elements of the view."""
        count = 1
        for size in self.shape:
            count *= size
        return count


@dataclass(frozen=True)
class Layout:
    """Where every storage and every tensor argument of a launch lies on the counters.

    `hollow` are the tensor arguments without elements: they lie nowhere.
    """

    storages: tuple[StorageSlot, ...]
    tensors: tuple[TensorView, ...]
    cells: int
    hollow: tuple[TensorView, ...] = ()

    def tensor(self, name: str) -> TensorView:
        """Return the view of the argument called `name`; raises `KeyError` if there is none."""
        for view in self.tensors:
            if view.name == name:
                return view
        raise KeyError(name)

    def nearest(self, address: int, size: int) -> tuple[str, int]:
        """Return the tensor nearest to an address outside all, and how far off, in elements.

        The element right behind the end is at 1, the one right before the start at -1.
        """
        name, best = "", 0
        for slot in self.storages:
            distance = elements_outside(address, slot.start, slot.end, size)
            if not name or abs(distance) < abs(best):
                name, best = slot.argument, distance
        return name, best


def on_tensor(cells: torch.Tensor, view: TensorView) -> torch.Tensor:
    """Return a counter vector as the tensor's elements see it: its shape, no copy."""
    return cells.as_strided(view.shape, view.strides, cells.storage_offset() + view.offset)


def distinct_elements(cells: torch.Tensor, view: TensorView) -> torch.Tensor:
    """Return a counter vector as `on_tensor` does, a broadcast dimension once: no copy either.

    Where windows overlap, elements stand here several times: `first_shown` tells them.
    """
    return cells.as_strided(
        _without_broadcast(view), view.strides, cells.storage_offset() + view.offset
    )


def _without_broadcast(view: TensorView) -> tuple[int, ...]:
    return tuple(
        1 if stride == 0 else size for size, stride in zip(view.shape, view.strides, strict=True)
    )


def first_shown(view: TensorView, device: torch.device) -> torch.Tensor | None:
    """Return where in `distinct_elements` each element stands for the first time, row by row.

    None where each stands there once: for all tensors but overlapping windows.
    """
    shape, reach = _without_broadcast(view), 0
    for stride, size in sorted(zip(view.strides, shape, strict=True)):
        if size > 1:
            if stride <= reach:
                return _first_shown(shape, view.strides, device)
            reach += (size - 1) * stride
    return None


@functools.lru_cache(maxsize=4)
def _first_shown(
    shape: tuple[int, ...], strides: tuple[int, ...], device: torch.device
) -> torch.Tensor:
    import torch

    reach = 1 + sum((size - 1) * by for size, by in zip(shape, strides, strict=True))
    cells = torch.arange(reach, device=device).as_strided(shape, strides).reshape(-1)
    order = torch.arange(len(cells), device=device)
    first = torch.full((reach,), len(cells), device=device)
    first.scatter_reduce_(0, cells, order, "amin")
    return (first[cells] == order).reshape(shape)


def named_tensors(arguments: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield every tensor argument with its name; a tuple's items are `name[0]`, `name[1]` …."""
    for name, value in arguments.items():
        found = list(tensors_in(value))
        for index, tensor in enumerate(found):
            yield (name if len(found) == 1 else f"{name}[{index}]"), tensor


def layout_of(arguments: Mapping[str, Any], ranges: list[tuple[int, int]]) -> Layout:
    """Return the counters' layout for a launch.

    Parameters
    ----------
    arguments
        Every kernel parameter by name.
    ranges
        The address ranges [start, end) of the storages. A tensor in none of them brings its own
        storage; a range without a tensor argument (its address is held inside a tensor) may be
        touched but is not counted by element.
    """
    ordered = sorted(set(ranges))
    members: dict[tuple[int, int], list[tuple[str, torch.Tensor]]] = {key: [] for key in ordered}
    placed: list[tuple[str, torch.Tensor, tuple[int, int]]] = []
    hollow: list[TensorView] = []
    for name, tensor in named_tensors(arguments):
        if tensor.numel() == 0:
            hollow.append(_hollow(name, tensor))
            continue
        address = tensor.data_ptr()
        home = next((item for item in ordered if item[0] <= address < item[1]), None)
        if home is None:
            start = tensor.untyped_storage().data_ptr()
            home = (start, start + tensor.untyped_storage().nbytes())
        members.setdefault(home, []).append((name, tensor))
        placed.append((name, tensor, home))
    slots: list[StorageSlot] = []
    numbers: dict[tuple[int, int], int] = {}
    first = 0
    for home, tensors in members.items():
        sizes = {tensor.element_size() for _, tensor in tensors}
        unit = min(sizes, default=ONE_CELL_BYTES)
        cells = -(-(home[1] - home[0]) // unit)
        label = tensors[0][0] if tensors else f"memory at {home[0]:#x}"
        numbers[home] = len(slots)
        slots.append(
            StorageSlot(home[0], home[1] - home[0], unit, len(sizes) > 1, first, cells, label)
        )
        first += cells
    views = []
    for name, tensor, home in placed:
        slot = slots[numbers[home]]
        factor = tensor.element_size() // slot.unit
        views.append(
            TensorView(
                name,
                tuple(tensor.shape),
                tuple(stride * factor for stride in tensor.stride()),
                slot.first + (tensor.data_ptr() - slot.start) // slot.unit,
                numbers[home],
                dtype_text(tensor.dtype),
                tensor.element_size(),
            )
        )
    return Layout(tuple(slots), tuple(views), first, tuple(hollow))


def _hollow(name: str, tensor: torch.Tensor) -> TensorView:
    return TensorView(
        name, tuple(tensor.shape), tuple(tensor.stride()), 0, -1, dtype_text(tensor.dtype),
        tensor.element_size(),
    )  # fmt: skip
