"""The counters that a tracing copy of a kernel emits beside each access.

An access first works out, lane by lane, which storage of the launch the address falls in and which
counter cell that is; lanes in no storage are masked off the access and counted in the access site's
own cell.
Everything that changes from run to run (addresses of storages and counters, which counters are on,
the selected program) is read from a table in device memory, so a run never needs a compile.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import triton.language as tl
from triton.language import core

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.triton_private.tracing_axes import AxisSemantic, running_axis
from playground.engine.triton_private.tracing_plan import (
    COUNT,
    COUNT_LOADERS,
    COUNT_OUTSIDE,
    COUNT_STORERS,
    COUNTING_MODES,
    EXECUTION_CELLS,
    HEAD,
    HEADER_WORDS,
    LOADER_FIRST,
    LOADER_LAST,
    LOADING_ATOMICS,
    LOADING_MODES,
    LOADS,
    OFF_CELLS,
    OUTSIDE,
    SITE_CELLS,
    STORAGE_WORDS,
    STORER_FIRST,
    STORER_LAST,
    STORES,
    STORING_ATOMICS,
    WINDOW,
    BlockAccess,
    Plan,
    Site,
    TrackedAccess,
)

if TYPE_CHECKING:
    from playground.model.access_site import AccessKind


class CountingSemantic(AxisSemantic):
    """The semantics of a program, able to emit the counters of an access: `track`."""

    def __init__(self, builder: Any, plan: Plan, generator: Any) -> None:
        super().__init__(builder, plan, generator)
        self._axis = 0  # along which the lanes of the access at hand are dealt out
        self._storages_made: dict[tuple[int, tuple[int, ...]], list[tuple[Any, Any, Any]]] = {}

    # ------------------------------------------------------------ lane arithmetic

    def _select(self, condition: Any, yes: Any, no: Any) -> Any:
        handle = self.builder.create_select(condition.handle, yes.handle, no.handle)
        return tl.tensor(handle, yes.type)

    def _below(self, value: Any, limit: Any, shape: list[int]) -> Any:
        """Compare as unsigned: one comparison covers negative values too."""
        handle = self.builder.create_icmpULT(value.handle, limit.handle)
        return tl.tensor(handle, self._type(tl.int1, shape))

    def _cells_at(self, word: int, cells: Any, shape: list[int]) -> Any:
        base = self.plain.cast(self.word(word), tl.pointer_type(tl.int32))
        placed = self.plain.add(self._spread(base, shape), cells, False)
        return self._one_lane_a_thread(placed) if shape else placed

    def _span(self, index: int, size: int) -> int:
        """Return how many cells of a storage an access of `size` bytes covers.

        Where some storage's grain is `size` itself, its accesses are taken for that storage's:
        counting the others' further cells too would double the atomics for lanes that never are.
        """
        unit = self.plan.units[index]
        mixed = index < len(self.plan.mixed) and self.plan.mixed[index]
        return size // unit if unit < size and (mixed or size not in self.plan.units) else 1

    def _locate(
        self, address: Any, size: int, shape: list[int], site: int
    ) -> tuple[Any, Any, list[Any]]:
        """Return (inside, cell, wide): whether a lane is in a storage, and its counter cell.

        The cell is int64, or int32 in a narrow plan; lanes in no storage have their site's.
        `wide[k]` says which lanes cover a further cell, k + 1 after their first.
        """
        p = self.plain
        cell = self._constant(site, self._cell_type(), shape)
        inside = None
        grains: dict[int, Any] = {}
        wide: list[Any] = []
        for index, (base, room, bias) in enumerate(self._storages(size, shape)):
            unit = self.plan.units[index]
            relative = p.sub(address, base, False)
            here = self._below(relative, room, shape)
            bits = unit.bit_length() - 1
            if self.plan.narrow:
                # Whole grains of the address, which storages share, less those before the storage.
                if unit not in grains:
                    grains[unit] = self._low_bits(address, bits, shape)
                number = p.add(grains[unit], bias, False)
            else:
                shift = self._constant(bits, tl.int64, shape)
                number = p.add(p.lshr(relative, shift), bias, False)
            cell = self._select(here, number, cell)
            inside = here if inside is None else p.or_(inside, here)
            for part in range(self._span(index, size) - 1):
                if part < len(wide):
                    wide[part] = p.or_(wide[part], here)
                else:
                    wide.append(here)
        if inside is None:
            inside = self._spread(tl.tensor(self.builder.get_int1(False), tl.int1), shape)
        elif self.plan.narrow and not self.plan.windowed:
            # The same, told by the cell: the comparisons before need not be kept for it.
            sites = self._below(cell, self._constant(SITE_CELLS, tl.int32, shape), shape)
            inside = self._opposite(sites, shape)
        return inside, cell, wide

    def _storages(self, size: int, shape: list[int]) -> list[tuple[Any, Any, Any]]:
        """Return each storage's base, places for elements of `size` bytes, and its cells' number.

        They are blocks of `shape`, made once per function. The number is that of the first cell; in
        a narrow plan, where a storage begins at a multiple of its grain, it is less the grains
        before the storage, for whole addresses (what 32 bits drop of both cancels out).
        """
        key = size, tuple(shape)
        if key not in self._storages_made:
            with self._at_entry():
                self._storages_made[key] = [
                    self._storage(index, unit, size, shape)
                    for index, unit in enumerate(self.plan.units)
                ]
        return self._storages_made[key]

    def _storage(self, index: int, unit: int, size: int, shape: list[int]) -> tuple[Any, Any, Any]:
        p = self.plain
        first = HEADER_WORDS + STORAGE_WORDS * index
        base, nbytes, bias = (self._read_word(first + part) for part in range(STORAGE_WORDS))
        room = p.sub(nbytes, self._constant(size - 1, tl.int64, []), False)
        room = tl.tensor(
            self.builder.create_maxsi(room.handle, self.builder.get_int64(0)), tl.int64
        )
        if self.plan.narrow:
            before = p.lshr(base, self._constant(unit.bit_length() - 1, tl.int64, []))
            bias = p.cast(p.sub(bias, before, False), tl.int32)
        return self._spread(base, shape), self._spread(room, shape), self._spread(bias, shape)

    def _cell_type(self) -> Any:
        return tl.int32 if self.plan.narrow else tl.int64

    def _low_bits(self, address: Any, bits: int, shape: list[int]) -> Any:
        """Return an address shifted right, cut to 32 bits."""
        shifted = self.plain.lshr(address, self._constant(bits, tl.int64, shape))
        return self._cut(shifted, shape)

    def _cut(self, value: Any, shape: list[int]) -> Any:
        narrow = self._type(tl.int32, shape)
        handle = self.builder.create_int_cast(value.handle, narrow.to_ir(self.builder), True)
        return tl.tensor(handle, narrow)

    def _site(self, kind: AccessKind) -> int:
        node = self.generator.cur_node
        line = self.generator.begin_line + getattr(node, "lineno", 1)
        file = str(self.generator.file_name)
        return self.plan.site(Site(kind, file, line, getattr(node, "col_offset", 0)))

    # ------------------------------------------------------------ the counters of one access

    def track(self, ptr: Any, mask: Any, kind: AccessKind) -> tuple[Any, Any]:
        """Emit the counters of one access; return the pointer and the mask that it must take.

        `kind` is "load", "store" or "atomic" (which reads and writes). `mask` has ptr's shape.
        """
        p, b = self.plain, self.builder
        shape = [core._unwrap_if_constexpr(size) for size in ptr.shape]
        element = ptr.type.scalar.element_ty
        size = max(1, element.primitive_bitwidth // 8)
        address_type = self._type(tl.int64, shape)
        address = tl.tensor(b.create_ptr_to_int(ptr.handle, address_type.to_ir(b)), address_type)
        self._axis = running_axis(ptr)
        ptr, address = self._dealt_out_alike(ptr, address)
        site = self._site(kind)
        self.generator.adapt_warps(math.prod(shape))
        inside, cell, wide = self._locate(address, size, shape, site)
        counted = self._in_window(inside, cell, shape)
        if not self.plan.narrow:
            cell = self._cut(cell, shape)
        made = BlockAccess(site, tuple(shape), size, mask is not None)
        self.plan.access(made)
        first, everyone = self._with_a_cell_for_each(made, address, cell, counted, mask)
        counted = _both(p, counted, mask)
        further: list[tuple[Any, Any]] = []
        for part, lanes in enumerate(wide, start=1):
            more = p.add(cell, self._constant(part, tl.int32, shape), False)
            further.append((more, _both(p, lanes, counted)))
        self._count_access(made, kind, [(first, everyone), *further])
        if self.plan.modes & COUNT_OUTSIDE:
            with self._when(COUNT_OUTSIDE):
                self._record_outside(site, address, inside, mask, shape)
        if counted is None:
            counted = self._spread(tl.tensor(b.get_int1(True), tl.int1), shape)
        parts = [(cell, counted), *further]
        self._observe(TrackedAccess(made, kind, address, mask, element, shape, parts))
        return ptr, _both(p, inside, mask)

    def _dealt_out_alike(self, ptr: Any, address: Any) -> tuple[Any, Any]:
        """Return pointers and addresses whose lanes are dealt out as those of the counters are.

        The compiler would have each thread take neighbouring elements. All that is worked out of
        an address would then be worked out twice, for the access and for its counters. So what is
        known of the pointers is hidden from it, by a move.
        """
        b = self.builder
        if not ptr.type.is_block() or b.options.backend_name != "cuda":
            return ptr, address
        types = [address.type.to_ir(b)]
        moved = b.create_inline_asm("mov.b64 $0, $1;", "=l,l", [address.handle], types, True, 1)
        address = tl.tensor(moved.get_result(0), address.type)
        handle = b.create_int_to_ptr(address.handle, ptr.type.to_ir(b))
        return self._one_lane_a_thread(tl.tensor(handle, ptr.type)), address

    def _one_lane_a_thread(self, pointers: Any) -> Any:
        """Say of a block of pointers that neighbours along an axis go to one warp's threads.

        "Contiguous" chooses the axis, and the alignment to one byte leaves a thread one lane.
        """
        rank = len(pointers.shape)
        p = self.plain
        p.max_contiguous(pointers, [2 if axis == self._axis else 1 for axis in range(rank)])
        return p.multiple_of(pointers, [1] * rank)

    def _in_window(self, inside: Any, cell: Any, shape: list[int]) -> Any:
        """Return which lanes this run counts, None for all: those outside count in every run."""
        if not self.plan.windowed:
            return None
        p = self.plain
        window, head = self.word(WINDOW), self.word(HEAD)
        if self.plan.narrow:
            window, head = p.cast(window, tl.int32), p.cast(head, tl.int32)
        behind = p.sub(cell, self._spread(head, shape), False)
        here = self._below(behind, self._spread(window, shape), shape)
        return p.or_(here, self._opposite(inside, shape))

    def _with_a_cell_for_each(
        self, made: BlockAccess, address: Any, cell: Any, counted: Any, mask: Any
    ) -> tuple[Any, Any]:
        """Return (cells, lanes): lanes that the mask switches off get a cell, too.

        It is chosen by their address: as different for neighbours as the cells of lanes that are
        on. A hash of the address, so that steps of a power of two do not meet in one.
        """
        if mask is None or not self.plan.modes & (COUNTING_MODES | LOADING_MODES):
            return cell, _both(self.plain, counted, mask)
        p, shape = self.plain, list(made.shape)
        number = self._low_bits(address, made.size.bit_length() - 1, shape)
        more = p.lshr(number, self._constant(OFF_CELLS.bit_length() - 1, tl.int32, shape))
        number = p.and_(p.xor_(number, more), self._constant(OFF_CELLS - 1, tl.int32, shape))
        off = p.or_(number, self._constant(self.plan.off_cell(made), tl.int32, shape))
        cells = self._select(mask, cell, off)
        if counted is not None:
            counted = p.or_(counted, self._opposite(mask, shape))
        return cells, counted

    def _observe(self, access: TrackedAccess) -> None:
        """Emit what else is wanted of an access; nothing here."""

    def _count_access(
        self, made: BlockAccess, kind: AccessKind, parts: list[tuple[Any, Any]]
    ) -> None:
        """Emit the counters of (cells, lanes) pairs, each kind in a branch of its own.

        Lanes that are None are all lanes.
        """
        shape = list(made.shape)
        reads, writes = kind != "store", kind != "load"
        if self.plan.modes & COUNT:
            with self._when(COUNT):
                one = self._constant(1, tl.int32, shape)
                for cells, lanes in parts:
                    if reads:
                        self._atomic("add", self._cells_at(LOADS, cells, shape), one, lanes)
                    if writes:
                        self._atomic("add", self._cells_at(STORES, cells, shape), one, lanes)
                self._count_execution(made, LOADS if reads else STORES)
        storing, loading = COUNT_STORERS, COUNT_LOADERS
        if kind == "atomic":
            storing, loading = STORING_ATOMICS, LOADING_ATOMICS
        for wanted, mode, last, first in (
            (writes, storing, STORER_LAST, STORER_FIRST),
            (reads, loading, LOADER_LAST, LOADER_FIRST),
        ):
            if wanted and self.plan.modes & mode:
                with self._when(mode):
                    for cells, lanes in parts:
                        self._extremes(last, first, cells, lanes, shape)

    def _count_execution(self, made: BlockAccess, word: int) -> None:
        p = self.plain
        cell = p.and_(self.program(), self._constant(EXECUTION_CELLS - 1, tl.int32, []))
        first = self._constant(self.plan.execution_cell(made), tl.int32, [])
        cells = self._cells_at(word, p.add(cell, first, False), [])
        self._atomic("add", cells, self._constant(1, tl.int32, []), None)

    def _atomic(self, operation: str, ptr: Any, value: Any, mask: Any) -> None:
        getattr(self.plain, f"atomic_{operation}")(ptr, value, mask, "relaxed", "gpu")

    def _extremes(self, last: int, first: int, cells: Any, lanes: Any, shape: list[int]) -> None:
        """Keep the last program (plus one) and the first one (counted down from the limit)."""
        p = self.plain
        program = self.program()
        after = p.add(program, self._constant(1, tl.int32, []), False)
        before = p.sub(self._constant(PROGRAM_LIMIT, tl.int32, []), program, False)
        self._atomic("max", self._cells_at(last, cells, shape), self._spread(after, shape), lanes)
        self._atomic("max", self._cells_at(first, cells, shape), self._spread(before, shape), lanes)

    def _record_outside(
        self, site: int, address: Any, inside: Any, mask: Any, shape: list[int]
    ) -> None:
        """Keep a site's first program, highest and lowest address among the lanes in no storage."""
        p = self.plain
        outside = _both(p, self._opposite(inside, shape), mask)
        base = p.cast(self.word(OUTSIDE), tl.pointer_type(tl.uint64))
        before = p.sub(
            self._constant(PROGRAM_LIMIT, tl.int64, []), p.cast(self.program(), tl.int64), False
        )
        high = tl.tensor(address.handle, self._type(tl.uint64, shape))
        flipped = p.xor_(address, self._constant(-1, tl.int64, shape))
        low = tl.tensor(flipped.handle, self._type(tl.uint64, shape))
        first = tl.tensor(self._spread(before, shape).handle, self._type(tl.uint64, shape))
        for part, value in enumerate((first, high, low)):
            cell = p.add(base, self._constant(3 * site + part, tl.int32, []), False)
            self._atomic("max", self._spread(cell, shape), value, outside)


def _both(plain: Any, one: Any, other: Any) -> Any:
    """Return the lanes in both; None is all lanes."""
    if one is None or other is None:
        return other if one is None else one
    return plain.and_(one, other)
