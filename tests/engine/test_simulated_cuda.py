"""Files written for `device="cuda"` without a GPU: redirected, harmless, and honest."""

import copy
import io

import numpy as np
import pytest
import torch

from playground.engine import (
    arguments,
    run_notes,
    simulated_calls,
    simulated_cuda,
    simulated_placement,
    unmeasured,
    user_frames,
)

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@pytest.fixture
def cuda():
    with simulated_cuda.simulated_cuda("cuda:90"):
        yield


@pytest.fixture
def notes():
    with run_notes.taking(run_notes.RunNotes()) as taken:
        yield taken


def told(notes):
    return " ".join(finding.message for finding in notes.findings)


@pytest.mark.parametrize(
    "device", ["cuda", "cuda:0", torch.device("cuda"), torch.device("cuda", 0)]
)
def test_tensors_asked_for_on_a_gpu_are_made_on_the_cpu(notes, cuda, device):
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
    ]
    assert {arguments.storage_key(item)[0] for item in made} == {"cpu"}, "this app has the truth"
    assert {item.device for item in made} == {torch.device("cuda", 0)}
    assert made[7].dtype == made[8].dtype == torch.float16
    assert all(item.is_cuda and not item.is_cpu and item.get_device() == 0 for item in made)
    assert made[0].type() == "torch.cuda.FloatTensor"
    assert "the GPU is simulated" in told(notes)
    for host in (torch.empty(2, pin_memory=True), torch.ones(2).pin_memory(), torch.ones(2),
                 torch.ones(2, device="cpu"), torch.from_numpy(np.ones(2))):  # fmt: skip
        assert host.device.type == "cpu"
        assert not host.is_cuda


def test_results_lie_where_their_arguments_lie(cuda):
    host, there = torch.ones(2, 2), torch.ones(2, 2, device="cuda")
    results = [
        there + 1, host[0, 0] * there, there.T, there[0], there.sum(), torch.stack([there, there]),
        *torch.split(there, 1), there.detach(), copy.deepcopy(there), there.half(),
        torch.nn.functional.softmax(there, 0), torch.zeros_like(there), there.new_zeros(3),
        torch.nn.Parameter(there), torch.ones(1).to(there),
    ]  # fmt: skip
    assert all(result.is_cuda for result in results)
    assert not any(result.is_cuda for result in (host + 1, there.cpu() * 2, host.half(), host.T))
    torch.testing.assert_close(there, host)  # no error of devices: both are the CPU's


def test_gradients_and_saved_tensors_are_on_the_gpu_in_a_backward_pass(cuda):
    seen = []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            made = torch.empty(gradient.shape, device=gradient.device)
            seen.extend([gradient.is_cuda, x.is_cuda, made.is_cuda])
            return made.copy_(gradient) * 2

    x = torch.ones(3, device="cuda", requires_grad=True)
    Twice.apply(x).sum().backward()
    assert seen == [True, True, True]
    assert x.grad.is_cuda
    assert x.grad.tolist() == [2.0] * 3


def test_other_threads_see_the_simulated_gpu_too(cuda):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(lambda: torch.ones(2, device="cuda")).result()
    assert made.is_cuda


def test_the_default_device_may_be_a_gpu(cuda):
    with torch.device("cuda"):
        assert torch.ones(2).is_cuda
    torch.set_default_device("cuda")
    try:
        assert torch.ones(2).is_cuda
        assert torch.get_default_device().type == "cuda"
    finally:
        torch.set_default_device(None)
    assert not torch.ones(2).is_cuda


@pytest.mark.parametrize("scope", ["with", "default"])
def test_tensors_are_told_apart_only_once_there_are_both(cuda, scope):
    early = torch.ones(2)
    results = [early + 1]
    assert not simulated_placement.in_use()
    if scope == "with":
        with torch.device("cuda"):
            there = torch.ones(2)  # the first, within a mode of the user's own
            inside = there * 2
    else:
        torch.set_default_device("cuda")
        there = torch.ones(2)
        inside = there * 2
        torch.set_default_device(None)
    assert simulated_placement.is_mixed()
    assert [item.is_cuda for item in (early, *results, there, inside, there + 1)] == [
        False, False, True, True, True,
    ]  # fmt: skip
    assert not any(item.is_cuda for item in (early * 2, torch.ones(2), results[0][0]))


def test_this_app_copies_nothing_to_look_at_it_on_the_host(cuda):
    there = torch.ones(64, device="cuda")
    names = {"there": there}
    exec(compile("same = there.cpu() is there", arguments.__file__, "exec"), names)
    assert names["same"]
    assert there.cpu() is not there
    assert (there * 2).is_cuda


def test_a_file_all_on_the_gpu_is_not_followed(cuda):
    there = torch.ones(2, device="cuda")
    made = there * 2
    torch.zeros(2, device=made.device)
    assert torch._C._len_torch_function_stack() == 0
    assert made.is_cuda
    host = torch.ones(2)
    assert torch._C._len_torch_function_stack() == 1
    assert (made.is_cuda, (made + 1).is_cuda, host.is_cuda, (host + 1).is_cuda) == (
        True, True, False, False,
    )  # fmt: skip


