"""What was counted: counters per storage, seen through each argument's shape and strides."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import torch

from playground.engine import gaps
from playground.engine.access_sites import access_sites
from playground.engine.counter_layout import (
    Layout,
    TensorView,
    distinct_elements,
    first_shown,
    on_tensor,
)
from playground.engine.job import Job
from playground.engine.storage_ranges import StorageRanges
from playground.model.coverage import AccessCount, Coverage, OutOfBounds, TensorCoverage

if TYPE_CHECKING:
    from typing import Literal

    from playground.engine.access_sites import Survey
    from playground.engine.replay import PreparedReplay
    from playground.model.access_site import AccessSite
    from playground.model.config import Config
    from playground.model.hazard import Hazard
    from playground.protocol.messages import Element, Paint, Plane, PlaneView, ProgramFootprint


@dataclass
class Cells:
    """The counters: int32 vectors over all cells of a layout, on the CPU or the GPU.

    `storer_last` and `loader_last` hold the highest program plus one, `storer_first` and
    `loader_first` `PROGRAM_LIMIT` minus the lowest; 0 means no program. The loaders may be missing:
    on a GPU they take a run of their own, made when they are asked for (`Counts.know_loaders`).
    `disputed` (bool) marks cells in which programs stored different values; None where there is
    none, or values were not compared.
    """

    loads: torch.Tensor
    stores: torch.Tensor
    storer_last: torch.Tensor
    storer_first: torch.Tensor
    loader_last: torch.Tensor | None = None
    loader_first: torch.Tensor | None = None
    disputed: torch.Tensor | None = None


class FootprintSource(Protocol):
    """Runs the launch again, counting one program only."""

    def footprint(
        self, prepared: PreparedReplay, program: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (loads, stores) over all cells, of that program alone."""


@runtime_checkable
class LoaderSource(FootprintSource, Protocol):
    """Runs the launch again for what its count has left out as well."""

    def loaders(
        self, prepared: PreparedReplay, job: Job
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return the last and first loader over all cells as in `Cells`, None where memory ends."""


@dataclass(frozen=True)
class CountedRun:
    """What a count was of, and what it found beside the cells.

    `duration_ms` is the run that counts; `parts_ms` are the pieces of the whole work by name,
    compiling left out.
    """

    launch: int
    config: Config
    grid: tuple[int, int, int]
    mode: Literal["gpu", "interpreter"]
    flops: dict[str, int]
    out_of_bounds: tuple[OutOfBounds, ...]
    duration_ms: float
    compile_ms: float = 0.0
    resolution: str = "every element"
    notes: tuple[str, ...] = ()
    atomics: bool = False
    values_compared: bool = False
    survey: Survey | None = None
    num_warps: int = 4
    hazards: tuple[Hazard, ...] = ()
    parts_ms: tuple[tuple[str, float], ...] = ()
    programs_counted: int | None = None
    """None where all programs were counted."""

    @property
    def programs(self) -> int:
        """Number of programs in the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]


