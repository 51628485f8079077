"""What `tl.device_print` writes on a GPU, told apart into programs, elements and values.

A line is `pid (x, y, z) idx (i, j) prefix: value`, with `(operand n)` before the value where
several were given, and without `idx` where there is no value (Triton's PrintOpToLLVM). Each thread
prints the elements that it holds, a scalar every thread of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from playground.model.debugging import Printed, Program

_LINE = re.compile(r"^pid \((\d+), (\d+), (\d+)\)(?: idx \(([\d, ]*)\))?(.*)$")
_OPERAND = re.compile(r"^(.*?)\s*\(operand (\d+)\)\s*(\S*)$")
_BITS_64 = 8


@dataclass(frozen=True)
class PrintedLine:
    """One line as a thread printed it."""

    place: Program
    index: tuple[int, ...] | None
    prefix: str
    operand: int
    value: str


def parse_line(text: str) -> PrintedLine | None:
    """Return what a line says, None for one that no kernel printed."""
    found = _LINE.match(text.rstrip("\r\n"))
    if found is None:
        return None
    x, y, z, indices, rest = found.groups()
    place = int(x), int(y), int(z)
    if indices is None:
        return PrintedLine(place, None, rest.strip(), 0, "")
    index = tuple(int(item) for item in indices.split(",") if item.strip())
    operand = 0
    told = _OPERAND.match(rest)
    if told is not None:
        prefix, number, value = told.groups()
        operand = int(number)
    else:
        prefix, _, value = rest.rpartition(" ")
    return PrintedLine(place, index, prefix.strip(), operand, value)


@dataclass
class _Block:
    """All that one program printed under one prefix, by element: equal lines in a row once."""

    values: dict[tuple[int, ...], list[str]] = field(default_factory=dict)
    lines: int = 0


def grouped(
    lines: Iterable[str], grid: Program, most: int, program: int | None = None
) -> tuple[tuple[Printed, ...], tuple[str, ...], int]:
    """Return what programs printed, the lines that are none of theirs, and how many lines.

    Parameters
    ----------
    grid
        Of the launch, for linear ids.
    most
        Values that are kept.
    program
        The one that ran alone, whatever id it printed.
    """
    blocks: dict[tuple[int, str, int], _Block] = {}
    other: list[str] = []
    count = 0
    for text in lines:
        line = parse_line(text)
        if line is None:
            if text.strip():
                other.append(text)
            continue
        count += 1
        x, y, z = line.place
        number = (z * grid[1] + y) * grid[0] + x if program is None else program
        block = blocks.setdefault((number, line.prefix, line.operand), _Block())
        block.lines += 1
        told = block.values.setdefault(line.index or (), [])
        if not told or told[-1] != line.value:
            told.append(line.value)
    printed: list[Printed] = []
    room = most
    for (number, prefix, operand), block in blocks.items():
        rounds = max(len(told) for told in block.values.values())
        for turn in range(rounds):
            held = {
                index: told[min(turn, len(told) - 1)]
                for index, told in sorted(block.values.items())
            }
            shape = _shape(held)
            kept = tuple(held.values())[: max(room, 0)] if any(held.values()) else ()
            room -= len(kept)
            printed.append(
                Printed(number, prefix.rstrip(": ").strip(), kept, shape, len(held), 0, operand)
            )
    printed.sort(key=lambda one: one.program)
    return tuple(printed), tuple(other[:most]), count


def _shape(held: dict[tuple[int, ...], str]) -> tuple[int, ...]:
    """Return the shape of a block from the indices that were printed."""
    indices = [index for index in held if index]
    if not indices:
        return ()
    return tuple(max(index[axis] for index in indices) + 1 for axis in range(len(indices[0])))


def buffer_bytes(lines: Iterable[str]) -> int:
    """Return about how many bytes of a GPU's print buffer lines have taken.

    A record is a header of 16 bytes and the arguments: three ids, the indices, the value.
    """
    total = 0
    for text in lines:
        line = parse_line(text)
        if line is not None:
            total += 16 + 4 * (3 + len(line.index or ())) + _BITS_64
    return total
