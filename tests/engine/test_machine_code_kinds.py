"""Classes of instructions and what they move; no opcode of the bundled kernels is unknown."""

from pathlib import Path

import pytest

from playground.engine import amdgcn_kinds, machine_code, sass_kinds
from playground.model.machine_code import Access
from playground.protocol.codec import decode_reply, encode
from playground.protocol.messages import Code
from tests.engine.cases_compile.engine import CompileEngine
from tests.engine.code_reports import report_of

KERNELS = Path(__file__).parents[2] / "kernels"
SASS = [
    ("LDG.E.128", "wide memory", ("load", "global", 128)),
    ("LDG.E.LTC128B.64.CONSTANT", "narrow memory", ("load", "global", 64)),
    ("LDG.E", "narrow memory", ("load", "global", 32)),
    ("LDG.E.U8.STRONG.GPU", "narrow memory", ("load", "global", 8)),
    ("LDG.E.ENL2.256", "wide memory", ("load", "global", 256)),
    ("LD.E.128.STRONG.SYS", "wide memory", ("load", "global", 128)),
    ("STG.E.EF.128", "wide memory", ("store", "global", 128)),
    ("ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU", "narrow memory", ("atomic", "global", 32)),
    ("ATOMG.E.CAS.64.STRONG.GPU", "narrow memory", ("atomic", "global", 64)),
    ("REDG.E.ADD.F16x2.RN.STRONG.GPU", "narrow memory", ("atomic", "global", 32)),
    ("RED.E.ADD.F64.RN.STRONG.GPU", "narrow memory", ("atomic", "global", 64)),
    ("LDS.U.128", "shared memory", ("load", "shared", 128)),
    ("LDSM.16.MT88.4", "shared memory", ("load", "shared", 128)),
    ("LDSM.16.M88.2", "shared memory", ("load", "shared", 64)),
    ("STSM.16.M88", "shared memory", ("store", "shared", 32)),
    ("ATOMS.POPC.INC.32", "shared memory", ("atomic", "shared", 32)),
    ("LDL.LU.64", "local memory", ("load", "local", 64)),
    ("STL.S16", "local memory", ("store", "local", 16)),
    ("LDGSTS.E.BYPASS.LTC128B.128", "async copy", ("async copy", "global", 128)),
    ("UTMALDG.2D.MULTICAST", "async copy", ("TMA load", "global", 0)),
    ("UTMASTG.3D", "async copy", ("TMA store", "global", 0)),
    ("UBLKCP.S.G", "async copy", ("TMA load", "global", 0)),
    ("UBLKCP.G.S", "async copy", ("TMA store", "global", 0)),
    ("HGMMA.64x128x16.F32.BF16", "tensor core", None),
    ("HMMA.16816.F32", "tensor core", None),
    ("UTCQMMA", "tensor core", None),
    ("LDTM.x128", "tensor core", None),
    ("HFMA2.MMA", "floating point", None),  # a multiplication of halves, whatever its name
    ("MUFU.EX2", "floating point", None),
    ("F2FP.BF16.F32.PACK_AB", "floating point", None),
    ("IMAD.WIDE", "integer", None),
    ("R2UR", "integer", None),
    ("SHFL.BFLY", "integer", None),
    ("LDC.64", "integer", None),
    ("BRA.DIV", "control", None),
    ("BAR.SYNC.DEFER_BLOCKING", "barrier", None),
    ("SYNCS.PHASECHK.TRANS64.TRYWAIT", "barrier", None),
    ("LDGDEPBAR", "barrier", None),
    ("WARPGROUP.DEPBAR.LE", "barrier", None),
    ("NOP", "other", None),
]
AMD = [
    ("global_load_dwordx4", "wide memory", ("load", "global", 128)),
    ("buffer_load_dwordx2", "narrow memory", ("load", "global", 64)),
    ("buffer_load_ushort", "narrow memory", ("load", "global", 16)),
    ("global_load_u8", "narrow memory", ("load", "global", 8)),
    ("global_load_d16_b16", "narrow memory", ("load", "global", 16)),
    ("flat_store_b128", "wide memory", ("store", "global", 128)),
    ("global_atomic_add_x2", "narrow memory", ("atomic", "global", 64)),
    ("global_atomic_pk_add_f16", "narrow memory", ("atomic", "global", 32)),
    ("buffer_load_dwordx4_lds", "async copy", ("async copy", "global", 128)),
    ("global_load_lds_dword", "async copy", ("async copy", "global", 32)),
    ("tensor_load_to_lds", "async copy", ("TMA load", "global", 0)),
    ("ds_read_b128", "shared memory", ("load", "shared", 128)),
    ("ds_read_b64_tr_b16", "shared memory", ("load", "shared", 64)),
    ("ds_write2st64_b64", "shared memory", ("store", "shared", 128)),
    ("ds_add_u32", "shared memory", ("atomic", "shared", 32)),
    ("ds_bpermute_b32", "integer", None),
    ("scratch_store_dwordx4", "local memory", ("store", "local", 128)),
    ("v_mfma_f32_32x32x8_f16", "tensor core", None),
    ("v_wmma_f32_16x16x16_f16", "tensor core", None),
    ("v_pk_fma_f32", "floating point", None),
    ("v_cvt_f32_i32_e32", "floating point", None),
    ("v_cmp_gt_f32_e64", "floating point", None),
    ("v_add_u32_e32", "integer", None),
    ("v_mov_b32_dpp", "integer", None),
    ("s_load_dwordx4", "integer", None),
    ("s_cbranch_scc1", "control", None),
    ("s_and_saveexec_b64", "control", None),
    ("s_waitcnt", "barrier", None),
    ("s_wait_loadcnt_dscnt", "barrier", None),
    ("buffer_wbl2", "barrier", None),
    ("s_nop", "other", None),
]


