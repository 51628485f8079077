#: style = "launches in its benchmark only: that goes once, at its smallest size"
#: driver = ""
#: launches = ["axpy_kernel"]
#: replay = {BLOCK = 64}
#: route = "driver"
#: findings = ["benchmark at line 47 ran once at its smallest size"]
#: stores = {y_ptr = 512}
import torch
import triton
import triton.language as tl
from triton.testing import Benchmark, do_bench, perf_report


@triton.jit
def axpy_kernel(a, x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    y = tl.load(y_ptr + offsets, mask) + a * tl.load(x_ptr + offsets, mask)
    tl.store(y_ptr + offsets, y, mask)


def axpy(a, x, y):
    axpy_kernel[(triton.cdiv(x.numel(), 256),)](a, x, y, x.numel(), BLOCK=256)


@perf_report(
    [
        Benchmark(
            x_names=["n"],
            x_vals=[1 << 20, 512, 1 << 26],
            line_arg="provider",
            line_vals=["reference", "triton"],
            line_names=["torch", "triton"],
            plot_name="axpy",
            args={"dtype": torch.float32},
        )
    ]
)
def bench(n, provider, dtype):
    x, y = (torch.ones(n, device="cuda", dtype=dtype) for _ in range(2))
    if provider == "triton":
        return do_bench(lambda: axpy(2.0, x, y))
    return do_bench(lambda: y.add_(x, alpha=2.0), warmup=10, rep=50)


if __name__ == "__main__":
    bench.run(print_data=True)
