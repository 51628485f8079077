"""Which tensors lie on the simulated GPU, and what they say of their device.

All of them are the CPU's. A mark on each tells where it would lie: put by whoever makes or moves it
(`simulated_cuda`), and handed on here by every operation of torch, as a GPU's results lie on it. A
tensor without a mark was made where Python does not see it (a gradient, a parameter): it counts as
the GPU's as soon as the file has put anything there.

`Tensor.device`, `is_cuda` and their like answer by the mark while the simulation is on, and only
to the user's files and the libraries these import: torch itself, Triton, NumPy and this app get the
truth.
"""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import triton
from torch.overrides import TorchFunctionMode

import playground

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

_MARK = "_playground_on_gpu"
GPU = torch.device("cuda", 0)
"""Where tensors of the simulated GPU say they are."""

_in_use = False


def forget() -> None:
    """Begin anew: nothing was put on the simulated GPU yet."""
    global _in_use
    _in_use = False


def in_use() -> bool:
    """Tell whether anything was put on the simulated GPU."""
    return _in_use


def put(value: Any, *, on_gpu: bool) -> Any:
    """Mark a tensor as lying on the simulated GPU or on the host, and return it.

    Values that are no tensors of the CPU are returned as they are.
    """
    global _in_use
    if isinstance(value, torch.Tensor):
        setattr(value, _MARK, on_gpu)
        _in_use = _in_use or on_gpu
    return value


def is_on_gpu(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor counts as the simulated GPU's."""
    mark = getattr(tensor, _MARK, None)
    return _in_use if mark is None else bool(mark)


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def called(method: Callable[..., Any], tensor: torch.Tensor, *args: Any, **named: Any) -> Any:
    """Call torch's own method of a tensor, whose name on `torch.Tensor` is another's now.

    A mode would be handed what stands there under that name, and call it a second time.
    """
    if type(tensor) not in _PLAIN:
        return method(tensor, *args, **named)
    with torch._C.DisableTorchFunction():
        return method(tensor, *args, **named)


def put_like(value: Any, tensor: torch.Tensor) -> Any:
    """Mark a tensor as lying where another lies, and return it."""
    mark = getattr(tensor, _MARK, None)
    if mark is not None and value is not tensor and isinstance(value, torch.Tensor):
        setattr(value, _MARK, mark)
    return value


class Placement(TorchFunctionMode):
    """Marks what torch's functions return as lying where their arguments lie."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        named = kwargs or {}
        result = func(*args, **named)
        if isinstance(result, torch.Tensor):
            _hand_on((result,), args, named)
        elif type(result) in (tuple, list) or isinstance(result, tuple):
            _hand_on(result, args, named)
        elif func == _SET_DATA:
            mark = getattr(args[1], _MARK, None)
            if mark is not None:
                put(args[0], on_gpu=mark)
        return result


_SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]


def _hand_on(results: Iterable[Any], args: tuple[Any, ...], named: dict[str, Any]) -> None:
    given = list(_tensors((*args, *named.values())))
    marks = [getattr(tensor, _MARK, None) for tensor in given]
    # One tensor on the GPU puts the result there: the others are scalars, or it would have failed.
    mark = True if True in marks else (False if False in marks or not marks else None)
    if mark is None:
        return
    for result in results:
        if isinstance(result, torch.Tensor) and not any(result is tensor for tensor in given):
            put(result, on_gpu=mark)


def _tensors(values: Iterable[Any]) -> Iterable[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (item for item in value if isinstance(item, torch.Tensor))


# ---------------------------------------------------------------- who is told what

_TRUTH = tuple(
    os.path.dirname(os.path.abspath(str(package.__file__))) + os.sep
    for package in (torch, triton, np, playground)
)


@functools.lru_cache(maxsize=4096)
def _wants_truth(file: str) -> bool:
    return file.startswith(_TRUTH)


def simulates_for(frame: FrameType) -> bool:
    """Tell whether the code that `frame` runs is told of the simulated GPU, not of the truth."""
    return not _wants_truth(frame.f_code.co_filename)


def _getter(name: str, simulated: Callable[[], Any]) -> property:
    real = getattr(torch.Tensor, name).__get__

    def get(tensor: torch.Tensor) -> Any:
        with torch._C.DisableTorchFunction():
            truth = real(tensor)
        if _wants_truth(sys._getframe(1).f_code.co_filename) or not is_on_gpu(tensor):
            return truth
        with torch._C.DisableTorchFunction():
            on_cpu = _is_cpu(tensor)
        return simulated() if on_cpu else truth

    return property(get, doc=getattr(torch.Tensor, name).__doc__)


_is_cpu = torch.Tensor.is_cpu.__get__  # type: ignore[attr-defined]


def getters() -> dict[str, Any]:
    """Return what answers for the simulated GPU on `torch.Tensor`, by the attribute it replaces."""
    real_get_device, real_type = torch.Tensor.get_device, torch.Tensor.type

    def get_device(tensor: torch.Tensor) -> int:
        if is_on_gpu(tensor) and simulates_for(sys._getframe(1)):
            return 0
        return int(called(real_get_device, tensor))

    def type_(tensor: torch.Tensor, *args: Any, **named: Any) -> Any:
        if args or named:
            kind = named.pop("dtype", args[0] if args else None)
            if isinstance(kind, str) and kind.startswith("torch.cuda."):
                moved = called(real_type, tensor, "torch." + kind.removeprefix("torch.cuda."))
                return put(moved, on_gpu=True)
            return put_like(called(real_type, tensor, kind, *args[1:], **named), tensor)
        name = str(called(real_type, tensor))
        if is_on_gpu(tensor) and simulates_for(sys._getframe(1)):
            return name.replace("torch.", "torch.cuda.", 1)
        return name

    return {
        "device": _getter("device", lambda: GPU),
        "is_cuda": _getter("is_cuda", lambda: True),
        "is_cpu": _getter("is_cpu", lambda: False),
        "get_device": get_device,
        "type": type_,
    }