@pytest.mark.parametrize(("opcode", "kind", "access"), SASS)
def test_sass(opcode, kind, access):
    assert sass_kinds.is_known(opcode)
    assert sass_kinds.kind_of(opcode) == kind
    assert sass_kinds.access_of(opcode) == access


@pytest.mark.parametrize(("opcode", "kind", "access"), AMD)
def test_amd(opcode, kind, access):
    assert amdgcn_kinds.is_known(opcode)
    assert amdgcn_kinds.kind_of(opcode) == kind
    assert amdgcn_kinds.access_of(opcode) == access


def test_only_matrix_instructions_are_named():
    assert sass_kinds.matrix_of("HMMA.16816.F32") == "HMMA.16816.F32"
    assert [sass_kinds.matrix_of(name) for name in ("LDTM.x32", "HFMA2.MMA", "UTCBAR")] == (
        [None] * 3
    )
    assert amdgcn_kinds.matrix_of("v_wmma_f32_16x16x16_f16") == "v_wmma_f32_16x16x16_f16"
    assert amdgcn_kinds.matrix_of("v_fma_f32") is None


def _code(stage, body, target="cuda:90", spill_bytes=0):
    return machine_code.code_by_line(report_of(target, spill_bytes), stage, body, "", "/k.py")


LOCAL = """\
\t//## File "/k.py", line 3
        /*0000*/                   STL.64 [R1+0x8], R2 ;
        /*0010*/              @!P0 LDL R2, [R1] ;
        /*0020*/                   STL [R4], R2 ;
        /*0030*/              @UP0 FROB.X R1, R2 ;
"""


def test_an_unknown_instruction_is_told():
    code = _code("sass", LOCAL)
    assert dict(code.total) == {"local memory": 3, "other": 1}
    assert code.notes[-1] == "1 instructions of no known class: FROB.X"


def test_it_travels_to_the_window():
    message = Code(_code("sass", LOCAL, spill_bytes=8))
    assert decode_reply(*encode(message, 7)) == (message, 7)


def test_what_never_executes_reads_nothing():
    code = _code("sass", "        /*0000*/              @!PT LDS RZ, [RZ] ;\n")
    assert dict(code.total) == {"other": 1}


