"""Coverage in words: what a tensor, an element or an access out of bounds came to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playground.model.plane import index_text
from playground.ui.views.formatting import count_text, shape_text

if TYPE_CHECKING:
    from playground.model.coverage import AccessCount, Coverage, OutOfBounds, TensorCoverage
    from playground.protocol.messages import Element


def program_id(program: int, grid: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the (x, y, z) of a linear program id; x runs fastest."""
    x, y, _ = grid
    return program % x, program // x % y, program // (x * y)


def program_text(program: int, grid: tuple[int, int, int]) -> str:
    """Return a program with its id in the grid's used dimensions (`96 (x 0, y 3)`)."""
    used = 3 if grid[2] > 1 else 2 if grid[1] > 1 else 1
    if used == 1:
        return count_text(program)
    parts = zip("xyz"[:used], program_id(program, grid), strict=False)
    return f"{count_text(program)} ({', '.join(f'{axis} {value}' for axis, value in parts)})"


def times_text(count: AccessCount) -> str:
    """Return how often elements are touched (`1`, `1 to 4`)."""
    if count.minimum == count.maximum:
        return count_text(count.minimum)
    return f"{count_text(count.minimum)} to {count_text(count.maximum)}"


def tensor_text(tensor: TensorCoverage) -> str:
    """Return a tensor's coverage in one line."""
    parts = [f"{tensor.name}: {shape_text(tensor.shape)} {tensor.dtype}"]
    if tensor.loads.total:
        parts.append(f"loads {times_text(tensor.loads)} an element")
    if tensor.stores.total:
        parts.append(f"stores {times_text(tensor.stores)} an element")
    if not tensor.loads.total and not tensor.stores.total:
        parts.append("never touched")
    if tensor.unwritten:
        parts.append(f"{count_text(tensor.unwritten)} never written")
    elif tensor.unwritten == 0:
        parts.append("every element written")
    if tensor.multi_written:
        parts.append(f"{count_text(tensor.multi_written)} written by several programs")
    if tensor.out_of_bounds:
        parts.append(f"{_lanes(tensor.out_of_bounds)} out of bounds")
    return " · ".join(parts)


def element_text(element: Element, grid: tuple[int, int, int]) -> str:
    """Return the exact counters of one element in one line."""
    parts = [f"{element.tensor}{index_text(element.index)}"]
    if element.owner >= 0:
        parts.append(f"owner program {program_text(element.owner, grid)}")
    parts.append(f"loads {count_text(element.loads)}")
    if element.loads and element.first_loader >= 0:
        first = program_text(element.first_loader, grid)
        last = program_text(element.last_loader, grid)
        parts[-1] += f" by program {first}" if first == last else f", programs {first} to {last}"
    parts.append(f"stores {count_text(element.stores)}")
    if element.multi_written:
        parts.append("written by several programs")
    return " · ".join(parts)


def beyond_text(access: OutOfBounds, grid: tuple[int, int, int]) -> str:
    """Return one access out of bounds: line, program, distance."""
    place = f"line {access.line}" if access.line else "an access"
    if access.line and access.file:
        place = f"{Path(access.file).name}:{access.line}"
    far = abs(access.distance)
    elements = f"{count_text(far)} element{'' if far == 1 else 's'}"
    side = f"past the end of {access.tensor}" if access.distance >= 0 else (
        f"before the start of {access.tensor}"
    )  # fmt: skip
    return (
        f"{place}: {access.kind} by program {program_text(access.program, grid)} is {elements} "
        f"{side} ({_lanes(access.lanes)})"
    )


def banner_text(coverage: Coverage) -> str:
    """Return the banner about all accesses out of bounds; empty when there are none."""
    if not coverage.out_of_bounds:
        return ""
    lines = [beyond_text(access, coverage.grid) for access in coverage.out_of_bounds[:4]]
    more = len(coverage.out_of_bounds) - len(lines)
    if more > 0:
        lines.append(f"and {count_text(more)} more places")
    return "Out of bounds\n" + "\n".join(lines)


def _lanes(count: int) -> str:
    return f"{count_text(count)} lane{'s' * (count != 1)}"
