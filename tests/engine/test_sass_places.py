"""SASS comments put right by the PTX, on texts small enough to read and on a real kernel."""

import re
from collections import Counter

import pytest

from playground.engine.sass_places import put_right
from playground.engine.source_lines import lines_for
from tests.engine.cases_compile.engine import CompileEngine, line_of

PTX = """\
	.file	1 "/k.py"
	.file	2 "/lib/standard.py"
	.loc	2 216 1, function_name $L__info_string0, inlined_at 1 21 9
	.loc	2 196 1, function_name $L__info_string0, inlined_at 2 216 1
	max.f32 %f1, %f2, %f3;
	.loc	2 216 1, function_name $L__info_string0, inlined_at 1 22 9
	.loc	2 196 1, function_name $L__info_string0, inlined_at 2 216 1
	max.f32 %f4, %f5, %f6;
	.loc	1 30 9
	// begin inline asm
	.loc	1 30 9
	mov.u32 %r1, 0x0;
	.loc	1 31 9
	ld.global.b32 { %r1 }, [ %rd1 + 0 ];
	// end inline asm
	.loc	1 40 9
"""
SASS = """\
.text.k:
	//## File "/lib/standard.py", line 196 inlined at "/lib/standard.py", line 216
	//## File "/lib/standard.py", line 216 inlined at "/k.py", line 21
	//## File "/k.py", line 21
	//## File ".nv_debug_ptx_txt", line 5
        /*0000*/                   FMNMX R1, R2, R3, !PT ;
	//## File ".nv_debug_ptx_txt", line 8
        /*0010*/                   FMNMX R4, R5, R6, !PT ;
	//## File "/k.py", line 31
	//## File ".nv_debug_ptx_txt", line 14
        /*0020*/                   LDG.E R2, [R2.64] ;
	//## File "/k.py", line 50
        /*0030*/                   EXIT ;
	.section	.text.other,"ax",@progbits
        /*0000*/                   EXIT ;
"""


def test_calls_and_inline_assembly():
    right = put_right(SASS, PTX)
    found = dict(
        zip(re.findall(r"/\*(\w+)\*/ +(\w+)", right), _lines_of_code(right, "/k.py"), strict=True)
    )
    assert found == {
        ("0000", "FMNMX"): (21,),
        ("0010", "FMNMX"): (22,),  # nvdisasm has no row for it: the innermost place is the same
        ("0020", "LDG"): (30,),
        ("0030", "EXIT"): (50,),  # the optimizer moved it: no line of PTX is about that place
        ("0000", "EXIT"): (),
    }
    assert ".nv_debug_ptx_txt" not in right
    assert 'File "/lib/standard.py", line 216 inlined at "/k.py", line 22' in right


def test_without_ptx_it_is_nvdisasms_own():
    assert _lines_of_code(put_right(SASS, ""), "/k.py") == [(21,), (21,), (31,), (50,), ()]


def test_products_of_hopper_keep_their_order():
    ptx = """\
	.file	1 "/k.py"
	.loc	1 5 9
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {...}, %rd1, %rd2, %p1, 1, 1, 0, 1;
	.loc	1 6 9
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {...}, %rd3, %rd4, %p1, 1, 1, 0, 1;
	.loc	1 7 9
	add.s32 %r1, %r2, %r3;
"""
    sass = """\
	//## File "/k.py", line 7
	//## File ".nv_debug_ptx_txt", line 7
        /*0000*/                   IADD3 R1, R2, R3, RZ ;
        /*0010*/                   HGMMA.64x64x16.F32 R24, gdesc[UR4], R24 ;
        /*0020*/              @!P0 QGMMA.64x64x16.F32 R24, gdesc[UR8], R24, gsb0 ;
"""
    assert _lines_of_code(put_right(sass, ptx), "/k.py") == [(7,), (5,), (6,)]
    # Where the assembler made more of them, they are told only if all stand on one line.
    more = sass + "        /*0030*/                   HGMMA.64x64x16.F32 R24, gdesc[UR8], R24 ;\n"
    assert _lines_of_code(put_right(more, ptx), "/k.py") == [(7,)] * 4
    same = ptx.replace("1 6 9", "1 5 9")
    assert _lines_of_code(put_right(more, same), "/k.py") == [(7,), (5,), (5,), (5,)]


def _lines_of_code(sass, file):
    lines = lines_for("sass", sass, file)
    return [found for found, text in zip(lines, sass.splitlines(), strict=True) if "/*" in text]


BODY = """
@triton.jit
def inner(x):
    return tl.exp(x * 2.0)


@triton.jit
def outer(x):
    z = inner(x)
    return z - tl.max(z, axis=0)


@triton.jit
def kernel(x_ptr, y_ptr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o)
    a = outer(x)  # first
    b = outer(x * x)  # second
    tl.store(y_ptr + o, a + b)


def example():
    kernel[(1,)](torch.zeros(1024), torch.zeros(1024), BLOCK=1024)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    engine = CompileEngine()
    engine.open(tmp_path_factory.mktemp("places"), BODY)
    yield {stage: engine.ir(stage=stage, target="cuda:90") for stage in ("llir", "ptx", "sass")}
    engine.close()


def test_a_helper_called_twice_counts_for_each_call_what_llvm_says(answers):
    """8 exponentials of each of 128 threads a call, and the halving steps of two maxima."""
    exp = line_of(BODY, "tl.exp")
    call = line_of(BODY, "z = inner")
    most = line_of(BODY, "tl.max")
    first, second = line_of(BODY, "# first"), line_of(BODY, "# second")
    expected = {(exp, call, first): 8, (exp, call, second): 8}
    for stage, exponential in (
        ("llir", r"call float.*ex2"),
        ("ptx", "ex2"),
        ("sass", r"MUFU\.EX2"),
    ):
        assert _counted(answers[stage], exponential) == expected, stage
    maxima = _counted(answers["llir"], r"call float @llvm\.(nvvm\.fmax|maxnum)")
    assert set(maxima) == {(most, first), (most, second)}
    assert _counted(answers["ptx"], r"max\.") == maxima
    assert _counted(answers["sass"], "FMNMX") == maxima


def _counted(answer, pattern):
    return Counter(
        tuple(lines)
        for lines, text in zip(answer["lines"], answer["text"].splitlines(), strict=True)
        if re.search(pattern, text) and "declare" not in text
    )
