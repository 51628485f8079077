"""Two compilations side by side: every figure of both, and what moved on which source line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.model.compilations import Change
from playground.model.matching import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.compiling import CompileReport, StageTime
    from playground.model.machine_code import LineCode, MachineCode

_FIGURES = (
    ("registers a thread", "registers", ""),
    ("spilled a thread", "spill_bytes", "bytes"),
    ("stack a thread", "stack_bytes", "bytes"),
    ("shared memory", "shared_bytes", "bytes"),
    ("static shared memory", "static_shared_bytes", "bytes"),
    ("threads a program", "threads", ""),
)


def figures(left: CompileReport | None, right: CompileReport | None) -> tuple[Change, ...]:
    """Return every figure of two reports, those that did not move as well."""
    found = [
        Change(name, _number(left, field), _number(right, field), unit)
        for name, field, unit in _FIGURES
    ]
    for kind in dict.fromkeys([*_kinds(left), *_kinds(right)]):
        found.append(Change(f"{kind} registers", _kinds(left).get(kind), _kinds(right).get(kind)))
    found += [
        Change("programs a multiprocessor", *_both(left, right, "programs_per_sm")),
        Change("warps a multiprocessor", *_both(left, right, "warps_per_sm")),
        Change("waves of the grid", _waves(left), _waves(right)),
    ]
    times = [{item.stage: item.time_ms for item in _times(side)} for side in (left, right)]
    for stage in dict.fromkeys([*times[0], *times[1]]):
        found.append(Change(f"compiling {stage}", times[0].get(stage), times[1].get(stage), "ms"))
    found.append(Change("compiling in all", _total(left), _total(right), "ms"))
    return tuple(item for item in found if item.left is not None or item.right is not None)


def _number(report: CompileReport | None, field: str) -> float | None:
    value = None if report is None else getattr(report, field)
    return value if isinstance(value, (int, float)) else None


def _kinds(report: CompileReport | None) -> dict[str, int]:
    return {} if report is None else dict(report.register_kinds)


def _both(
    left: CompileReport | None, right: CompileReport | None, field: str
) -> tuple[float | None, float | None]:
    held = [None if side is None else side.occupancy for side in (left, right)]
    first, second = (None if item is None else getattr(item, field) for item in held)
    return first, second


def _waves(report: CompileReport | None) -> float | None:
    return None if report is None or report.waves is None else report.waves.count


def _times(report: CompileReport | None) -> tuple[StageTime, ...]:
    return () if report is None else report.stage_times


def _total(report: CompileReport | None) -> float | None:
    # From the cache there is only the time that reading it took: that is no compile time.
    times = _times(report)
    return sum(item.time_ms for item in times) if times else None


def instructions(left: MachineCode, right: MachineCode) -> tuple[Change, ...]:
    """Return how many instructions of each class there are, and all together."""
    before, after = dict(left.total), dict(right.total)
    kinds = tuple(dict.fromkeys([*before, *after]))
    return (
        Change("instructions", sum(before.values()), sum(after.values())),
        *(Change(kind, before.get(kind, 0), after.get(kind, 0), "instructions") for kind in kinds),
    )


def lines(
    left: MachineCode, right: MachineCode, texts: tuple[str, str] | None = None
) -> tuple[Change, ...]:
    """Return what moved on which source line of the right side's text, and only that.

    Parameters
    ----------
    left, right
        The machine's code of both sides.
    texts
        The file's text on both sides where it was edited in between: lines move with it.
    """
    twins = _twins(*texts) if texts is not None else None
    before: dict[int, LineCode] = {}
    gone: list[LineCode] = []
    for item in left.lines:
        at = item.line if twins is None else twins.get(item.line)
        if at is None:
            gone.append(item)
        else:
            before[at] = item
    after = {item.line: item for item in right.lines}
    found: list[Change] = []
    for line in sorted({*before, *after}):
        found += _moved(before.get(line), after.get(line), line)
    for item in gone:
        for name, value, unit in _amounts(item):
            text = f"{name}, line {item.line} before the edit"
            found.append(Change(text, value, None, unit))
    return tuple(found)


def _twins(left: str, right: str) -> dict[int, int]:
    """Return the line of the right text for lines of the left one, as editors number them.

    Lines that were rewritten, as many as there were, are taken for the same lines.
    """
    before, after = left.splitlines(), right.splitlines()
    twins: dict[int, int] = {}
    left_at = right_at = 0
    for left_next, right_next in [*matches(before, after), (len(before), len(after))]:
        if left_next - left_at == right_next - right_at:
            twins.update(
                (left_at + step + 1, right_at + step + 1) for step in range(left_next - left_at)
            )
        twins[left_next + 1] = right_next + 1
        left_at, right_at = left_next + 1, right_next + 1
    return twins


def _moved(left: LineCode | None, right: LineCode | None, line: int) -> Iterator[Change]:
    before = {(name, unit): value for name, value, unit in _amounts(left)}
    after = {(name, unit): value for name, value, unit in _amounts(right)}
    for key in dict.fromkeys([*before, *after]):
        if before.get(key, 0) != after.get(key, 0):
            yield Change(key[0], before.get(key, 0), after.get(key, 0), key[1], line)


def _amounts(code: LineCode | None) -> Iterator[tuple[str, float, str]]:
    if code is None:
        return
    yield "instructions", code.instructions, ""
    for kind, count in code.counts:
        yield kind, count, "instructions"
    for name, count in code.matrix:
        yield name, count, "instructions"
    for access in code.accesses:
        width = f"{access.bits} bits" if access.bits else "a tile"
        yield f"{access.space} {access.what} of {width}", access.count, "instructions"
    for name, value, unit in (
        ("layout conversions", code.conversions, ""),
        ("meetings at a barrier", code.barriers, ""),
        ("spilled", code.spill_bytes, "bytes"),
    ):
        if value:
            yield name, value, unit
