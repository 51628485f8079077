"""Several bench workers for one sweep: side by side, lost, replaced; and what is refused."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from playground.engine import benches
from playground.engine.benches import WorkersError, worker_gpus
from playground.engine.findings import finding_from_exception
from playground.engine.gpus import VisibleGpu
from playground.model.sweep_workers import Workers

GPU = SimpleNamespace(device=SimpleNamespace(mode="gpu"))
INTERPRETER = SimpleNamespace(device=SimpleNamespace(mode="interpreter"))


@pytest.fixture
def gpus(monkeypatch):
    def have(count: int) -> None:
        found = tuple(
            VisibleGpu(f"GPU-{index}", f"GPU-{index}", "H200", "cuda:90") for index in range(count)
        )
        monkeypatch.setattr(benches, "visible_gpus", lambda: found)

    return have


def test_each_worker_gets_a_gpu_of_its_own_and_one_alone_sees_them_all(gpus) -> None:
    gpus(2)
    assert worker_gpus(GPU, Workers()) == worker_gpus(GPU, Workers(1)) == ("",)
    assert worker_gpus(GPU, Workers(2)) == ("GPU-0", "GPU-1")


def test_more_workers_than_gpus_are_refused_unless_they_share(gpus) -> None:
    gpus(2)
    with pytest.raises(WorkersError, match="3 GPUs were asked for, and this machine has 2") as two:
        worker_gpus(GPU, Workers(3))
    assert two.value.hint.startswith("ask for --gpus 2, or add --share")
    assert worker_gpus(GPU, Workers(3, share=True)) == ("GPU-0", "GPU-1", "GPU-0")
    gpus(1)
    with pytest.raises(WorkersError, match="has one GPU") as one:
        worker_gpus(GPU, Workers(2))
    assert one.value.hint.startswith("leave --gpus out, or add --share")


def test_without_a_gpu_several_interpreters_are_asked_for_as_such(gpus) -> None:
    gpus(0)
    with pytest.raises(WorkersError, match="has no NVIDIA GPU"):
        worker_gpus(INTERPRETER, Workers(2))
    assert worker_gpus(INTERPRETER, Workers(2, share=True)) == ("", "")
    gpus(1)
    with pytest.raises(WorkersError, match="TRITON_INTERPRET is set"):
        worker_gpus(INTERPRETER, Workers(2))


SWEEP = """
import os, signal, threading
import playground, psutil
from playground.engine.job import Job
from playground.model.sweep_plan import SweepPlan
from playground.model.sweep_space import make_space
from playground.model.sweep_workers import Workers
from playground.protocol.messages import SweepProgress

path = write("k.py", '''
    import pathlib, os, sys, time
    import torch, triton, triton.language as tl

    FOLDER = pathlib.Path(__file__).parent
    WORKER = (getattr(sys.modules["__main__"], "__file__", "") or "").endswith("bench_worker.py")

    @triton.jit
    def kernel(x, o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)

    def cells(meta):
        if WORKER:
            with open(FOLDER / f"{os.getpid()}.tried", "a") as file:
                print(meta["B"], file=file)
            time.sleep(0.05)
        return (triton.cdiv(1000, meta["B"]),)

    def example():
        x = torch.zeros(1000)
        o = torch.empty_like(x)
        kernel[cells](x, o, 1000, B=64)
        return o
''')
session = playground.open(path)
session.run()
launch = session.launches[0].info
space = make_space(launch.knobs, launch.config, {"B": tuple(1 << bit for bit in range(3, 11))})

def tried():
    return {file.stem: [int(line) for line in file.read_text().split()]
            for file in FOLDER.glob("*.tried")}
"""


def test_three_workers_share_a_sweep_and_a_killed_ones_config_goes_to_another(
    run_starting_engine,
) -> None:
    answer = run_starting_engine(
        SWEEP
        + """
killed = []
once = threading.Lock()  # each worker's thread calls it
def take(reply):
    wanted = isinstance(reply, SweepProgress) and reply.done >= 2
    if wanted and once.acquire(blocking=False):
        alive = [one for one in psutil.Process().children()
                 if "playground.engine.bench_worker" in one.cmdline()]
        killed.append(len(alive))
        alive[-1].send_signal(signal.SIGKILL)
plan = SweepPlan(space, workers=Workers(3, share=True))
result = session.sweep(0, plan=plan, job=Job(take))
answer({"rows": [[row.config["B"], row.status, row.device] for row in result.rows],
        "note": result.note, "killed": killed, "tried": tried(), "total": result.total,
        "left": [one.cmdline() for one in psutil.Process().children()
                 if "playground.engine.bench_worker" in one.cmdline()]})
session.close()
"""
    )
    assert sorted(block for block, _, _ in answer["rows"]) == [1 << bit for bit in range(3, 11)]
    assert {status for _, status, _ in answer["rows"]} == {"correct"}
    assert {device for _, _, device in answer["rows"]} == {"interpreter"}
    assert "3 interpreters side by side, on no GPU" in answer["note"]
    assert answer["killed"] == [3]
    assert len(answer["tried"]) >= 2  # no worker did it all
    assert answer["left"] == []


def test_a_refusal_is_a_finding_with_its_remedy() -> None:
    finding = finding_from_exception(WorkersError("no such GPU", "ask for less"), "sweep")
    assert (finding.severity, finding.message, finding.hint) == (
        "error", "no such GPU", "ask for less",
    )  # fmt: skip
