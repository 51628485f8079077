"""The measurements taken so far: bounded, one entry per config visit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.config import Config
    from playground.model.measurement import Measurement

LIMIT = 500


class History:
    """Measurements in the order taken; the oldest fall out beyond `limit`.

    Measuring the same config again right away (a quick measurement while dragging, then the full
    one on release) replaces the entry instead of adding one.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._items: list[Measurement] = []
        self._rejected: dict[tuple[int, Config], set[str]] = {}
        self._kernels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._items)

    @property
    def items(self) -> list[Measurement]:
        """The measurements, oldest first, as a list of its own."""
        return list(self._items)

    def add(self, measurement: Measurement) -> None:
        """Add `measurement`, or put it in place of the last one if that was the same config's."""
        if self._items and _same_visit(self._items[-1], measurement):
            self._items[-1] = measurement
            return
        self._items.append(measurement)
        del self._items[: -self._limit]

    def update(self, old: Measurement, new: Measurement) -> None:
        """Put `new` in place of `old` (the same samples with bytes counted since)."""
        self._items = [new if item is old else item for item in self._items]

    def judge(self, launch: int, config: Config, *, rejected: bool, by: str) -> None:
        """Note whether `by` (its check, the compiler) rejects a config; its time is worth none."""
        judges = self._rejected.setdefault((launch, config), set())
        (judges.add if rejected else judges.discard)(by)

    def is_rejected(self, measurement: Measurement) -> bool:
        """Tell whether a measurement is of a config that is wrong or cannot be launched."""
        return bool(self.rejected_by(measurement))

    def rejected_by(self, measurement: Measurement) -> frozenset[str]:
        """Return who rejects the config of a measurement: its `check`, the `compiler`."""
        return frozenset(self._rejected.get((measurement.launch, measurement.config), ()))

    def take_kernels(self, kernels: tuple[str, ...]) -> set[int]:
        """Take the kernel of each launch of a new run; return the launches that are others now.

        What was measured of those is forgotten: one plot is about one kernel.
        """
        changed = {
            index
            for index, kernel in enumerate(self._kernels)
            if index >= len(kernels) or kernels[index] != kernel
        }
        self._kernels = kernels
        self._items = [item for item in self._items if item.launch not in changed]
        self._rejected = {k: v for k, v in self._rejected.items() if k[0] not in changed}
        return changed

    def clear(self) -> None:
        """Forget all measurements."""
        self._items.clear()
        self._rejected.clear()


def _same_visit(a: Measurement, b: Measurement) -> bool:
    return (a.launch, a.config, a.source, a.cache) == (b.launch, b.config, b.source, b.cache)
