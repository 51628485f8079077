"""A target that this triton does not compile for: said in plain words, with what it offers."""

from __future__ import annotations

import functools
import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import triton

from playground.engine.triton_private.compiled import tool
from playground.model.finding import Finding
from playground.model.targets import known_targets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.launch import Launch

_REFUSED = re.compile(
    r"Value 'sm_\w+' is not defined for option 'gpu-name'|unsupported target: 'gfx\w+'"
)
_OLDEST = 75
_HELP_LIMIT_S = 20.0


def refusal(launch: Launch, target: str) -> Finding | None:
    """Return why there is nothing to try, or None: LLVM aborts on an architecture it does not know.

    Only NVIDIA's assembler can be asked beforehand, and is where the table has no such target.
    """
    backend = target.partition(":")[0]
    if backend != "cuda" or target in known_targets():
        return None
    offers = offered(backend)
    if not offers or target in offers:
        return None
    empty = Finding("error", "compile", "", file=launch.file, line=launch.line)
    return _told(empty, target)


def told(findings: tuple[Finding, ...], target: str) -> tuple[Finding, ...]:
    """Return the findings of a compilation, a refusal of the target in words of our own."""
    return tuple(_told(item, target) if _is_refusal(item) else item for item in findings)


def _is_refusal(finding: Finding) -> bool:
    text = f"{finding.message}\n{finding.detail}"
    return finding.severity == "error" and _REFUSED.search(text) is not None


def _told(finding: Finding, target: str) -> Finding:
    backend = target.partition(":")[0]
    return replace(
        finding,
        message=f"triton {triton.__version__} does not compile for {target}",
        hint=f"it does for {', '.join(offered(backend))}",
        detail=finding.detail or finding.message,
    )


@functools.cache
def offered(backend: str) -> tuple[str, ...]:
    """Return the targets of a backend that this triton's assembler knows.

    AMD's is a part of triton and has no list to be asked for: those of the table are returned,
    each of which is tried with every triton that the program is tested with.
    """
    if backend == "hip":
        return tuple(name for name in known_targets() if name.startswith("hip:"))
    numbers = {number for name in ("ptxas", "ptxas_blackwell") for number in _of_ptxas(name)}
    return tuple(f"cuda:{number}" for number in sorted(numbers))


def _of_ptxas(name: str) -> Iterable[int]:
    try:
        done = subprocess.run(
            [tool(name), "--help"], capture_output=True, text=True, timeout=_HELP_LIMIT_S,
            check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, AttributeError, RuntimeError, subprocess.TimeoutExpired):
        return ()  # it has only one of the two
    found = {int(number) for number in re.findall(r"'sm_(\d+)'", done.stdout)}
    return (number for number in found if number >= _OLDEST)
