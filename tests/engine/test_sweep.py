def test_every_config_ends_with_a_status_and_a_reason(run_engine):
    answer = run_engine(
        """
        import playground
        from playground.engine.job import Job
        from playground.protocol.messages import SweepProgress

        path = write("k.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(x, o, n, B: tl.constexpr):
                tl.static_assert(B <= 128, "tile too wide")
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)

            def example(n: int = 100):
                x = torch.zeros(n)
                o = torch.empty_like(x)
                kernel[lambda m: (triton.cdiv(n, m["B"]),)](x, o, n, B=64)
                return o
        ''')
        session = playground.open(path)
        session.run()
        config = session.launches[0].info.config
        configs = [config.updated({"B": block}) for block in (32, 64, 256)]
        sent = []
        result = session.sweep(0, configs, job=Job(sent.append))
        answer({
            "rows": {row.config["B"]: [row.status, row.reason, row.median_ms, row.registers]
                     for row in result.rows},
            "total": result.total, "best": result.best, "note": result.note,
            "progress": [r.done for r in sent if isinstance(r, SweepProgress)],
        })
        session.close()
        """
    )
    rows = answer["rows"]
    assert [rows[key][0] for key in ("32", "64", "256")] == ["correct", "correct", "compile"]
    assert "tile too wide" in rows["256"][1]
    assert rows["64"][3] > 0
    assert all(row[2] is None for row in rows.values())
    assert (answer["total"], answer["best"]) == (3, None)
    assert "nothing is ranked by time" in answer["note"]
    assert answer["progress"] == [1, 2, 3]


def test_cancelling_keeps_the_rows_so_far(run_engine):
    answer = run_engine(
        """
        import playground
        from playground.engine.job import Job
        from playground.protocol.messages import SweepProgress

        session = playground.open(KERNELS / "vector_add.py")
        session.run("example()", {"size": 5000})
        config = session.launches[0].info.config
        configs = [config.updated({"BLOCK_SIZE": 1 << power}) for power in range(5, 11)]
        job = None
        def take(reply):
            if isinstance(reply, SweepProgress) and reply.done == 2:
                job.cancel()
        job = Job(take)
        result = session.sweep(0, configs, job=job)
        answer([result.cancelled, len(result.rows), session.check().result.status])
        session.close()
        """
    )
    assert answer == [True, 2, "correct"]


def test_workers_started_ahead_are_those_that_are_used(run_starting_engine):
    answer = run_starting_engine(
        """
        import playground, psutil

        def workers(module):
            return {one.pid for one in psutil.Process().children()
                    if f"playground.engine.{module}" in one.cmdline()}

        session = playground.open(KERNELS / "vector_add.py")
        session.compiler.worker_limit = 2
        session.prestart_bench()
        (spare,), compiling = workers("bench_worker"), workers("compile_worker")
        session.prestart_bench()  # what is there is enough
        same = [workers("bench_worker") == {spare}, workers("compile_worker") == compiling]
        session.run("example()", {"size": 5000})
        config = session.launches[0].info.config
        result = session.sweep(0, [config, config.updated({"BLOCK_SIZE": 64})])
        answer([[row.status for row in result.rows], psutil.pid_exists(spare), same,
                workers("compile_worker") >= compiling])
        session.prestart_bench()
        session.close()
        """
    )
    assert answer == [["correct", "correct"], False, [True, True], True]


def test_a_files_own_tuner_is_honoured(run_engine):
    answer = run_engine(
        """
        import playground

        path = write("k.py", '''
            import torch, triton, triton.language as tl

            def fits(configs, named, **kwargs):
                return [one for one in configs if one.kwargs["B"] <= 64]

            def guessed(x, o, n, B, **options):
                return n / B  # the larger, the better

            @triton.autotune(configs=[triton.Config({"B": b}) for b in (16, 32, 64, 128)],
                             key=["n"], reset_to_zero=["o"],
                             prune_configs_by={"early_config_prune": fits, "perf_model": guessed,
                                               "top_k": 2})
            @triton.jit
            def total(x, o, n, B: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.atomic_add(o, tl.sum(tl.load(x + i, i < n, 0.0)))

            @triton.autotune(configs=[triton.Config({"B": b}) for b in (16, 32)], key=["n"],
                             restore_value=["x"])
            @triton.jit
            def twice(x, n, B: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.store(x + i, 2 * tl.load(x + i, i < n), i < n)

            def example(n: int = 100):
                x, o = torch.ones(n), torch.zeros(1)
                total[lambda m: (triton.cdiv(n, m["B"]),)](x, o, n)
                twice[lambda m: (triton.cdiv(n, m["B"]),)](x, n)
                return o
        ''')
        session = playground.open(path)
        session.run()
        presets = session.launches[0].info.presets
        offered = [[preset.config["B"], preset.tuned] for preset in presets]
        answer([sorted([row.config["B"], row.status] for row in session.sweep(launch).rows)
                for launch in (0, 1)] + [offered])
        session.close()
        """
    )
    # 128 is ruled out by the file, 16 is not among the two that its model thinks best.
    assert answer == [
        [[32, "correct"], [64, "correct"]], [[16, "correct"], [32, "correct"]],
        [[16, False], [32, True], [64, True]],
    ]  # fmt: skip
