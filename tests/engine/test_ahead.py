"""Processes of a sweep that are started before torch is imported, and what a first compile does."""


def test_a_session_uses_the_processes_started_before_it(run_starting_engine):
    answer = run_starting_engine(
        """
        import os, sys
        import psutil
        from playground.engine import ahead as starting
        from playground.model.sweep_workers import Workers

        starting.most_workers = lambda: 2
        os.environ["PG_BEFORE"] = "1"
        started = starting.start_ahead(Workers())
        os.environ["PG_AFTER"] = "1"
        without_torch = "torch" not in sys.modules
        ((_, bench),), (compiler,) = started.benches, started.compilers

        import playground

        session = playground.open(KERNELS / "vector_add.py")
        session.compiler.worker_limit = 2
        started.hand_over(session)
        session.prestart_bench()
        ours = {one.pid for one in psutil.Process().children()}
        session.run("example()", {"size": 5000})
        told = dict(session.compiler.file.environment)
        config = session.launches[0].info.config
        result = session.sweep(0, [config, config.updated({"BLOCK_SIZE": 64})])
        session.close()
        started.close()  # nothing is left to it
        gone = not psutil.pid_exists(bench.pid) and not psutil.pid_exists(compiler.pid)
        answer([without_torch, ours == {bench.pid, compiler.pid}, told.get("PG_AFTER"),
                "PG_BEFORE" in told, [row.status for row in result.rows], gone])
        """,
        fresh=True,  # nothing is imported yet where they are started
    )
    assert answer == [True, True, "1", False, ["correct", "correct"], True]


def test_what_no_session_takes_is_ended(run_starting_engine):
    answer = run_starting_engine(
        """
        import psutil
        from playground.engine import ahead as starting
        from playground.model.sweep_workers import Workers

        starting.most_workers = lambda: 3
        several = starting.start_ahead(Workers(2))
        counts = [len(several.benches), len(several.compilers)]
        pids = [one.pid for one in several.compilers]
        several.close()
        answer([counts, [psutil.pid_exists(pid) for pid in pids]])
        """
    )
    assert answer == [[0, 1], [False]]


def test_a_worker_compiles_once_and_keeps_nothing_of_it(tmp_path):
    import subprocess
    import sys

    from tests.child_environment import ROOT, child_environment

    script = (
        "from playground.engine.triton_private import first_compile, stub_driver\n"
        "first_compile.compile_first('cuda:90')\n"
        "import tempfile, os\n"
        "print(stub_driver.is_stub_active(), len(first_compile.product.device_caches),"
        " [n for n in os.listdir(tempfile.gettempdir()) if n.startswith('pg-first-')])\n"
    )
    environment = child_environment(
        interpret=False, TRITON_CACHE_DIR=str(tmp_path / "cache"), TMPDIR=str(tmp_path)
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, cwd=ROOT,
        env=environment | {"TRITON_DEFAULT_FP_FUSION": "1"}, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "True 0 []"
    assert not (tmp_path / "cache").exists()
