"""Memory that a run, a cancelled launch or a failed job held is free again soon."""

import gc

from playground.engine.tidying import MOST_JOBS, MOST_OWED, REST_S, Tidying, trim


class Loop:
    """A loop that calls back when the test says so."""

    def __init__(self) -> None:
        self.waiting = {}

    def call_later(self, delay, callback):
        self.waiting[len(self.waiting)] = (delay, callback)
        return len(self.waiting) - 1

    def remove_timeout(self, timeout):
        del self.waiting[timeout]


class Ring:
    def __init__(self) -> None:
        self.ring = self


def rings() -> int:
    return sum(type(item) is Ring for item in gc.get_objects())


def test_it_collects_once_there_is_rest_and_a_job_puts_it_off():
    loop = Loop()
    tidying = Tidying(loop)
    gc.disable()
    try:
        Ring()
        tidying.end(littered=True)
        assert [delay for delay, _ in loop.waiting.values()] == [REST_S]
        tidying.begin()
        assert not loop.waiting
        tidying.end(littered=False)
        assert rings() == 1
        ((_, collect),) = loop.waiting.values()
        collect()
        assert rings() == 0
    finally:
        gc.enable()


def test_without_a_rest_it_collects_after_so_many_jobs():
    for littered, most in ((True, MOST_OWED), (False, MOST_JOBS)):
        loop = Loop()
        tidying = Tidying(loop)
        gc.disable()
        try:
            Ring()
            for _ in range(most - 1):
                tidying.begin()
                tidying.end(littered=littered)
            assert rings() == 1
            tidying.begin()
            tidying.end(littered=littered)
            assert rings() == 0
            assert not loop.waiting
        finally:
            gc.enable()


def test_the_c_library_gives_memory_back_or_is_another_one():
    trim()


def test_runs_and_launches_that_ended_hold_no_tensors(run_engine):
    """Nor do those that were cancelled: the collector is off, and what goes went by itself."""
    found = run_engine(
        """
    import builtins, gc, os, weakref
    os.environ["TRITON_INTERPRET"] = "1"
    import torch
    import playground
    from playground.engine.job import CancelledError, Job

    gc.collect()
    gc.disable()

    def held():
        return {id(item) for item in gc.get_objects() if type(item) is torch.Tensor}

    class Cancelled(Job):
        def check(self):
            self.looked = getattr(self, "looked", 0) + 1
            if self.looked == 40:
                self.cancel()
            super().check()

    path = write("two.py", (KERNELS / "vector_add.py").read_text())
    session = playground.open(path)
    session.run(sizes={"size": 4096})
    session.judge(0, session.launches[0].info.config.updated({"BLOCK_SIZE": 512}))
    # What all checks have in common is there now, and stays.
    more = {}
    for step in ("check", "measure"):
        session.prepare(0, session.launches[0].info.config.updated({"BLOCK_SIZE": 64}))
        before = held()
        try:
            session.replay(0, steps=(step,), job=Cancelled(), BLOCK_SIZE=64)
        except CancelledError:
            more[step] = 0
        more[step] += len(held() - before)

    tensors = [item for item in gc.get_objects() if type(item) is torch.Tensor]
    builtins.PROBES = [weakref.ref(item) for item in tensors]
    del tensors
    session.run()
    gc.collect()  # as the engine does once it rests
    still = sum(probe() is not None for probe in builtins.PROBES)
    answer({"cancelled": more, "before": len(builtins.PROBES), "still": still})
    session.close()
    """
    )
    assert found["cancelled"] == {"check": 0, "measure": 0}
    assert found["before"] > 3
    assert found["still"] == 0
