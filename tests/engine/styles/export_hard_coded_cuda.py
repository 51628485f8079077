#: style = 'device="cuda" throughout, asserts on it, the active driver asked at import, a benchmark after the test'
#: launches = ["add"]
#: replay = {BLOCK = 128}
#: stores = {o_ptr = 1000}
#: loads = {x_ptr = 1000, y_ptr = 1000}
#: findings = ["CUDA", "benchmark"]
#: gpu_findings = ["benchmark"]
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) + tl.load(y_ptr + i, i < n), i < n)


def added(x, y):
    assert x.is_cuda and y.device == DEVICE
    out = torch.empty(x.shape, device="cuda")
    add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=256)
    torch.cuda.synchronize()
    return out


torch.manual_seed(0)
x = torch.rand(1000, device="cuda")
y = torch.rand(1000).to(DEVICE)
result = added(x, y)
torch.testing.assert_close(result, x + y)
print(f"largest: {result.max():.3f}")


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"], x_vals=[2**i for i in range(20, 28)], line_arg="provider",
        line_vals=["triton"], line_names=["Triton"], ylabel="GB/s", plot_name="add", args={},
    )
)
def benchmark(size, provider):
    x = torch.rand(size, device="cuda")
    return triton.testing.do_bench(lambda: added(x, x))


benchmark.run(print_data=True)