def test_a_product_of_zeros_is_a_move():
    body = "        /*0000*/                   HFMA2{} R5, {}, 0, 2.3e-07 ;\n"
    assert dict(_code("sass", body.format(".MMA", "-RZ, RZ")).total) == {"integer": 1}
    assert dict(_code("sass", body.format("", "R2, R3")).total) == {"floating point": 1}


def test_spilled_registers_are_told_from_an_array():
    code = _code("sass", LOCAL, spill_bytes=8)
    assert code.lines[0].spill_bytes == 8 + 4  # what is addressed off the stack pointer
    assert code.lines[0].accesses == (
        Access("load", "local", 32, 1), Access("store", "local", 32, 1),
        Access("store", "local", 64, 1),
    )  # fmt: skip
    assert code.notes[0].startswith("1 of 3 local-memory instructions have a computed address")
    code = _code("sass", LOCAL, spill_bytes=0)
    assert code.lines[0].spill_bytes == 0
    assert "an array on the stack, none through spilled registers" in code.notes[0]
    code = _code("sass", LOCAL, spill_bytes=None)
    assert "is not known here" in code.notes[0]


def test_amds_assembler_says_what_is_spilled_and_what_goes_past_registers():
    body = """\
\t.file\t1 "/" "k.py"
\t.loc\t1 3 9 ; k.py:3:9
\tscratch_store_dwordx4 off, v[4:7], off offset:16 ; 16-byte Folded Spill
\tbuffer_load_dwordx4 v1, s[8:11], 0 offen lds
\tv_dual_mov_b32 v1, v2 :: v_dual_add_f32 v3, v4, v5
\ts_nop 0
.Ltmp3:
\t.loc\t1 0 0 is_stmt 0 ; k.py:0:0
\ts_barrier
"""
    code = _code("amdgcn", body, "hip:gfx942", spill_bytes=16)
    (line,) = code.lines
    assert (line.line, line.spill_bytes, line.instructions) == (3, 16, 4)
    assert dict(line.counts) == {
        "local memory": 1, "async copy": 1, "floating point": 1, "other": 1,
    }  # fmt: skip
    assert (dict(code.total)["barrier"], code.elsewhere) == (1, 1)


def test_spills_that_amds_assembler_tells_together():
    body = """\
\t.file\t1 "/" "k.py"
\t.loc\t1 3 9 ; k.py:3:9
\ts_clause 0x1                            ; 20-byte Folded Spill
\tscratch_store_b32 off, v16, off offset:56
\tscratch_store_b128 off, v[0:3], off offset:60
\ts_clause 0x1
\tglobal_load_b32 v1, v0, s[0:1]
\tglobal_load_b32 v2, v0, s[2:3]
"""
    code = _code("amdgcn", body, "hip:gfx1100", spill_bytes=20)
    (line,) = code.lines
    assert (line.spill_bytes, dict(line.counts)["local memory"], code.notes) == (20, 2, ())
    text = body + "\tscratch_load_b32 v2, off, off\n"
    notes = _code("amdgcn", text, "hip:gfx1100", spill_bytes=20).notes
    assert notes[0].startswith("1 of 3 local-memory instructions")


@pytest.fixture(scope="module")
def engine():
    engine = CompileEngine()
    _open(engine, "vector_add")
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


def _open(engine, name):
    path = KERNELS / f"{name}.py"
    engine.run(path=str(path), text=path.read_text(), driver="example()")


TARGETS = ("cuda:75", "cuda:80", "cuda:86", "cuda:89", "cuda:90", "cuda:100", "cuda:120",
           "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1200")  # fmt: skip


@pytest.mark.parametrize("name", ["vector_add", "softmax", "matmul"])
def test_no_opcode_of_the_bundled_kernels_is_unknown(engine, name):
    _open(engine, name)
    # A small tile: for cuda:75 products of matrices are thousands of fused adds.
    knobs = {"BLOCK_M": 32, "BLOCK_N": 32} if name == "matmul" else {}
    for target in TARGETS:
        code = engine.code(target=target, knobs=knobs)
        assert code["notes"] == [], target
        assert sum(count for _, count in code["total"]) > 10
