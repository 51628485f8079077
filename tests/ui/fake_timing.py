"""What the scripted engine answers about time: comparisons, noise floor, host cost, energy, clocks.

The figures are of the order of those measured on an H200 (vector add of 2^24 elements).
"""

from __future__ import annotations

import random

from playground.model.comparison import Comparison, compared
from playground.model.device import DeviceInfo
from playground.model.finding import Finding
from playground.model.measurement import ClockState, Energy, HostCost
from playground.protocol import messages

ROUNDS = 240
RATES = {"torch.add(x_ptr, y_ptr)": 1.021, "reference": 1.019, "same": 1.0, "unsure": 0.993}
"""Time of a typed rival over ours; the rounds' own noise is 1 %."""


class FakeTiming:
    """A part of `FakeEngine`."""

    device: DeviceInfo
    noise = 0.004
    compare_refusal = ""
    clock_steps: tuple[ClockState, ...] = ()

    def clocks(self) -> ClockState:
        if self.device.mode == "gpu":
            return ClockState(1980, 3201, 41, 220.0, utilisation=100)
        return ClockState()

    def _answer_getclocks(self, _request: messages.GetClocks) -> list[messages.Reply]:
        state, *rest = self.clock_steps or (self.clocks(),)
        self.clock_steps = tuple(rest)
        return [messages.Clocks(state)]

    def _answer_getfloor(self, request: messages.GetFloor) -> list[messages.Reply]:
        return [messages.Floor(request.launch, request.cache, self.noise)]

    def _answer_gethostcost(self, request: messages.GetHostCost) -> list[messages.Reply]:
        cost = HostCost(312.4, 1.94, 0.0152)
        return [messages.HostCosts(request.launch, request.config, cost)]

    def _answer_getenergy(self, request: messages.GetEnergy) -> list[messages.Reply]:
        energy = Energy(0.02683, 541.0, 20184, 1.001)
        return [messages.Energies(request.launch, request.config, energy)]

    def _answer_compare(self, request: messages.Compare) -> list[messages.Reply]:
        if self.compare_refusal:
            finding = Finding("error", "runtime", self.compare_refusal, "type another expression")
            return [messages.Finished(findings=(finding,))]
        return [
            messages.Progress("comparing", 0.5),
            messages.Compared(self.comparison(request)),
        ]

    def comparison(self, request: messages.Compare) -> Comparison:
        chance = random.Random(f"{request.config}{request.against}{request.expression}")
        ours_ms = self._median(request.launch, request.config, request.cache)
        label = request.expression
        if request.against is None:
            theirs_ms = ours_ms * RATES.get(request.expression, 1.1)
        else:
            theirs_ms = self._median(request.launch, request.against, request.cache)
            label = f"add_kernel {request.against.label()}"
        before = request.more
        a_ms = list(before.a_ms) if before else []
        b_ms = list(before.b_ms) if before else []
        for turn in range(ROUNDS):
            # What disturbs a round disturbs both: a slow drift, and now and then a late round.
            shared = 1 + 0.002 * turn / ROUNDS + (0.2 if turn % 97 == 96 else 0.0)
            a_ms.append(ours_ms * shared * (1 + abs(chance.gauss(0, 0.01))))
            b_ms.append(theirs_ms * shared * (1 + abs(chance.gauss(0, 0.01))))
        looks = (before.looks if before else 0) + 2
        ratio, low, high, verdict = compared(a_ms, b_ms, floor=self.noise, looks=looks)
        return Comparison(
            f"add_kernel {request.config.label()}", label, tuple(a_ms), tuple(b_ms), ratio, low,
            high, verdict, "cupti", request.cache, self.noise, looks, 912.0,
        )  # fmt: skip

    def _median(self, launch: int, config: object, cache: str) -> float:
        return float(self.measurement(launch, config, cache).median_ms)  # type: ignore[attr-defined]
