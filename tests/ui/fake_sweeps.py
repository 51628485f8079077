"""Scripted answers to everything about sweeps; a store in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playground.model.sweep import SweepResult, SweepRow, space
from playground.protocol import messages

if TYPE_CHECKING:
    from playground.model.config import Config
    from playground.model.past_sweep import PastSweep


class FakeSweeps:
    """`past` is the store: sweeps and their results by number; tests fill it."""

    past: dict[int, tuple[PastSweep, SweepResult]]

    def _answer_sweep(self, request: messages.Sweep) -> list[messages.Reply]:
        launch = self._launches[request.launch]  # type: ignore[attr-defined]
        configs = space(launch.knobs, request.config, request.values) if request.values else ()
        configs = tuple(dict.fromkeys((*request.listed, *configs)))
        if not request.sizes:
            return self._swept(request, configs, ())
        replies: list[messages.Reply] = []
        for number, sizes in enumerate(request.sizes, start=1):
            replies.append(messages.SweepAt(sizes, number, len(request.sizes)))
            replies += self._swept(request, configs, sizes)
        return replies

    def _swept(
        self, request: messages.Sweep, configs: tuple[Config, ...],
        sizes: tuple[tuple[str, int], ...],
    ) -> list[messages.Reply]:  # fmt: skip
        rows = self.sweep_rows(request, configs, sizes)
        half = len(rows) // 2
        device = self.device.target if request.target is None else request.target  # type: ignore[attr-defined]
        result = SweepResult(request.launch, device, rows, len(rows), False, 1.5)
        return [
            messages.SweepProgress(rows[:half], half, len(rows), 1.5),
            messages.SweepProgress(rows[half:], len(rows), len(rows)),
            messages.Swept(self.sweep_result(result, sizes), sizes),
        ]

    def sweep_rows(
        self, request: messages.Sweep, configs: tuple[Config, ...],
        _sizes: tuple[tuple[str, int], ...],
    ) -> tuple[SweepRow, ...]:  # fmt: skip
        return tuple(self._row(request.launch, config) for config in configs)  # type: ignore[attr-defined]

    def sweep_result(
        self, result: SweepResult, _sizes: tuple[tuple[str, int], ...]
    ) -> SweepResult:  # fmt: skip
        return result

    def _answer_preparesweep(self, _request: messages.PrepareSweep) -> list[messages.Reply]:
        return [messages.Finished()]

    def _answer_pause(self, _request: messages.Pause) -> list[messages.Reply]:
        return [messages.Finished()]

    def _answer_getsweeps(self, _request: messages.GetSweeps) -> list[messages.Reply]:
        newest = sorted(self.past, reverse=True)
        return [messages.Sweeps(tuple(self.past[number][0] for number in newest))]

    def _answer_opensweep(self, request: messages.OpenSweep) -> list[messages.Reply]:
        if request.number not in self.past:
            return [messages.OpenedSweep(problem=f"there is no sweep {request.number}")]
        sweep, result = self.past[request.number]
        return [messages.OpenedSweep(sweep, replace(result, store=request.number))]

    def _answer_exportsweep(self, request: messages.ExportSweep) -> list[messages.Reply]:
        name = {"t4": "sweep.t4.json", "table": "configs.json"}.get(request.form, "tuned.py")
        return [messages.Exported(f"# {request.form} of {request.sweeps}\n", name)]
