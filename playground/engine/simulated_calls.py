"""Stand-ins for what `torch.cuda` offers around a kernel, for the simulated GPU.

Whatever is asked to wait has been waited for, and nothing is counted. Facts are the target's.
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import run_notes
from playground.engine.simulated_placement import GPU, simulates_for
from playground.engine.unmeasured import Unmeasured
from playground.model.targets import DEFAULT_TARGET, facts_for, parse_target

if TYPE_CHECKING:
    from collections.abc import Callable

_target = DEFAULT_TARGET


class NoFactsError(RuntimeError):
    """A property of the simulated GPU that is not known for the chosen target."""


def set_target(target: str) -> None:
    """Choose the GPU (`cuda:90`) that `torch.cuda.get_device_properties` describes."""
    global _target
    _target = parse_target(target).name


class Nothing:
    """A context and a stream in one: whatever is asked of it has been done already."""

    device = GPU
    cuda_stream = 0
    stream_id = 0
    device_index = 0
    priority = 0

    def __init__(self, *_args: object, **_named: object) -> None:
        pass

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        """Return: nothing runs behind the host's back."""

    def wait_stream(self, _stream: object) -> None:
        """Return: nothing runs behind the host's back."""

    def wait_event(self, _event: object) -> None:
        """Return: nothing runs behind the host's back."""

    def wait(self, _stream: object = None) -> None:
        """Return: nothing runs behind the host's back."""

    def record(self, _stream: object = None) -> None:
        """Note nothing: there is no GPU clock."""

    def record_event(self, event: Any = None) -> Any:
        """Return an event that has happened."""
        return event if event is not None else Event()

    def query(self) -> bool:
        """Return True: everything is done."""
        return True


class Event(Nothing):
    """An event of the simulated GPU."""

    def elapsed_time(self, _end: object) -> float:
        """Return a time that is no measurement: interpreting takes time, but not a GPU's."""
        run_notes.tell(
            "times between torch.cuda.Event's are not measured: there is no GPU to time",
            "numbers that the file computes from them mean nothing",
        )
        return Unmeasured()


class Device(Nothing):
    """`torch.cuda.device(...)` for any index, None included."""

    def __init__(self, device: object = None) -> None:
        self.idx = device if isinstance(device, int) else 0


class Graph(Nothing):
    """`torch.cuda.CUDAGraph`: what is recorded runs at once, and only then."""

    def replay(self) -> None:
        """Leave what the recording computed as it is."""
        run_notes.tell(
            "torch.cuda.CUDAGraph.replay() does nothing without a GPU: what the graph records ran "
            "once, while it was recorded"
        )

    def reset(self) -> None:
        """Forget nothing: nothing is kept."""

    def pool(self) -> tuple[int, int]:
        """Return the identity of a memory pool."""
        return 0, 0

    capture_begin = capture_end = enable_debug_mode = Nothing.synchronize


def _graphed(functions: Any, *_args: object, **_named: object) -> Any:
    return functions


def capability(_device: object = None) -> tuple[int, int]:
    """Return the target's compute capability."""
    arch = parse_target(_target).arch
    if not isinstance(arch, int):
        raise NoFactsError(f"{_target} has no CUDA compute capability")
    return divmod(arch, 10)


def name(_device: object = None) -> str:
    """Return the name of the simulated GPU, which says that it is simulated."""
    gpu = facts_for(_target)
    return f"simulated {gpu.name if gpu else _target}"


