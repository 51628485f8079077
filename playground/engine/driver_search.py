"""The search for a driver that runs, when the one that the app wrote does not fit the file.

What the error says is asked for is changed, one reading after the other, each in a run of its own
with a freshly loaded file, until one launches. Drivers that the user wrote are never touched.
"""

from __future__ import annotations

import ast
import difflib
import re
import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playground.engine import driver_errors, host_watch
from playground.engine.driver_blame import Blame
from playground.engine.driver_changes import Reading
from playground.engine.driver_wants import Wants
from playground.engine.job import CancelledError, Job
from playground.model.driver_draft import Draft
from playground.model.file_map import not_passed
from playground.model.finding import Finding
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.session import Session
    from playground.model.outline import Driver
    from playground.protocol.messages import RunResult

MOST_TRIES = 12
MOST_TRIES_AFTER_LAUNCH = 4
"""Where the written driver did launch, the fault may as well be the kernel's: few are tried."""
LONGEST_S = 20.0


@dataclass(frozen=True)
class _Step:
    """A reading to try, those that led to it, and the driver as it was written."""

    reading: Reading
    before: tuple[Reading, ...]
    written: Driver

    @property
    def driver(self) -> Driver:
        return replace(self.written, code=self.reading.draft.code)

    @property
    def changes(self) -> list[str]:
        """The lines that differ from the driver as it was written."""
        found = difflib.ndiff(self.written.code.splitlines(), self.driver.code.splitlines())
        lines = [line[2:].partition("  # ")[0].strip() for line in found if line.startswith("+ ")]
        return [line for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True)
class _Outcome:
    """What a run came to: launches, the error, where it arose, and what to try next.

    One that `ran` came to its end, though it may have reached outside its tensors.
    """

    launches: int
    error: str
    place: tuple[str, int] | None
    readings: tuple[Reading, ...]
    ran: bool = False

    @property
    def fits(self) -> bool:
        return self.launches > 0 and not self.error


def is_due(session: Session) -> bool:
    """Tell whether a run has failed that executed a driver of the app's."""
    driver = session.driver
    if driver is None or driver.kind != "generated" or _interrupted(session):
        return False
    outside = any(launch.outside for launch in session.launches)
    return session.stopped_by is not None or not session.launches or outside


def _interrupted(session: Session) -> bool:
    return isinstance(session.stopped_by, (KeyboardInterrupt, CancelledError))


