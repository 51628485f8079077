"""The GPUs that this process may use, as the CUDA driver names them; no context is made."""

from __future__ import annotations

import ctypes
import functools
import os
import uuid
from dataclasses import dataclass

# Of CUdevice_attribute: the compute capability, and who may use the GPU.
_MAJOR, _MINOR, _COMPUTE_MODE = 75, 76, 20
_ANY_PROCESS = 0


@dataclass(frozen=True)
class VisibleGpu:
    """One GPU: what CUDA_VISIBLE_DEVICES calls it here, its own number, its name, its target.

    `shared` tells whether several processes may use it at a time.
    """

    token: str
    uuid: str
    name: str
    target: str
    shared: bool = True


@functools.lru_cache(maxsize=1)
def cuda_driver() -> ctypes.CDLL | None:
    """Return the CUDA driver's library, initialised, or None where there is none; never raises.

    This is what Triton asks too: neither torch nor `nvidia-smi` is needed. No context is made, so a
    process that only asks holds no GPU memory.
    """
    for name in ("libcuda.so.1", "libcuda.so"):
        try:
            library = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        return None
    try:
        return library if library.cuInit(ctypes.c_uint(0)) == 0 else None
    except AttributeError:  # a library of that name which is not the driver
        return None


def gpu_count() -> int:
    """Return how many GPUs the driver lets this process see."""
    driver = cuda_driver()
    count = ctypes.c_int(0)
    try:
        if driver is None or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    except AttributeError:
        return 0
    return count.value


@functools.lru_cache(maxsize=1)
def visible_gpus() -> tuple[VisibleGpu, ...]:
    """Return the GPUs that this process sees, in CUDA's order."""
    driver, count = cuda_driver(), gpu_count()
    if driver is None:
        return ()
    # What was given is passed on as it is (an instance of MIG has no other name); the driver has
    # read it when it was initialised, and ends its list where a name says nothing to it.
    given = [part.strip() for part in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    found = []
    for index in range(count):
        gpu = ctypes.c_int(index)
        driver.cuDeviceGet(ctypes.byref(gpu), ctypes.c_int(index))
        number = _uuid(driver, gpu) or str(index)
        token = given[index] if index < len(given) and given[index] else number
        major, minor = (_attribute(driver, gpu, which) for which in (_MAJOR, _MINOR))
        shared = _attribute(driver, gpu, _COMPUTE_MODE) == _ANY_PROCESS
        target = f"cuda:{major * 10 + minor}"
        found.append(VisibleGpu(token, number, _name(driver, gpu), target, shared))
    return tuple(found)


def _uuid(driver: ctypes.CDLL, gpu: ctypes.c_int) -> str:
    raw = (ctypes.c_ubyte * 16)()
    if driver.cuDeviceGetUuid(ctypes.byref(raw), gpu) != 0:
        return ""
    return f"GPU-{uuid.UUID(bytes=bytes(raw))}"


def _name(driver: ctypes.CDLL, gpu: ctypes.c_int) -> str:
    raw = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(raw, ctypes.c_int(len(raw)), gpu)
    return raw.value.decode(errors="replace")


def _attribute(driver: ctypes.CDLL, gpu: ctypes.c_int, which: int) -> int:
    value = ctypes.c_int(0)
    driver.cuDeviceGetAttribute(ctypes.byref(value), ctypes.c_int(which), gpu)
    return value.value
