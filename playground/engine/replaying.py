"""The steps of one replay: each is done, reported and remembered on its own."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.coverage_findings import coverage_findings
from playground.engine.findings import FatalError
from playground.engine.job import CancelledError
from playground.model.check import CheckResult
from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.job import Job
    from playground.engine.launches import Last
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.finding import Finding, Stage
    from playground.model.measurement import CacheMode

_STAGES: dict[messages.Step, Stage] = {
    "compile": "compile",
    "check": "runtime",
    "measure": "timing",
    "coverage": "coverage",
}

LOADERS_LIMIT_MS = 250.0
"""Where counting took longer, it is not done again for the loaders that pointing tells."""


class Replaying:
    """One replay being done."""

    def __init__(
        self, session: Session, launch: int, config: Config, job: Job, revision: int,
        budget_ms: float, cache: CacheMode, target: str | None, sample: int | None = None,
    ) -> None:  # fmt: skip
        self._session = session
        self._launch = launch
        self._config = config
        self._job = job
        self._revision = revision
        self._budget_ms = budget_ms
        self._cache: CacheMode = cache
        self._target = target
        self._sample = sample

    def perform(self, steps: Sequence[messages.Step]) -> Last:
        """Do `steps` in order; what one that runs the kernel raises ends the replay."""
        session = self._session
        for step in steps:
            self._job.check()
            try:
                reply = self._step(step)
            except (CancelledError, FatalError):
                raise
            except Exception as error:
                if session.is_fatal(error):
                    raise FatalError(str(error)) from error
                finding = session.finding(error, _STAGES[step])
                reply = self._failed(step, finding)
                self._job.send(reply)
                session.last.findings = (*session.last.findings, finding)
                if step == "check":
                    break  # the kernel cannot run under this config
                continue
            self._job.send(reply)
            found = getattr(reply, "findings", ())
            session.last.findings = (*session.last.findings, *found)
            if isinstance(reply, messages.Compiled) and self._cannot_launch(reply):
                break
        if "coverage" in steps:
            # After every reply: only pointing at an element asks for them.
            session.collect_loaders(self._launch, self._config, self._job, LOADERS_LIMIT_MS)
        return session.last

    def _cannot_launch(self, compiled: messages.Compiled) -> bool:
        """Tell whether the GPU here would refuse what was just compiled."""
        device = self._session.device
        if device.mode != "gpu" or (self._target or device.target) != device.target:
            return False
        return compiled.report is None or not compiled.report.fits

    def _step(self, step: messages.Step) -> messages.Reply:
        session, launch, config = self._session, self._launch, self._config
        if step == "compile":
            outcome = session.compile(launch, config, self._target, self._job)
            stages = outcome.stages if outcome.report is None else ()
            return messages.Compiled(self._revision, outcome.report, outcome.findings, stages)
        if step == "check":
            return replace(session.judge(launch, config, self._job), revision=self._revision)
        if step == "coverage":
            counted = session.coverage(launch, config, self._job, sample=self._sample)
            info = session.launches[launch].info
            found = coverage_findings(info.kernel, counted, info.file, info.line)
            return messages.Covered(self._revision, counted, found)
        started = time.perf_counter()
        measurement = session.measure(launch, config, self._budget_ms, self._cache, self._job)
        elapsed_ms = (time.perf_counter() - started) * 1e3
        return messages.Measured(
            self._revision, measurement, engine_ms=elapsed_ms - sum(measurement.samples_ms)
        )

    def _failed(self, step: messages.Step, finding: Finding) -> messages.Reply:
        if step == "compile":
            return messages.Compiled(self._revision, None, (finding,))
        if step == "check":
            result = CheckResult("unjudged", "none", note=finding.message)
            return messages.Checked(self._revision, self._config, result, (finding,))
        if step == "measure":
            return messages.Measured(self._revision, None, (finding,))
        return messages.Covered(self._revision, None, (finding,))
