"""Which source lines a line of each stage comes from, on texts small enough to read."""

import pytest

from playground.engine.source_lines import lines_for, places_written

FILE = "/home/me/kernel.py"

TTIR = """\
#loc = loc("/home/me/kernel.py":3:0)
tt.func public @k(%x: !tt.ptr<f32> loc("x"(#loc))) {
  %0 = tt.load %x : !tt.ptr<f32> loc(#loc1)
  %1 = arith.addf %0, %0 : f32 loc(#loc5)
  %2 = math.exp %1 : f32 loc(#loc8)
  %3 = "tt.reduce"(%2) <{axis = 0 : i32}> ({
  ^bb0(%a: f32 loc(callsite(#loc3 at #loc4)), %b: f32 loc(callsite(#loc3 at #loc4))):
    tt.reduce.return %a : f32 loc(#loc5)
  }) : (tensor<4xf32>) -> f32 loc(#loc5)
  scf.if %c {
    tt.print "x" : loc(#loc1)
  } else {
    tt.print "(" : loc(#loc9)
  } loc(#loc4)
  tt.return loc(#loc2)
} loc(#loc)
#loc1 = loc("/home/me/kernel.py":5:10)
#loc2 = loc(unknown)
#loc3 = loc("/lib/standard.py":43:1)
#loc4 = loc("/home/me/kernel.py":7:4)
#loc5 = loc(callsite("name"(#loc3) at #loc4))
#loc6 = loc("/home/me/kernel.py":20:4)
#loc7 = loc(callsite(#loc6 at #loc3))
#loc8 = loc(callsite("y"(#loc7) at #loc4))
#loc9 = loc(fused[#loc1, #loc5])
"""

LLIR = """\
define void @k() !dbg !2 {
  %1 = load i32, ptr %0, !dbg !4
  %2 = add i32 %1, %1, !dbg !5
  %3 = mul i32 %2, %1, !dbg !8
  ret void
}
!1 = !DIFile(filename: "kernel.py", directory: "/home/me")
!2 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3)
!3 = !DIFile(filename: "standard.py", directory: "/lib")
!4 = !DILocation(line: 5, column: 10, scope: !2)
!5 = !DILocation(line: 43, column: 1, scope: !6, inlinedAt: !7)
!6 = distinct !DILexicalBlockFile(scope: !2, file: !3, discriminator: 0)
!7 = !DILocation(line: 7, column: 4, scope: !2)
!8 = !DILocation(line: 20, column: 4, scope: !2, inlinedAt: !5)
"""

PTX = """\
.visible .entry k(
)
{
	.loc	1 5 10
	ld.global.b32 %r1, [%rd1];
	.loc	2 43 1, function_name $L__info_string0, inlined_at 1 7 4
	add.s32 %r2, %r1, %r1;
	.loc	1 20 4, function_name $L__info_string0, inlined_at 2 43 1
	mul.s32 %r2, %r1, %r1;
	.loc	2 44 1
	ret;
}
	.file	1 "/home/me/kernel.py"
	.file	2 "/lib/standard.py"
"""

AMDGCN = """\
	.file	1 "/home/me" "kernel.py"
	.loc	1 5 10                          ; kernel.py:5:10
	global_load_dword v1, v0, s[0:1]
	.file	2 "/lib" "standard.py"
	.loc	2 43 1                          ; standard.py:43:1 @[ kernel.py:7:4 ]
	v_add_u32 v1, v1, v1
	.loc	1 20 4 is_stmt 0 ; kernel.py:20:4 @[ standard.py:43:1 @[ kernel.py:7:4 ] ]
	v_mul_u32 v1, v1, v1
	.section .debug
"""

SASS = """\
.text.k:
	//## File "/home/me/kernel.py", line 5
        /*0000*/                   LDG.E R2, [R2] ;
	//## File "/lib/standard.py", line 43 inlined at "/home/me/kernel.py", line 7
	//## File "/home/me/kernel.py", line 7
        /*0010*/                   IADD3 R2, R2, R2, RZ ;
	//## File "/home/me/kernel.py", line 20 inlined at "/lib/standard.py", line 43
	//## File "/lib/standard.py", line 43 inlined at "/home/me/kernel.py", line 7
	//## File "/home/me/kernel.py", line 7
        /*0020*/                   IMAD R2, R2, R2, RZ ;
	//## File "/lib/standard.py", line 44
        /*0030*/                   EXIT ;
	.section	.text.other,"ax",@progbits
        /*0000*/                   EXIT ;
"""

