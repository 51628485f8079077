"""What this machine is: whether it has an NVIDIA GPU, and the environment Triton must find.

The first half is standard library only and quick, because it is asked before torch or triton may
be imported: Triton decides between compiler and interpreter when it is imported.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from typing import Any

from playground.engine.gpus import gpu_count
from playground.model.device import DeviceInfo

DEFAULT_TARGET = "cuda:90"
"""The target compiled for where no GPU answers: Hopper, the commonest one in data centres."""

_INTERPRET = "TRITON_INTERPRET"
_FP_FUSION = "TRITON_DEFAULT_FP_FUSION"
_NUMBER = re.compile(r" [0-9a-f]{8}$")


def has_nvidia_gpu() -> bool:
    """Tell whether the CUDA driver is here and counts at least one GPU; never raises."""
    return gpu_count() > 0


def interpret_wanted() -> bool:
    """Tell whether kernels should run in Triton's interpreter: as the user set it, else no GPU."""
    given = os.environ.get(_INTERPRET)
    if given is not None:
        return given.strip().lower() in ("1", "true", "yes", "on", "y")
    return not has_nvidia_gpu()


def prepare_environment() -> None:
    """Set what Triton reads from the environment; best called before Triton is imported.

    `TRITON_INTERPRET` follows the machine unless the user chose, or Triton is imported already and
    would only half follow. `TRITON_DEFAULT_FP_FUSION` is
    set to 1, the default of every release up to 3.9 (which warns while it is unset, because a
    later one will change it): code generation stays as users get it, and the same in the engine
    and in its compile workers, which share Triton's disk cache.
    """
    if "triton" not in sys.modules and _INTERPRET not in os.environ and interpret_wanted():
        os.environ[_INTERPRET] = "1"
    os.environ.setdefault(_FP_FUSION, "1")


def compile_environment() -> dict[str, str]:
    """Return the environment for a process that compiles: this one's, without the interpreter."""
    environment = dict(os.environ)
    environment.pop(_INTERPRET, None)
    environment.setdefault(_FP_FUSION, "1")
    return environment


def device_info() -> DeviceInfo:
    """Return the machine as the engine sees it; imports torch and triton."""
    import torch
    import triton

    versions = {
        "torch": torch.__version__,
        "triton": triton.__version__,
        "python": platform.python_version(),
    }
    notes: list[str] = []
    if os.environ.get(_FP_FUSION):
        state = "on" if os.environ[_FP_FUSION] not in ("0", "false", "off") else "off"
        notes.append(f"floating-point fusion is {state} by default ({_FP_FUSION})")
    if triton.knobs.runtime.interpret or not (has_nvidia_gpu() and torch.cuda.is_available()):
        if not has_nvidia_gpu():
            name = "no NVIDIA GPU"
        elif triton.knobs.runtime.interpret:
            name = f"NVIDIA GPU unused: {_INTERPRET} is set"
        else:
            name = "NVIDIA GPU unused: this torch has no CUDA"
            notes.append(f"torch {torch.__version__} was built without CUDA; install a CUDA build")
        return DeviceInfo(
            mode="interpreter", name=name, target=DEFAULT_TARGET, notes=tuple(notes), **versions
        )
    index = torch.cuda.current_device()
    properties: Any = torch.cuda.get_device_properties(index)
    return DeviceInfo(
        mode="gpu",
        name=str(properties.name),
        target=f"cuda:{properties.major * 10 + properties.minor}",
        driver=_driver_version(),
        cuda=str(torch.version.cuda or ""),
        multiprocessors=int(properties.multi_processor_count),
        l2_bytes=int(properties.L2_cache_size),
        memory_bytes=int(properties.total_memory),
        copy_ceiling_gbps=_copy_gbps(index, notes),
        notes=tuple(notes),
        **versions,
    )


def _copy_gbps(index: int, notes: list[str]) -> float | None:
    """Return the measured copy rate; None, with a note, where other programs left no memory."""
    import torch

    from playground.engine.ceilings import copy_gbps

    try:
        return copy_gbps(index)
    except torch.OutOfMemoryError:
        pass
    except torch.AcceleratorError as error:
        if "out of memory" not in str(error):
            raise
    notes.append(
        "the GPU's memory is full: its copy rate was not measured, so no share of it is told; "
        "free some (nvidia-smi says who holds it) and restart the engine"
    )
    return None


def device_label(*, named_host: bool = False) -> str:
    """Return what tells this process's device from others: its name, the GPU's number, the host."""
    import torch
    import triton

    if triton.knobs.runtime.interpret or not (has_nvidia_gpu() and torch.cuda.is_available()):
        label = "interpreter"
    else:
        properties: Any = torch.cuda.get_device_properties(torch.cuda.current_device())
        number = str(getattr(properties, "uuid", "")).removeprefix("GPU-")[:8]
        label = f"{properties.name} {number}".strip()
    return f"{label} of {platform.node()}" if named_host else label


def model_of(label: str) -> str:
    """Return a device's label without what tells it from others of its model."""
    return _NUMBER.sub("", label.partition(" of ")[0])


def _driver_version() -> str:
    """Return the NVIDIA driver's version from NVML, or an empty string where NVML is not there."""
    try:
        import pynvml
    except ImportError:  # the driver's version is worth showing, not worth failing for
        return ""
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ""
    try:
        version = pynvml.nvmlSystemGetDriverVersion()
        return version.decode() if isinstance(version, bytes) else str(version)
    except pynvml.NVMLError:
        return ""
    finally:
        pynvml.nvmlShutdown()
