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

            def example(n: int = 50):
                x = torch.ones(n)
                o = torch.empty(n)
                copy[(1,)](x, o, n, B=64)
                return o
        ''')
        play = playground.open(path)
        play.run()
        (own,) = play.own_benchmarks()
        try:
            play.own_curve("benchmark")
        except Exception as error:
            refused = [type(error).__name__, str(error)]
        play.close()
        answer({"name": own.name, "title": own.title, "values": own.axes[0].values,
                "lines": own.lines, "label": own.label, "points": own.points,
                "refused": refused})
    """)
    assert found["name"] == "benchmark"
    assert found["title"] == "copy-performance"
    assert found["values"] == [16, 32, 64]
    assert found["lines"] == ["Triton", "Torch"]
    assert (found["label"], found["points"]) == ("GB/s", 6)
    assert found["refused"][0] == "NotTimedError"
    assert "no GPU" in found["refused"][1]
