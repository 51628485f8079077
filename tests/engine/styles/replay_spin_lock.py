#: style = "a spin lock and a counter that must start at zero, in buffers of the caller"
#: driver = "main()"
#: launches = ["column_sums"]
#: replay = {BLOCK_M = 4}
#: route = "driver"
#: loads = {x = 320}
import torch
import triton
import triton.language as tl


@triton.jit
def column_sums(x, total, lock, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    part = tl.sum(tl.load(x + rows[:, None] * N + columns[None, :], mask, other=0.0), 0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    count = tl.load(lock + 1)
    if count == 0:
        tl.atomic_xchg(lock + 1, 1)
    else:
        part += tl.load(total + columns, columns < N)
    tl.store(total + columns, part, columns < N)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def sums(x, block_m=8):
    M, N = x.shape
    total = torch.empty(N, device=x.device)
    lock = torch.zeros(2, dtype=torch.int32, device=x.device)
    column_sums[(triton.cdiv(M, block_m),)](
        x, total, lock, M, N, BLOCK_M=block_m, BLOCK_N=triton.next_power_of_2(N)
    )
    return total


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(32, 10, device=device)
    torch.testing.assert_close(sums(x), x.sum(0))
