"""The best few configs as `@triton.autotune` in the exported file, and that file's own check."""

from __future__ import annotations

RUN = """
import subprocess
import playground

def exported(session, config, others):
    path = FOLDER / "tuned.py"
    path.write_text(session.export(0, config, others=others).text)
    done = subprocess.run([sys.executable, str(path), "--check"], capture_output=True, text=True)
    return [path.read_text(), done.returncode, done.stdout + done.stderr]
"""


def test_a_kernel_without_a_tuner_gets_one(run_engine):
    text, status, said = run_engine(
        RUN
        + """
session = playground.open(KERNELS / "matmul.py")
session.run("example()", {"m": 64, "n": 48, "k": 32})
config = session.launches[0].info.config.updated({"BLOCK_M": 32})
answer(exported(session, config, [config.updated({"BLOCK_M": 64, "num_warps": 8})]))
session.close()
"""
    )
    assert (status, "correct" in said) == (0, True), said
    assert 'triton.Config({"BLOCK_M": 32}, num_warps=4, num_stages=3, num_ctas=1),' in text
    assert 'triton.Config({"BLOCK_M": 64}, num_warps=8, num_stages=3, num_ctas=1),' in text
    assert 'key=["M", "N", "K"],' in text
    launch = text[text.index("matmul_kernel[grid](") :]
    launch = launch[: launch.index("return c")]
    assert "BLOCK_N=64" in launch
    assert not any(name in launch for name in ("BLOCK_M=", "num_warps=", "num_stages="))


def test_a_tuner_gets_the_best_few_and_a_whole_key(run_engine):
    text, status, said = run_engine(
        RUN
        + """
path = write("k.py", '''
    import torch, triton, triton.language as tl

    @triton.autotune(configs=[triton.Config({"B": 32}), triton.Config({"B": 64})], key=[])
    @triton.jit
    def kernel(x, o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)

    def example(n: int = 100):
        x = torch.arange(n, dtype=torch.float32)
        o = torch.empty_like(x)
        kernel[lambda m: (triton.cdiv(n, m["B"]),)](x, o, n)
        return o
''')
session = playground.open(path)
session.run("example()", {"n": 100})
config = session.launches[0].info.config
answer(exported(session, config.updated({"B": 128}), [config.updated({"B": 16, "num_warps": 2})]))
session.close()
"""
    )
    assert (status, "correct" in said) == (0, True), said
    assert 'key=["n"]' in text
    assert '{"B": 128}' in text
    assert '{"B": 16}' in text
    assert '{"B": 32}' not in text


def test_a_grid_that_would_not_follow_is_refused(run_engine):
    answer = run_engine(
        """
        import playground

        path = write("k.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(o, n, B: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.store(o + i, i, i < n)

            def example(n: int = 100):
                o = torch.empty(n, dtype=torch.int32)
                kernel[(triton.cdiv(n, 64),)](o, n, B=64)
                return o
        ''')
        session = playground.open(path)
        session.run()
        config = session.launches[0].info.config
        try:
            session.export(0, config, others=[config.updated({"B": 32})])
            answer("no error")
        except ValueError as error:
            answer(str(error))
        session.close()
        """
    )
    assert "would not follow the tuner's choice" in answer


def test_a_table_by_size_proves_itself_at_every_size(run_engine):
    answer = run_engine(
        RUN
        + """
from playground.engine.freezing_dispatch import Measured, dispatch_of

session = playground.open(KERNELS / "matmul.py")
session.run("example()", {"m": 64, "n": 64, "k": 32})
config = session.launches[0].info.config
small = config.updated({"BLOCK_M": 16, "num_warps": 2})
large = config.updated({"BLOCK_M": 32, "num_stages": 2})
sizes = {"N": 64, "K": 32, "stride_am": 32}
table = dispatch_of([Measured((("M", 1024), *sizes.items()), large),
                     Measured((("M", 64), *sizes.items()), small)])
path = FOLDER / "tuned.py"
path.write_text(session.export(0, small, dispatch=table).text)
done = subprocess.run([sys.executable, str(path), "--check"], capture_output=True, text=True)
answer([table.arguments, table.sizes, table.bounds, path.read_text(), done.returncode,
        done.stdout + done.stderr, table.config_at(256) == small, table.config_at(257) == large])
session.close()
"""
    )
    arguments, sizes, bounds, text, status, said, below, above = answer
    assert (arguments, sizes, bounds) == (["M"], [64, 1024], [256])  # sqrt(64 * 1024)
    assert (status, "correct" in said) == (0, True), said
    assert "up to its bound" in text
    assert '(256, {"BLOCK_M": 16,' in text
    assert "# measured at 1024" in text
    assert below
    assert above
