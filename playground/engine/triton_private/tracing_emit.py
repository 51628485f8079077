"""The counters that a tracing copy of a kernel emits beside each access.

An access first works out, lane by lane, which storage of the launch the address falls in and which
counter cell that is; lanes in no storage are masked off the access and counted in the access site's
own cell.
Everything that changes from run to run (addresses of storages and counters, which counters are on,
the selected program) is read from a table in device memory, so a run never needs a compile.
"""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

import triton.language as tl
from triton.language import core
from triton.language.semantic import TritonSemantic

from playground.engine.counter_layout import PROGRAM_LIMIT
from playground.engine.triton_private.tracing_plan import (
    COUNT,
    COUNT_LOADERS,
    COUNT_OUTSIDE,
    COUNT_STORERS,
    HEADER_WORDS,
    LANES_RUN_ALONG_FIRST_AXIS,
    LOADER_FIRST,
    LOADER_LAST,
    LOADING_ATOMICS,
    LOADS,
    MODE,
    OUTSIDE,
    SELECTED,
    SITE_CELLS,
    STORAGE_WORDS,
    STORER_FIRST,
    STORER_LAST,
    STORES,
    STORING_ATOMICS,
    WINDOW,
    Plan,
    Site,
    TrackedAccess,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.access_site import AccessKind


def linear_program(plain: Any) -> Any:
    """Return the linear program id (int32), the first grid dimension running fastest."""
    p = plain
    row = p.add(p.program_id(1), p.mul(p.program_id(2), p.num_programs(1), False), False)
    return p.add(p.program_id(0), p.mul(row, p.num_programs(0), False), False)


class CountingSemantic(TritonSemantic):  # type: ignore[misc]
    """Triton's semantics, able to emit the counters of an access: `track`."""

    def __init__(self, builder: Any, plan: Plan, generator: Any) -> None:
        super().__init__(builder)
        self.plan = plan
        self.generator = generator
        self.plain: Any = TritonSemantic(builder)
        self._words: dict[int, Any] = {}
        self._program: Any = None
        self._conditions: dict[int, Any] = {}

    # ------------------------------------------------------------ scalars of the function's entry

    @contextlib.contextmanager
    def _at_entry(self) -> Iterator[None]:
        """Build in the function's first block: there a value serves every later access."""
        point, location = self.builder.get_insertion_point(), self.builder.get_loc()
        self.builder.set_insertion_point_to_start(self.generator.entry_block)
        yield
        self.builder.restore_insertion_point(point)
        if location:
            self.builder.set_loc(location)

    def word(self, index: int) -> Any:
        """Return the table's word as a scalar, read once per function."""
        if index not in self._words:
            with self._at_entry():
                self._words[index] = self._read_word(index)
        return self._words[index]

    def _read_word(self, index: int) -> Any:
        address = tl.tensor(self.builder.get_int64(self.plan.table_address + 8 * index), tl.int64)
        return tl.load(self.plain.cast(address, tl.pointer_type(tl.int64)), _semantic=self.plain)

    def program(self) -> Any:
        """Return the linear program id, the first grid dimension running fastest."""
        if self._program is None:
            with self._at_entry():
                self._program = linear_program(self.plain)
        return self._program

    def _condition(self, mode: int) -> Any:
        """Return whether this program collects these counters; the same for all its threads."""
        if mode not in self._conditions:
            with self._at_entry():
                # Everything is made afresh: the entry grows at its top, above cached values.
                p = self.plain
                bits = p.and_(self._read_word(MODE), self._constant(mode, tl.int64, []))
                on = p.not_equal(bits, self._constant(0, tl.int64, []))
                selected = self._read_word(SELECTED)
                everyone = p.less_than(selected, self._constant(0, tl.int64, []))
                this_one = p.equal(selected, p.cast(linear_program(self.plain), tl.int64))
                self._conditions[mode] = p.and_(on, p.or_(everyone, this_one))
        return self._conditions[mode]

    @contextlib.contextmanager
    def _when(self, mode: int) -> Iterator[None]:
        """Build a branch that only programs counting `mode` take."""
        branch = self.builder.create_if_op([], self._condition(mode).handle, False)
        point = self.builder.get_insertion_point()
        self.builder.set_insertion_point_to_start(branch.get_then_block())
        yield
        self.builder.restore_insertion_point(point)

    # ------------------------------------------------------------ lane arithmetic

    def _type(self, scalar: Any, shape: list[int]) -> Any:
        return tl.block_type(scalar, shape) if shape else scalar

    def _spread(self, value: Any, shape: list[int]) -> Any:
        return self.plain.splat(value, shape) if shape else value

    def _constant(self, value: int, scalar: Any, shape: list[int]) -> Any:
        handle = (
            self.builder.get_int64(value) if scalar is tl.int64 else self.builder.get_int32(value)
        )
        return self._spread(tl.tensor(handle, scalar), shape)

    def _select(self, condition: Any, yes: Any, no: Any) -> Any:
        handle = self.builder.create_select(condition.handle, yes.handle, no.handle)
        return tl.tensor(handle, yes.type)

    def _below(self, value: Any, limit: Any, shape: list[int]) -> Any:
        """Compare as unsigned: one comparison covers negative values too."""
        handle = self.builder.create_icmpULT(value.handle, limit.handle)
        return tl.tensor(handle, self._type(tl.int1, shape))

    def _cells_at(self, word: int, cells: Any, shape: list[int]) -> Any:
        base = self.plain.cast(self.word(word), tl.pointer_type(tl.int32))
        return self.plain.add(self._spread(base, shape), cells, False)

    def _span(self, index: int, size: int) -> int:
        """Return how many cells of a storage an access of `size` bytes covers.

        Where some storage's grain is `size` itself, its accesses are taken for that storage's:
        counting the others' further cells too would double the atomics for lanes that never are.
        """
        unit = self.plan.units[index]
        mixed = index < len(self.plan.mixed) and self.plan.mixed[index]
        return size // unit if unit < size and (mixed or size not in self.plan.units) else 1

    def _locate(self, address: Any, size: int, shape: list[int]) -> tuple[Any, Any, list[Any]]:
        """Return (inside, cell, wide): whether a lane is in a storage, and its counter cell.

        The cell is int64, or int32 in a narrow plan.
        `wide[k]` says which lanes cover a further cell, k + 1 after their first.
        """
        p = self.plain
        cell = self._constant(0, self._cell_type(), shape)
        inside = None
        grains: dict[int, Any] = {}
        wide: list[Any] = []
        for index, unit in enumerate(self.plan.units):
            first = HEADER_WORDS + STORAGE_WORDS * index
            base, nbytes, bias = (self.word(first + part) for part in range(STORAGE_WORDS))
            room = p.sub(nbytes, self._constant(size - 1, tl.int64, []), False)
            room = tl.tensor(
                self.builder.create_maxsi(room.handle, self.builder.get_int64(0)), tl.int64
            )
            relative = p.sub(address, self._spread(base, shape), False)
            here = self._below(relative, self._spread(room, shape), shape)
            bits = unit.bit_length() - 1
            if self.plan.narrow:
                # The storage begins at a multiple of its grain: whole grains of the address, which
                # storages share, less those before it. What 32 bits drop of both cancels out.
                if unit not in grains:
                    grains[unit] = self._low_bits(address, bits, shape)
                before = p.lshr(base, self._constant(bits, tl.int64, []))
                moved = p.cast(p.sub(bias, before, False), tl.int32)
                number = p.add(grains[unit], self._spread(moved, shape), False)
            else:
                shift = self._constant(bits, tl.int64, shape)
                number = p.add(p.lshr(relative, shift), self._spread(bias, shape), False)
            cell = self._select(here, number, cell)
            inside = here if inside is None else p.or_(inside, here)
            for part in range(self._span(index, size) - 1):
                if part < len(wide):
                    wide[part] = p.or_(wide[part], here)
                else:
                    wide.append(here)
        if inside is None:
            inside = self._spread(tl.tensor(self.builder.get_int1(False), tl.int1), shape)
        return inside, cell, wide

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

    def track(self, ptr: Any, mask: Any, kind: AccessKind) -> Any:
        """Emit the counters of one access and return the mask its real access must take.

        `kind` is "load", "store" or "atomic" (which reads and writes). `mask` has ptr's shape.
        """
        p, b = self.plain, self.builder
        shape = [core._unwrap_if_constexpr(size) for size in ptr.shape]
        element = ptr.type.scalar.element_ty
        size = max(1, element.primitive_bitwidth // 8)
        address_type = self._type(tl.int64, shape)
        address = tl.tensor(b.create_ptr_to_int(ptr.handle, address_type.to_ir(b)), address_type)
        site = self._site(kind)
        self.plan.largest = max(self.plan.largest, math.prod(shape))
        inside, cell, wide = self._locate(address, size, shape)
        window = self.word(WINDOW)
        if self.plan.narrow:
            window = p.cast(window, tl.int32)
        counted = self._below(cell, self._spread(window, shape), shape)
        if mask is not None:
            counted = p.and_(counted, mask)
        own = self._constant(site - SITE_CELLS, self._cell_type(), shape)
        cell = self._select(inside, cell, own)
        if not self.plan.narrow:
            cell = self._cut(cell, shape)
        parts = [(cell, counted)]
        for part, lanes in enumerate(wide, start=1):
            more = p.add(cell, self._constant(part, tl.int32, shape), False)
            parts.append((more, p.and_(counted, lanes)))
        self._count_access(kind, parts, shape)
        if self.plan.modes & COUNT_OUTSIDE:
            with self._when(COUNT_OUTSIDE):
                self._record_outside(site, address, inside, mask, shape)
        self._observe(TrackedAccess(site, kind, address, mask, element, size, shape, parts))
        return inside if mask is None else p.and_(inside, mask)

    def _observe(self, access: TrackedAccess) -> None:
        """Emit what else is wanted of an access; nothing here."""

    def _count_access(self, kind: str, parts: list[tuple[Any, Any]], shape: list[int]) -> None:
        """Emit the counters of (cells, lanes) pairs, each in a branch of its own."""
        if LANES_RUN_ALONG_FIRST_AXIS and len(shape) > 1:
            turned = tuple(reversed(range(len(shape))))
            permute = self.plain.permute
            parts = [(permute(cells, turned), permute(lanes, turned)) for cells, lanes in parts]
            shape = shape[::-1]
        reads, writes = kind != "store", kind != "load"
        if self.plan.modes & COUNT:
            with self._when(COUNT):
                one = self._constant(1, tl.int32, shape)
                for cells, lanes in parts:
                    if reads:
                        self._atomic("add", self._cells_at(LOADS, cells, shape), one, lanes)
                    if writes:
                        self._atomic("add", self._cells_at(STORES, cells, shape), one, lanes)
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
        yes = self._spread(tl.tensor(self.builder.get_int1(True), tl.int1), shape)
        outside = p.xor_(inside, yes)
        if mask is not None:
            outside = p.and_(outside, mask)
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
