"""Running one replay and judging it, with what its failure says about the knobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine import checking
from playground.engine.arguments import dtype_text, storage_key, tensors_in
from playground.engine.replay import changed_knobs, put_back_after
from playground.model.check import CheckResult
from playground.model.finding import Finding
from playground.protocol.messages import Checked

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session
    from playground.model.config import Config


def judged(session: Session, launch: CapturedLaunch, config: Config) -> Checked:
    """Return the verdict on `launch` under `config`, run once from the captured inputs."""
    unjudgeable = _unjudgeable(launch, session)
    if unjudgeable:
        result = CheckResult("unjudged", "none", note=unjudgeable)
        return Checked(0, config, result)
    with session._guarded(), put_back_after(session.prepare(launch.info.index, config)) as prepared:
        prepared.run()
        session._synchronize()
        expected = session.expected()
        result = checking.check_against(
            prepared, expected, still_current=_is_last_writer(session, launch, expected)
        )
        findings = prepared.findings if result.status != "correct" else ()
    if result.status != "wrong":
        return Checked(0, config, result, findings)
    changed = {name: config[name] for name in changed_knobs(launch, config)}
    derived: tuple[str, ...] = ()
    captured_config = launch.info.config
    if changed and config != captured_config:
        name = checking.likely_derived(
            launch, changed, _is_correct(session, launch, captured_config)
        )
        if name is not None and not findings:
            derived = (name,)
            findings = (*findings, _derived(launch, name, changed[name], captured_config[name]))
    findings = (*findings, _wrong(launch, result, config))
    return Checked(0, config, result, findings, derived)


def _is_correct(session: Session, launch: CapturedLaunch, config: Config) -> bool:
    return session.check(launch.info.index, config).result.status == "correct"


def _is_last_writer(
    session: Session, launch: CapturedLaunch, expected: list[checking.Expected]
) -> bool:
    """Tell whether what the driver returned is what this launch, and no later one, left there."""
    keys = {storage_key(item.got) for item in expected}
    later = session.launches[launch.info.index + 1 :]
    return not any(keys & set(other.snapshot.after) for other in later)


def _unjudgeable(launch: CapturedLaunch, session: Session) -> str:
    if session.device.mode != "interpreter":
        return ""
    from playground.engine.triton_private import interpreter

    for value in launch.arguments.values():
        for tensor in tensors_in(value):
            name = dtype_text(tensor.dtype)
            if not interpreter.judgeable(name):
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
