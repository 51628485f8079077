"""Which source line a line of each stage comes from, on texts small enough to read."""

import pytest

from playground.engine.source_lines import lines_for

FILE = "/home/me/kernel.py"

TTIR = """\
#loc = loc("/home/me/kernel.py":3:0)
tt.func public @k(%x: !tt.ptr<f32> loc("x"(#loc))) {
  %0 = tt.load %x : !tt.ptr<f32> loc(#loc1)
  %1 = arith.addf %0, %0 : f32 loc(#loc5)
  tt.return loc(#loc2)
}
#loc1 = loc("/home/me/kernel.py":5:10)
#loc2 = loc(unknown)
#loc3 = loc("/lib/standard.py":43:1)
#loc4 = loc("/home/me/kernel.py":7:4)
#loc5 = loc(callsite("name"(#loc3) at #loc4))
"""

LLIR = """\
define void @k() !dbg !2 {
  %1 = load i32, ptr %0, !dbg !4
  %2 = add i32 %1, %1, !dbg !5
  ret void
}
!1 = !DIFile(filename: "kernel.py", directory: "/home/me")
!2 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3)
!3 = !DIFile(filename: "standard.py", directory: "/lib")
!4 = !DILocation(line: 5, column: 10, scope: !2)
!5 = !DILocation(line: 43, column: 1, scope: !6, inlinedAt: !7)
!6 = distinct !DILexicalBlockFile(scope: !2, file: !3, discriminator: 0)
!7 = !DILocation(line: 7, column: 4, scope: !2)
"""

PTX = """\
.visible .entry k(
)
{
	.loc	1 5 10
	ld.global.b32 %r1, [%rd1];
	.loc	2 43 1, function_name $L__info_string0, inlined_at 1 7 4
	add.s32 %r2, %r1, %r1;
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
	.section .debug
"""

SASS = """\
.text.k:
	//## File "/home/me/kernel.py", line 5
        /*0000*/                   LDG.E R2, [R2] ;
	//## File "/lib/standard.py", line 43 inlined at "/home/me/kernel.py", line 7
	//## File "/home/me/kernel.py", line 7
        /*0010*/                   IADD3 R2, R2, R2, RZ ;
	//## File "/lib/standard.py", line 44
        /*0020*/                   EXIT ;
"""


@pytest.mark.parametrize(
    ("stage", "text", "expected"),
    [
        ("ttir", TTIR, (0, 0, 5, 7, 0, 0, 0, 0, 0, 0, 0)),
        ("llir", LLIR, (3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        ("ptx", PTX, (0, 0, 0, 5, 5, 7, 7, 0, 0, 0, 0, 0)),
        ("amdgcn", AMDGCN, (0, 5, 5, 5, 7, 7, 0)),
        ("sass", SASS, (0, 5, 5, 7, 7, 7, 0, 0)),
        ("cubin", "one\ntwo\n", (0, 0)),
    ],
)
def test_lines(stage, text, expected):
    assert lines_for(stage, text, FILE) == expected


def test_a_kernel_cached_from_another_file_of_the_same_name_counts():
    assert lines_for("ptx", PTX, "/tmp/copy/kernel.py")[4] == 5
    assert lines_for("ptx", PTX, "/home/me/other.py")[4] == 0