def properties(_device: object = None) -> Any:
    """Return what `torch.cuda.get_device_properties` gives, as the target's data sheet has it."""
    gpu = facts_for(_target)
    if gpu is None:
        raise NoFactsError(f"nothing is known about the GPUs of {_target}")
    arch = parse_target(_target).arch
    major, minor = divmod(arch, 10) if isinstance(arch, int) else (0, 0)
    return types.SimpleNamespace(
        name=name(),
        major=major,
        minor=minor,
        gcnArchName="" if isinstance(arch, int) else arch,
        multi_processor_count=gpu.multiprocessors,
        warp_size=gpu.warp_size,
        max_threads_per_block=gpu.max_threads_per_block,
        max_threads_per_multi_processor=gpu.max_warps_per_sm * gpu.warp_size,
        regs_per_multiprocessor=gpu.registers_per_sm,
        shared_memory_per_block=min(gpu.shared_per_block_bytes, 48 * 1024),
        shared_memory_per_block_optin=gpu.shared_per_block_bytes,
        shared_memory_per_multiprocessor=gpu.shared_per_sm_bytes,
        L2_cache_size=gpu.l2_bytes,
        total_memory=gpu.memory_bytes,
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def _memory(_device: object = None) -> tuple[int, int]:
    gpu = facts_for(_target)
    total = gpu.memory_bytes if gpu else 0
    return total, total


def _seed(seed: int) -> None:
    # "GPU" random numbers come from the CPU's generator here.
    torch.default_generator.manual_seed(seed)


def nothing(*_args: object, **_named: object) -> None:
    """Do nothing."""


def _none_used(*_args: object, **_named: object) -> int:
    return 0


def asked(simulated: Any, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that answers the user's files with `simulated`, others with the truth."""

    def answer(*args: Any, **named: Any) -> Any:
        return simulated if simulates_for(sys._getframe(1)) else real(*args, **named)

    return answer


def _state(_device: object = "cuda") -> torch.Tensor:
    return torch.get_rng_state()


def _set_state(state: torch.Tensor, _device: object = "cuda") -> None:
    torch.set_rng_state(state)


def _each_its_own(calls: dict[str, Any]) -> dict[str, Any]:
    """Return the stand-ins, none of them twice: torch's compiler keeps rules by identity."""

    def own(call: Any) -> Any:
        if isinstance(call, type):  # a class still: `torch.cuda.Stream | None` is a type
            return type(call.__name__, (call,), {})
        return lambda *args, **named: call(*args, **named)

    seen: set[int] = {id(nothing)}
    found = {}
    for key in sorted(calls, key=str.islower):  # what is a class in torch is the class itself
        call = calls[key]
        found[key] = own(call) if id(call) in seen else call
        seen.add(id(call))
    return found


def cuda_calls() -> dict[str, Any]:
    """Return the stand-ins by their name in `torch.cuda`."""
    return _each_its_own(_cuda_calls())


def _cuda_calls() -> dict[str, Any]:
    return {
        **dict.fromkeys(
            ["synchronize", "set_device", "set_stream", "empty_cache", "ipc_collect", "init"],
            nothing,
        ),
        **dict.fromkeys(
            ["reset_peak_memory_stats", "reset_max_memory_allocated", "_lazy_init",
             "reset_max_memory_cached", "reset_accumulated_memory_stats",
             "set_per_process_memory_fraction"], nothing,
        ),
        **dict.fromkeys(
            ["memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved",
             "utilization"], _none_used,
        ),
        **dict.fromkeys(["manual_seed", "manual_seed_all"], _seed),
        **dict.fromkeys(["current_stream", "default_stream"], Nothing),
        "is_available": asked(True, torch.cuda.is_available),
        "is_initialized": asked(True, torch.cuda.is_initialized),
        "device_count": asked(1, torch.cuda.device_count),
        "is_current_stream_capturing": lambda: False,
        "current_device": lambda: 0,
        "device": Device,
        "device_of": Device,
        "_DeviceGuard": Device,
        "stream": Nothing,
        "Stream": Nothing,
        "Event": Event,
        "CUDAGraph": Graph,
        "graph": Nothing,
        "graph_pool_handle": lambda: (0, 0),
        "make_graphed_callables": _graphed,
        "get_device_capability": capability,
        "get_device_name": name,
        "get_device_properties": properties,
        "mem_get_info": _memory,
        "memory_stats": lambda *_args, **_named: {},
        "memory_summary": lambda *_args, **_named: "no GPU: no memory is counted",
        "get_rng_state": _state,
        "set_rng_state": _set_state,
        "get_arch_list": lambda: ["sm_{}{}".format(*capability())],
        "is_bf16_supported": lambda *_args, **_named: capability() >= (8, 0),
        "is_tf32_supported": lambda *_args, **_named: capability() >= (8, 0),
    }  # fmt: skip


def accelerator_calls() -> dict[str, Any]:
    """Return the stand-ins by their name in `torch.accelerator`."""
    accelerator = torch.accelerator
    calls: dict[str, Any] = {
        "is_available": asked(True, accelerator.is_available),
        "device_count": asked(1, accelerator.device_count),
        "current_accelerator": asked(torch.device("cuda"), accelerator.current_accelerator),
        "current_device_index": lambda: 0,
        "current_stream": Nothing,
        **dict.fromkeys(["set_device_index", "set_stream", "synchronize"], nothing),
    }
    known = {key: value for key, value in calls.items() if hasattr(accelerator, key)}
    return _each_its_own(known)
