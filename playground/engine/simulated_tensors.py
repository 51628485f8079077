"""Tensors made for the simulated GPU and moved to it: on the CPU, and said to lie on the GPU."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _device

from playground.engine import poisoning, run_notes
from playground.engine.simulated_placement import (
    GPU,
    called,
    in_use,
    is_inside,
    is_mixed,
    is_on_gpu,
    put,
    put_like,
    tells_the_truth_to,
)
from playground.engine.simulated_state import is_active

if TYPE_CHECKING:
    from collections.abc import Callable


SIMULATED = "the GPU is simulated: tensors asked for on a CUDA device are on the CPU"
"""What a run says that put a tensor on the simulated GPU."""
_LARGE_ELEMENTS = 1 << 26


def is_gpu(device: Any) -> bool:
    """Tell whether a device, as torch takes it, is a GPU."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device == "cuda" or device.startswith("cuda:")
    return isinstance(device, int) and not isinstance(device, bool)  # an ordinal


def _is_host(device: Any) -> bool:
    return isinstance(device, torch.device | str) and str(device).partition(":")[0] == "cpu"


def noted(tensor: Any) -> Any:
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


def maker(real: Callable[..., Any]) -> Callable[..., Any]:
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
            if default_is_gpu():
                made = noted(made) if _is_new(made, args) else made
            elif in_use() and not is_mixed() and _is_new(made, args):
                made = _put_on_host(made, torch_too=False)
        elif is_gpu(wanted):
            if "device" in named:
                named["device"] = torch.device("cpu")
            args = tuple(
                torch.device("cpu") if isinstance(item, torch.device) else item for item in args
            )
            made = real(*args, **named)
            if copies and not (isinstance(args[0], torch.Tensor) and is_on_gpu(args[0])):
                made = made.clone()  # from the host to the GPU it is a copy
            noted(made)
        else:
            made = _put_on_host(real(*args, **named), torch_too=True)
        _said_if_large(made)
        return made

    return make


def method_maker(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return `tensor.new_zeros` and its like: on the tensor's own device, or the one given."""

    @functools.wraps(real)
    def make(tensor: torch.Tensor, *args: Any, **named: Any) -> Any:
        if not is_active():
            return real(tensor, *args, **named)
        named.pop("pin_memory", None)
        wanted = named.get("device")
        if wanted is None:
            return put_like(called(real, tensor, *args, **named), tensor)
        if not is_gpu(wanted):
            return _put_on_host(called(real, tensor, *args, **named), torch_too=True)
        return noted(called(real, tensor, *args, **{**named, "device": torch.device("cpu")}))

    return make


def _is_new(made: Any, args: tuple[Any, ...]) -> bool:
    return not any(isinstance(item, torch.Tensor) for item in args) and made is not None


def host_maker(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes tensors of host memory."""

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
    to_gpu = is_gpu(device)
    if not to_gpu and not _is_host(device):
        return put_like(called(_real_to, tensor, *args, **named), tensor)
    if "device" in named:
        named = {**named, "device": torch.device("cpu")}
    else:
        args = (torch.device("cpu"), *args[1:])
    if not to_gpu and is_inside(caller):
        return called(_real_to, tensor, *args, **named)  # who knows the truth wants no copy
    # Positional: (device, dtype, non_blocking, copy).
    if len(args) < 4 and not named.get("copy") and to_gpu is not is_on_gpu(tensor):
        named = {**named, "copy": True}
    moved = called(_real_to, tensor, *args, **named)
    return noted(moved) if to_gpu else put(moved, on_gpu=False)


_real_to = torch.Tensor.to


def move(tensor: torch.Tensor, *args: Any, **named: Any) -> Any:
    """Do `tensor.to(...)`."""
    return _moved(tensor, args, named, sys._getframe(1).f_code.co_filename)


def move_to_gpu(tensor: torch.Tensor, device: Any = None, *_args: Any, **_named: Any) -> Any:
    """Do `tensor.cuda(...)`."""
    return _moved(tensor, (GPU,), {}, "")


def move_to_host(tensor: torch.Tensor, *_args: Any, **_named: Any) -> Any:
    """Do `tensor.cpu(...)`."""
    return _moved(tensor, (torch.device("cpu"),), {}, sys._getframe(1).f_code.co_filename)


def default_is_gpu() -> bool:
    """Tell whether tensors are made on the GPU unless told otherwise."""
    if not _stack_length():
        return False
    for index in reversed(range(_stack_length())):
        mode = torch._C._get_function_stack_at(index)
        if isinstance(mode, _device.DeviceContext):
            return bool(getattr(mode, "playground_simulates", False))
    return False


_stack_length = torch._C._len_torch_function_stack
