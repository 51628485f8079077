"""A bench without a GPU: every call is made once, at the small size, and its wall time told.

What it measures means nothing. It proves that each measurement runs to its end and gives figures
that its rule can judge.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


class Rehearsal:
    device = "cpu"
    multiprocessors = 2
    copy_gbps = 10.0

    def __init__(self) -> None:
        self.called: list[str] = []

    def size(self, full, small):
        return small

    def times_ms(self, calls: Mapping[str, Callable[[], object]]) -> dict[str, float | None]:
        self.called += calls
        return {name: self.host_us(call) / 1e3 for name, call in calls.items()}

    def spans_ms(self, calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
        return {name: self.host_us(call) / 1e3 for name, call in calls.items()}

    def host_us(self, call: Callable[[], object]) -> float:
        started = time.perf_counter()
        call()
        return (time.perf_counter() - started) * 1e6

    def records(self, call: Callable[[], object]) -> tuple[str, ...]:
        call()
        return ("store_address",)

    def allocations(self, call: Callable[[], object]) -> int:
        call()
        return 0
