"""What each SASS instruction is: its class, and what it moves.

Opcodes are those of NVIDIA's "CUDA Binary Utilities" reference for Turing to Blackwell (sm_75 to
sm_121), by the part before the first dot. Modifiers after it carry the width.
"""

from __future__ import annotations

import re
from functools import lru_cache

from playground.model.machine_code import WIDE_BITS, InstructionKind

_GLOBAL = {
    "LD": "load", "LDG": "load", "LDGMC": "load", "ST": "store", "STG": "store",
    "ATOM": "atomic", "ATOMG": "atomic", "RED": "atomic", "REDG": "atomic",
    "TEX": "load", "TLD": "load", "TLD4": "load", "TMML": "load", "TXD": "load", "TXQ": "load",
    "SULD": "load", "SUST": "store", "SURED": "atomic", "SUATOM": "atomic", "SUQUERY": "load",
    "USTGR": "store", "UREDGR": "atomic",
}  # fmt: skip
_SHARED = {
    "LDS": "load", "LDSM": "load", "STS": "store", "STSM": "store", "ATOMS": "atomic",
    "STAS": "store", "REDAS": "atomic", "UMEMSETS": "store",
}  # fmt: skip
_LOCAL = {"LDL": "load", "STL": "store"}
_ASYNC = {
    "LDGSTS": "async copy", "UTMALDG": "TMA load", "UTMASTG": "TMA store", "UTMAREDG": "TMA store",
    "UBLKRED": "TMA store", "UBLKCP": "TMA load",
}  # fmt: skip
_TENSOR = {
    "HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "BGMMA", "QGMMA",
    "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA", "UTCMXQMMA",
}  # fmt: skip
# Only tensor cores use tensor memory: its copies, loads, stores and shares of it.
_TENSOR_MEMORY = {
    "LDT", "LDTM", "STT", "STTM", "UTCCP", "UTCSHIFT", "UTCATOMSWS", "UVIRTCOUNT",
}  # fmt: skip

_OTHERS: dict[InstructionKind, str] = {
    "async copy": "UBLKPF UTMAPF UTMACCTL UTMACMDFLUSH",
    "floating point": (
        "FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I FHADD FHADD2 FHFMA FHFMA2 FMNMX FMNMX3 FMUL "
        "FMUL2 FMUL32I FSEL FSET FSETP FSWZADD MUFU HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 "
        "HMUL2_32I HSET2 HSETP2 VHMNMX DADD DFMA DMUL DSET DSETP DMNMX F2F F2FP F2I F2IP I2F I2FP "
        "FRND UFADD UFFMA UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UF2F UF2FP UF2I UF2IP UI2F UI2FP "
        "UHADD2 UHFMA2 UHMUL2"
    ),
    "integer": (
        "BMSK BREV FLO IABS IADD IADD2 IADD3 IADD32I IDP IDP4A IMAD IMAD32I IMNMX IMUL IMUL32I "
        "ISCADD ISCADD32I ISETP ISET LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF VABSDIFF4 "
        "VADD VIADD VIADD2 VIADDMNMX VIMNMX VIMNMX3 I2I I2IP MOV MOV32I MOV64IUR MOVM PRMT SEL "
        "SGXT SHFL PLOP3 PSETP PSET P2R R2P CSET CSETP R2UR S2R S2UR CS2R CS2UR MATCH QSPC REDUX "
        "CREDUX VOTE VOTEU LDC LDCU ULDC B2I UBMSK UBREV UFLO UIABS UIADD3 UIMAD UIMNMX UI2I UI2IP "
        "UISCADD UISETP ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL "
        "USGXT USHF USHL USHR UVIADD UVIMNMX UVIADDMNMX UVIMNMX3 UIADD3X GETLMEMBASE SETLMEMBASE "
        "SPMETADATA AL2P IPA PIXLD ISBERD ISBEWR OUT"
    ),
    "control": (
        "BMOV BPT BRA BREAK BRK BRX BRXU BSSY BSYNC CALL CONT EXIT JMP JMX JMXU KILL LEPC "
        "NANOSLEEP RET RPCMOV RTT SSY SYNC WARPSYNC YIELD ELECT ENDCOLLECTIVE PREEXIT SETCTAID "
        "USETMAXREG USETSHMSZ WARPGROUPSET UGETNEXTWORKID UCLEA"
    ),
    "barrier": (
        "BAR B2R R2B DEPBAR LDGDEPBAR ARRIVES SYNCS SYNCSU MEMBAR ERRBAR CGAERRBAR FENCE CCTL "
        "CCTLL CCTLT WARPGROUP UCGABAR_ARV UCGABAR_WAIT UTCBAR ACQBULK ACQSHMINIT UCCTL"
    ),
    "other": "NOP PMTRIG",
}  # fmt: skip
_KINDS: dict[str, InstructionKind] = {
    **{opcode: kind for kind, opcodes in _OTHERS.items() for opcode in opcodes.split()},
    **dict.fromkeys(_TENSOR | _TENSOR_MEMORY, "tensor core"),
    **dict.fromkeys(_ASYNC, "async copy"),
    **dict.fromkeys(_LOCAL, "local memory"),
    **dict.fromkeys(_SHARED, "shared memory"),
}
_WIDTH = re.compile(r"(?:[SUF]|BF)?(8|16|32|64|128|256)(?:x(\d))?")
_REGISTER_BITS = 32
_MEETING = ("BAR", "UCGABAR_WAIT")


def is_known(opcode: str) -> bool:
    """Tell whether an instruction's class is known; the others are of class `other`."""
    base = opcode.partition(".")[0]
    return base in _KINDS or base in _GLOBAL


@lru_cache(maxsize=4096)
def kind_of(opcode: str) -> InstructionKind:
    """Return the class of an instruction such as `LDG.E.128`."""
    base = opcode.partition(".")[0]
    if base in _GLOBAL:
        return "wide memory" if bits_of(opcode) >= WIDE_BITS else "narrow memory"
    return _KINDS.get(base, "other")


@lru_cache(maxsize=4096)
def access_of(opcode: str) -> tuple[str, str, int] | None:
    """Return what an instruction does to which memory, and the bits a thread moves by it."""
    base, _, rest = opcode.partition(".")
    if base == "UBLKCP" and rest.startswith("G"):  # the destination stands first
        return ("TMA store", "global", 0)
    if base in _ASYNC:
        return (_ASYNC[base], "global", bits_of(opcode) if base == "LDGSTS" else 0)
    for space, opcodes in (("global", _GLOBAL), ("shared", _SHARED), ("local", _LOCAL)):
        if base in opcodes:
            return (opcodes[base], space, bits_of(opcode))
    return None


def bits_of(opcode: str) -> int:
    """Return the bits that a thread moves by a memory instruction: 32 where it names no width."""
    base, *modifiers = opcode.split(".")
    if base in ("LDSM", "STSM"):  # `.M88.4`: four matrices, one register of each
        count = modifiers[-1] if modifiers and modifiers[-1] in ("2", "4") else "1"
        return _REGISTER_BITS * int(count)
    for modifier in reversed(modifiers):
        if found := _WIDTH.fullmatch(modifier):
            return int(found[1]) * int(found[2] or 1)
    return _REGISTER_BITS


def matrix_of(opcode: str) -> str | None:
    """Return a matrix instruction's name, None of any other: `HGMMA.64x128x16.F32`."""
    return opcode if opcode.partition(".")[0] in _TENSOR else None


def meets(opcode: str) -> bool:
    """Tell whether the threads of a program wait for one another at an instruction."""
    return opcode.startswith(_MEETING) and not opcode.startswith("BAR.ARV")
