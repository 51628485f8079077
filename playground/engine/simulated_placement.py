"""Which tensors lie on the simulated GPU, and what they say of their device.

All of them are the CPU's. As long as the file has put none on the GPU, none is there; as long as it
has made none on the host, all are. Only when there are both does each need a mark: then those made
so far get one (`made_since`), and from there on every operation of torch hands them on, as a GPU's
results lie on it. So a file pays for that only from the moment an answer can differ. A tensor that
has no mark even then was made where Python does not see it (a gradient, a parameter): it counts as
the GPU's.

`Tensor.device`, `is_cuda` and their like answer by this while the simulation is on, and only to the
user's files and the libraries these import: torch itself, Triton, NumPy and this app get the truth.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import triton
from torch.overrides import TorchFunctionMode

import playground
from playground.engine import made_since

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

_MARK = "_playground_on_gpu"
GPU = torch.device("cuda", 0)
"""Where tensors of the simulated GPU say they are."""


@dataclass(eq=False)
class Places:
    """Where the tensors of a run lie.

    Parameters
    ----------
    in_use
        Something was put on the simulated GPU.
    mixed
        And something was made on the host: every tensor has its mark.
    known
        Tensors were made with this before: in the run whose functions are called now.
    """

    in_use: bool = False
    mixed: bool = False
    known: bool = False


_places = Places()
_fresh = True
_thread = 0
_mode: Placement | None = None


def in_use() -> bool:
    """Tell whether anything was put on the simulated GPU."""
    return _places.in_use


def is_mixed() -> bool:
    """Tell whether there are tensors on the simulated GPU and others."""
    return _places.mixed


@contextlib.contextmanager
def placing(places: Places | None = None) -> Iterator[None]:
    """Tell of each tensor where it lies, meanwhile, beginning anew or from `places`."""
    global _places, _fresh, _thread
    _places = Places() if places is None else places
    _fresh, _places.known = not _places.known, True
    _thread = threading.get_ident()
    made_since.begin()
    try:
        if _places.mixed:
            _follow()
        yield
    finally:
        made_since.end()
        _follow_no_more()


def put(value: Any, *, on_gpu: bool) -> Any:
    """Mark a tensor as lying on the simulated GPU or on the host, and return it.

    Values that are no tensors of the CPU are returned as they are.
    """
    if not isinstance(value, torch.Tensor):
        return value
    if on_gpu and not _places.in_use:
        _places.mixed = _mark_those_made(value, on_gpu=False)
        _places.in_use = True
    elif not on_gpu and not _places.mixed:
        if not _places.in_use:
            return value  # no tensor is anywhere else
        _mark_those_made(value, on_gpu=True)
        _places.mixed = True
    setattr(value, _MARK, on_gpu)
    if _places.mixed and _mode is None:
        _follow()
    return value


def _mark_those_made(newest: torch.Tensor, *, on_gpu: bool) -> bool:
    """Mark every tensor without a mark but `newest`; tell whether there were any."""
    if not _fresh:
        made_since.end()  # the run's own tensors were made before this moment
    made = [tensor for tensor in made_since.tensors() if tensor is not newest]
    unmarked = [tensor for tensor in made if getattr(tensor, _MARK, None) is None]
    for tensor in unmarked:
        setattr(tensor, _MARK, on_gpu)
    return bool(unmarked)


def is_on_gpu(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor counts as the simulated GPU's."""
    if not _places.in_use:
        return False
    mark = getattr(tensor, _MARK, None)
    return True if mark is None else bool(mark)


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
    if not _places.mixed:
        return value
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
        result = func(*args, **kwargs) if kwargs else func(*args)
        if isinstance(result, torch.Tensor):
            first = args[0] if args else None
            if result is first:
                return result
            if isinstance(first, torch.Tensor) and getattr(first, _MARK, None):
                setattr(result, _MARK, True)  # what most operations on a GPU's tensor do
            else:
                _hand_on((result,), args, kwargs)
        elif type(result) is torch.Size:
            pass
        elif isinstance(result, (tuple, list)):
            _hand_on(result, args, kwargs)
        elif func == _SET_DATA:
            mark = getattr(args[1], _MARK, None)
            if mark is not None:
                put(args[0], on_gpu=mark)
        return result


