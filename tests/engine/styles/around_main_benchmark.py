#: style = "benchmarks in main() by do_bench, torch.utils.benchmark, events and a clock, and sorts the times"
#: driver = ""
#: launches = ["square_kernel"]
#: counts = [4]
#: replay = {BLOCK = 32}
#: route = "driver"
#: findings = ["timing loop at line 42 went round once instead of 100 times", "torch.utils.benchmark at line 57 skipped", "not measured"]
#: gpu_findings = ["timing loop at line 42 went round once instead of 100 times"]
#: stores = {y_ptr = 200}
import time
import timeit

import torch
import torch.utils.benchmark as benchmark
import triton
import triton.language as tl


@triton.jit
def square_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < n)
    tl.store(y_ptr + offsets, x * x, offsets < n)


def square(x):
    y = torch.empty_like(x)
    square_kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
    return y


def time_it(function, *arguments):
    for _ in range(10):
        function(*arguments)
    torch.cuda.synchronize()
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    before = time.perf_counter()

    # Many calls, because one is too short for the clock.
    for _ in range(100):
        out = function(*arguments)
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 100, time.perf_counter() - before, out


def main():
    x = torch.randn(200, device="cuda")
    assert torch.equal(square(x), x * x)
    event_ms, _, y = time_it(square, x)
    assert torch.equal(y, x * x)
    times = {
        "events": event_ms,
        "do_bench": triton.testing.do_bench(lambda: square(x), return_mode="median"),
        "torch": benchmark.Timer("square(x)", globals={"square": square, "x": x}).timeit(1000).mean,
        "timeit": timeit.timeit(lambda: square(x), number=1000),
    }
    best = min(times, key=times.get)
    print(f"best {best}: {times[best]:.4f} ms, {2 * x.nbytes / times[best] * 1e-6:8.2f} GB/s")
    for name, ms in sorted(times.items(), key=lambda item: item[1]):
        print(f"{name:>10} {ms:10.3f} {round(ms, 3)} {times['do_bench'] / ms:.2f}x")
    square(x)


main()
