"""What a kernel's tuner does to the tensors that its trials change, found by launching twice."""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.arguments import tensors_in
from playground.engine.replay import put_back_after
from playground.engine.triton_private import tuning, wrappers
from playground.model.finding import Finding
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.job import Job
    from playground.engine.replay import PreparedReplay
    from playground.engine.session import Session


def tuner_findings(session: Session, launch: CapturedLaunch, job: Job) -> tuple[Finding, ...]:
    """Return what is wrong with how the launch's tuner handles tensors that add up.

    A tuner launches every config several times on the same tensors. What each launch adds to is to
    be restored between them (`restore_value`); `reset_to_zero` clears it for the trials only.
    """
    tuner = tuning.tuner_of(launch.kernel)
    if tuner is None or not launch.snapshot.written or launch.snapshot.in_place:
        return ()
    prepared = session.prepare(launch.info.index, launch.info.config)
    with session.guarded(job), put_back_after(prepared):
        prepared.restore()
        added = _changed_again(session, prepared)
    found = []
    for name in added:
        if name in tuner.cleared:
            found.append(_only_while_tuning(launch, name))
        elif name not in tuner.restored and tuner.configs > 1:
            found.append(_not_restored(launch, name))
    return tuple(found)


def _changed_again(session: Session, prepared: PreparedReplay) -> list[str]:
    """Return the tensors that a second launch, on what the first one left, changes once more."""
    prepared.run()
    session.synchronize()
    once = {name: _copies(prepared, name) for name in prepared.written}
    prepared.run()
    session.synchronize()
    return [
        name
        for name, before in once.items()
        if any(
            not torch.equal(_bytes(one), _bytes(other))
            for one, other in zip(before, _copies(prepared, name), strict=True)
        )
    ]


def _copies(prepared: PreparedReplay, name: str) -> list[torch.Tensor]:
    return [prepared.view(tensor).clone() for tensor in tensors_in(prepared.launch.arguments[name])]


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _not_restored(launch: CapturedLaunch, name: str) -> Finding:
    file, line = wrappers.definition(launch.function)
    place = _decorator(file, line)
    written = f'restore_value=["{name}"]'
    if place is None:
        hint = f"add {written} to triton.autotune(…)"
    else:
        end, text = place
        hint = f"make line {end}: {text[: text.rindex(')')].rstrip().rstrip(',')}, {written})"
    return Finding(
        "warning", "check",
        f"{launch.info.kernel} reads {name} and writes it, and its tuner does not restore it: "
        "while tuning, every trial changes it once more",
        hint, file, line if place is None else place[0],
    )  # fmt: skip


def _only_while_tuning(launch: CapturedLaunch, name: str) -> Finding:
    return Finding(
        "warning", "check",
        f"{launch.info.kernel} adds to {name}: a second call gives another result, because "
        "reset_to_zero clears it for the trials of the tuner only",
        f"clear it before every call ({name}.zero_()), or give each config "
        f"pre_hook=lambda arguments: arguments[{name!r}].zero_()",
        launch.info.file, launch.info.call_line or launch.info.line,
    )  # fmt: skip


def _decorator(file: str, line: int) -> tuple[int, str] | None:
    """Return the last line of the `autotune(…)` above the kernel at `line`, and its text."""
    try:
        tree = tree_of("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):  # edited since
        return None
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        if not first <= line <= node.lineno:
            continue
        for item in node.decorator_list:
            if _is_autotune(item) and item.end_lineno is not None:
                text = linecache.getline(file, item.end_lineno).strip()
                return (item.end_lineno, text) if text.endswith(")") else None
    return None


def _is_autotune(node: Any) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("autotune")
