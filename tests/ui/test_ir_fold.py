"""What of each stage's text folds, on texts of the compilers' own shapes."""

from __future__ import annotations

from playground.ui.views.ir_fold import Region, regions


def folds(stage: str, text: str) -> tuple[Region, ...]:
    return regions(stage, text.strip("\n").split("\n"))


def test_mlir_folds_by_braces_and_puts_locations_away() -> None:
    text = """
#loc = loc("k.py":1:0)
#loc5 = loc(unknown)
module {
  tt.func public @k(%x: i32 {tt.divisibility = 16 : i32}) {
    %0 = scf.for %i = %a to %b step %c -> (i32) {
      scf.yield %i : i32
    }
    tt.return
  }
}
#loc1 = loc("k.py":2:0)
#loc2 = loc("k.py":3:0)
#loc3 = loc("k.py":4:0)
#loc4 = loc(")}":5:0)
"""
    assert folds("ttir", text) == (
        Region(0, 1), Region(2, 9), Region(3, 8), Region(4, 6), Region(10, 13, folded=True),
    )  # fmt: skip


def test_llvm_folds_functions_loops_and_metadata() -> None:
    text = """
define void @k(ptr %0) {
  br label %2
2:                                                ; preds = %2, %1
  %3 = add i32 %3, 1
  br i1 %4, label %2, label %5
5:                                                ; preds = %2
  ret void
}

attributes #0 = { nounwind }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !DIFile(filename: "k.py", directory: "/")
!2 = !{}
"""
    assert folds("llir", text) == (Region(0, 7), Region(2, 4), Region(9, 15, folded=True))


def test_ptx_folds_the_kernel_its_loops_and_the_debug_sections() -> None:
    text = """
.visible .entry k(
	.param .u64 k_param_0
)
{
	mov.b32 %r1, 0;
$L__BB0_1:
	add.s32 %r1, %r1, 1;
	@%p1 bra 	$L__BB0_1;
	bra.uni 	$L__BB0_2;
$L__BB0_2:
	ret;
}
	.section	.debug_abbrev
	{
.b8 1
	}
"""
    assert folds("ptx", text) == (Region(2, 11), Region(5, 7), Region(12, 15, folded=True))


def test_sass_folds_by_place_and_loop() -> None:
    text = """
k:
	//## File "k.py", line 3
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_0:
	//## File "lib.py", line 7 inlined at "k.py", line 4
	//## File "k.py", line 4
        /*0020*/                   IADD3 R0, R0, 0x1, RZ ;
        /*0030*/              @P0 BRA `(.L_x_0) ;
	//## File "k.py", line 5
        /*0040*/                   EXIT ;
"""
    assert folds("sass", text) == (Region(1, 3), Region(4, 8), Region(5, 8), Region(9, 10))


def test_amds_text_keeps_its_resource_comments_in_view() -> None:
    text = """
k:
.LBB0_1:
	s_add_i32 s0, s0, 1
	s_cbranch_scc1 .LBB0_1
	s_endpgm
	.section	.AMDGPU.csdata,"",@progbits
; NumVgprs: 70
	.section	.debug_abbrev,"",@progbits
	.byte	1
"""
    assert folds("amdgcn", text) == (Region(1, 3), Region(7, 8, folded=True))