N: tuple[int, ...] = ()


@pytest.mark.parametrize(
    ("stage", "text", "expected"),
    [
        ("ttir", TTIR, (N, (3,), (5,), (7,), (20, 7), (7,), (7,), (7,), (7,), (7,), (5,), (7,),
                        (5, 7), (7,), N, (3,), *(N,) * 9)),
        ("llir", LLIR, ((3,), (5,), (7,), (20, 7), *(N,) * 10)),
        ("ptx", PTX, (N, N, N, (5,), (5,), (7,), (7,), (20, 7), (20, 7), *(N,) * 5)),
        ("amdgcn", AMDGCN, (N, (5,), (5,), (5,), (7,), (7,), (20, 7), (20, 7), N)),
        ("sass", SASS, (N, (5,), (5,), (7,), (7,), (7,), (20, 7), (20, 7), (20, 7), (20, 7),
                        N, N, N, N)),
        ("cubin", "one\ntwo\n", (N, N)),
    ],
)  # fmt: skip
def test_lines(stage, text, expected):
    assert lines_for(stage, text, FILE) == expected


def test_a_kernel_cached_from_another_file_of_the_same_name_counts():
    assert lines_for("ptx", PTX, "/tmp/copy/kernel.py")[4] == (5,)
    assert lines_for("ptx", PTX, "/home/me/other.py")[4] == ()


def test_what_fills_up_the_end_of_a_function_is_of_no_line():
    code = """\
.text.k:
	//## File "/home/me/kernel.py", line 5
        /*0000*/                   NOP ;
.L_x_0:
        /*0010*/                   BRA `(.L_x_0) ;
        /*0020*/                   EXIT ;
.L_x_1:
        /*0030*/                   BRA `(.L_x_1);
        /*0040*/                   NOP;
        /*0050*/                   NOP;
.L_x_2:
"""
    for text in (code, code + '\t.section\t.text.other,"ax",@progbits\n' + code):
        rows = zip(text.splitlines(), lines_for("sass", text, FILE), strict=True)
        of_code = [lines for line, lines in rows if "/*" in line]
        assert of_code == [(5,), (5,), (5,), (), (), ()] * (len(of_code) // 6)


@pytest.mark.parametrize(("stage", "text"), [("ttir", TTIR), ("ptx", PTX), ("amdgcn", AMDGCN)])
def test_a_library_file_called_like_the_kernels_is_not_the_kernels(stage, text):
    text = text.replace("kernel.py", "standard.py")
    found = lines_for(stage, text, "/home/me/standard.py")
    assert (5,) in found
    assert not any({43, 44} & set(lines) for lines in found)


def test_a_helper_called_twice_counts_for_the_call_that_came_last():
    # PTX tells callers by place alone: a helper's call of another is the same place both times.
    text = """\
	.file	1 "/home/me/kernel.py"
	.loc	1 9 1, function_name $L__info_string0, inlined_at 1 21 9
	.loc	1 6 1, function_name $L__info_string0, inlined_at 1 9 1
	.loc	1 9 1, function_name $L__info_string0, inlined_at 1 22 9
	.loc	1 6 1, function_name $L__info_string0, inlined_at 1 9 1
"""
    assert lines_for("ptx", text, FILE) == ((), (9, 21), (6, 9, 21), (9, 22), (6, 9, 22))


INLINE_ASSEMBLY = """\
	.file	1 "/home/me/kernel.py"
	.loc	1 5 10
	// begin inline asm
	.loc	1 5 10
	mov.u32 %r1, 0x0;
	.loc	1 6 10
	ld.global.b32 { %r1 }, [ %rd1 + 0 ];
}
	// end inline asm
	add.s32 %r2, %r1, %r1;
}
"""


def test_lines_of_an_inline_assembly_are_not_the_sources():
    # LLVM counts on from where it begins: the load of a block would stand lines below tl.load.
    assert lines_for("ptx", INLINE_ASSEMBLY, FILE) == ((), *[(5,)] * 9, ())
    written = places_written(INLINE_ASSEMBLY)
    assert [line for chain in written for _, line in chain] == [5, 5, 5, 5, 6, 6, 6, 6, 6]
