"""The classes of machine instructions as the window shows them: names, colours, sentences."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.model.machine_code import Access, InstructionKind, LineCode, MachineCode
    from playground.ui.theme import Theme


@dataclass(frozen=True)
class MixClass:
    """One class: its theme token, a short name for headings, and what is in it."""

    kind: InstructionKind
    token: str
    short: str
    meaning: str


MIX: tuple[MixClass, ...] = (
    MixClass("tensor core", "mix_tensor", "Tensor", "matrix products: wgmma, mma, mfma"),
    MixClass("floating point", "mix_float", "FP", "floating-point arithmetic"),
    MixClass("integer", "mix_integer", "Integer",
             "addresses, masks, moves and conversions between integers"),
    MixClass("wide memory", "mix_wide", "Wide", "global memory, 16 bytes a thread"),
    MixClass("narrow memory", "mix_narrow", "Narrow",
             "global memory, less than 16 bytes a thread"),
    MixClass("async copy", "mix_async", "Async", "cp.async and TMA"),
    MixClass("shared memory", "mix_shared", "Shared", "loads and stores of shared memory"),
    MixClass("local memory", "mix_local", "Local", "spilled registers and arrays of a thread"),
    MixClass("control", "mix_control", "Control", "branches, loops, predicates"),
    MixClass("barrier", "mix_barrier", "Barrier", "waiting for other threads or for copies"),
    MixClass("other", "mix_other", "Other", "what is in no other class"),
)  # fmt: skip
"""In the order they are drawn: arithmetic, what addresses it, memory, the rest."""

_BY_KIND = {each.kind: each for each in MIX}


def mix_class(kind: InstructionKind) -> MixClass:
    """Return how a class is shown."""
    return _BY_KIND[kind]


def ordered(counts: Iterable[tuple[InstructionKind, int]]) -> tuple[tuple[MixClass, int], ...]:
    """Return counts in the order of drawing, those of nothing left out."""
    by_kind: dict[InstructionKind, int] = {}
    for kind, count in counts:
        by_kind[kind] = by_kind.get(kind, 0) + count
    return tuple((each, by_kind[each.kind]) for each in MIX if by_kind.get(each.kind))


def count_of(code: LineCode, kind: InstructionKind) -> int:
    """Return how many instructions of a class a line became."""
    return sum(count for held, count in code.counts if held == kind)


def arithmetic_of(code: MachineCode) -> int:
    """Return how many instructions of a kernel compute: floating point and tensor core."""
    counts = dict(code.total)
    return counts.get("floating point", 0) + counts.get("tensor core", 0)


def address_excess(code: LineCode, arithmetic: int) -> int:
    """Return by how much a line's addressing outnumbers the kernel's arithmetic, at least 0.

    The line's own arithmetic is no yardstick: a load or an index on its own line has none.
    """
    return max(count_of(code, "integer") - arithmetic, 0)


def access_text(access: Access) -> str:
    """Return an access as people say it (`16-byte loads ×4`, `TMA loads ×2`)."""
    plural = access.what if access.what.endswith("copy") else f"{access.what}s"
    plural = plural.replace("copy", "copies")
    space = "" if access.space == "global" else f" of {access.space} memory"
    if not access.bits:
        return f"{plural}{space} ×{access.count}"
    width = f"{access.bits // 8}-byte" if access.bits % 8 == 0 else f"{access.bits}-bit"
    return f"{width} {plural}{space} ×{access.count}"


def facts(code: LineCode) -> tuple[str, ...]:
    """Return what there is to say of a line beside its counts, one sentence part each."""
    said = [access_text(access) for access in code.accesses]
    said += [f"{name} ×{count}" for name, count in code.matrix]
    for count, one, many in (
        (code.conversions, "layout conversion", "layout conversions"),
        (code.barriers, "barrier", "barriers"),
    ):
        if count:
            said.append(f"{count} {one if count == 1 else many}")
    if code.spill_bytes:
        said.append(f"{code.spill_bytes} B of spills a thread")
    return tuple(said)


def tooltip(code: LineCode, theme: Theme, arithmetic: int, stale: str = "") -> str:
    """Return what a line became as rich text: a table of classes, then the facts."""
    parts = ordered(code.counts)
    total = max(code.instructions, 1)
    rows = "".join(
        f"<tr><td><span style='color:{theme.color(each.token).name()}'>■</span> "
        f"{escape(each.kind)}&nbsp;&nbsp;</td><td align='right'>{count}</td>"
        f"<td align='right'>&nbsp;&nbsp;{count / total * 100:.0f} %</td></tr>"
        for each, count in parts
    )
    lines = "".join(f"<br>{escape(fact)}" for fact in facts(code))
    if address_excess(code, arithmetic):
        integers = count_of(code, "integer")
        lines += (
            f"<br>{integers} instructions for addresses and masks, "
            f"{arithmetic} for all arithmetic of the kernel"
        )
    said = f"<br><i>{escape(stale)}</i>" if stale else ""
    head = f"<b>line {code.line}: {code.instructions} instructions</b>"
    return f"{head}<table cellspacing='0' cellpadding='1'>{rows}</table>{lines[4:]}{said}"


def plain(code: LineCode) -> str:
    """Return what a line became in one sentence, for screen readers and tables."""
    counts = ", ".join(f"{count} {each.kind}" for each, count in ordered(code.counts))
    return "; ".join((f"{code.instructions} instructions: {counts}", *facts(code)))
