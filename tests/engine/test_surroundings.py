"""What is around a file while it runs is scoped to the run, there again for replays, and said."""

from __future__ import annotations

KERNEL = """
import os, sys, threading
import torch, triton, triton.language as tl

@triton.jit
def fill(o, n, V: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, V, i < n)

def filled(n, value, block=16):
    o = torch.empty(n, device="cuda")
    assert o.is_cuda
    fill[(triton.cdiv(n, block),)](o, n, V=value, B=block)
    return o
"""


SETTING = (
    KERNEL
    + """
os.environ["FILL_WITH"] = "5"
torch.set_grad_enabled(False)
torch.set_float32_matmul_precision("high")
torch.set_default_device("cuda")
sys.path.insert(0, "/nowhere")
open("sizes.txt", "w").write("40")

def grid(meta):
    assert os.environ["FILL_WITH"] == "5" and torch.cuda.is_available()
    return (triton.cdiv(40, meta["B"]),)

def example():
    o = torch.empty(int(open("sizes.txt").read()))
    seen = []
    thread = threading.Thread(target=lambda: seen.append(torch.ones(1, device="cuda").is_cuda))
    thread.start()
    thread.join()
    assert seen == [True]
    fill[grid](o, 40, V=int(os.environ["FILL_WITH"]), B=16)
    os.environ["TRITON_INTERPRET"] = "0"
    triton.runtime.driver.set_active(object())
    return o
"""
)


def test_everything_is_as_it_was_after_a_run_and_there_for_its_replays(run_engine) -> None:
    got = run_engine(
        f"""
        import os, sys, torch
        import playground
        import triton
        def state():
            return [os.getcwd(), dict(os.environ), torch.is_grad_enabled(),
                    torch.get_float32_matmul_precision(), str(torch.get_default_device()),
                    "/nowhere" in sys.path, torch.cuda.is_available(), sorted(vars(torch.Tensor)),
                    repr(triton.runtime.driver.active), triton.knobs.runtime.interpret]
        play = playground.open(write("fill.py", {SETTING!r}))
        before = state()
        ran = play.run()
        after = state()
        checked = play.check(0, B=8).result
        answer({{
            "kept": before == after == state(),
            "launches": [l.grid for l in ran.launches],
            "findings": [(f.severity, f.message) for f in ran.findings],
            "check": [checked.status, checked.text()],
            "compiles": play.compile(0).report is not None,
            "device": str(play.result.device), "is_cuda": play.result.is_cuda,
        }})
        play.close()
        """
    )
    assert got["kept"]
    assert got["launches"] == [[3, 1, 1]]
    assert got["check"][0] == "correct", got["check"]
    assert got["compiles"]
    assert (got["device"], got["is_cuda"]) == ("cpu", False), "the console is told the truth"
    mode, simulated, wrote = [message for _, message in got["findings"]]
    assert mode.startswith("TRITON_INTERPRET is left to this app")
    assert simulated.startswith("the GPU is simulated")
    assert wrote == "the file wrote into its folder: sizes.txt"
    assert {severity for severity, _ in got["findings"]} == {"info"}


TESTS = (
    KERNEL
    + """
import pytest

@pytest.fixture(params=[7, 8])
def value(request):
    yield request.param

@pytest.fixture
def size(tmp_path):
    assert tmp_path.is_dir()
    return 33

class TestFill:
    @pytest.mark.parametrize("block", [pytest.param(8, id="small"), 32])
    def test_fills(self, size, value, block):
        assert (filled(size, value, block) == value).all()

def test_skips(size):
    pytest.skip("no time")

def test_unknown(server):
    pass
"""
)


def test_a_typed_test_takes_its_first_parameters_and_fixtures(run_engine) -> None:
    got = run_engine(
        f"""
        import playground
        play = playground.open(write("test_fill.py", {TESTS!r}))
        out = {{}}
        for driver in ("TestFill().test_fills()", "TestFill().test_fills(block=64)",
                       "test_skips()", "test_unknown()"):
            ran = play.run(driver)
            out[driver] = [[(l.grid[0], l.config["V"], l.config["B"]) for l in ran.launches],
                           [f.message for f in ran.findings if f.severity != "info"]]
        answer(out)
        play.close()
        """
    )
    assert got["TestFill().test_fills()"] == [[[5, 7, 8]], []]
    assert got["TestFill().test_fills(block=64)"] == [[[1, 7, 64]], []]
    (skipped,) = got["test_skips()"][1]
    assert skipped == "`test_skips()` launched no Triton kernel: it skipped itself: no time"
    (unknown,) = got["test_unknown()"][1]
    assert "'server' is neither parametrized nor a fixture of this file" in unknown


LIBRARY = """
import torch, triton, triton.language as tl

@triton.autotune([triton.Config({"B": 16}), triton.Config({"B": 32})], key=["n", "BT"],
                 restore_value=["nothing"])
@triton.jit
def library_kernel(o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, 1.0, i < n)
"""


def test_a_librarys_wrong_tuning_key_is_told_and_dropped(run_engine) -> None:
    got = run_engine(
        f"""
        import sys, triton
        import playground
        (FOLDER / "lib").mkdir()
        (FOLDER / "lib" / "faulty_library.py").write_text({LIBRARY!r})
        sys.path.append(str(FOLDER / "lib"))
        (FOLDER / "mine").mkdir()
        play = playground.open(write("mine/uses.py", '''
            import torch, triton
            from faulty_library import library_kernel

            def example():
                o = torch.empty(40, device="cuda")
                library_kernel[lambda meta: (triton.cdiv(40, meta["B"]),)](o, 40)
                return o
        '''))
        ran = play.run()
        answer({{"launches": [l.kernel for l in ran.launches],
                "findings": [(f.severity, f.line, f.message) for f in ran.findings],
                "check": play.check().result.status if ran.launches else None,
                "triton": triton.__version__}})
        play.close()
        """
    )
    assert got["launches"] == ["library_kernel"], got
    assert got["check"] == "correct"
    if got["triton"].startswith("3.6"):
        return  # it drops such names by itself
    told = [finding for finding in got["findings"] if "your file is fine" in finding[2]]
    ((severity, line, message),) = told
    assert (severity, line) == ("warning", 3)
    assert "faulty_library.py tunes a kernel by names that it does not have" in message
    assert "BT" in message


BENCHMARK = (
    KERNEL
    + """
import time
from triton.testing import do_bench
filled(10, 1)

def timed():
    start = time.perf_counter()
    for _ in range(7):
        filled(50, 2)
    return time.perf_counter() - start

timed()
ms = [do_bench(lambda: filled(n, 3), quantiles=[0.5, 0.2]) for n in (20, 30)]
assert all(0 < low < 1e5 for low, _ in ms)
print(f"{ms[0][0]:.3f}", sorted(ms))
"""
)


def test_benchmarks_that_are_asked_for_run_once_a_call_without_a_gpu(run_engine) -> None:
    got = run_engine(
        f"""
        import playground
        play = playground.open(write("bench.py", {BENCHMARK!r}))
        out = []
        for asked in (False, True):
            ran = play.run("", benchmarks=asked)
            out.append([[(l.grid[0], l.count) for l in ran.launches],
                        [f.message for f in ran.findings]])
        answer(out)
        play.close()
        """
    )
    (skipped, said), (ran, warned) = got
    assert skipped == [[1, 1], [4, 1]]
    assert "the timing loop at line 22 went round once instead of 7 times" in said
    assert "benchmark at line 27 skipped" in said
    assert ran == [[1, 1], [4, 7], [2, 1], [2, 1]]
    assert any("times one interpreted call by the wall clock" in message for message in warned)
