"""What a tracing copy works out once per program: its number, the table's words, conditions.

All of it is built in the function's first block, where it serves every later access.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import triton.language as tl
from triton.language.semantic import TritonSemantic

from playground.engine.triton_private.tracing_plan import LEAVE, MODE, SELECTED, Plan

if TYPE_CHECKING:
    from collections.abc import Iterator


def linear_program(plain: Any) -> Any:
    """Return the linear program id (int32), the first grid dimension running fastest."""
    p = plain
    row = p.add(p.program_id(1), p.mul(p.program_id(2), p.num_programs(1), False), False)
    return p.add(p.program_id(0), p.mul(row, p.num_programs(0), False), False)


class ProgramSemantic(TritonSemantic):  # type: ignore[misc]
    """Triton's semantics with scalars of a program and branches that depend on them."""

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

    def leaves(self) -> Any:
        """Return whether this program is to end at once: not looked at, and nobody needs it."""
        leaving = self.plain.not_equal(self.word(LEAVE), self._constant(0, tl.int64, []))
        return self.plain.and_(leaving, self._opposite(self._looked_at(), []))

    def _looked_at(self) -> Any:
        p = self.plain
        return p.equal(self.word(SELECTED), p.cast(self.program(), tl.int64))

    @contextlib.contextmanager
    def _when(self, mode: int) -> Iterator[None]:
        """Build a branch that only programs counting `mode` take; none where all do."""
        if not self.plan.choosing:
            yield
            return
        branch = self.builder.create_if_op([], self._condition(mode).handle, False)
        point = self.builder.get_insertion_point()
        self.builder.set_insertion_point_to_start(branch.get_then_block())
        yield
        self.builder.restore_insertion_point(point)

    # ------------------------------------------------------------ constants

    def _type(self, scalar: Any, shape: list[int]) -> Any:
        return tl.block_type(scalar, shape) if shape else scalar

    def _spread(self, value: Any, shape: list[int]) -> Any:
        return self.plain.splat(value, shape) if shape else value

    def _constant(self, value: int, scalar: Any, shape: list[int]) -> Any:
        handle = (
            self.builder.get_int64(value) if scalar is tl.int64 else self.builder.get_int32(value)
        )
        return self._spread(tl.tensor(handle, scalar), shape)

    def _opposite(self, lanes: Any, shape: list[int]) -> Any:
        yes = self._spread(tl.tensor(self.builder.get_int1(True), tl.int1), shape)
        return self.plain.xor_(lanes, yes)
