"""Files written for `device="cuda"` without a GPU: redirected, harmless, and honest."""

import io
import math

import pytest
import torch

from playground.engine import simulated_cuda

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@pytest.fixture
def cuda():
    with simulated_cuda.simulated_cuda("cuda:90"):
        yield


@pytest.mark.parametrize(
    "device", ["cuda", "cuda:0", torch.device("cuda"), torch.device("cuda", 0)]
)
def test_tensors_asked_for_on_a_gpu_are_made_on_the_cpu(cuda, device):
    made = [
        torch.empty(3, device=device),
        torch.tensor([1, 2], device=device),
        torch.randn(2, 2, device=device, generator=torch.Generator(device=device).manual_seed(0)),
        torch.zeros_like(torch.ones(2), device=device),
        torch.ones(2).new_zeros(3, device=device),
        torch.arange(4, device=device, dtype=torch.int32),
        torch.ones(2).to(device),
        torch.ones(2).to(device=device, dtype=torch.float16),
        torch.ones(2).to(device, torch.float16, non_blocking=True),
        torch.ones(2).cuda(),
        torch.ones(2).cuda(0, non_blocking=True),
        torch.nn.Linear(2, 2).to(device).weight,
        torch.nn.Linear(2, 2, device=device).weight,
        torch.empty(2, pin_memory=True),
        torch.ones(2).pin_memory(),
    ]
    assert {item.device.type for item in made} == {"cpu"}
    assert made[7].dtype == made[8].dtype == torch.float16
    assert not any(item.is_cuda for item in made)
    assert "there is no GPU here" in " ".join(simulated_cuda.notes())


def test_the_default_device_may_be_a_gpu(cuda):
    with torch.device("cuda"):
        assert torch.ones(2).device.type == "cpu"
    torch.set_default_device("cuda")
    try:
        assert torch.ones(2).device.type == "cpu"
    finally:
        torch.set_default_device(None)


def test_moving_to_and_from_the_gpu_copies_as_it_does_there(cuda):
    host = torch.ones(3)
    for moved in (host.cuda(), host.to("cuda"), host.to(device="cuda")):
        moved.zero_()
    assert host.sum() == 3
    there = torch.ones(3, device="cuda")
    before = there.cpu()
    also_before = there.to("cpu")
    there.zero_()
    assert before.sum() == also_before.sum() == 3
    # What is there already stays the same tensor.
    assert there.cuda() is there
    assert there.to("cuda") is there


def test_what_launchers_put_around_a_kernel_does_nothing(cuda):
    x = torch.zeros(1)
    with torch.cuda.device(x.device.index), torch.cuda.device(x.device), torch.cuda.device_of(x):
        torch.cuda.synchronize()
    torch.cuda.set_device(0)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        x += 1
    x.record_stream(stream)
    torch.cuda.empty_cache()
    torch.cuda.nvtx.range_push("kernel")
    torch.cuda.nvtx.range_pop()
    assert torch.cuda.current_device() == 0


def test_seeds_reach_the_generator_that_is_used(cuda):
    torch.cuda.manual_seed(3)
    first = torch.randn(4, device="cuda")
    torch.cuda.manual_seed_all(3)
    assert torch.equal(first, torch.randn(4, device="cuda"))
    assert isinstance(torch.Generator(device="cuda"), torch.Generator)


def test_events_give_no_gpu_time(cuda):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record()
    end.synchronize()
    assert math.isnan(start.elapsed_time(end))
    assert any("NaN" in note for note in simulated_cuda.notes())


def test_properties_are_those_of_the_target_and_say_so(cuda):
    assert not torch.cuda.is_available()
    assert torch.cuda.get_device_capability() == (9, 0)
    assert torch.cuda.get_device_name(0).startswith("simulated ")
    found = torch.cuda.get_device_properties(0)
    assert (found.major, found.minor, found.warp_size) == (9, 0, 32)
    assert found.multi_processor_count == 132
    assert found.regs_per_multiprocessor == 65536
    simulated_cuda.set_target("cuda:80")
    try:
        assert torch.cuda.get_device_capability() == (8, 0)
        assert torch.cuda.get_device_properties("cuda").multi_processor_count == 108
    finally:
        simulated_cuda.set_target("cuda:90")


def test_what_was_saved_from_a_gpu_loads(cuda):
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    file.seek(0)
    assert torch.load(file, map_location="cuda").device.type == "cpu"


def test_everything_is_put_back():
    before = {name: getattr(torch.cuda, name) for name in simulated_cuda._CUDA}
    generator, load = torch.Generator, torch.load
    with simulated_cuda.simulated_cuda():
        assert torch.cuda.synchronize is not before["synchronize"]
    assert {name: getattr(torch.cuda, name) for name in simulated_cuda._CUDA} == before
    assert (torch.Generator, torch.load) == (generator, load)
    with pytest.raises((AssertionError, RuntimeError)):
        torch.empty(1, device="cuda")
