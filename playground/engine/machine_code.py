"""From a compiled launch's assembly to what each source line became.

Reads texts that are at hand already, SASS or AMD's assembly and TTGIR, and runs nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, get_args

from playground.engine import amdgcn_kinds, sass_kinds, source_lines
from playground.engine.compile_outcome import StageError
from playground.model.machine_code import Access, InstructionKind, LineCode, MachineCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from playground.engine.capture import CapturedLaunch
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.compiling import Compiler
    from playground.engine.job import Job
    from playground.model.compiling import CompileReport
    from playground.model.config import Config

_SASS = re.compile(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:(@!?\w+)\s+)?([A-Z][\w.]*)([^;]*)")
_AMD = re.compile(r"\t([a-z]\w+)(?:\s+([^;]*))?(;.*)?")
_STACK_POINTER = re.compile(r"\[R1(\.64)?(\+-?0x[0-9a-f]+)?\]")
_SECOND = re.compile(r" :: (v_dual_\w+)")
_NEVER = ("@!PT", "@!UPT")
_FOLDED = re.compile(r"(\d+)-byte Folded (?:Spill|Reload)")
_CLAUSE = re.compile(r"\ts_clause 0x([0-9a-f]+)")
_KINDS: tuple[InstructionKind, ...] = get_args(InstructionKind)
_TABLES: dict[str, ModuleType] = {"sass": sass_kinds, "amdgcn": amdgcn_kinds}
_BYTE = 8

Lines = tuple[int, ...]


class Instruction(NamedTuple):
    """One instruction of a text: where, what, and where it came from.

    `row` is its line of the text, from 0; `lines` the source lines behind it, innermost first;
    `spilled_bytes` what a thread moves between registers and where they are spilled.
    """

    row: int
    opcode: str
    lines: Lines
    spilled_bytes: int = 0


@dataclass
class _Tally:
    counts: Counter[InstructionKind] = field(default_factory=Counter)
    accesses: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    matrix: Counter[str] = field(default_factory=Counter)
    conversions: int = 0
    barriers: int = 0
    spilled_bytes: int = 0


def instructions(stage: str, text: str, file: str) -> Iterator[Instruction]:
    """Yield the instructions of a text, `sass` or `amdgcn`, first to last.

    Local memory that is addressed off SASS's stack pointer counts as spilled; whether it is, only
    ptxas can tell. AMD's assembler tells in a comment.
    """
    lines = source_lines.lines_for(stage, text, file)
    read = _read_sass if stage == "sass" else _read_amd
    folded = 0
    for row, (line, behind) in enumerate(zip(text.splitlines(), lines, strict=True)):
        found = read(line)
        if found is None:
            continue
        opcode, spilled = found
        if spilled and (clause := _CLAUSE.match(line)):
            # What spills stands in the next instructions, which are told together.
            folded, spilled = int(clause[1], 16) + 1, 0
        elif folded:
            folded -= 1
            spilled = amdgcn_kinds.bits_of(opcode) // _BYTE
        yield Instruction(row, opcode, behind, spilled)


def _read_sass(line: str) -> tuple[str, int] | None:
    found = _SASS.match(line)
    if found is None:
        return None
    guard, opcode, operands = found.groups()
    if guard in _NEVER:
        # It never executes: ptxas keeps others in order by it, or apart.
        return "NOP", 0
    if opcode.startswith(("LDL", "STL")) and _STACK_POINTER.search(operands):
        return opcode, sass_kinds.bits_of(opcode) // _BYTE
    if opcode.startswith("HFMA2") and "-RZ, RZ, " in operands:
        # A product of zeros and a constant added: ptxas loads constants so, and it is a move.
        return "MOV", 0
    return opcode, 0


def _read_amd(line: str) -> tuple[str, int] | None:
    found = _AMD.match(line)
    if found is None:
        return None
    opcode = found[1]
    if found[2] and found[2].split()[-1:] == ["lds"]:
        opcode += "_lds"  # a load that goes past the registers, into LDS
    elif found[2] and (second := _SECOND.search(found[2])):
        # Two operations in one instruction: it counts for what it computes.
        opcode = opcode if amdgcn_kinds.kind_of(opcode) == "floating point" else second[1]
    folded = _FOLDED.search(found[3]) if found[3] else None
    return opcode, int(folded[1]) if folded else 0


def reader_of(
    compiler: Compiler,
    launch: CapturedLaunch,
    config: Config,
    target: str | None = None,
    job: Job | None = None,
) -> Callable[[], MachineCode]:
    """Compile a launch, unless it is kept; return what reads its code, in any thread.

    Taking a cubin apart takes longer than many a compilation, and needs nothing but the cubin.

    Raises
    ------
    StageError
        The config does not compile, or nothing reads the target's code.
    """
    outcome = compiler.compile(launch, config, target, job)
    if outcome.report is None:
        reasons = "; ".join(finding.text() for finding in outcome.findings)
        raise StageError(f"no machine code: {reasons}")
    read = reader_of_outcome(outcome, launch.info.file)
    if read is None:
        raise StageError(f"{outcome.report.target} has no stage of {', '.join(_TABLES)}")
    return read


def reader_of_outcome(outcome: CompileOutcome, file: str) -> Callable[[], MachineCode] | None:
    """Return what reads the code of a compilation; None where there is none to read."""
    report, asm = outcome.report, outcome.asm
    stage = next((name for name in _TABLES if report and name in report.stages), None)
    if report is None or stage is None:
        return None
    return lambda: code_by_line(report, stage, str(asm[stage]), str(asm.get("ttgir", "")), file)


def code_by_line(
    report: CompileReport, stage: str, text: str, ttgir: str, file: str
) -> MachineCode:
    """Return what each line of `file` became.

    Parameters
    ----------
    report
        The compilation's; its `spill_bytes` tells spilled registers from arrays.
    stage, text
        `sass` or `amdgcn`, and that text.
    ttgir
        The text whose layout conversions are counted.
    """
    kinds = _TABLES[stage]
    found = list(instructions(stage, text, file))
    groups = Counter((item.lines, item.opcode) for item in found)
    tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
    total: Counter[InstructionKind] = Counter()
    elsewhere = 0
    unknown: Counter[str] = Counter()
    for (lines, opcode), count in groups.items():
        kind: InstructionKind = kinds.kind_of(opcode)
        total[kind] += count
        if not lines:
            elsewhere += count
        if not kinds.is_known(opcode):
            unknown[opcode] += count
        access, matrix = kinds.access_of(opcode), kinds.matrix_of(opcode)
        for line in lines:
            tally = tallies[line]
            tally.counts[kind] += count
            if access is not None:
                tally.accesses[access] += count
            if matrix is not None:
                tally.matrix[matrix] += count
            if kinds.meets(opcode):
                tally.barriers += count
    for line, count in _conversions(ttgir, file).items():
        tallies[line].conversions = count
    if report.spill_bytes != 0:
        for item in found:
            for line in item.lines if item.spilled_bytes else ():
                tallies[line].spilled_bytes += item.spilled_bytes
    return MachineCode(
        launch=report.launch,
        config=report.config,
        target=report.target,
        lines=tuple(_line_code(line, tallies[line]) for line in sorted(tallies)),
        total=_by_kind(total),
        elsewhere=elsewhere,
        notes=(*_local_notes(report, found, kinds), *_unknown_notes(unknown)),
    )


def _by_kind(counts: Counter[InstructionKind]) -> tuple[tuple[InstructionKind, int], ...]:
    return tuple((kind, counts[kind]) for kind in _KINDS if counts[kind])


def _line_code(line: int, tally: _Tally) -> LineCode:
    return LineCode(
        line=line,
        counts=_by_kind(tally.counts),
        accesses=tuple(Access(*access, count) for access, count in sorted(tally.accesses.items())),
        matrix=tuple(sorted(tally.matrix.items())),
        conversions=tally.conversions,
        barriers=tally.barriers,
        spill_bytes=tally.spilled_bytes,
    )


def _conversions(ttgir: str, file: str) -> Counter[int]:
    if "ttg.convert_layout" not in ttgir:
        return Counter()
    lines = source_lines.lines_for("ttgir", ttgir, file)
    return Counter(
        line
        for text, behind in zip(ttgir.splitlines(), lines, strict=True)
        if "= ttg.convert_layout " in text
        for line in behind
    )


def _local_notes(
    report: CompileReport, found: list[Instruction], kinds: ModuleType
) -> tuple[str, ...]:
    local = [item for item in found if kinds.kind_of(item.opcode) == "local memory"]
    if not local:
        return ()
    arrays = sum(not item.spilled_bytes for item in local)
    if report.spill_bytes == 0:
        return (
            f"{len(local)} local-memory instructions go through an array on the stack, none "
            "through spilled registers",
        )
    if report.spill_bytes is None:
        return (
            f"{len(local)} local-memory instructions: whether they are spilled registers or an "
            "array on the stack is not known here",
        )
    if arrays:
        return (
            f"{arrays} of {len(local)} local-memory instructions have a computed address: they go "
            "through an array on the stack and do not count as spilled",
        )
    return ()


def _unknown_notes(unknown: Counter[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    names = ", ".join(sorted(unknown))
    return (f"{sum(unknown.values())} instructions of no known class: {names}",)
