"""What a compiled kernel takes of the machine: registers, stack, spills, read without a GPU.

Three sources, by target and by what is at hand: the log of ptxas while it compiles, the cubin
(`cuobjdump`) afterwards, and the metadata at the end of AMD's assembly.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_TOOL_LIMIT_S = 60.0


@dataclass(frozen=True)
class Resources:
    """Per thread: registers, stack frame, and bytes stored and loaded for spilled registers.

    A figure that the source does not give is None. A stack is not yet a spill: `sin` and `cos` of
    large arguments keep a small array there. `static_shared_bytes` is the shared memory that the
    code itself declares: Triton's own is asked for at the launch. `kinds` are AMD's registers by
    kind, `stated_warps` the waves a SIMD that its compiler states. `remarks` are the assembler's
    own words (`compile_remarks` makes findings of them), `notes` facts in ours.
    """

    registers: int | None = None
    stack_bytes: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    remarks: tuple[str, ...] = ()
    static_shared_bytes: int | None = None
    kinds: tuple[tuple[str, int], ...] = ()
    stated_warps: int | None = None
    notes: tuple[str, ...] = ()


class ToolError(RuntimeError):
    """One of NVIDIA's binary tools failed; the message is its own."""


def from_ptxas_log(log: str) -> Resources | None:
    """Return what `ptxas -v` reported, or None where `log` holds no such report."""
    used = re.search(r"Used (\d+) registers", log)
    stack = re.search(
        r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", log
    )
    if used is None or stack is None:
        return None
    remarks = tuple(
        dict.fromkeys(found[1].strip() for found in _REMARK.finditer(log) if _is_remark(found[1]))
    )
    shared = re.search(r"Used \d+ registers[^\n]*?(\d+) bytes smem", log)
    return Resources(
        int(used[1]), int(stack[1]), int(stack[2]), int(stack[3]), remarks,
        int(shared[1]) if shared else 0,
    )  # fmt: skip


_REMARK = re.compile(
    r"^ptxas[\w-]*(?:\s\S+, line \d+;)?\s+(?:info|warning)\s*:\s*(.*)$", re.MULTILINE
)
"""One line of the log; of a remark on one instruction, the file and line come before its kind."""


def _is_remark(text: str) -> bool:
    facts = ("Used ", "Compiling ", "Function properties", "Compile time")
    return not text.startswith(facts) and not re.match(r"\d+ bytes gmem", text)


def without_ptxas_log(text: str) -> str:
    """Return printed text without the lines that ptxas's report put there."""
    report = re.compile(
        r"^ptxas[\w-]*\s+info\s*:.*\n?|^\s+\d+ bytes stack frame, .*\n?", re.MULTILINE
    )
    return report.sub("", text).strip("\n")


def from_cubin(cubin: bytes, cuobjdump: str) -> Resources:
    """Return what the cubin says: registers, stack and static shared memory.

    No stack means no spills either.

    Raises
    ------
    ToolError
        The tool refused the cubin.
    """
    with tempfile.TemporaryDirectory(prefix="pg-cubin-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        out = _tool([cuobjdump, "-res-usage", str(path)])
    found = re.search(r"REG:(\d+) STACK:(\d+) SHARED:(\d+)", out)
    if found is None:
        raise ToolError(f"cuobjdump printed no resource usage: {out.strip()[-300:]}")
    registers, stack, shared = (int(figure) for figure in found.groups())
    spilled = None if stack else 0
    declared = max(0, shared - _reserved_bytes(cubin))
    return Resources(registers, stack, spilled, spilled, static_shared_bytes=declared)


def _reserved_bytes(cubin: bytes) -> int:
    """Return the shared memory that every program of the cubin's architecture gives the driver.

    `cuobjdump` counts it into SHARED from compute capability 9.0 on. The architecture is in the
    ELF header's flags: their second byte, or their first up to Hopper, as `readelf -h` shows them.
    """
    flags = int.from_bytes(cubin[0x30:0x34], "little")
    arch = flags >> 8 & 0xFF if flags >> 8 & 0xFF >= 70 else flags & 0xFF
    return 1024 if arch >= 90 else 0


def disassemble(cubin: bytes, nvdisasm: str) -> str:
    """Return the cubin's SASS with `//## File …, line …` comments for where each part comes from.

    Comments that name the file `.nv_debug_ptx_txt` tell the line of the PTX it was assembled from.

    Raises
    ------
    ToolError
        The tool refused the cubin.
    """
    with tempfile.TemporaryDirectory(prefix="pg-sass-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        return _tool([nvdisasm, "-gi", "-gp", "-c", str(path)])


def from_amdgcn(assembly: str) -> Resources:
    """Return what AMD's assembly says of itself; spills are counted in 4-byte registers.

    The figures are those of the metadata at its end, and the occupancy that of the comments before:
    `TotalNumVgprs` there is `.vgpr_count` here, vector and accumulation registers together.
    """

    def number(key: str, form: str = r"^[\s-]*\.{key}:\s+(\d+)\s*$") -> int | None:
        found = re.search(form.replace("{key}", key), assembly, re.MULTILINE)
        return int(found[1]) if found else None

    total, accumulators = number("vgpr_count"), number("agpr_count")
    spilled = number("vgpr_spill_count")
    scalar, scalar_spilled = number("sgpr_count"), number("sgpr_spill_count")
    kinds: list[tuple[str, int]] = []
    if total is not None:
        # Where there are accumulation registers, the vector registers are told in the comments.
        kinds.append(("VGPR", number("NumVgprs", _COMMENT) or total - (accumulators or 0)))
    if accumulators is not None:
        kinds.append(("AGPR", accumulators))
    notes = []
    if scalar is not None:
        kinds.append(("SGPR", scalar))
        notes.append(f"{scalar} scalar registers, {scalar_spilled or 0} of them spilled")
    return Resources(
        total,
        number("private_segment_fixed_size"),
        None if spilled is None else 4 * spilled,
        None,
        (),
        number("group_segment_fixed_size"),
        tuple(kinds),
        number("Occupancy", _COMMENT),
        tuple(notes),
    )


_COMMENT = r"^;\s*{key}:\s*(\d+)\s*$"


def _tool(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TOOL_LIMIT_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{Path(command[0]).name} did not run: {error}") from error
    if done.returncode != 0:
        raise ToolError(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()}")
    # Warnings are no part of the answer: of code for Turing, nvdisasm warns of the ELF's format.
    return done.stdout
