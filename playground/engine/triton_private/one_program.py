"""A copy of a kernel that is one program of the grid, whichever the host says.

The copy is launched over a grid of one. Where the kernel asks for its program's id, or for how many
there are, the copy reads them from a table that the host fills: one compile serves every program.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch
import triton.language as tl
from triton.compiler import code_generator
from triton.language.semantic import TritonSemantic

from playground.engine.triton_private.tracing import build_with

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS = 6
_INT32_BYTES = 4


class _OneSemantic(TritonSemantic):  # type: ignore[misc]
    """Triton's semantics, with the program's id and the grid's size from a table."""

    def __init__(self, builder: Any, address: int) -> None:
        super().__init__(builder)
        self._address = address

    def program_id(self, axis: int) -> Any:
        """Return the chosen program's id along an axis."""
        return self._word(axis)

    def num_programs(self, axis: int) -> Any:
        """Return the size of the launch's own grid along an axis."""
        return self._word(3 + axis)

    def _word(self, number: int) -> Any:
        place = self.builder.get_int64(self._address + number * _INT32_BYTES)
        pointer = self.cast(tl.tensor(place, tl.int64), tl.pointer_type(tl.int32))
        return tl.load(pointer, _semantic=self)


class OneProgramGenerator(code_generator.CodeGenerator):  # type: ignore[misc]
    """Triton's code generator with the one program's semantics."""

    def __init__(self, address: int | None, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        if address is not None and not self.is_gluon:
            self.semantic = _OneSemantic(self.builder, address)


class OneProgramCopy:
    """The compiled copy; `launch` runs one program of the launch's grid.

    Parameters
    ----------
    function
        The kernel as launched.
    options
        The launch's own options.
    grid
        The launch's grid, which the kernel is told of.
    """

    def __init__(
        self, function: Any, options: Mapping[str, Any], grid: tuple[int, int, int], device: Any
    ) -> None:
        self._function = function
        self._options = {name: value for name, value in options.items() if value is not None}
        self._names = [parameter.name for parameter in function.params]
        self._grid = grid
        self._table = torch.zeros(_WORDS, dtype=torch.int32, device=device)
        self._kernel: Any = None

    def compile(self, arguments: Mapping[str, Any]) -> None:
        """Compile and load the copy; raises what compiling the kernel would."""
        if self._kernel is None:
            self._kernel = compiled_copy(
                self._function, arguments, self._options, self._table.data_ptr()
            )
            self._kernel._init_handles()

    def launch(self, program: int, arguments: Mapping[str, Any]) -> None:
        """Run the program with this linear id on the current stream."""
        x, y, _ = self._grid
        place = program % x, program // x % y, program // (x * y)
        self._table.copy_(torch.tensor([*place, *self._grid], dtype=torch.int32))
        self._kernel[(1, 1, 1)](*(arguments[name] for name in self._names))


def compiled_copy(
    function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], address: int | None
) -> Any:
    """Compile a copy that no cache keeps; with `address` it is the program that is told there.

    Without, it is the kernel as it is: what it prints while it compiles is printed each time.
    """
    make = functools.partial(OneProgramGenerator, address)
    return build_with(make, function, arguments, options)
