"""A sweep on a cluster of ipyparallel's: real engines of this machine, one of them killed."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import pytest

from playground.engine import cluster_benches
from playground.engine.benches import WorkersError
from playground.engine.cluster_benches import Seats
from playground.engine.cluster_engine import EngineFacts
from playground.engine.clusters import Cluster
from playground.engine.gpus import VisibleGpu
from playground.engine.job import Job
from playground.model.sweep_workers import Workers
from tests.engine.test_sweep_workers import SWEEP

needs_ipyparallel = pytest.mark.skipif(
    importlib.util.find_spec("ipyparallel") is None, reason="ipyparallel is not installed"
)


def host(name: str, *numbers: int) -> EngineFacts:
    gpus = tuple(VisibleGpu(str(n), f"GPU-{n}", "H200", "cuda:90") for n in numbers)
    return EngineFacts(name, 1, gpus)


def test_every_engine_gets_a_gpu_of_its_own_host() -> None:
    seats = Seats(share=False, interpret=False)
    placed = [seats.seat(n, host(name, 0, 1)) for n, name in enumerate("aab")]
    assert [gpu.uuid for gpu in placed if gpu] == ["GPU-0", "GPU-1", "GPU-0"]
    assert seats.seat(3, host("a", 0, 1)) is None
    seats.leave(1)
    again = seats.seat(3, host("a", 0, 1))
    assert again is not None
    assert again.uuid == "GPU-1"


def test_a_batch_system_that_shows_each_engine_one_gpu_is_followed() -> None:
    seats = Seats(share=False, interpret=False)
    placed = [seats.seat(n, host("a", n)) for n in range(2)]
    assert [(gpu.token, gpu.uuid) for gpu in placed if gpu] == [("0", "GPU-0"), ("1", "GPU-1")]


def test_engines_share_a_gpu_only_when_asked() -> None:
    seats = Seats(share=True, interpret=False)
    placed = [seats.seat(n, host("a", 0, 1)) for n in range(3)]
    assert [gpu.uuid for gpu in placed if gpu] == ["GPU-0", "GPU-1", "GPU-0"]
    assert Seats(share=True, interpret=True).seat(0, host("a", 0)) is None


@needs_ipyparallel
def test_a_killed_engine_is_replaced_and_its_config_tried_by_another(run_engine) -> None:
    answer = run_engine(
        SWEEP
        + """
import platform, time

def of_cluster(module):
    found = []
    for one in psutil.process_iter(["cmdline"]):
        try:
            if module in (one.info["cmdline"] or []) and "pg-cluster-" in str(one.environ()):
                found.append(one)
        except psutil.Error:
            continue
    return found

seen = []
def go_on_with_a_third():
    end = time.monotonic() + 150
    while len(tried()) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    job.resume()

def take(reply):
    if not isinstance(reply, SweepProgress):
        return
    if reply.done == 2:
        found = of_cluster("ipyparallel.engine")
        seen.append(len(found))
        found[0].send_signal(signal.SIGKILL)
    if reply.done == 3:
        job.pause()
        threading.Thread(target=go_on_with_a_third).start()

job = Job(take)
plan = SweepPlan(space, workers=Workers(2, share=True, cluster="local"))
result = session.sweep(0, plan=plan, job=job)
left = of_cluster("ipyparallel.engine") + of_cluster("ipyparallel.controller")
answer({"rows": [[row.config["B"], row.status, row.device] for row in result.rows],
        "note": result.note, "seen": seen, "tried": tried(), "left": len(left),
        "host": platform.node(),
        "guards": [one.cmdline() for one in psutil.Process().children()
                   if "playground.engine.cluster_guard" in one.cmdline()]})
