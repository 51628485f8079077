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
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch.utils import _device, _triton

from playground.engine import (
    run_notes,
    simulated_calls,
    simulated_generator,
    simulated_placement,
)
from playground.engine.simulated_calls import NoFactsError, set_target
from playground.engine.simulated_placement import GPU, Places, is_mixed
from playground.engine.simulated_state import HOLDERS, LOCK
from playground.engine.simulated_tensors import (
    default_is_gpu,
    host_maker,
    is_gpu,
    maker,
    method_maker,
    move,
    move_to_gpu,
    move_to_host,
    noted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["NoFactsError", "Places", "set_target", "simulated_cuda"]


class _GeneratorType(type):
    """Makes CPU generators for any device, and passes for torch's own class."""

    real: ClassVar[Any] = torch.Generator

    def __call__(cls, device: Any = "cpu") -> Any:
        return cls.real("cpu" if is_gpu(device) else device)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)


class _Generator(metaclass=_GeneratorType):
    pass


# ---------------------------------------------------------------- defaults, files, mixed precision

_real_context_init = _device.DeviceContext.__init__


def _context_init(context: Any, device: Any) -> None:
    # `torch.set_default_device` and `with torch.device(...)` run below every other mode.
    context.playground_simulates = is_gpu(device)
    _real_context_init(context, "cpu" if context.playground_simulates else device)


_real_default = torch.get_default_device


def _get_default_device() -> torch.device:
    return GPU if default_is_gpu() else _real_default()


_real_load = torch.load


def _load(*args: Any, **named: Any) -> Any:
    """Load onto the CPU what was saved from a GPU."""
    wanted = named.get("map_location")
    if wanted is None or is_gpu(wanted):
        named["map_location"] = "cpu"
    loaded = _real_load(*args, **named)
    if is_gpu(wanted):
        _mark_all(loaded)
    return loaded


def _mark_all(value: Any) -> None:
    if isinstance(value, torch.Tensor):
        noted(value)
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
        (owner, real.__name__, maker(real))
        for real in constructors
        for owner in (torch, torch.nested)
        if hasattr(owner, real.__name__) and getattr(owner, real.__name__) is real
    ]
    likes = [name for name in dir(torch) if name.endswith("_like")]
    news = [name for name in dir(torch.Tensor) if name.startswith("new_")]
    # What inductor writes into every file it generates.
    stream = "_cuda_getCurrentRawStream"
    raw = [] if hasattr(torch._C, stream) else [(torch._C, stream, lambda _device=0: 0)]
    allocator = "_empty_strided_cuda", simulated_generator.empty_strided
    # Files put their kernels under `if has_triton():`, which asks for a GPU as well.
    asked = [(_triton, "has_triton", simulated_calls.asked(True, _triton.has_triton))]
    version = [(torch.version, "cuda", "12.8")] if torch.version.cuda is None else []
    return (
        *makers,
        *((torch, name, maker(getattr(torch, name))) for name in likes),
        *((torch.Tensor, name, method_maker(getattr(torch.Tensor, name))) for name in news),
        *((torch, name, host_maker(getattr(torch, name))) for name in ("from_numpy",
                                                                      "frombuffer")),
        *((torch.cuda, name, value) for name, value in simulated_calls.cuda_calls().items()),
        *((torch.cuda.nvtx, name, simulated_calls.nothing)
          for name in ("range_push", "range_pop", "mark")),
        *((torch.accelerator, name, value)
          for name, value in simulated_calls.accelerator_calls().items()),
        *((torch.Tensor, name, value) for name, value in simulated_placement.getters().items()),
        (torch.Tensor, "to", move),
        (torch.Tensor, "cuda", move_to_gpu),
        (torch.Tensor, "cpu", move_to_host),
        (torch.Tensor, "pin_memory", lambda tensor, *_args, **_named: tensor),
        (torch.Tensor, "record_stream", simulated_calls.nothing),
        (torch, "Generator", _Generator),
        (torch.cuda, "default_generators", (simulated_generator.DefaultGenerator(),)),
        (torch._C._dynamo.guards, *allocator),
        (torch, "load", _load),
        (torch, "get_default_device", _get_default_device),
        (torch.autocast, "__init__", _autocast_init),
        (torch.autograd, "_engine_run_backward", _backward),
        (_device.DeviceContext, "__init__", _context_init),
        *asked,
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
    if target is not None:
        set_target(target)
    with contextlib.ExitStack() as stack:
        with LOCK:
            if not HOLDERS:
                stack.enter_context(_patched(places))
            HOLDERS.append(None)
        try:
            yield
        finally:
            with LOCK:
                HOLDERS.pop()


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
