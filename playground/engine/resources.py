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
    large arguments keep a small array there. `remarks` are the compiler's own words.
    """

    registers: int | None = None
    stack_bytes: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    remarks: tuple[str, ...] = ()


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
        dict.fromkeys(
            found[1].strip()
            for found in re.finditer(r"^ptxas[\w-]*\s+(?:info|warning)\s*:\s*(.*)$", log, re.M)
            if _is_remark(found[1])
        )
    )
    return Resources(int(used[1]), int(stack[1]), int(stack[2]), int(stack[3]), remarks)


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
    """Return what the cubin says: registers and stack; no stack means no spills either.

    Raises
    ------
    ToolError
        The tool refused the cubin.
    """
    with tempfile.TemporaryDirectory(prefix="pg-cubin-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        out = _tool([cuobjdump, "-res-usage", str(path)])
    found = re.search(r"REG:(\d+) STACK:(\d+)", out)
    if found is None:
        raise ToolError(f"cuobjdump printed no resource usage: {out.strip()[-300:]}")
    registers, stack = int(found[1]), int(found[2])
    return Resources(registers, stack, *((None, None) if stack else (0, 0)))


def disassemble(cubin: bytes, nvdisasm: str) -> str:
    """Return the cubin's SASS with `//## File …, line …` comments for where each part comes from.

    Raises
    ------
    ToolError
        The tool refused the cubin.
    """
    with tempfile.TemporaryDirectory(prefix="pg-sass-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        return _tool([nvdisasm, "-gi", "-c", str(path)])


def from_amdgcn(assembly: str) -> Resources:
    """Return what the metadata of AMD's assembly says; spills are counted in 4-byte registers."""

    def number(key: str) -> int | None:
        found = re.search(rf"^\s*\.{key}:\s+(\d+)\s*$", assembly, re.MULTILINE)
        return int(found[1]) if found else None

    spilled = number("vgpr_spill_count")
    scalar, scalar_spilled = number("sgpr_count"), number("sgpr_spill_count")
    remarks = []
    if scalar is not None:
        remarks.append(f"{scalar} scalar registers, {scalar_spilled or 0} of them spilled")
    return Resources(
        number("vgpr_count"),
        number("private_segment_fixed_size"),
        None if spilled is None else 4 * spilled,
        None,
        tuple(remarks),
    )


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
    return done.stdout + done.stderr
