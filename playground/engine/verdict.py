"""Running one replay and judging it, with what its failure says about the knobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine import checking, rehost
from playground.engine.arguments import dtype_text, tensors_in
from playground.engine.replay import changed_knobs, put_back_after
from playground.model.check import CheckResult
from playground.model.finding import Finding
from playground.protocol.messages import Checked

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config


def judged(session: Session, launch: CapturedLaunch, config: Config, job: Job) -> Checked:
    """Return the verdict on `launch` under `config`, run once from the captured inputs."""
    note = _unjudgeable(launch, session)
    if note:
        return Checked(0, config, CheckResult("unjudged", "none", note=note))
    expected, findings = session.expected()
    index = launch.info.index
    with session.guarded(job), put_back_after(session.prepare(index, config)) as prepared:
        if any(name in prepared.reshaped for name in prepared.written):
            result = _at_the_launcher(session, launch, config, expected)
        else:
            prepared.run()
            session.synchronize()
            result = checking.check_against(prepared, expected)
        if result.status != "correct":
            findings = (*findings, *prepared.findings)
        followed = not prepared.findings
    if result.status != "wrong":
        return Checked(0, config, result, findings)
    name = _dictated(session, launch, config, job) if followed else None
    if name is None:
        return Checked(0, config, result, (*findings, _wrong(launch, result, config)))
    hint = _derived(launch, name, config[name], launch.info.config[name])
    return Checked(0, config, result, (*findings, _wrong(launch, result, config), hint), (name,))


def _at_the_launcher(
    session: Session, launch: CapturedLaunch, config: Config, expected: list[checking.Expected]
) -> CheckResult:
    """Compare what comes of it: the launch's own output has another shape under this config.

    That is the driver's value, else what later launches leave.
    """
    value, later = rehost.whole_run(session, launch, config)
    against: Any = "reference" if expected else "captured"
    wanted = [item.want for item in expected] or list(_tensors(session.result))
    got = list(_tensors(value))
    differences = [
        checking.compare("result", one, other, *checking.tolerances(launch, one.dtype))
        for one, other in zip(got, wanted, strict=False)
    ]
    if not differences:
        against = "captured"
        for captured, name, left in later:
            want = captured.snapshot.result(captured.arguments[name])
            if want is not None and want.shape == left.shape:
                label = f"{name} of {captured.info.kernel}"
                limits = checking.tolerances(captured, left.dtype)
                differences.append(checking.compare(label, left, want, *limits))
    if not differences:
        note = "its output has another shape under this config, and nothing later shows it"
        return CheckResult("unjudged", "none", note=note)
    return checking.verdict(differences, against)


def _tensors(value: Any) -> Any:
    yield from (item.got for item in checking.pair_up(value, value))


def _dictated(session: Session, launch: CapturedLaunch, config: Config, job: Job) -> str | None:
    """Return the constexpr whose change alone broke a result that is right as captured."""
    constexprs = [
        name for name in changed_knobs(launch, config) if name in launch.arguments
    ]  # launch options never decide a result
    if len(constexprs) != 1 or config == launch.info.config:
        return None
    captured = session.verdict_on(launch, launch.info.config, job)
    return constexprs[0] if captured.result.status == "correct" else None


def _unjudgeable(launch: CapturedLaunch, session: Session) -> str:
    if session.device.mode != "interpreter":
        return ""
    from playground.engine.triton_private import interpreter

    for value in launch.arguments.values():
        for tensor in tensors_in(value):
            name = dtype_text(tensor.dtype)
            if tensor.dtype.is_floating_point and not interpreter.judgeable(name):
                return f"the interpreter does not compute {name} as a GPU does"
    return ""


def _derived(launch: CapturedLaunch, name: str, value: object, captured: object) -> Finding:
    return Finding(
        "hint",
        "check",
        f"{name} seems dictated by the data: {captured} is right, {value} alone is not",
        f"the launch derives {name} from its inputs (a padded row length, a group size): leave it, "
        "or change the host code that computes it",
        file=launch.info.file,
        line=launch.info.call_line or launch.info.line,
    )


def _wrong(launch: CapturedLaunch, result: CheckResult, config: Config) -> Finding:
    return Finding(
        "error",
        "check",
        f"{launch.info.kernel}: {result.text()}",
        f"under {config.label()}; no time of it counts",
        file=launch.info.file,
        line=launch.info.line,
    )
