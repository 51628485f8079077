"""The counts of a launch as a `.npz` file, for NumPy."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

import playground
from playground.engine.counter_layout import PROGRAM_LIMIT, on_tensor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import torch

    from playground.engine.counter_layout import TensorView
    from playground.engine.counters import Counts
    from playground.protocol.programs import Scheduled

    Array = np.ndarray[Any, np.dtype[Any]]

ABOUT = "about"
"""The entry that says, as JSON, what the file is of; the first one."""

NOBODY = -1
"""Stands for the program of an element that none stores (or loads)."""


def save_counts(
    path: str | Path, counts: Counts, kernel: str, scheduled: Scheduled | None = None
) -> None:
    """Write the counts of a launch, an array at a time.

    Every tensor has, int32 in its own shape, `NAME.loads`, `NAME.stores`, `NAME.owner` and
    `NAME.last_writer` (the program that stores the element last), `NAME.first_writer`, and where
    they were collected `NAME.first_loader` and `NAME.last_loader`; programs are linear ids, -1 is
    none. `grid` has three numbers, `about` is JSON. A schedule adds `schedule.multiprocessor`,
    `schedule.start_ns` and `schedule.end_ns`, one number a program.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in _arrays(counts, kernel, scheduled):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)


def _arrays(
    counts: Counts, kernel: str, scheduled: Scheduled | None
) -> Iterator[tuple[str, Array]]:
    yield ABOUT, np.array(json.dumps(_about(counts, kernel)))
    yield "grid", np.array(counts.run.grid, dtype=np.int64)
    for view in counts.layout.tensors:
        for figure, array in _figures(counts, view):
            yield f"{view.name}.{figure}", array
    if scheduled is not None:
        yield "schedule.multiprocessor", scheduled.multiprocessor
        yield "schedule.start_ns", scheduled.start_ns
        yield "schedule.end_ns", scheduled.end_ns


def _about(counts: Counts, kernel: str) -> dict[str, Any]:
    run = counts.run
    return {
        "made by": f"Triton Playground {playground.__version__}",
        "kernel": kernel,
        "config": run.config.as_dict(),
        "grid": list(run.grid),
        "mode": run.mode,
        "resolution": run.resolution,
        "tensors": {view.name: view.dtype for view in counts.layout.tensors},
    }


def _figures(counts: Counts, view: TensorView) -> Iterator[tuple[str, Array]]:
    cells = counts.cells
    yield "loads", _on_cpu(cells.loads, view)
    yield "stores", _on_cpu(cells.stores, view)
    last = _on_cpu(cells.storer_last, view) - 1
    yield "owner", last
    yield "last_writer", last
    yield "first_writer", _first(cells.storer_first, view)
    if cells.loader_first is not None and cells.loader_last is not None:
        yield "first_loader", _first(cells.loader_first, view)
        yield "last_loader", _on_cpu(cells.loader_last, view) - 1


def _on_cpu(cells: torch.Tensor, view: TensorView) -> Array:
    array: Array = on_tensor(cells, view).cpu().numpy()
    return array


def _first(cells: torch.Tensor, view: TensorView) -> Array:
    held = _on_cpu(cells, view)
    return np.where(held == 0, np.int32(NOBODY), np.int32(PROGRAM_LIMIT) - held)
