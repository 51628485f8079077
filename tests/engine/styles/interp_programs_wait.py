#: style = "programs that wait for each other: a barrier over the grid"
#: launches = ["two_phases"]
#: export = false
#: findings = ["programs wait for each other, 4 of them at once"]
#: gpu_findings = []
#: loads = {x = 64, partial = 16}
#: stores = {partial = 4, y = 64}
import torch
import triton
import triton.language as tl


@triton.jit
def two_phases(x, partial, arrived, y, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(partial + program, tl.sum(value, 0))
    tl.debug_barrier()
    tl.atomic_add(arrived, 1, sem="acq_rel")
    while tl.atomic_add(arrived, 0, sem="acq_rel") < PROGRAMS:
        pass
    total = tl.sum(tl.load(partial + tl.arange(0, PROGRAMS), cache_modifier=".cg"), 0)
    tl.store(y + at, value / total)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.rand(64, device=device)
    partial, y = torch.empty(4, device=device), torch.empty_like(x)
    arrived = torch.zeros(1, dtype=torch.int32, device=device)
    two_phases[(4,)](x, partial, arrived, y, 4, 16)
    torch.testing.assert_close(y, x / x.sum())
