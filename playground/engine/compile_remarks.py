"""What NVIDIA's assembler remarks on a kernel that it takes, as findings in plain words.

`ptxas -v` tells of time that may be lost where no error stops anything: products on the tensor
cores that wait for each other, mostly. Its words name the PTX; here they name the user's line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine import source_lines
from playground.engine.compile_places import in_library
from playground.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from playground.engine.resources import Resources
    from playground.model.finding import Severity
    from playground.model.launch import Launch

_WAIT = "the products of tl.dot (wgmma) run one after the other instead of overlapping: "
_PTX_LINE = re.compile(r"\bline (\d+)\b")
_PRODUCT = re.compile(r"^\s*wgmma\.mma_async")
_CALL = re.compile(r"^\s*call(?:\.uni)?[\s(]")
# In TTGIR, for LLVM gives the call that prints no place of its own.
_CALLS = re.compile(r"(?:^|= )\s*tt\.(?:print|assert|call)\b")


@dataclass(frozen=True)
class _Kind:
    """A remark by a pattern of its words; what it is about in the PTX, where no line is told."""

    pattern: str
    message: str
    hint: str
    about: re.Pattern[str] | None = None


_CALLED = _Kind(
    r"wgmma.*serialized due to.*function (?:boundary|call)|wgmma.*extern call",
    _WAIT + "a function is called between them",
    "take what is no plain arithmetic out of the loop: tl.device_print, tl.device_assert, a "
    "function with noinline=True",
    _PRODUCT,
)
_KINDS = (
    _Kind(
        r"wgmma.*serialized due to insufficient register",
        _WAIT + "too few registers are left to keep more than one in flight",
        "more num_warps spread the accumulator over more threads (8 for 128 by 256), or make "
        "BLOCK_M or BLOCK_N smaller",
        _PRODUCT,
    ),
    _CALLED,
    _Kind(
        r"wgmma.*serialized due to.*accumulator registers",
        _WAIT + "other instructions write the accumulator between them",
        "let tl.dot add by itself, acc = tl.dot(a, b, acc), and scale or convert the sum after "
        "the loop",
        _PRODUCT,
    ),
    _Kind(
        r"wgmma.*serialized",
        _WAIT + "the assembler cannot order them as a pipeline (its reason is in the details)",
        "keep the loop to loads and one tl.dot into its own accumulator",
        _PRODUCT,
    ),
    _Kind(
        r"setmaxnreg.*ignored",
        "the groups of warps cannot share out their registers: each keeps as many as the largest "
        "needs",
        "take warp_specialize off the loop, or give the kernel no maxnreg",
    ),
    _Kind(
        r"[Ss]tack size .*cannot be (?:statically )?determined",
        "how much stack the kernel needs is not known when compiling: a function calls itself",
        "write the recursion as a loop",
        _CALL,
    ),
    _Kind(
        r"maxnreg|register (?:limit|count)|minnctapersm|maxntid",
        "the assembler does not keep to the number of registers that was asked for",
        "leave maxnreg out, or ask for more",
    ),
)  # fmt: skip
_OTHER = _Kind(
    "", "the assembler (ptxas) remarks on this kernel; its words are in the details",
    "nothing has to be done for the result to be right; look at the details where time is lost",
)  # fmt: skip


def products_wait(told: Iterable[Finding]) -> bool:
    """Tell whether the assembler runs products one after the other, by what compiling told."""
    return any(finding.message.startswith(_WAIT) for finding in told)


def findings(launch: Launch, taken: Resources, asm: Mapping[str, str | bytes]) -> list[Finding]:
    """Return a finding for each kind of remark, at the user's line where it can be told.

    Parameters
    ----------
    taken
        What the assembler reported, its remarks among it.
    asm
        The stages: remarks of triton 3.9's assembler tell a line of the PTX.
    """
    if not taken.remarks:
        return []
    ptx = str(asm.get("ptx", ""))
    lines = ptx.splitlines()
    chains = source_lines.chains_for("ptx", ptx)
    found: dict[tuple[str, int | None], Finding] = {}
    for remark in taken.remarks:
        kind = next((each for each in _KINDS if re.search(each.pattern, remark)), _OTHER)
        place = _place(remark, kind, lines, chains)
        file, line = place or (launch.file, launch.line)
        severity: Severity = "info" if kind is _OTHER else "hint"
        hint = kind.hint + (_calls(str(asm.get("ttgir", ""))) if kind is _CALLED else "")
        found.setdefault(
            (kind.message, line),
            Finding(severity, "compile", kind.message, hint, file, line, None, f"ptxas: {remark}"),
        )
    return list(found.values())


def _place(
    remark: str, kind: _Kind, lines: Sequence[str], chains: Sequence[source_lines.Chain]
) -> tuple[str, int] | None:
    told = _PTX_LINE.search(remark)
    if told is not None and int(told[1]) <= len(chains):
        place = _own(chains[int(told[1]) - 1])
        if place is not None:
            return place
    if kind.about is None:
        return None
    return next(
        (
            place
            for text, chain in zip(lines, chains, strict=False)
            if kind.about.match(text) and (place := _own(chain)) is not None
        ),
        None,
    )


def _own(chain: source_lines.Chain) -> tuple[str, int] | None:
    return next(((file, line) for file, line in chain if line and not in_library(file)), None)


def _calls(ttgir: str) -> str:
    """Return on which lines functions are called."""
    places = {
        place[1]
        for text, chain in zip(
            ttgir.splitlines(), source_lines.chains_for("ttgir", ttgir), strict=False
        )
        if _CALLS.search(text) and (place := _own(chain)) is not None
    }
    if not places:
        return ""
    named = ", ".join(map(str, sorted(places)))
    return f"; called on line{'s' if len(places) > 1 else ''} {named}"