class Search:
    """Tries readings of a written driver, the likeliest first.

    Parameters
    ----------
    run
        Runs the session's file with a driver, and nothing else of the session changed.
    """

    def __init__(self, session: Session, job: Job, run: Callable[[Driver, Job], RunResult]) -> None:
        self.session, self.job, self._run = session, job, run
        self.started = time.monotonic()
        self.tried: list[tuple[_Step, _Outcome]] = []
        self.longest_s = 0.0
        self.launches = 0

    def result(self, first: RunResult) -> RunResult:
        """Return the result of the first driver that runs, else of the one that was written.

        The session is left as that run made it; a finding says what was changed and why.
        """
        driver = self.session.driver
        if driver is None:
            return first
        known = self.session.searched.get((self.session.text, driver.code))
        if known is not None:
            return self._with(first, known, "")
        self.longest_s = first.elapsed_ms / 1e3
        written = self._outcome(driver)
        self.launches = written.launches
        try:
            found = self._first_that_fits(driver, written)
        except CancelledError:
            self.session.driver = driver
            raise
        if found is None and not written.ran:
            # What launches and then reaches outside shows more than what does not launch.
            best = next((step for step, outcome in self.tried if outcome.ran), None)
            found = None if best is None else (best, self._run(best.driver, self.job))
        if found is None:
            if not self.tried:
                return first
            again = self._run(driver, self.job)
            told = self._nothing()
            self.session.searched = {(self.session.text, driver.code): told}
            return self._with(again, told, "")
        step, result = found
        self.session.found[driver.code] = step.driver
        return self._with(result, self._changed(driver, step, written), step.driver.code)

    def _first_that_fits(self, driver: Driver, written: _Outcome) -> tuple[_Step, RunResult] | None:
        waiting = [_Step(each, (), driver) for each in reversed(written.readings)]
        if not written.launches:
            waiting = [*reversed(self._others(driver)), *waiting]
        seen = {driver.code}
        errors = {(written.place, written.error)}
        while waiting and self._has_time():
            step = waiting.pop()
            code = step.reading.draft.code
            if code in seen:
                continue
            seen.add(code)
            number = len(self.tried) + 1
            self.job.progress(f"the written driver does not fit: reading {number} is tried")
            result, outcome = self._try(step.driver)
            self.tried.append((step, outcome))
            if outcome.fits:
                return step, result
            chain = (*step.before, step.reading)
            more = [_Step(each, chain, step.written) for each in reversed(outcome.readings)]
            # An error that is new is a step ahead: what it asks for comes next.
            is_new = (outcome.place, outcome.error) not in errors
            errors.add((outcome.place, outcome.error))
            waiting = [*waiting, *more] if is_new else [*more, *waiting]
        return None

    def _has_time(self) -> bool:
        left = LONGEST_S - (time.monotonic() - self.started)
        most = MOST_TRIES if self.launches == 0 else min(MOST_TRIES, MOST_TRIES_AFTER_LAUNCH)
        return len(self.tried) < most and left > (self.longest_s if self.tried else 0)

    def _others(self, driver: Driver) -> list[_Step]:
        """Return the file's other written drivers, if the first of them is the one that failed."""
        offered = [each for each in self.session.outline.drivers if each.kind == "generated"]
        if not offered or offered[0].code != driver.code:
            return []
        why = f"`{driver.label}` could not be made to run"
        found = [_Step(Reading(Draft(each.code), why), (), each) for each in offered[1:]]
        known = self.session.namespace
        return [each for each in found if re.split(r"\W", each.reading.draft.called)[0] in known]

    def _try(self, driver: Driver) -> tuple[RunResult, _Outcome]:
        left = LONGEST_S - (time.monotonic() - self.started)
        began = time.monotonic()
        limited = _Limited(self.job)
        timer = threading.Timer(max(left, 1.0), limited.cancel)
        timer.daemon = True
        timer.start()
        try:
            result = self._run(driver, limited)
        finally:
            timer.cancel()
        self.job.check()
        self.longest_s = time.monotonic() - began
        return result, self._outcome(driver)

    def _outcome(self, driver: Driver) -> _Outcome:
        session = self.session
        error = session.stopped_by
        try:
            draft = Draft(driver.code)
        except SyntaxError:
            return _Outcome(len(session.launches), "SyntaxError", None, ())
        function = _function(session.text, draft.called)
        if error is not None and _interrupted(session):
            return _Outcome(len(session.launches), "its time was up", None, ())
        if error is not None:
            blame = Blame(error, draft, function)
            found = driver_errors.readings(blame)
            return _Outcome(len(session.launches), str(error), blame.place, tuple(found))
        if session.launches:
            blame = Blame(RuntimeError(), draft, function, session.namespace)
            found = driver_errors.readings_of_accesses(blame, session.launches)
            events = [event for launch in session.launches for event in launch.outside]
            if not events:
                return _Outcome(len(session.launches), "", None, (), ran=True)
            place = (events[0].file, events[0].line) if events[0].file and events[0].line else None
            told = found[0].why if found else "it reaches outside its tensors"
            return _Outcome(len(session.launches), told, place, tuple(found), ran=True)
        return _Outcome(0, "nothing was launched", None, tuple(_branches(draft, function)))

    # --------------------------------------------------------------------------- telling

    def _with(self, result: RunResult, finding: Finding, code: str) -> RunResult:
        findings = (*self.session.findings, finding)
        self.session.findings = findings
        return replace(result, findings=findings, driver=code)

    def _changed(self, first: Driver, step: _Step, outcome: _Outcome) -> Finding:
        steps = (*step.before, step.reading)
        lines = step.changes
        shown = "; ".join(lines[:2]) + (f" and {len(lines) - 2} more" if len(lines) > 2 else "")
        what = f"now {shown}"
        if step.written.label != first.label:
            what = f"the one {step.written.label} runs instead" + (f", {what}" if lines else "")
        place, count = outcome.place, len(self.tried)
        why = [f"because of: {each.why}" for each in steps]
        return Finding(
            "info", "driver",
            f"the driver that the app wrote did not fit ({steps[0].why}): {what}",
            f"it is shown as it ran, after {count} tr{'y' if count == 1 else 'ies'}: change what "
            "you know better",
            file=place[0] if place else None,
            line=place[1] if place else None,
            detail="\n".join([*why, *(f"now: {line}" for line in lines)]),
        )  # fmt: skip

    def _nothing(self) -> Finding:
        told = []
        for step, outcome in self.tried:
            error = outcome.error.strip().splitlines()
            lines = step.changes
            told.append(
                f"{step.written.label}, {'; '.join(lines[:3]) if lines else 'as written'}\n"
                f"    {error[0] if error else 'an error without a text'}"
            )
        several = len(self.tried) != 1
        return Finding(
            "hint", "driver",
            f"{len(self.tried)} other reading{'s' * several} of the file "
            f"{'were' if several else 'was'} tried for the driver, and none ran without an error",
            "change the driver: its lines say what the app took for what",
            detail="\n".join(told),
        )  # fmt: skip


class _Limited(Job):
    """The job of one try: it ends with its time, and with the job that it belongs to."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._whole = job

    @property
    def cancelled(self) -> bool:
        """Whether the time is up, or somebody asked the whole job to stop."""
        return super().cancelled or self._whole.cancelled

    def check(self) -> None:
        """Raise `CancelledError` if either job is to stop."""
        self._whole.check()
        super().check()


def _function(text: str, called: str) -> ast.FunctionDef | None:
    """Return what a driver calls: a function of the file, or a class's `forward`."""
    owner, _, last = called.rpartition(".")
    for node in ast.walk(tree_of(text)):
        if isinstance(node, ast.FunctionDef) and node.name == called:
            return node
        if isinstance(node, ast.ClassDef) and owner == node.name and last == "apply":
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == "forward":
                    return each
    return None


def _branches(draft: Draft, function: ast.FunctionDef | None) -> list[Reading]:
    """Return drivers under which the file takes the way with a launch."""
    if function is None or len(function.args.args) == not_passed(function):
        return []
    wants = Wants(Blame(RuntimeError(), draft, function))
    found = []
    for event in reversed(host_watch.events):
        if not isinstance(event, host_watch.Branch):
            continue
        test = ast.parse(event.test, mode="eval").body
        for changed in wants.want(test, truth=not event.outcome):
            why = f"`{event.test}` was {event.outcome} at line {event.line}: no launch"
            found.append(Reading(changed, why))
    return found