session.close()
"""
    )
    assert sorted(block for block, _, _ in answer["rows"]) == [1 << bit for bit in range(3, 11)]
    assert {status for _, status, _ in answer["rows"]} == {"correct"}
    assert {device for _, _, device in answer["rows"]} == {f"interpreter of {answer['host']}"}
    assert f"2 engines of local on {answer['host']}, interpreters, on no GPU" in answer["note"]
    assert answer["seen"] == [2]
    assert len(answer["tried"]) == 3  # two at first, and one in place of the lost
    assert (answer["left"], answer["guards"]) == (0, [])


class FakeCluster:
    """Engines that are asked for their GPUs only."""

    listens = ""

    def __init__(self, *hosts: EngineFacts) -> None:
        self.hosts = hosts
        self.closed = 0

    def engines(self) -> list[int]:
        return list(range(len(self.hosts)))

    def facts(self, engine: int, _go_on) -> EngineFacts:
        return self.hosts[engine]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def opened(monkeypatch):
    def make(cluster: FakeCluster, workers: Workers):
        monkeypatch.setattr(cluster_benches.Cluster, "opened", lambda *_: cluster)
        monkeypatch.setattr(cluster_benches, "recipe_of", lambda *_, **__: None)
        monkeypatch.setattr(cluster_benches, "gpu_count", lambda: 0)
        device = SimpleNamespace(mode="interpreter", target="cuda:80")
        session = SimpleNamespace(device=device)
        return cluster_benches.open_cluster(session, 0, workers, Job())

    return make


def test_engines_with_gpus_are_used_from_a_machine_without_one(opened) -> None:
    cluster = FakeCluster(host("a", 0, 1), host("a", 0, 1), host("a", 0, 1), host("login"))
    found = opened(cluster, Workers(4, cluster="slurm"))
    assert (len(found.workers), found.timed, found.target) == (2, True, "cuda:90")
    assert found.on_several_gpus
    assert found.note == (
        "2 engines of slurm on a, each with a GPU of its own; "
        "2 more without a GPU of their own are not used"
    )
    found.on_close.pop()()
    assert cluster.closed == 1


def test_engines_without_a_gpu_are_refused_unless_asked_for_as_such(opened) -> None:
    cluster = FakeCluster(host("a"), host("b"))
    with pytest.raises(WorkersError, match="none of the 2 engines of ssh may use") as error:
        opened(cluster, Workers(cluster="ssh"))
    assert "--share" in error.value.hint
    assert cluster.closed == 1
    found = opened(cluster, Workers(cluster="ssh", share=True))
    assert (len(found.workers), found.timed, found.target) == (2, False, "cuda:80")


@needs_ipyparallel
def test_a_profile_that_is_not_there_is_refused() -> None:
    with pytest.raises(WorkersError, match="no cluster profile nowhere") as error:
        Cluster.opened("nowhere", 2, Job())
    assert "ipython profile create --parallel nowhere" in error.value.hint


@needs_ipyparallel
def test_a_profile_that_does_not_say_how_many_engines_is_asked(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    (tmp_path / "profile_slow").mkdir()
    with pytest.raises(WorkersError, match="does not say how many engines") as error:
        Cluster.opened("slow", None, Job())
    assert error.value.hint.startswith("say --gpus N, or set c.Cluster.n in ")


@needs_ipyparallel
def test_engines_that_end_at_once_are_not_waited_for(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    folder = tmp_path / "profile_mpi"
    folder.mkdir()
    program = tmp_path / "mpiexec"
    program.write_text("#!/bin/sh\necho \"No module named 'mpi4py'\" >&2\nexit 1\n")
    program.chmod(0o755)
    (folder / "ipcluster_config.py").write_text(
        f"c.Cluster.engine_launcher_class = 'mpi'\nc.MPILauncher.mpi_cmd = ['{program}']\n"
    )
    with pytest.raises(WorkersError, match="ended before they were there: No module") as error:
        Cluster.opened("mpi", 2, Job())
    assert "pip install mpi4py" in error.value.hint


@needs_ipyparallel
def test_a_profile_over_ssh_says_how_many_engines_by_host(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    folder = tmp_path / "profile_ssh"
    folder.mkdir()
    (folder / "ipcluster_config.py").write_text(
        "c.Cluster.engine_launcher_class = 'ssh'\n"
        "c.SSHEngineSetLauncher.engines = {'gpu1': 2, 'gpu2': {'n': 3}}\n"
        "c.SSHLauncher.ssh_cmd = ['/nosuch/ssh']\n"
        "c.SSHLauncher.scp_cmd = ['/nosuch/scp']\n"
    )
    asked = []
    import ipyparallel

    def start(cluster, n=None):
        asked.append(n)
        raise FileNotFoundError("no ssh here")

    monkeypatch.setattr(ipyparallel.Cluster, "start_cluster_sync", start, raising=False)
    with pytest.raises(WorkersError, match="the cluster ssh does not start: no ssh here"):
        Cluster.opened("ssh", None, Job())
    assert asked == [5]