def test_functions_called_after_a_run_find_its_tensors_where_they_were(notes):
    places = simulated_cuda.Places()
    with simulated_cuda.simulated_cuda("cuda:90", places):
        made = torch.ones(2, device="cuda") * 2
    for _ in range(2):
        with simulated_cuda.simulated_cuda("cuda:90", places):
            assert made.is_cuda
    with simulated_cuda.simulated_cuda("cuda:90", places):
        host = torch.ones(2)
        assert (made.is_cuda, (made * 2).is_cuda, host.is_cuda) == (True, True, False)
    with simulated_cuda.simulated_cuda("cuda:90", simulated_cuda.Places()):
        assert not torch.ones(2).is_cuda


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


def test_events_give_no_gpu_time(notes, cuda):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record()
    end.synchronize()
    assert str(start.elapsed_time(end)) == unmeasured.SHOWN
    assert "not measured" in told(notes)


def test_a_time_that_is_none_keeps_host_code_going():
    time = unmeasured.Unmeasured()
    assert f"{time:8.3f}|{3 * time:.1f}|{time}" == "not measured|not measured|not measured"
    assert str(1 / (time * 1e-3)) == unmeasured.SHOWN
    assert sorted([time, 2.0, 0.5]) == [0.5, 1.0, 2.0]
    assert (int(time), min(time, 2.0), round(time, 2) == 1, np.median([time, 1.0])) == (
        1, 1.0, True, 1.0,
    )  # fmt: skip


def test_mixed_precision_and_graphs_are_harmless_and_said(notes, cuda):
    with torch.autocast("cuda"):
        product = torch.ones(2, 2, device="cuda") @ torch.ones(2, 2, device="cuda")
    assert product.dtype == torch.float16
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x = torch.ones(2, device="cuda") + 1
    graph.replay()
    assert x.tolist() == [2.0, 2.0]
    assert torch.cuda.max_memory_allocated() == 0
    assert "autocast" in told(notes)
    assert "replay() does nothing" in told(notes)


def test_very_large_tensors_are_told(notes, cuda):
    torch.empty((1 << 26) + 1, dtype=torch.int8, device="cuda")
    assert "67,108,865 elements" in told(notes)


def test_properties_are_those_of_the_target_and_say_so(cuda):
    assert torch.cuda.is_available()
    assert torch.cuda.device_count() == 1
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
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
    assert torch.load(file, map_location="cuda").is_cuda


def test_everything_is_put_back():
    names = [*simulated_calls.cuda_calls()]
    before = {name: getattr(torch.cuda, name) for name in names}
    generator, load, tensor = torch.Generator, torch.load, dict(vars(torch.Tensor))
    with simulated_cuda.simulated_cuda():
        assert torch.cuda.synchronize is not before["synchronize"]
        with simulated_cuda.simulated_cuda():
            kept = torch.ones(2, device="cuda")
        assert kept.is_cuda, "it goes on until the outermost one ends"
        torch.set_default_device("cuda")
    assert {name: getattr(torch.cuda, name) for name in names} == before
    assert (torch.Generator, torch.load) == (generator, load)
    assert dict(vars(torch.Tensor)) == tensor
    assert not kept.is_cuda
    assert torch.ones(2).device.type == "cpu"
    assert not torch.cuda.is_available()
    with pytest.raises((AssertionError, RuntimeError)):
        torch.empty(1, device="cuda")


def test_what_is_a_class_in_torch_is_one_here(cuda):
    streams = torch.cuda.Stream | None  # an annotation, evaluated when a library is imported
    assert isinstance(torch.cuda.current_stream(), streams)
    assert isinstance(torch.cuda.Event(enable_timing=True), torch.cuda.Event)


def test_launchers_that_draw_seed_and_offset_get_new_ones_each_time_and_the_same_again(cuda):
    def drawn():
        generator = torch.cuda.default_generators[torch.cuda.current_device()]
        state = generator.get_state()
        words = state.view(torch.int64)
        seed, offset = int(words[0]), int(words[1])
        words[1] += 4
        generator.set_state(state)
        return seed, offset

    torch.manual_seed(7)
    first = [drawn() for _ in range(3)]
    assert len(set(first)) == 3
    torch.manual_seed(7)
    assert [drawn() for _ in range(3)] == first, "a replay puts the generator back"
    generator = torch.cuda.default_generators[0]
    kept = generator.get_state()
    here = drawn()
    generator.set_state(kept)
    assert drawn() == here


def test_memory_of_generated_files_lies_where_a_gpu_would_hold_it(cuda):
    with torch.cuda._DeviceGuard(0):
        made = torch._C._dynamo.guards._empty_strided_cuda((2, 3), (1, 2), torch.float16)
    assert (made.shape, made.stride(), made.dtype) == ((2, 3), (1, 2), torch.float16)
    assert made.is_cuda


def test_a_file_that_asks_whether_triton_has_a_gpu_is_told_so_while_it_is_simulated():
    code = compile(
        "from torch.utils._triton import has_triton\nfound = has_triton()", "k.py", "exec"
    )
    user_frames.register("k.py")
    namespace: dict[str, object] = {}
    with simulated_cuda.simulated_cuda("cuda:90"):
        exec(code, namespace)
    assert namespace["found"] is True
