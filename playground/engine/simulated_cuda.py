"""Kernel files written for `device="cuda"`, run on a machine that has no GPU.

Inside `simulated_cuda()` tensors asked for on a CUDA device are made on the CPU, and the calls that
launchers put around a kernel (`torch.cuda.synchronize`, streams, events, device contexts) do
nothing. `torch.cuda.is_available()` stays False and `Tensor.is_cuda` too: what asks gets the truth.
Facts of the GPU come from the chosen target and say that they are simulated; times are NaN.
"""

from __future__ import annotations

import contextlib
import types
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _device

from playground.model.targets import DEFAULT_TARGET, facts_for, parse_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_ON_GPU = "_playground_on_gpu"
_notes: dict[str, None] = {}
_target = DEFAULT_TARGET


class NoFactsError(RuntimeError):
    """A property of the simulated GPU that is not known for the chosen target."""


def set_target(target: str) -> None:
    """Choose the GPU (`cuda:90`) that `torch.cuda.get_device_properties` describes."""
    global _target
    _target = parse_target(target).name


def notes() -> tuple[str, ...]:
    """Return what was replaced so far and matters to the reader of results, each thing once."""
    return tuple(_notes)


def _note(text: str) -> None:
    _notes.setdefault(text)


def _is_gpu(device: Any) -> bool:
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device == "cuda" or device.startswith("cuda:")
    return isinstance(device, int) and not isinstance(device, bool)  # an ordinal


def _on_cpu(device: Any) -> Any:
    if not _is_gpu(device):
        return device
    _note("tensors asked for on a CUDA device are on the CPU: there is no GPU here")
    return torch.device("cpu")


def _marked(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        setattr(value, _ON_GPU, True)
    return value


class _Redirect(TorchFunctionMode):
    """Takes CUDA devices out of the arguments of torch's functions.

    Moving between host and GPU copies; here both are the CPU, where `.to` would return the same
    tensor and a later kernel would change the "copy" as well. So moves copy, except for a tensor
    that was put on the simulated GPU already.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        named = dict(kwargs or {})
        if func is torch.Tensor.cuda:
            return self._move(args[0], torch.Tensor.to, ("cuda",), {})
        if func is torch.Tensor.cpu:
            return self._move(args[0], torch.Tensor.to, ("cpu",), {})
        if func is torch.Tensor.to:
            return self._move(args[0], func, args[1:], named)
        if func is torch.Tensor.pin_memory:
            return args[0]
        named.pop("pin_memory", None)
        if _is_gpu(named.get("device")):
            named["device"] = _on_cpu(named["device"])
            return _marked(func(*args, **named))
        return func(*args, **named)

    @staticmethod
    def _move(
        tensor: torch.Tensor, to: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        device = named.get("device", args[0] if args else None)
        to_gpu = _is_gpu(device)
        if not to_gpu and not (isinstance(device, torch.device | str) and _is_host(device)):
            return to(tensor, *args, **named)
        if "device" in named:
            named["device"] = _on_cpu(device)
        else:
            args = (_on_cpu(device), *args[1:])
        on_gpu = getattr(tensor, _ON_GPU, False)
        # Positional: (device, dtype, non_blocking, copy).
        if len(args) < 4 and not named.get("copy") and to_gpu is not on_gpu:
            named["copy"] = True
        moved = to(tensor, *args, **named)
        return _marked(moved) if to_gpu else moved


def _is_host(device: torch.device | str) -> bool:
    return str(device).partition(":")[0] == "cpu"


class _GeneratorType(type):
    """Makes CPU generators for any device, and passes for torch's own class."""

    real: ClassVar[Any] = torch.Generator

    def __call__(cls, device: Any = "cpu") -> Any:
        return cls.real(_on_cpu(device))

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)


class _Generator(metaclass=_GeneratorType):
    pass


