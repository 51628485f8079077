#: style = "warmup, occupancy from its registers at import, and a launch of the compiled kernel"
#: launches = ["softmax_rows"]
#: knobs = {BLOCK = 32, num_warps = 8}
#: replay = {num_warps = 4}
#: loads = {x_ptr = 240}
#: stores = {o_ptr = 240}
import torch
import triton
import triton.language as tl


DEVICE = triton.runtime.driver.active.get_active_torch_device()
properties = triton.runtime.driver.active.utils.get_device_properties(0)
PROCESSORS = properties["multiprocessor_count"]


@triton.jit
def softmax_rows(o_ptr, x_ptr, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        i = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + i, i < columns, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(o_ptr + row * columns + i, e / tl.sum(e, axis=0), i < columns)


X = torch.linspace(-2, 2, 240, device=DEVICE).reshape(8, 30)
OUT = torch.empty_like(X)
KERNEL = softmax_rows.warmup(OUT, X, 8, 30, BLOCK=32, STAGES=2, num_warps=8, grid=(1,))
KERNEL._init_handles()
BY_REGISTERS = properties["max_num_regs"] // (KERNEL.n_regs * properties["warpSize"] * 8)
BY_SHARED = properties["max_shared_mem"] // max(KERNEL.metadata.shared, 1)
PROGRAMS = min(PROCESSORS * min(BY_REGISTERS, BY_SHARED), 4)


def main():
    KERNEL[(PROGRAMS, 1, 1)](OUT, X, 8, 30, 32, 2)
    torch.testing.assert_close(OUT, torch.softmax(X, 1))


if __name__ == "__main__":
    main()
