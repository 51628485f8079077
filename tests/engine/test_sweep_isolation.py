"""A config that hangs or ends its process costs itself alone; real processes, really ended."""

from __future__ import annotations

FILE = """
    import ctypes, os, sys
    import torch, triton, triton.language as tl

    # Only where a config is really tried, not where the launch is prepared or compiled.
    TRIED = (getattr(sys.modules["__main__"], "__file__", "") or "").endswith("bench_worker.py")

    @triton.jit
    def kernel(x, o, n, B: tl.constexpr, STEP: tl.constexpr):
        turn = 0
        while turn < 1:
            turn += STEP
        tl.static_assert(B != 2, "two is too few")
        i = tl.program_id(0) * B + tl.arange(0, B)
        value = tl.load(x + i, i < n) + 1
        if B == 8:
            value += 1
        if B == 256:  # in three stages more than any shared memory holds
            lines, columns = tl.arange(0, 32)[:, None] * 512, tl.arange(0, 512)[None, :]
            total = tl.zeros((32, 32), tl.float32)
            for step in range(0, n, 512):
                wide = tl.load(x + lines + columns + step)
                other = tl.load(x + lines + columns + 2 * step)
                total = tl.dot(wide, tl.trans(other), total)
            value += tl.sum(total)
        tl.store(o + i, value, i < n)

    def cells(meta):
        if TRIED and meta["B"] == 16:
            os._exit(3)
        if TRIED and meta["B"] == 32:
            print("about to fall", flush=True)
            ctypes.string_at(0)
        return (triton.cdiv(100, meta["B"]),)

    def example():
        x = torch.zeros(100)
        o = torch.empty_like(x)
        kernel[cells](x, o, 100, B=64, STEP=1)
        return o
"""


def test_a_config_that_hangs_or_dies_costs_itself_alone(run_starting_engine):
    answer = run_starting_engine(
        f'FILE = """{FILE}"""'
        + """
import playground
from playground.model.sweep_plan import SweepPlan
from playground.model.sweep_space import make_space

session = playground.open(write("k.py", FILE))
session.run()
launch = session.launches[0].info
values = {"B": (2, 8, 16, 32, 64, 128, 256), "STEP": (0, 1)}
# One config that hangs is enough to wait for.
space = make_space(launch.knobs, launch.config, values, ("STEP == 1 or B == 128",))
result = session.sweep(0, plan=SweepPlan(space, limit_s=8.0))
answer({
    "rows": [[row.config["B"], row.config["STEP"], row.status, row.reason] for row in result.rows],
    "total": result.total, "cancelled": result.cancelled, "note": result.note,
    "here": session.check().result.status,
})
session.close()
""",
    )
    rows = {(block, step): (status, reason) for block, step, status, reason in answer["rows"]}
    assert {key: status for key, (status, _) in rows.items()} == {
        (16, 1): "runtime", (32, 1): "runtime", (64, 1): "correct", (128, 1): "correct",
        (8, 1): "wrong", (2, 1): "compile", (256, 1): "resources", (128, 0): "timeout",
        **{(block, 0): "constraint" for block in (2, 8, 16, 32, 64, 256)},
    }  # fmt: skip
    assert {status for status, _ in rows.values()} == {
        "correct", "wrong", "constraint", "compile", "resources", "runtime", "timeout",
    }  # fmt: skip
    assert "exit status 3" in rows[16, 1][1]
    assert "SIGSEGV" in rows[32, 1][1]
    assert "8 s" in rows[128, 0][1]
    assert "STEP == 1 or B == 128" in rows[64, 0][1]
    assert "two is too few" in rows[2, 1][1]
    assert "shared memory" in rows[256, 1][1]
    assert rows[8, 1][1]
    assert (answer["total"], answer["cancelled"], answer["here"]) == (14, False, "correct")
    assert "themselves" not in answer["note"]


def test_a_file_that_runs_otherwise_the_second_time_is_tried_here(run_starting_engine):
    answer = run_starting_engine(
        """
        import playground

        path = write("k.py", '''
            import os, pathlib, torch, triton, triton.language as tl
            mark = pathlib.Path(__file__).with_suffix(".ran")
            LENGTH = 200 if mark.exists() else 100
            mark.touch()

            @triton.jit
            def kernel(x, n, B: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.store(x + i, i, i < n)

            def example():
                x = torch.zeros(LENGTH, dtype=torch.int32)
                kernel[lambda m: (triton.cdiv(LENGTH, m["B"]),)](x, LENGTH, B=64)
                return x
        ''')
        session = playground.open(path)
        session.run()
        config = session.launches[0].info.config
        result = session.sweep(0, [config.updated({"B": block}) for block in (32, 64)])
        answer([[row.status for row in result.rows], result.note])
        session.close()
        """
    )
    assert answer[0] == ["correct", "correct"]
    assert "tried in the engine itself" in answer[1]
    assert "launches something else" in answer[1]


def test_a_killed_worker_is_replaced_and_a_paused_sweep_waits(run_starting_engine):
    answer = run_starting_engine(
        """
        import signal, threading
        import playground, psutil
        from playground.engine.job import Job
        from playground.protocol.messages import SweepProgress

        session = playground.open(KERNELS / "vector_add.py")
        session.run("example()", {"size": 5000})
        config = session.launches[0].info.config
        configs = [config.updated({"BLOCK_SIZE": 1 << power}) for power in range(6, 11)]
        killed, seen, at_rest = [], [], []
        def go_on():
            at_rest.append(list(seen))
            job.resume()
        def take(reply):
            if not isinstance(reply, SweepProgress):
                return
            seen.append(reply.done)
            if reply.done == 2:
                job.pause()
                threading.Timer(2.0, go_on).start()
            if reply.done == 3:
                for child in psutil.Process().children():
                    if "playground.engine.bench_worker" in child.cmdline():
                        child.send_signal(signal.SIGKILL)
                        killed.append(child.pid)
        job = Job(take)
        result = session.sweep(0, configs, job=job)
        answer([at_rest, len(killed), [row.status for row in result.rows], result.cancelled])
        session.close()
        """
    )
    assert answer == [[[1, 2]], 1, ["correct"] * 5, False]
