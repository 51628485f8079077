"""A scripted engine that plays a sweep of a matrix product, by the formula of `recorded_sweep`."""

from __future__ import annotations

from PySide6.QtCore import QObject

from playground.model.config import Config
from playground.model.sweep import SweepResult, SweepRow
from playground.protocol import messages
from tests.ui.fake_engine import FakeEngine
from tests.ui.recorded_sweep import launch, past, recorded, row


class SweepEngine(FakeEngine):
    def __init__(self, mode: str = "gpu", parent: QObject | None = None) -> None:
        super().__init__(mode, parent=parent)
        self.past = {
            3: (past(3, triton="3.9.0"), recorded(drift=0.05, tries=1)),
            5: (past(5, state="running", rows=40), recorded()),
            7: (past(7), recorded()),
        }

    def _answer_run(self, request: messages.Run) -> list[messages.Reply]:
        self._launches = (launch(request.path),)
        return [messages.RunResult(self._launches, (), "tensor", 12.5)]

    def _answer_replay(self, _request: messages.Replay) -> list[messages.Reply]:
        return [messages.Finished()]

    def sweep_rows(
        self, _request: messages.Sweep, configs: tuple[Config, ...],
        sizes: tuple[tuple[str, int], ...],
    ) -> tuple[SweepRow, ...]:  # fmt: skip
        size = dict(sizes).get("m", 4096)
        space = {name: tuple(dict.fromkeys(config[name] for config in configs))
                 for name in configs[0]}  # fmt: skip
        known = {one.config: one for one in recorded(space, size).rows}
        return tuple(known.get(config) or row(config, size) for config in configs)

    def sweep_result(
        self, result: SweepResult, sizes: tuple[tuple[str, int], ...]
    ) -> SweepResult:  # fmt: skip
        space = {name: tuple(dict.fromkeys(one.config[name] for one in result.rows))
                 for name in result.rows[0].config}  # fmt: skip
        return recorded(space, dict(sizes).get("m", 4096))
