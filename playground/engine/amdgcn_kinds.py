"""What each instruction of AMD's assembly is: its class, and what it moves.

Names are those of AMD's ISA references, CDNA 2 to 4 and RDNA 2 to 4, by prefix: they are regular,
and the width stands in the name (`_dwordx4`, `_b128`, `_ushort`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from playground.model.machine_code import WIDE_BITS, InstructionKind

_VECTOR_MEMORY = re.compile(r"(global|flat|buffer|tbuffer|image)_")
_FENCE = re.compile(r"(buffer|global)_(wbl2|wbinvl1\w*|inv\w*|gl\d_inv|wb\w*)$|s_(i|d)cache_")
_WAIT = re.compile(r"s_(waitcnt\w*|wait_\w+|barrier\w*)$")
_JUMP = re.compile(
    r"s_(c?branch\w*|endpgm\w*|setpc\w*|swappc\w*|call\w*|rfe\w*|trap|sleep\w*|set(prio|halt|kill)|"
    r"\w+_saveexec_\w+)$"
)
_PADDING = re.compile(r"(s|v)_nop$|s_(delay_alu|clause|code_end|inst_prefetch|set_vgpr_msb)$")
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)_")
_FLOAT = re.compile(r"_(f16|f32|f64|bf16|fp8|bf8|fp6|bf6|fp4|f8f6f4|xf32)(_|$)|_f16$|_legacy_")
_SHUFFLE = re.compile(r"ds_(b?permute|swizzle)")
_WIDTH = re.compile(
    r"_(?:dwordx(?P<dwords>\d)|[biuf](?P<bits>\d+)|[us]?(?P<name>dword|short|byte))(?=_|$)"
)
_PAIR = re.compile(r"(read|write|load|store)(2|_2addr)|_pk_")
_ATOMIC = re.compile(r"_(atomic|cmpst\w*|wrxchg\w*|cmpswap|swap|add|sub|rsub|inc|dec|min|max|and|or"
                     r"|xor|mskor|pk_add|append|consume)(_|$)")  # fmt: skip
_NAMED_BITS = {"short": 16, "byte": 8}


def is_known(opcode: str) -> bool:
    """Tell whether an instruction's class is known; the others are of class `other`."""
    return kind_of(opcode) != "other" or _PADDING.match(opcode) is not None


@lru_cache(maxsize=4096)
def kind_of(opcode: str) -> InstructionKind:
    """Return the class of an instruction such as `global_load_dwordx4`."""
    if _FENCE.match(opcode) or _WAIT.match(opcode):
        return "barrier"
    if _copies(opcode):
        return "async copy"
    if _VECTOR_MEMORY.match(opcode):
        return "wide memory" if bits_of(opcode) >= WIDE_BITS else "narrow memory"
    if _MATRIX.match(opcode):
        return "tensor core"
    if opcode.startswith("scratch_"):
        return "local memory"
    if opcode.startswith("ds_"):
        return "integer" if _SHUFFLE.match(opcode) else "shared memory"
    if _JUMP.match(opcode):
        return "control"
    if _PADDING.match(opcode):
        return "other"
    if opcode.startswith(("v_", "s_")):
        return "floating point" if _FLOAT.search(opcode) else "integer"
    return "other"


@lru_cache(maxsize=4096)
def access_of(opcode: str) -> tuple[str, str, int] | None:
    """Return what an instruction does to which memory, and the bits a thread moves by it."""
    kind = kind_of(opcode)
    if kind == "async copy":
        if opcode.startswith("tensor_"):
            return ("TMA store" if "store" in opcode else "TMA load", "global", 0)
        return ("async copy", "global", bits_of(opcode))
    spaces = {
        "wide memory": "global", "narrow memory": "global", "shared memory": "shared",
        "local memory": "local",
    }  # fmt: skip
    if kind not in spaces:
        return None
    moved = re.search(r"_(load|store|read|write)", opcode)
    if moved is None:
        return ("atomic", spaces[kind], bits_of(opcode)) if _ATOMIC.search(opcode) else None
    what = "load" if moved[1] in ("load", "read") else "store"
    return (what, spaces[kind], bits_of(opcode))


def bits_of(opcode: str) -> int:
    """Return the bits that a thread moves by a memory instruction: 32 where it names no width."""
    width = _WIDTH.search(opcode)
    if width is None:
        bits = 64 if opcode.endswith("_x2") else 32
    elif width["dwords"]:
        bits = 32 * int(width["dwords"])
    elif width["bits"]:
        bits = int(width["bits"])
    else:
        bits = _NAMED_BITS.get(width["name"], 32)
    return 2 * bits if _PAIR.search(opcode) else bits


def matrix_of(opcode: str) -> str | None:
    """Return a matrix instruction's name, None of any other: `v_mfma_f32_32x32x8_f16`."""
    return opcode if _MATRIX.match(opcode) else None


def meets(opcode: str) -> bool:
    """Tell whether the threads of a program wait for one another at an instruction."""
    return opcode in ("s_barrier", "s_barrier_wait")


def _copies(opcode: str) -> bool:
    """Tell whether an instruction copies between global memory and LDS without registers."""
    if opcode.startswith("tensor_"):
        return True
    moves = opcode.startswith(("global_load", "buffer_load", "global_store"))
    return moves and ("_lds" in opcode or "_async" in opcode)
