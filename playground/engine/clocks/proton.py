"""Kernel times from CUPTI activity records, read through Proton, Triton's own profiler.

The second reader of the same records: for a torch without a profiler of its own, and to check the
first. Each launch runs in a scope of its own, so that Proton's tree keeps one time a launch. What
the tree holds: `TreeData` in https://github.com/triton-lang/triton/tree/main/third_party/proton.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from playground.engine.clocks.cupti import is_named
from playground.engine.clocks.work import NoRecordsError

if TYPE_CHECKING:
    from playground.engine.clocks.work import Work

_SCOPE = "playground turn "
_TIME, _COUNT = "time (ns)", "count"

Kernels = list[tuple[str, float, int]]
"""Name, time in ms of all its launches together, and how many those were."""


def sample(work: Work, count: int, kernel: str) -> list[float]:
    """Return the durations in ms of `count` launches of one kernel, in launch order.

    Raises
    ------
    NoRecordsError
        A launch has no record, or ran `kernel` more than once, or Proton cannot start: another
        reader holds CUPTI in this process.
    """
    times: list[float] = []
    for found in _records([work], [0] * count):
        own = [(time, times_run) for name, time, times_run in found if is_named(kernel, name)]
        if [times_run for _, times_run in own] != [1]:
            raise NoRecordsError(f"Proton recorded {len(times)} of {count} launches of {kernel}")
        times.append(own[0][0])
    return times


def turns(works: Sequence[Work], order: Sequence[int]) -> list[float]:
    """Return the kernel time in ms of each turn: `works[order[0]]`, `works[order[1]]` and so on.

    A launch may run several kernels: their times are added, the gaps between them are not.

    Raises
    ------
    NoRecordsError
        A turn launches no kernel, or not as many as another turn of the same work.
    """
    found = _records(works, order)
    counts: dict[int, int] = {}
    for index, kernels in zip(order, found, strict=True):
        ran = sum(times_run for _, _, times_run in kernels)
        if not ran:
            raise NoRecordsError("what is to be timed launches no kernel")
        if counts.setdefault(index, ran) != ran:
            raise NoRecordsError("a turn ran other kernels than the first time")
    return [sum(time for _, time, _ in kernels) for kernels in found]


def _records(works: Sequence[Work], order: Sequence[int]) -> list[Kernels]:
    # Imported where it is used: loading it loads a library that most sessions never need.
    import triton.profiler as profiler

    torch.cuda.synchronize()
    with tempfile.TemporaryDirectory(prefix="playground-proton-") as folder:
        base = Path(folder) / "turns"
        session = _started(profiler.start, str(base))
        try:
            for turn, index in enumerate(order):
                work = works[index]
                if work.before is not None:
                    work.before()
                with profiler.scope(f"{_SCOPE}{turn}"):
                    work.launch()
            torch.cuda.synchronize()
        finally:
            profiler.finalize(session, "hatchet")
        try:
            tree = json.loads(base.with_suffix(".hatchet").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise NoRecordsError(f"Proton left nothing to read ({error})") from error
    return by_turn(tree, len(order))


def _started(start: object, name: str) -> int:
    try:
        session = start(name, context="shadow", data="tree", backend="cupti")  # type: ignore[operator]
    except (RuntimeError, ValueError) as error:
        raise NoRecordsError(f"Proton cannot start: {error}") from error
    if session is None:
        raise NoRecordsError("Proton is switched off here (PROTON_DISABLE, or run under proton)")
    return int(session)


def by_turn(tree: object, count: int) -> list[Kernels]:
    """Return what ran in each of `count` turns, from Proton's tree as it writes it.

    Raises
    ------
    NoRecordsError
        A turn is not in the tree.
    """
    found: dict[str, Kernels] = {}
    for node in _children(tree[0] if isinstance(tree, list) and tree else None):
        name = _name(node)
        if name.startswith(_SCOPE):
            found[name] = list(_kernels(node))
    missing = [turn for turn in range(count) if f"{_SCOPE}{turn}" not in found]
    if missing:
        raise NoRecordsError(f"Proton recorded {count - len(missing)} of {count} turns")
    return [found[f"{_SCOPE}{turn}"] for turn in range(count)]


def _kernels(node: Mapping[str, object]) -> Kernels:
    """Return the kernels under a node; whatever has a time of its own is one."""
    kernels: Kernels = []
    for child in _children(node):
        metrics = child.get("metrics")
        if isinstance(metrics, Mapping) and metrics.get(_TIME):
            kernels.append((_name(child), float(metrics[_TIME]) / 1e6, int(metrics[_COUNT])))
        kernels += _kernels(child)
    return kernels


def _children(node: object) -> list[Mapping[str, object]]:
    children = node.get("children") if isinstance(node, Mapping) else None
    return [child for child in children if isinstance(child, Mapping)] if children else []


def _name(node: Mapping[str, object]) -> str:
    frame = node.get("frame")
    return str(frame.get("name", "")) if isinstance(frame, Mapping) else ""
