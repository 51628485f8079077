#: style = "runs a test and a benchmark sweep up to 2^27 elements at import, without a main guard"
#: driver = ""
#: launches = ["scale_kernel"]
#: counts = [1]
#: replay = {BLOCK = 512}
#: findings = ["benchmark at line 60 skipped", "--benchmarks"]
#: stores = {y_ptr = 1111}
import torch
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def scale_kernel(x_ptr, y_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offsets, factor * tl.load(x_ptr + offsets, offsets < n), offsets < n)


def scale(x, factor):
    y = torch.empty_like(x)
    n = x.numel()
    scale_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, factor, n, BLOCK=1024)
    return y


torch.manual_seed(0)
x = torch.rand(1111, device=DEVICE)
difference = torch.max(torch.abs(scale(x, 3.0) - 3.0 * x))
print(f"the largest difference is {difference}")
assert difference == 0


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[2**i for i in range(12, 28)],
        x_log=True,
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "Torch"],
        styles=[("blue", "-"), ("green", "-")],
        ylabel="GB/s",
        plot_name="scale-performance",
        args={},
    )
)
def benchmark(size, provider):
    x = torch.rand(size, device=DEVICE, dtype=torch.float32)
    quantiles = [0.5, 0.2, 0.8]
    if provider == "torch":
        ms, min_ms, max_ms = triton.testing.do_bench(lambda: 3.0 * x, quantiles=quantiles)
    else:
        ms, min_ms, max_ms = triton.testing.do_bench(lambda: scale(x, 3.0), quantiles=quantiles)
    gbps = lambda ms: 2 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)
    return gbps(ms), gbps(max_ms), gbps(min_ms)


benchmark.run(print_data=True, show_plots=True, save_path=".")
