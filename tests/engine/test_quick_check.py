"""The quick check never calls a wrong result right, and knows what a second launch would read."""

from __future__ import annotations


def test_only_what_is_right_is_called_right(run_engine):
    answer = run_engine(
        """
        import playground
        from playground.engine import quick_check, screening
        from playground.engine.job import Job

        path = write("k.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(x, o, n, B: tl.constexpr, ADD: tl.constexpr, SKIP: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                inside = i < n - SKIP
                tl.store(o + i, tl.load(x + i, inside) + ADD, inside)

            def example(n: int = 100):
                x = torch.arange(n, dtype=torch.float32)
                o = torch.empty_like(x)
                kernel[lambda m: (triton.cdiv(n, m["B"]),)](x, o, n, B=64, ADD=1, SKIP=0)
                return o

            def reference(n: int = 100):
                return torch.arange(n, dtype=torch.float64) + 1
        ''')
        session = playground.open(path)
        session.run()
        config = session.launches[0].info.config
        def right(**changed):
            return quick_check.is_right(session, 0, config.updated(changed), Job())
        prepared = session.prepare(0, config)
        answer([right(), right(B=32), right(ADD=2), right(SKIP=1),
                screening.must_restore(prepared)])
        session.close()
        """
    )
    assert answer == [True, True, False, False, False]


def test_a_launch_that_adds_to_what_is_there_is_restored_each_time(run_engine):
    answer = run_engine(
        """
        import playground
        from playground.engine import screening

        path = write("k.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(o, n, B: tl.constexpr):
                i = tl.program_id(0) * B + tl.arange(0, B)
                tl.store(o + i, tl.load(o + i, i < n) + 1, i < n)

            def example(n: int = 100):
                o = torch.zeros(n)
                kernel[lambda m: (triton.cdiv(n, m["B"]),)](o, n, B=64)
                return o
        ''')
        session = playground.open(path)
        session.run()
        answer(screening.must_restore(session.prepare(0)))
        session.close()
        """
    )
    assert answer is True


def test_every_format_can_be_looked_at():
    import torch

    from playground.engine import quick_check, screening
    from playground.engine.poisoning import poison

    kinds = (torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16, torch.float16, torch.float32,
             torch.float64, torch.int8, torch.int32, torch.int64)  # fmt: skip
    for kind in kinds:
        fresh = torch.empty(64, dtype=kind)
        poison(fresh)
        assert screening._is_uninitialised(fresh), kind
        ones = torch.ones(64).to(kind)
        assert not screening._is_uninitialised(ones), kind
        assert quick_check._is_plain(ones, ones), kind
        assert quick_check._is_plain(fresh, fresh) is not kind.is_floating_point, kind
