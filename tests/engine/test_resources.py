"""Reading resources from the tools' own words; the real tools are in test_compile_cases."""

import pytest

from playground.engine.resources import (
    Resources,
    ToolError,
    disassemble,
    from_amdgcn,
    from_ptxas_log,
    without_ptxas_log,
)

LOG = """\
hello from the file
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : Function properties for k
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 96 registers, used 1 barriers
ptxas info    : Compile time = 4.041 ms
"""

AMDGCN = """\
; Kernel info:
; NumVgprs: 150
; NumAgprs: 4
; TotalNumVgprs: 156
; Occupancy: 3
amdhsa.kernels:
  - .agpr_count:     4
    .group_segment_fixed_size: 512
    .private_segment_fixed_size: 24
    .sgpr_count:     45
    .sgpr_spill_count: 2
    .vgpr_count:     156
    .vgpr_spill_count: 5
"""


def test_the_assemblers_log():
    remark = "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized"
    assert from_ptxas_log(LOG) == Resources(96, 8, 4, 12, (remark,), 0)
    assert from_ptxas_log(LOG.replace("ptxas ", "ptxas-blackwell ")).registers == 96


def test_static_shared_memory_is_in_the_log():
    used = "Used 96 registers, used 1 barriers, 264 bytes smem, 400 bytes cmem[0]"
    assert from_ptxas_log(LOG.replace("Used 96 registers, used 1 barriers", used)) == Resources(
        96, 8, 4, 12, from_ptxas_log(LOG).remarks, 264
    )


def test_a_remark_on_one_instruction_is_told_without_its_place():
    advisory = "Advisory: Modifier '.x' should be used on instruction 'mma'"
    told = LOG + f"ptxas /tmp/tmp1.ptx, line 44; info    : {advisory}\n"
    assert from_ptxas_log(told).remarks[1] == advisory


def test_no_log_is_no_figure():
    assert from_ptxas_log("") is None
    assert from_ptxas_log("Used 96 registers") is None


def test_what_the_user_printed_is_kept_apart():
    assert without_ptxas_log(LOG) == "hello from the file"


def test_amd_metadata():
    found = from_amdgcn(AMDGCN)
    assert (found.registers, found.stack_bytes, found.spill_store_bytes) == (156, 24, 20)
    assert found.notes == ("45 scalar registers, 2 of them spilled",)
    assert found.remarks == ()
    # 150 vector registers are rounded up to 152 before the 4 accumulation registers begin.
    assert found.kinds == (("VGPR", 150), ("AGPR", 4), ("SGPR", 45))
    assert (found.static_shared_bytes, found.stated_warps) == (512, 3)
    assert from_amdgcn("") == Resources()


def test_a_tool_that_fails_says_so(tmp_path):
    with pytest.raises(ToolError, match="did not run"):
        disassemble(b"", str(tmp_path / "nvdisasm"))
    with pytest.raises(ToolError, match="false failed"):
        disassemble(b"", "/bin/false")
