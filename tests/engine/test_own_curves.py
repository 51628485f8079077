"""A file's own Benchmark objects are read, and refused without a GPU rather than drawn wrong."""

from __future__ import annotations


def test_what_a_file_sweeps_is_offered(run_engine):
    found = run_engine("""
        import playground
        path = write("own.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def copy(x, o, n, B: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.store(o + i, tl.load(x + i, i < n), i < n)

            @triton.testing.perf_report(triton.testing.Benchmark(
                x_names=["n"], x_vals=[2**i for i in range(4, 7)], line_arg="provider",
                line_vals=["triton", "torch"], line_names=["Triton", "Torch"], ylabel="GB/s",
                plot_name="copy-performance", args={}))
            def benchmark(n, provider):
                x = torch.ones(n)
                o = torch.empty(n)
                ms = triton.testing.do_bench(lambda: copy[(1,)](x, o, n, B=64))
                return 8 * n / (ms * 1e6)

            @triton.testing.perf_report(triton.testing.Benchmark(
                x_names=["M", "N"], x_vals=[64, 128], line_arg="provider", line_vals=["triton"],
                line_names=["Triton"], plot_name="square", args={}))
            def together(M, N, provider):
                return 0.0

            @triton.testing.perf_report(triton.testing.Benchmark(
                x_names=["M", "N"], x_vals=[(64, 32), (128, 32)], line_arg="provider",
                line_vals=["triton"], line_names=["Triton"], plot_name="pairs", args={}))
            def apart(M, N, provider):
                return 0.0

            def example(n: int = 50):
                x = torch.ones(n)
                o = torch.empty(n)
                copy[(1,)](x, o, n, B=64)
                return o
        ''')
        play = playground.open(path)
        play.run()
        own, together, apart = play.own_benchmarks()
        try:
            play.own_curve("benchmark")
        except Exception as error:
            refused = [type(error).__name__, str(error)]
        play.close()
        answer({"name": own.name, "title": own.title, "values": own.axes[0].values,
                "lines": own.lines, "label": own.label, "points": own.points,
                "refused": refused,
                "axes": [[[axis.name, axis.values] for axis in each.axes]
                         for each in (together, apart)]})
    """)
    assert found["name"] == "benchmark"
    assert found["title"] == "copy-performance"
    assert found["values"] == [16, 32, 64]
    assert found["lines"] == ["Triton", "Torch"]
    assert (found["label"], found["points"]) == ("GB/s", 6)
    # One number for two names: they are equal along one axis, as Triton has it.
    assert found["axes"] == [[["M = N", [64, 128]]], [["M", [64, 128]], ["N", [32]]]]
    assert found["refused"][0] == "NotTimedError"
    assert "no GPU" in found["refused"][1]
