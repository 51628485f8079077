"""Kernel files written for `device="cuda"`, run on a machine that has no GPU.

Inside `simulated_cuda()` a tensor asked for on a CUDA device is made on the CPU, and says to the
user's files that it lies on `cuda:0` (`simulated_placement`): files that assert `x.is_cuda`, raise
unless CUDA is there, or take a torch path for other tensors, do what they do on a GPU. Results lie
where their arguments lie, as on a GPU. `torch.cuda.is_available()` is True for them and the calls
that launchers put around a kernel do nothing (`simulated_calls`); facts of the GPU come from the
chosen target, its name says that it is simulated, and times are none. Mixing host and GPU tensors
in one operation, an error on a GPU, is let pass.

It lasts as long as a run, or a replay of one: afterwards, in the console too, torch tells the
truth. This app, torch itself, Triton and NumPy get it all the time.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch.utils import _device

from playground.engine import poisoning, run_notes, simulated_calls, simulated_placement
from playground.engine.simulated_calls import NoFactsError, set_target
from playground.engine.simulated_placement import (
    GPU,
    Places,
    called,
    in_use,
    is_inside,
    is_mixed,
    is_on_gpu,
    put,
    put_like,
    tells_the_truth_to,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["NoFactsError", "Places", "active_device", "is_active", "set_target", "simulated_cuda"]

SIMULATED = "the GPU is simulated: tensors asked for on a CUDA device are on the CPU"
"""What a run says that put a tensor on the simulated GPU."""
_LARGE_ELEMENTS = 1 << 26

_depth = 0
_lock = threading.RLock()


def is_active() -> bool:
    """Tell whether CUDA is simulated now."""
    return _depth > 0


def active_device() -> torch.device:
    """Return where kernels run as far as the user's files can tell."""
    return GPU if is_active() else torch.device("cpu")


def _is_gpu(device: Any) -> bool:
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device == "cuda" or device.startswith("cuda:")
    return isinstance(device, int) and not isinstance(device, bool)  # an ordinal


def _is_host(device: Any) -> bool:
    return isinstance(device, torch.device | str) and str(device).partition(":")[0] == "cpu"


def _noted(tensor: Any) -> Any:
    """Return a tensor marked as the GPU's, having told that it is not."""
    run_notes.tell(
        SIMULATED,
        "times mean nothing here, and the interpreter runs one program after the other; what is "
        "computed is what a GPU computes, as far as the interpreter goes",
    )
    return put(tensor, on_gpu=True)


def _said_if_large(tensor: Any) -> None:
    if isinstance(tensor, torch.Tensor) and tensor.numel() > _LARGE_ELEMENTS:
        run_notes.tell(
            f"a tensor of {tensor.numel():,} elements is made here",
            "the interpreter needs minutes for so many: choose a smaller size",
            "hint",
        )


# ---------------------------------------------------------------- making and moving tensors


def _put_on_host(made: Any, *, torch_too: bool) -> Any:
    """Return a tensor marked as the host's where the user's code has asked for one there.

    What this app and Triton make for themselves says nothing of where the file's tensors lie, nor
    does (`torch_too`) torch's own code where it asks for the CPU: that is the truth it was told.
    """
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename == poisoning.__file__:
        frame = frame.f_back
    file = frame.f_code.co_filename
    if is_inside(file) or (torch_too and tells_the_truth_to(file)):
        return made
    return put(made, on_gpu=False)


