"""Running one replay and judging it, with what its failure says about the knobs.

Two things can be run: the launch alone, or the whole driver with the knob overridden where it
enters. The launch alone is quicker and compares more, so it comes first; where its result is wrong
or has another shape, the whole driver decides. What a partial sum or a padded buffer looks like is
the host's business, what comes of it is not.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine import checking, hosting
from playground.engine.arguments import dtype_text, knob_value, tensors_in
from playground.engine.bound import place_of
from playground.engine.driver_verdict import of_driver
from playground.engine.drivers import DRIVER_FILE
from playground.engine.entries import set_by_tuning
from playground.engine.entry_search import equal_places
from playground.engine.reference_value import differs_from_itself
from playground.engine.replay import put_back_after
from playground.engine.second_opinion import second_opinion
from playground.engine.triton_private import wrappers
from playground.engine.tuner_findings import tuner_findings
from playground.model.check import CheckResult
from playground.model.finding import Finding
from playground.protocol.messages import Checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.hosting import Hosted
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config


def judged(session: Session, launch: CapturedLaunch, config: Config, job: Job) -> Checked:
    """Return the verdict on `launch` under `config`, run once from the captured inputs."""
    note = _unjudgeable(launch, session)
    if note:
        return Checked(0, config, CheckResult("unjudged", "none", note=note))
    expected, findings = session.expected()
    judge = _Judge(session, launch, config, job, expected)
    result, told = judge.verdict()
    findings = (*findings, *judge.overruns, *_went_along(session, launch, config))
    if result.status != "correct":
        findings = (*findings, *told)
        if result.route == "driver":
            findings = (*findings, *judge.said)
    if config == launch.info.config and result.status != "unjudged":
        findings = (*findings, *tuner_findings(session, launch, job))
    opinion = second_opinion(session, launch, config, job, result)
    blamed = any(finding.severity == "error" for finding in opinion.findings)
    if blamed and result.status == "wrong" and _is_problem(session, launch, config):
        blamed = False  # another problem was asked of the kernel: the lanes are not to blame
    else:
        findings = (*findings, *opinion.findings)
    if blamed:
        return Checked(0, config, opinion.result or result, findings)
    if result.status != "wrong":
        return Checked(0, config, result, findings)
    if result.route == "launch" or not judge.said:
        findings = (*findings, _wrong(launch, result, config, judge.said))
    if config == launch.info.config and result.against == "reference":
        findings = (*findings, *differs_from_itself(session, launch))
    name = _dictated(session, launch, config, job) if not told else None
    if name is None:
        return Checked(0, config, result, findings)
    reason = _reason(session, launch, name)
    hint = _derived(launch, name, config[name], reason)
    mark_derived(launch, name, reason)
    return Checked(0, config, result, (*findings, hint), (name,))


class _Judge:
    def __init__(
        self, session: Session, launch: CapturedLaunch, config: Config, job: Job,
        expected: list[checking.Expected],
    ) -> None:  # fmt: skip
        self._session = session
        self._launch = launch
        self._config = config
        self._job = job
        self._expected = expected
        self._moved = hosting.moved_constexprs(launch, config)
        self.said: tuple[Finding, ...] = ()
        """What the whole driver itself says against the config."""
        self.overruns: tuple[Finding, ...] = ()
        """What the launch alone wrote outside of its tensors."""

    def verdict(self) -> tuple[CheckResult, tuple[Finding, ...]]:
        """Return the result, and what is to be told of the replay when it is not right."""
        result, made = self._once()
        told = made.findings
        if not self._moved:
            return result, told
        if result.status == "correct":
            return self._leaner(result, made), told
        if result.status == "unjudged" and not made.reshaped:
            return result, told
        names = self._alternatives()
        if len(self._moved) > 1 and names:
            again = self._one_by_one(names)
            if again.status == "correct":
                return again, ()
        for name in names:
            for _ in self._tried_out(name):
                again, made = self._once()
                if again.status == "correct":
                    return self._leaner(again, made), ()
        return result, told

    def _one_by_one(self, names: Sequence[str]) -> CheckResult:
        """Judge again after each knob was moved alone, which tells where that one enters."""
        captured = self._launch.info.config
        for name in names:
            one = captured.updated({name: self._config[name]})
            _Judge(self._session, self._launch, one, self._job, self._expected).verdict()
        return self._once()[0]

    def _leaner(self, result: CheckResult, made: Hosted) -> CheckResult:
        """Return the result with the grid that follows a larger block, where one was written out.

        `kernel[(cdiv(m, 64),)](…, BLOCK=64)` replayed alone with 128 is right, yet half of its
        programs find nothing to do, and its time is not that of the config. The entry that makes
        fewer programs is taken where the result stays right.
        """
        if not made.findings or callable(self._launch.grid):
            return result
        for name in self._moved:
            if not self._is_written_twice(name):
                continue
            for _ in self._tried_out(name):
                fewer = self._session.hosted(self._launch, self._config)
                if math.prod(fewer.size) >= math.prod(made.size):
                    continue
                again, fewer = self._once()
                if again.status == "correct":
                    result, made = again, fewer
                    break
        return result

    def _is_written_twice(self, name: str) -> bool:
        """Tell whether the knob's number stands in the grid's own code as well."""
        entries, launch = self._session.kept.entries, self._launch
        call = entries.call_of(self._session, launch)
        if call is None or set_by_tuning(launch, name):
            return False
        captured = knob_value(launch.arguments[name], launch.info.config[name])
        flow = entries.flow(self._session)
        return bool(equal_places(launch, flow, call, name, captured))

    def _tried_out(self, name: str) -> Iterator[None]:
        """Put each entry of a knob in use in turn; the one at which this is left stays."""
        entries = self._session.kept.entries.searched(
            self._session, self._launch, name, self._config[name]
        )
        before = list(entries.found), entries.decided
        for entry in before[0]:
            entries.found.remove(entry)
            entries.found.insert(0, entry)
            entries.decided = True
            self._session.kept.forget(self._launch)
            yield
        entries.found, entries.decided = before
        self._session.kept.forget(self._launch)

    def _alternatives(self) -> list[str]:
        """Return the moved knobs whose other entries have not been tried."""
        names = []
        for name in self._moved:
            if set_by_tuning(self._launch, name):
                continue
            entries = self._session.kept.entries.searched(
                self._session, self._launch, name, self._config[name]
            )
            used = entries.found[:1] if entries.decided or not entries.alone else []
            if [entry for entry in entries.found if entry not in used]:
                names.append(name)
        return names

    def _once(self) -> tuple[CheckResult, Hosted]:
        """Judge the launch, and the whole driver where the launch is not right."""
        result, made = self._of_launch()
        if result is not None and (result.status != "wrong" or not self._moved):
            return replace(result, route=made.route), made
        whole = of_driver(
            self._session, self._launch, self._config, self._moved, self._expected, self._job
        )
        self.said = whole.findings
        if whole.result is not None and (result is None or whole.result.status == "correct"):
            return replace(whole.result, route="driver"), made
        if result is None:
            note = "its output has another shape under this config, and nothing later shows it"
            result = CheckResult("unjudged", "none", note=whole.refusal or note)
        return replace(result, route=made.route), made

    def _of_launch(self) -> tuple[CheckResult | None, Hosted]:
        session = self._session
        prepared = session.prepare(self._launch.info.index, self._config)
        if any(name in prepared.reshaped for name in prepared.written):
            return None, prepared.hosted
        with session.guarded(self._job), put_back_after(prepared):
            prepared.run()
            session.synchronize()
            self.overruns = tuple(prepared.overruns())
            return checking.check_against(prepared, self._expected), prepared.hosted


def _went_along(session: Session, launch: CapturedLaunch, config: Config) -> tuple[Finding, ...]:
    """Tell which knobs have another value than asked for: the host makes them of a moved one."""
    made = session.hosted(launch, config)
    heuristics = wrappers.heuristics_of(launch.kernel)
    others = [
        name
        for name, value in made.effective.values
        if name not in heuristics and value != config[name]
    ]
    moved = hosting.moved_constexprs(launch, config)
    if not others or not moved or not made.edits:
        return ()
    place = made.edits[0][0]
    ran = ", ".join(f"{name}={made.effective[name]}" for name in others)
    asked = ", ".join(str(config[name]) for name in others)
    where = "" if place.file != DRIVER_FILE else " of the driver"
    return (
        Finding(
            "warning",
            "check",
            f"{launch.info.kernel} ran with {ran}, not {asked}: the host code makes it of "
            f"{', '.join(moved)}",
            f"one value at line {place.line}{where} is behind both; give each its own to move "
            "them apart",
            file=launch.info.file if place.file == DRIVER_FILE else place.file,
            line=launch.info.call_line if place.file == DRIVER_FILE else place.line,
        ),
    )


def mark_derived(launch: CapturedLaunch, name: str, reason: str) -> None:
    """Mark a knob of a launch as bound to the data."""
    knobs = tuple(
        knob.marked_derived(reason) if knob.name == name and not knob.derived else knob
        for knob in launch.info.knobs
    )
    launch.info = replace(launch.info, knobs=knobs)


def _dictated(session: Session, launch: CapturedLaunch, config: Config, job: Job) -> str | None:
    """Return the constexpr whose change alone broke a result that is right as captured."""
    constexprs = hosting.moved_constexprs(launch, config)  # options never decide a result
    if len(constexprs) != 1 or config == launch.info.config:
        return None
    captured = session.verdict_on(launch, launch.info.config, job)
    return constexprs[0] if captured.result.status == "correct" else None


def _is_problem(session: Session, launch: CapturedLaunch, config: Config) -> bool:
    """Tell whether a moved knob says what the inputs are: then the kernel cannot be blamed."""
    return any(
        session.kept.entries.of(session, launch, name).changes_inputs is not None
        for name in hosting.moved_constexprs(launch, config)
    )


def _reason(session: Session, launch: CapturedLaunch, name: str) -> str:
    """Say why a knob is bound to the data, with the line that binds it."""
    known = session.kept.entries.of(session, launch, name)
    for knob in launch.info.knobs:
        if knob.name == name and knob.derived:
            return knob.note
    if known.changes_inputs is not None:
        return (
            f"the value at line {known.changes_inputs.line}{_of_driver(known.changes_inputs.file)} "
            "decides the launch's inputs as well: another one is another problem"
        )
    call = session.kept.entries.call_of(session, launch)
    origin = None if call is None else session.kept.entries.flow(session).origin(call, name)
    if origin is None:
        return "another value alone breaks the result"
    return f"{place_of(*origin)}: another value alone breaks the result"


def _of_driver(file: str) -> str:
    return " of the driver" if file == DRIVER_FILE else ""


def _unjudgeable(launch: CapturedLaunch, session: Session) -> str:
    if session.device.mode != "interpreter":
        return ""
    from playground.engine.interpreter_findings import unjudgeable
    from playground.engine.triton_private import interpreter

    if reason := unjudgeable(launch):
        return reason
    for value in launch.arguments.values():
        for tensor in tensors_in(value):
            name = dtype_text(tensor.dtype)
            if tensor.dtype.is_floating_point and not interpreter.judgeable(name):
                return f"the interpreter does not compute {name} as a GPU does"
    return ""


def _derived(launch: CapturedLaunch, name: str, value: object, reason: str) -> Finding:
    captured = launch.info.config[name]
    return Finding(
        "hint",
        "check",
        f"{name} seems dictated by the data: {captured} is right, {value} alone is not",
        f"{reason}; leave it, or change the host code that computes it",
        file=launch.info.file,
        line=launch.info.call_line or launch.info.line,
    )


def _wrong(
    launch: CapturedLaunch, result: CheckResult, config: Config, said: tuple[Finding, ...]
) -> Finding:
    as_well = "; the driver's own check says so as well" if said else ""
    where = f" (line {said[0].line})" if said and said[0].line else ""
    return Finding(
        "error",
        "check",
        f"{launch.info.kernel}: {result.text()}",
        f"under {config.label()}{as_well}{where}; no time of it counts",
        file=launch.info.file,
        line=launch.info.line,
    )
