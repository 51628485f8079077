"""The scheduled copy of a kernel: the user's own, with two stamps in each program.

On the way in a program stores the global timer and the number of its multiprocessor, on every way
out the timer again. Nothing else is changed but that it prints nothing, so the copy takes almost
the time of the kernel.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import triton.language as tl
from triton.compiler import code_generator
from triton.language.semantic import TritonSemantic

from playground.engine.triton_private.silent import SilentSemantic
from playground.engine.triton_private.tracing import build_with
from playground.engine.triton_private.tracing_program import linear_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORDS = 3
"""int64 words a program: start and end in ns, multiprocessor."""
_START, _END, _MULTIPROCESSOR = 0, 8, 16

_TIMER = "mov.u64 $0, %globaltimer;"
_MULTIPROCESSOR_ID = "mov.u32 $0, %smid;"
# The clobber keeps LLVM from moving the kernel's own accesses over the reading of the timer.
_TIMER_CONSTRAINTS = "=l,~{memory}"


@dataclass(frozen=True)
class StampPlan:
    """Where the stamps go: `WORDS` int64 a program, for the first `capacity` programs.

    The address is part of the code: reading it from memory would hold each program up for as long
    as a load takes. `bounded` says that the grid may have more programs than there is room for.
    """

    address: int
    capacity: int
    bounded: bool


class StampingGenerator(code_generator.CodeGenerator):  # type: ignore[misc]
    """Triton's code generator, adding the stamps to the kernel function and to no other."""

    def __init__(self, plan: StampPlan, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._plan = plan
        self._plain: Any = TritonSemantic(self.builder)
        if not self.is_gluon:
            self.semantic = SilentSemantic(self.builder)
        self._awaits_entry = bool(self.is_kernel)

    def visit_FunctionDef(self, node: Any) -> Any:
        """Build the function; in the kernel's own, every way out gets the end's stamp."""
        if not self.is_kernel:
            return super().visit_FunctionDef(node)
        with self._stamped_returns():
            return super().visit_FunctionDef(node)

    @contextlib.contextmanager
    def _stamped_returns(self) -> Iterator[None]:
        """Stamp before each return: all go through the builder, wherever they stand in the text."""
        leave = self.builder.ret

        def stamp_and_leave(values: Any) -> Any:
            self._stamp_end()
            return leave(values)

        self.builder.ret = stamp_and_leave
        try:
            yield
        finally:
            del self.builder.ret  # the class's own shows again

    def visit_compound_statement(self, stmts: Any) -> Any:
        """Stamp the start before the kernel's first statement, then visit as usual."""
        if self._awaits_entry:
            self._awaits_entry = False
            self._stamp_start()
        return super().visit_compound_statement(stmts)

    def _stamp_start(self) -> None:
        now = self._read(_TIMER, _TIMER_CONSTRAINTS, tl.int64)
        # Not pure either: a program keeps its multiprocessor, but the compiler may not carry the
        # number through the whole kernel in a register.
        where = self._read(_MULTIPROCESSOR_ID, "=r,~{memory}", tl.int32)
        program = linear_program(self._plain)
        self._store(program, _START, now)
        self._store(program, _MULTIPROCESSOR, self._plain.cast(where, tl.int64))

    def _stamp_end(self) -> None:
        # All warps are through with their work before the one that stores reads the timer.
        tl.debug_barrier(_semantic=self._plain)
        now = self._read(_TIMER, _TIMER_CONSTRAINTS, tl.int64)
        self._store(linear_program(self._plain), _END, now)

    def _read(self, instruction: str, constraints: str, dtype: Any) -> Any:
        return tl.inline_asm_elementwise(
            instruction, constraints, [], dtype=dtype, is_pure=False, pack=1, _semantic=self._plain
        )

    def _store(self, program: Any, byte: int, value: Any) -> None:
        """Store a program's word; a scalar is stored by one thread of the program."""
        p = self._plain
        base = tl.tensor(self.builder.get_int64(self._plan.address + byte), tl.int64)
        base = p.cast(base, tl.pointer_type(tl.int64))
        words = tl.tensor(self.builder.get_int32(WORDS), tl.int32)
        place = p.add(base, p.mul(program, words, False), False)
        mask = None
        if self._plan.bounded:
            limit = tl.tensor(self.builder.get_int32(self._plan.capacity), tl.int32)
            mask = p.less_than(program, limit)
        tl.store(place, value, mask=mask, _semantic=p)


def build_stamped(
    function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], plan: StampPlan
) -> Any:
    """Compile the scheduled copy of `function` and return Triton's compiled kernel.

    `arguments` holds every parameter by name, `options` are the launch's own.
    """
    make = functools.partial(StampingGenerator, plan)
    return build_with(make, function, arguments, options)