def _maker(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes tensors as `real` does, for the GPU on the CPU."""
    copies = real in (torch.as_tensor, torch.asarray)

    @functools.wraps(real)
    def make(*args: Any, **named: Any) -> Any:
        if not is_active():
            return real(*args, **named)
        wanted = None
        if named:
            named.pop("pin_memory", None)
            wanted = named.get("device")
        if wanted is None:
            for item in args:
                if isinstance(item, torch.device):
                    wanted = item
        if wanted is None:
            made = real(*args, **named)
            if _default_is_gpu():
                made = _noted(made) if _is_new(made, args) else made
            elif in_use() and not is_mixed() and _is_new(made, args):
                made = _put_on_host(made, torch_too=False)
        elif _is_gpu(wanted):
            if "device" in named:
                named["device"] = torch.device("cpu")
            args = tuple(
                torch.device("cpu") if isinstance(item, torch.device) else item for item in args
            )
            made = real(*args, **named)
            if copies and not (isinstance(args[0], torch.Tensor) and is_on_gpu(args[0])):
                made = made.clone()  # from the host to the GPU it is a copy
            _noted(made)
        else:
            made = _put_on_host(real(*args, **named), torch_too=True)
        _said_if_large(made)
        return made

    return make


def _method_maker(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return `tensor.new_zeros` and its like: on the tensor's own device, or the one given."""

    @functools.wraps(real)
    def make(tensor: torch.Tensor, *args: Any, **named: Any) -> Any:
        if not is_active():
            return real(tensor, *args, **named)
        named.pop("pin_memory", None)
        wanted = named.get("device")
        if wanted is None:
            return put_like(called(real, tensor, *args, **named), tensor)
        if not _is_gpu(wanted):
            return _put_on_host(called(real, tensor, *args, **named), torch_too=True)
        return _noted(called(real, tensor, *args, **{**named, "device": torch.device("cpu")}))

    return make


def _is_new(made: Any, args: tuple[Any, ...]) -> bool:
    return not any(isinstance(item, torch.Tensor) for item in args) and made is not None


def _host_maker(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def make(*args: Any, **named: Any) -> Any:
        made = real(*args, **named)
        return _put_on_host(made, torch_too=True) if is_active() else made

    return make


def _moved(tensor: torch.Tensor, args: tuple[Any, ...], named: dict[str, Any], caller: str) -> Any:
    """Do `tensor.to(...)` as code of the file `caller` asks for it.

    Moving between host and GPU copies; here both are the CPU, where torch would return the same
    tensor and a kernel would change the "copy" as well. So moves copy, except for a tensor that
    lies there already.
    """
    device = named.get("device", args[0] if args else None)
    if isinstance(device, torch.Tensor):
        like, device = device, GPU if is_on_gpu(device) else torch.device("cpu")
        args = (device, like.dtype, *args[1:])
    to_gpu = _is_gpu(device)
    if not to_gpu and not _is_host(device):
        return put_like(called(_real_to, tensor, *args, **named), tensor)
    if "device" in named:
        named = {**named, "device": torch.device("cpu")}
    else:
        args = (torch.device("cpu"), *args[1:])
    # Positional: (device, dtype, non_blocking, copy).
    if len(args) < 4 and not named.get("copy") and to_gpu is not is_on_gpu(tensor):
        named = {**named, "copy": True}
    moved = called(_real_to, tensor, *args, **named)
    if to_gpu:
        return _noted(moved)
    return moved if is_inside(caller) else put(moved, on_gpu=False)


_real_to = torch.Tensor.to


def _to(tensor: torch.Tensor, *args: Any, **named: Any) -> Any:
    return _moved(tensor, args, named, sys._getframe(1).f_code.co_filename)


def _cuda(tensor: torch.Tensor, device: Any = None, *_args: Any, **_named: Any) -> Any:
    return _moved(tensor, (GPU,), {}, "")


def _cpu(tensor: torch.Tensor, *_args: Any, **_named: Any) -> Any:
    return _moved(tensor, (torch.device("cpu"),), {}, sys._getframe(1).f_code.co_filename)


class _GeneratorType(type):
    """Makes CPU generators for any device, and passes for torch's own class."""

    real: ClassVar[Any] = torch.Generator

    def __call__(cls, device: Any = "cpu") -> Any:
        return cls.real("cpu" if _is_gpu(device) else device)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)


class _Generator(metaclass=_GeneratorType):
    pass


# ---------------------------------------------------------------- defaults, files, mixed precision

_real_context_init = _device.DeviceContext.__init__


def _context_init(context: Any, device: Any) -> None:
    # `torch.set_default_device` and `with torch.device(...)` run below every other mode.
    context.playground_simulates = _is_gpu(device)
    _real_context_init(context, "cpu" if context.playground_simulates else device)


def _default_is_gpu() -> bool:
    if not _stack_length():
        return False
    for index in reversed(range(_stack_length())):
        mode = torch._C._get_function_stack_at(index)
        if isinstance(mode, _device.DeviceContext):
            return bool(getattr(mode, "playground_simulates", False))
    return False


_stack_length = torch._C._len_torch_function_stack
_real_default = torch.get_default_device


def _get_default_device() -> torch.device:
    return GPU if _default_is_gpu() else _real_default()


_real_load = torch.load


def _load(*args: Any, **named: Any) -> Any:
    """Load onto the CPU what was saved from a GPU."""
    wanted = named.get("map_location")
    if wanted is None or _is_gpu(wanted):
        named["map_location"] = "cpu"
    loaded = _real_load(*args, **named)
    if _is_gpu(wanted):
        _mark_all(loaded)
    return loaded


def _mark_all(value: Any) -> None:
    if isinstance(value, torch.Tensor):
        _noted(value)
    elif isinstance(value, dict):
        for item in value.values():
            _mark_all(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            _mark_all(item)


_real_autocast_init = torch.autocast.__init__


def _autocast_init(
    context: Any, device_type: str, dtype: Any = None, enabled: bool = True,
    cache_enabled: bool | None = None,
) -> None:  # fmt: skip
    if device_type == "cuda":
        device_type, dtype = "cpu", dtype or torch.get_autocast_dtype("cuda")
        run_notes.tell("autocast for CUDA is the CPU's here: which operations it casts differs")
    _real_autocast_init(context, device_type, dtype, enabled, cache_enabled)


_real_backward = torch.autograd._engine_run_backward  # type: ignore[attr-defined]


def _backward(*args: Any, **named: Any) -> Any:
    # The mode is off while torch handles `.backward()`, and the user's own code runs in there.
    with simulated_placement.Placement() if is_mixed() else contextlib.nullcontext():
        return _real_backward(*args, **named)


# ---------------------------------------------------------------- putting it in place


@functools.cache
def _patches() -> tuple[tuple[Any, str, Any], ...]:
    constructors = _device._device_constructors()
    makers = [
        (owner, real.__name__, _maker(real))
        for real in constructors
        for owner in (torch, torch.nested)
        if hasattr(owner, real.__name__) and getattr(owner, real.__name__) is real
    ]
    likes = [name for name in dir(torch) if name.endswith("_like")]
    news = [name for name in dir(torch.Tensor) if name.startswith("new_")]
    # What inductor writes into every file it generates.
    stream = "_cuda_getCurrentRawStream"
    raw = [] if hasattr(torch._C, stream) else [(torch._C, stream, lambda _device=0: 0)]
    version = [(torch.version, "cuda", "12.8")] if torch.version.cuda is None else []
    return (
        *makers,
        *((torch, name, _maker(getattr(torch, name))) for name in likes),
        *((torch.Tensor, name, _method_maker(getattr(torch.Tensor, name))) for name in news),
        *((torch, name, _host_maker(getattr(torch, name))) for name in ("from_numpy",
                                                                      "frombuffer")),
        *((torch.cuda, name, value) for name, value in simulated_calls.cuda_calls().items()),
        *((torch.cuda.nvtx, name, simulated_calls.nothing)
          for name in ("range_push", "range_pop", "mark")),
        *((torch.accelerator, name, value)
          for name, value in simulated_calls.accelerator_calls().items()),
        *((torch.Tensor, name, value) for name, value in simulated_placement.getters().items()),
        (torch.Tensor, "to", _to),
        (torch.Tensor, "cuda", _cuda),
        (torch.Tensor, "cpu", _cpu),
        (torch.Tensor, "pin_memory", lambda tensor, *_args, **_named: tensor),
        (torch.Tensor, "record_stream", simulated_calls.nothing),
        (torch, "Generator", _Generator),
        (torch, "load", _load),
        (torch, "get_default_device", _get_default_device),
        (torch.autocast, "__init__", _autocast_init),
        (torch.autograd, "_engine_run_backward", _backward),
        (_device.DeviceContext, "__init__", _context_init),
        *version,
        *raw,
    )  # fmt: skip


@contextlib.contextmanager
def simulated_cuda(target: str | None = None, places: Places | None = None) -> Iterator[None]:
    """Simulate a GPU while the context is entered; entered again inside, it goes on.

    Parameters
    ----------
    target
        The GPU that properties describe, `cuda:90` by default; `set_target` changes it.
    places
        Where the tensors of an earlier run lie, for functions that work on these; nothing is on the
        GPU without.
    """
    global _depth
    if target is not None:
        set_target(target)
    with contextlib.ExitStack() as stack:
        with _lock:
            if _depth == 0:
                stack.enter_context(_patched(places))
            _depth += 1
        try:
            yield
        finally:
            with _lock:
                _depth -= 1


@contextlib.contextmanager
def _patched(places: Places | None) -> Iterator[None]:
    missing = object()
    originals = [(owner, name, vars(owner).get(name, missing)) for owner, name, _ in _patches()]
    default = _device.CURRENT_DEVICE
    for owner, name, value in _patches():
        setattr(owner, name, value)
    try:
        with simulated_placement.placing(places):
            yield
    finally:
        for owner, name, value in originals:
            if value is missing:
                delattr(owner, name)  # it was inherited
            else:
                setattr(owner, name, value)
        if default is None and _device.CURRENT_DEVICE is not None:
            torch.set_default_device(None)