_SET_DATA = torch.Tensor.data.__set__  # type: ignore[attr-defined]


def _hand_on(results: Iterable[Any], args: tuple[Any, ...], named: dict[str, Any] | None) -> None:
    given = list(_tensors((*args, *named.values()) if named else args))
    marks = [getattr(tensor, _MARK, None) for tensor in given]
    # One tensor on the GPU puts the result there: the others are scalars, or it would have failed.
    mark = True if True in marks else (False if False in marks or not marks else None)
    if mark is None:
        return
    for result in results:
        if isinstance(result, torch.Tensor) and not any(result is tensor for tensor in given):
            setattr(result, _MARK, mark)


def _tensors(values: Iterable[Any]) -> Iterable[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (item for item in value if isinstance(item, torch.Tensor))


def _follow() -> None:
    """Look at torch's calls from here on."""
    global _mode
    if threading.get_ident() != _thread:
        return  # torch keeps modes by thread; the run's own follows when it makes the next tensor
    _mode = Placement()
    _restacked(_mode)


def _follow_no_more() -> None:
    global _mode
    _mode = None
    _restacked(None)


def _restacked(below: Placement | None) -> None:
    """Put `below` under the modes that the user's code has entered, in place of any other of ours.

    That code leaves its modes from the top, `with torch.device(...)` whatever lies there; and torch
    wants the device of `set_default_device` at the very bottom.
    """
    modes = [torch._C._pop_torch_function_stack() for _ in range(_stack_length())]
    modes = [mode for mode in reversed(modes) if not isinstance(mode, Placement)]
    if below is not None:
        default = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
        modes.insert(1 if modes and modes[0] is default else 0, below)
    for mode in modes:
        torch._C._push_on_torch_function_stack(mode)


_stack_length = torch._C._len_torch_function_stack


# ---------------------------------------------------------------- who is told what


def _folders(*packages: Any) -> tuple[str, ...]:
    return tuple(
        os.path.dirname(os.path.abspath(str(package.__file__))) + os.sep for package in packages
    )


_INSIDE = _folders(triton, np, playground)
_TRUTH = (*_INSIDE, *_folders(torch))


@functools.lru_cache(maxsize=4096)
def _wants_truth(file: str) -> bool:
    return file.startswith(_TRUTH)


def simulates_for(frame: FrameType) -> bool:
    """Tell whether the code that `frame` runs is told of the simulated GPU, not of the truth."""
    return not _wants_truth(frame.f_code.co_filename)


@functools.lru_cache(maxsize=4096)
def is_inside(file: str) -> bool:
    """Tell whether code of `file` works for this app: Triton's own, NumPy's, or its own."""
    return file.startswith(_INSIDE)


def tells_the_truth_to(file: str) -> bool:
    """Tell whether code of `file` is told the truth: what it asks for is no wish of the user's."""
    return _wants_truth(file)


def _getter(name: str, simulated: Any) -> property:
    real = getattr(torch.Tensor, name).__get__

    def get(tensor: torch.Tensor) -> Any:
        if type(tensor) is torch.Tensor and not _stack_length():
            truth, on_cpu = real(tensor), _is_cpu(tensor)
        else:
            with torch._C.DisableTorchFunction():
                truth, on_cpu = real(tensor), _is_cpu(tensor)
        if (
            not _places.in_use
            or not on_cpu
            or _wants_truth(sys._getframe(1).f_code.co_filename)
            or not is_on_gpu(tensor)
        ):
            return truth
        return simulated

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
        "device": _getter("device", GPU),
        "is_cuda": _getter("is_cuda", True),
        "is_cpu": _getter("is_cpu", False),
        "get_device": get_device,
        "type": type_,
    }
