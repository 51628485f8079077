"""What the CUDA driver says of the GPUs, asked of one made by hand; and what follows from it."""

from __future__ import annotations

import uuid

import pytest

from playground.engine import ahead, gpus, machine
from playground.model.sweep_workers import Workers

DEFAULT, EXCLUSIVE = 0, 3


class FakeDriver:
    """Answers as libcuda does, for GPUs of these compute modes."""

    def __init__(self, *modes: int) -> None:
        self.modes = modes

    def cuDeviceGetCount(self, count) -> int:
        count._obj.value = len(self.modes)
        return 0

    def cuDeviceGet(self, gpu, index) -> int:
        gpu._obj.value = index.value
        return 0

    def cuDeviceGetUuid(self, raw, gpu) -> int:
        raw._obj[:] = list(uuid.UUID(int=gpu.value).bytes)
        return 0

    def cuDeviceGetName(self, raw, _size, _gpu) -> int:
        raw.value = b"NVIDIA H200"
        return 0

    def cuDeviceGetAttribute(self, value, which, gpu) -> int:
        value._obj.value = {75: 9, 76: 0, 20: self.modes[gpu.value]}[which.value]
        return 0


@pytest.fixture
def driver(monkeypatch):
    def have(*modes: int, visible: str = "") -> None:
        gpus.visible_gpus.cache_clear()
        monkeypatch.setattr(gpus, "cuda_driver", lambda: FakeDriver(*modes) if modes else None)
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        monkeypatch.delenv("TRITON_INTERPRET", raising=False)

    yield have
    gpus.visible_gpus.cache_clear()


def test_gpus_are_named_as_the_environment_names_them(driver) -> None:
    driver(DEFAULT, EXCLUSIVE)
    first, second = gpus.visible_gpus()
    assert (first.token, first.name, first.target) == (
        f"GPU-{uuid.UUID(int=0)}", "NVIDIA H200", "cuda:90",
    )  # fmt: skip
    assert (first.shared, second.shared) == (True, False)
    driver(DEFAULT, visible="MIG-12ab")
    (instance,) = gpus.visible_gpus()
    assert instance.token == "MIG-12ab"
    driver()
    assert gpus.visible_gpus() == ()


@pytest.mark.parametrize(
    ("modes", "workers", "pinned"),
    [
        ((DEFAULT, DEFAULT), Workers(), [""]),
        ((DEFAULT, DEFAULT), Workers(2), ["GPU-0", "GPU-1"]),
        ((DEFAULT, DEFAULT, DEFAULT), Workers(2), ["GPU-0", "GPU-1"]),
        ((DEFAULT,), Workers(2), []),  # the engine refuses it, in words
        ((EXCLUSIVE,), Workers(), []),  # whoever comes first keeps the engine out
        ((DEFAULT, DEFAULT), Workers(2, cluster="slurm"), []),
        ((), Workers(), [""]),
        ((), Workers(2, share=True), []),
    ],
)
def test_what_times_is_started_ahead_where_it_keeps_nobody_out(
    driver, monkeypatch, modes, workers, pinned
) -> None:
    driver(*modes)
    started = []
    monkeypatch.setattr(machine, "prepare_environment", lambda: None)
    monkeypatch.setattr(ahead, "most_workers", lambda: 1)
    monkeypatch.setattr(ahead, "WorkerProcess", lambda: None)
    monkeypatch.setattr(ahead, "spare_process", lambda gpu: started.append(gpu))
    found = ahead.start_ahead(workers)
    named = {f"GPU-{uuid.UUID(int=index)}": f"GPU-{index}" for index in range(3)}
    assert [named.get(gpu, gpu) for gpu in started] == pinned
    assert [named.get(gpu, gpu) for gpu, _ in found.benches] == pinned
    assert len(found.compilers) == 1