class _Nothing:
    """A context and a stream in one: whatever is asked of it has been done already."""

    device = torch.device("cpu")
    cuda_stream = 0
    stream_id = 0
    device_index = 0

    def __init__(self, *_args: object, **_named: object) -> None:
        pass

    def __enter__(self) -> _Nothing:
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
        return event if event is not None else _Event()

    def query(self) -> bool:
        """Return True: everything is done."""
        return True


class _Event(_Nothing):
    """An event of the simulated GPU."""

    def elapsed_time(self, _end: object) -> float:
        """Return NaN: interpreting a kernel takes time, but not a GPU's."""
        _note("torch.cuda.Event.elapsed_time gives NaN: there is no GPU to time")
        return float("nan")


class _Device(_Nothing):
    """`torch.cuda.device(...)` for any index, None included."""

    def __init__(self, device: object = None) -> None:
        self.idx = device if isinstance(device, int) else 0


def _capability(_device: object = None) -> tuple[int, int]:
    arch = parse_target(_target).arch
    if not isinstance(arch, int):
        raise NoFactsError(f"{_target} has no CUDA compute capability")
    return divmod(arch, 10)


def _name(_device: object = None) -> str:
    gpu = facts_for(_target)
    return f"simulated {gpu.name if gpu else _target}"


def _properties(_device: object = None) -> Any:
    gpu = facts_for(_target)
    if gpu is None:
        raise NoFactsError(f"nothing is known about the GPUs of {_target}")
    arch = parse_target(_target).arch
    major, minor = divmod(arch, 10) if isinstance(arch, int) else (0, 0)
    return types.SimpleNamespace(
        name=_name(),
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


def _seed(seed: int) -> None:
    # "GPU" random numbers come from the CPU's generator here.
    torch.default_generator.manual_seed(seed)


def _nothing(*_args: object, **_named: object) -> None:
    return None


_CUDA: dict[str, Any] = {
    **dict.fromkeys(
        ["synchronize", "set_device", "set_stream", "empty_cache", "ipc_collect", "init"], _nothing
    ),
    **dict.fromkeys(["reset_peak_memory_stats", "reset_max_memory_allocated"], _nothing),
    **dict.fromkeys(["manual_seed", "manual_seed_all"], _seed),
    **dict.fromkeys(["current_stream", "default_stream"], _Nothing),
    "current_device": lambda: 0,
    "device": _Device,
    "device_of": _Device,
    "stream": _Nothing,
    "Stream": _Nothing,
    "Event": _Event,
    "get_device_capability": _capability,
    "get_device_name": _name,
    "get_device_properties": _properties,
    "is_bf16_supported": lambda *_args, **_named: _capability() >= (8, 0),
}


def _load(*args: Any, **named: Any) -> Any:
    """Load onto the CPU what was saved from a GPU."""
    if _is_gpu(named.get("map_location")) or named.get("map_location") is None:
        named["map_location"] = "cpu"
    return _real_load(*args, **named)


_real_load = torch.load
_real_context_init = _device.DeviceContext.__init__


def _context_init(context: Any, device: Any) -> None:
    _real_context_init(context, _on_cpu(device))


@contextlib.contextmanager
def simulated_cuda(target: str | None = None) -> Iterator[None]:
    """Redirect CUDA devices to the CPU, in this thread, while the context is entered.

    Parameters
    ----------
    target
        The GPU that properties describe, `cuda:90` by default; `set_target` changes it.
    """
    if target is not None:
        set_target(target)
    patches: list[tuple[Any, str, Any]] = [
        *((torch.cuda, name, value) for name, value in _CUDA.items()),
        *((torch.cuda.nvtx, name, _nothing) for name in ("range_push", "range_pop", "mark")),
        (torch.Tensor, "record_stream", _nothing),
        (torch, "Generator", _Generator),
        (torch, "load", _load),
        # `torch.set_default_device` and `with torch.device(...)` run below every other mode.
        (_device.DeviceContext, "__init__", _context_init),
    ]
    originals = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, value in patches:
        setattr(owner, name, value)
    try:
        with _Redirect():
            yield
    finally:
        for owner, name, value in originals:
            setattr(owner, name, value)