class Counts:
    """The counters of one launch under one config, and every question about them.

    All but `footprint` and `know_loaders` only read, so they may be called from another thread;
    none of those touches Triton.
    """

    def __init__(
        self, run: CountedRun, layout: Layout, cells: Cells, source: FootprintSource | None = None,
        ranges: StorageRanges | None = None,
    ) -> None:  # fmt: skip
        self.run = run
        self.layout = layout
        self.cells = cells
        self._source = source
        self._ranges = ranges or StorageRanges(layout, cells)
        self._lock = threading.RLock()
        self._flags: dict[str, torch.Tensor | None] = {}
        self._summary: Coverage | None = None
        self._footprint: tuple[int, torch.Tensor, torch.Tensor] | None = None

    def __repr__(self) -> str:
        return f"<counts of launch {self.run.launch} {self.run.config.label()}>"

    @property
    def loaders_known(self) -> bool:
        """Whether the first and last loader of an element were collected."""
        return self.cells.loader_last is not None

    @property
    def nbytes(self) -> int:
        """Bytes the counters hold, on the GPU or the CPU."""
        return sum(
            cells.numel() * cells.element_size()
            for cells in vars(self.cells).values()
            if cells is not None
        )

    # ------------------------------------------------------------ the summary

    def summary(self) -> Coverage:
        """Return the exact totals, worked out on the first call."""
        with self._lock:
            if self._summary is None:
                self._summary = self._summarise()
            return self._summary

    def _summarise(self) -> Coverage:
        run = self.run
        used = self._ranges.bytes_used()
        requested = sum(asked for asked, _ in used.values())
        unique = sum(distinct for _, distinct in used.values())
        return Coverage(
            launch=run.launch,
            config=run.config,
            grid=run.grid,
            tensors=(
                *(self._tensor(view) for view in self.layout.tensors),
                *(_without_elements(view) for view in self.layout.hollow),
            ),
            bytes_requested=requested,
            bytes_unique=unique,
            flops=sum(run.flops.values()),
            out_of_bounds=run.out_of_bounds,
            mode=run.mode,
            duration_ms=run.duration_ms,
            resolution=run.resolution,
            notes=run.notes,
            flops_by_kind=tuple((kind, count) for kind, count in run.flops.items() if count),
            atomics=run.atomics,
            sites=self._sites(used),
            hazards=run.hazards,
            operations=tuple(run.survey.operations.items()) if run.survey else (),
            programs_counted=run.programs_counted,
        )

    def _sites(self, used: dict[tuple[str, int], tuple[int, int]]) -> tuple[AccessSite, ...]:
        if self.run.survey is None:
            return ()

        def distinct_bytes(kind: str, storage: int, requested: int) -> int | None:
            # Where one place has asked for all that was asked of a storage, the counters are its.
            directions = ("load", "store") if kind == "atomic" else (kind,)
            found = [used.get((direction, storage), (0, 0)) for direction in directions]
            alone = all(asked == requested for asked, _ in found)
            return found[0][1] if alone else None

        return access_sites(
            self.run.survey, self.layout, self.run.programs, self.run.num_warps, distinct_bytes
        )

    def _tensor(self, view: TensorView) -> TensorCoverage:
        loads = self._ranges.access_count("load", view)
        stores = self._ranges.access_count("store", view)
        unwritten: int | None = None
        multi = 0
        if stores.minimum == stores.maximum == 1:  # stored, by one program each
            unwritten = 0
        elif stores.maximum and (flags := self.flags(view.name)) is not None:
            distinct = flags
            for axis, stride in enumerate(view.strides):
                if stride == 0 and view.shape[axis] > 1:
                    distinct = distinct.narrow(axis, 0, 1)
            once = first_shown(view, distinct.device)
            if once is not None:
                distinct = distinct[once]
            unwritten = int(torch.count_nonzero(distinct & 1))
            multi = int(torch.count_nonzero(distinct & 2))
        whole = self.run.programs_counted is None
        return TensorCoverage(
            name=view.name,
            shape=view.shape,
            dtype=view.dtype,
            elements=view.elements,
            loads=loads,
            stores=stores,
            unwritten=unwritten if whole else None,
            multi_written=multi,
            out_of_bounds=sum(
                item.lanes for item in self.run.out_of_bounds if item.tensor == view.name
            ),
            disputed=self._disputed(view),
            unread=gaps.unread(self.cells, view, loads) if whole else None,
            read_again=gaps.read_again(self.cells, view, loads) if whole else None,
            beside=gaps.beside(self.layout, self.cells, self._ranges, view),
        )

    def _disputed(self, view: TensorView) -> int | None:
        if not self.run.values_compared:
            return None
        cells = self.cells.disputed
        if cells is None:
            return 0
        held = distinct_elements(cells, view)
        once = first_shown(view, held.device)
        return int(torch.count_nonzero(held if once is None else held[once]))

    def flags(self, tensor: str) -> torch.Tensor | None:
        """Return uint8 in the tensor's shape: bit 0 unwritten, bit 1 written by several programs.

        Bit 3 is set where those stored different values. None for a tensor that the launch never
        stores to: there nothing is missing. Of a sample of programs bit 0 is never set.
        """
        with self._lock:
            if tensor not in self._flags:
                self._flags[tensor] = self._make_flags(self.layout.tensor(tensor))
            return self._flags[tensor]

    def _make_flags(self, view: TensorView) -> torch.Tensor | None:
        if not self._ranges.of("store", view.storage).high:
            return None
        stores = on_tensor(self.cells.stores, view)
        unwritten = stores == 0
        if bool(unwritten.all()):
            return None
        last = on_tensor(self.cells.storer_last, view)
        first = on_tensor(self.cells.storer_first, view)
        # last is program + 1 and first is limit - program: with one storer they add to limit + 1,
        # which wraps to the lowest int32.
        several = (last + first) != -(2**31)
        several &= ~unwritten
        missing = unwritten if self.run.programs_counted is None else torch.zeros_like(unwritten)
        flags = missing.to(torch.uint8) | (several.to(torch.uint8) << 1)
        if self.cells.disputed is not None:
            flags |= (on_tensor(self.cells.disputed, view) != 0).to(torch.uint8) << 3
        return flags

    # ------------------------------------------------------------ pictures and single elements

    def plane(self, tensor: str, paint: Paint, view: PlaneView) -> Plane:
        """Return the picture of a tensor; raises `KeyError` for a name that is none."""
        from playground.engine import planes

        return planes.plane(self, tensor, paint, view)

    def element(self, tensor: str, row: int, column: int, slices: tuple[int, ...] = ()) -> Element:
        """Return one element's counters; raises `KeyError` or `IndexError` where there is none."""
        from playground.engine import planes

        return planes.element(self, tensor, row, column, slices)

    def know_loaders(self, prepared: PreparedReplay, job: Job | None = None) -> None:
        """Run the launch again for the first and last loader of each element, if not known yet.

        For the main thread only. They stay unknown where the counters were too large for one run.
        """
        source = self._source
        if self.loaders_known or not isinstance(source, LoaderSource):
            return
        if self.cells.loads.device.type == "cpu":
            return
        found = source.loaders(prepared, job or Job())
        if found is not None:
            with self._lock:
                self.cells.loader_first = found[1]
                self.cells.loader_last = found[0]

    def footprint(
        self, prepared: PreparedReplay, tensor: str, program: int, view: PlaneView
    ) -> ProgramFootprint:
        """Run the launch again and return what one program touches in `tensor`.

        For the main thread only. The last program's run is kept, so other tensors and rectangles
        of the same program cost no run.

        Raises
        ------
        KeyError
            There is no such tensor.
        IndexError
            The grid has no such program.
        """
        from playground.engine import planes

        self.layout.tensor(tensor)
        if not 0 <= program < self.run.programs:
            raise IndexError(f"the grid has programs 0 to {self.run.programs - 1}, not {program}")
        kept = self._footprint
        if kept is None or kept[0] != program:
            if self._source is None:
                raise RuntimeError("these counts cannot run their launch again")
            loads, stores = self._source.footprint(prepared, program)
            kept = (program, loads, stores)
            self._footprint = kept
        return planes.footprint(self, tensor, program, view, kept[1], kept[2])


def _without_elements(view: TensorView) -> TensorCoverage:
    none = AccessCount(0, 0, 0)
    return TensorCoverage(view.name, view.shape, view.dtype, 0, none, none, None, 0, 0)
