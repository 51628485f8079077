"""A stand-in for Triton's GPU driver, for a process that compiles, or interprets, without a GPU.

Kernel files ask the active driver things while they are imported (`DEVICE =
triton.runtime.driver.active.get_active_torch_device()`), and Triton asks it for the target when it
compiles. The stand-in answers as the chosen GPU would, and refuses by name what needs the GPU.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NoReturn

from playground.model.targets import Target, facts_for, parse_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class NoGpuError(RuntimeError):
    """Something needs the GPU itself, and the driver is the stand-in."""


class _NoUtils:
    """What `driver.active.utils` offers without a GPU: the properties of the chosen one."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def get_device_properties(self, device: int = 0) -> dict[str, int | str]:
        """Return the chosen GPU's properties under Triton's keys; clocks are 0: not known."""
        gpu = facts_for(self._target.name)
        properties: dict[str, int | str] = {
            "max_shared_mem": gpu.shared_per_block_bytes if gpu else 48 * 1024,
            "max_num_regs": gpu.registers_per_sm if gpu else 65536,
            "multiprocessor_count": gpu.multiprocessors if gpu else 1,
            "warpSize": self._target.warp_size,
            "sm_clock_rate": 0,
            "mem_clock_rate": 0,
            "mem_bus_width": 0,
        }
        if self._target.backend == "hip":
            properties["arch"] = str(self._target.arch)
            properties["max_threads_per_sm"] = gpu.max_warps_per_sm * gpu.warp_size if gpu else 2048
        return properties

    def load_binary(
        self, name: str, kernel: bytes, _shared_bytes: int, _device: int
    ) -> tuple[int, int, int, int, int]:
        """Return handles of 0 and what the binary says of itself: nothing is loaded.

        Launchers that plan their grid from a compiled kernel's registers get the true figures:
        registers and spilled registers per thread, and the threads a program may have.
        """
        gpu = facts_for(self._target.name)
        threads = gpu.max_threads_per_block if gpu else 1024
        if self._target.backend != "cuda":
            raise NoGpuError(f"{name} for {self._target.name} says its registers on the GPU only")
        import triton

        from playground.engine.resources import from_cubin

        read = from_cubin(kernel, str(triton.knobs.nvidia.cuobjdump.path))
        return 0, 0, read.registers or 0, (read.stack_bytes or 0) // 4, threads

    def unload_module(self, _module: object) -> None:
        """Do nothing: nothing was ever loaded."""

    def set_printf_fifo_size(self, _size: int) -> None:
        """Do nothing: there is no device to print from."""

    def cuOccupancyMaxActiveClusters(self, *_args: object) -> NoReturn:
        """Refuse: the driver counts clusters for a loaded kernel only."""
        raise NoGpuError("how many clusters can be active is known on the GPU only")


class StubDriver:
    """Answers as Triton's driver for `target` would, without a GPU.

    Parameters
    ----------
    target : str
        `cuda:90`, `hip:gfx942` and so on.
    """

    def __init__(self, target: str) -> None:
        self._target = parse_target(target)
        self.utils = _NoUtils(self._target)
        self.binary_ext = "cubin" if self._target.backend == "cuda" else "hsaco"

    def __repr__(self) -> str:
        return f"StubDriver({self._target.name!r})"

    @classmethod
    def is_active(cls) -> bool:
        """Tell that this driver can be used: always."""
        return True

    def launcher_cls(self, _source: object, _metadata: object) -> Callable[..., NoReturn]:
        """Return a launcher that refuses: a kernel may be looked at, launching needs a GPU."""

        def refuse(*_args: object) -> NoReturn:
            raise NoGpuError(
                f"the kernel was compiled for {self._target.name}; launching it needs a GPU"
            )

        return refuse

    def get_current_target(self) -> object:
        """Return the chosen target as Triton's `GPUTarget`."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget(self._target.backend, self._target.arch, self._target.warp_size)

    def get_current_device(self) -> int:
        """Return device 0, the only one."""
        return 0

    def set_current_device(self, _device: int) -> None:
        """Accept any device: there is only one."""

    def get_current_stream(self, _device: int | None = None) -> int:
        """Return the null stream."""
        return 0

    def get_device_capability(self, _device: int | None = None) -> tuple[int, int]:
        """Return the compute capability of a CUDA target, (0, 0) of another."""
        if isinstance(self._target.arch, int):
            return divmod(self._target.arch, 10)
        return (0, 0)

    def get_active_torch_device(self) -> object:
        """Return where the user's tensors seem to lie: on the simulated GPU, or on a real one.

        A process that compiles on a machine with a GPU has torch's own `cuda`.
        """
        import torch

        from playground.engine.simulated_state import active_device, is_active

        if not is_active() and torch.cuda.is_available():
            return torch.device("cuda", 0)
        return active_device()

    def get_device_interface(self) -> object:
        """Return `torch.cpu`, or `torch.cuda` where tensors lie there, if only by simulation."""
        import torch

        from playground.engine.simulated_state import is_active

        return torch.cuda if is_active() or torch.cuda.is_available() else torch.cpu

    def map_python_to_cpp_type(self, type_name: str) -> str:
        """Return the C++ type Triton's own driver for this target gives a signature type."""
        if self._target.backend == "cuda":
            from triton.backends.nvidia.driver import ty_to_cpp
        else:
            from triton.backends.amd.driver import ty_to_cpp
        return str(ty_to_cpp(type_name))

    def get_benchmarker(self) -> object:
        """Return a benchmarker that refuses when called: there is no GPU time to measure."""

        def refuse(*_args: object, **_options: object) -> NoReturn:
            raise NoGpuError(
                "there is no GPU here, so configs cannot be timed against one another; "
                "choose one in the knobs, or run on a machine with a GPU"
            )

        return refuse

    def get_empty_cache_for_benchmark(self) -> object:
        """Return an empty tensor: there is no L2 cache to flush."""
        import torch

        return torch.empty(0)

    def clear_cache(self, cache: object) -> None:
        """Do nothing: there is no L2 cache to flush."""

    def assemble_tensormap_to_arg(self, _tensormaps: object, args: object) -> object:
        """Return the arguments unchanged; descriptors need no device memory here."""
        return args

    def allocate_default_profile_scratch(self, *_args: object) -> NoReturn:
        """Refuse: profiling needs a GPU."""
        raise NoGpuError("profiling a kernel needs a GPU")


def activate_stub(target: str) -> StubDriver:
    """Make a stand-in for `target` Triton's active driver, and return it.

    A driver that is already active is replaced, kernels compiled for the former target included:
    Triton keeps compiled kernels per device number, so a process that changes targets must drop
    its modules too.
    """
    import triton

    driver = StubDriver(target)
    triton.runtime.driver.set_active(driver)
    return driver


@contextlib.contextmanager
def driver_kept() -> Iterator[None]:
    """Put Triton's active driver back afterwards, whichever a file makes it meanwhile.

    Files set one of their own, a stand-in to be tuned without a GPU: what comes after them would
    ask it for the target, and load their kernels by it.
    """
    from triton.runtime.driver import driver

    # Not `driver.active`: where nobody has asked for a driver yet, that would look for a GPU.
    before = driver._active
    try:
        yield
    finally:
        if before is not None and driver._active is not before:
            driver.set_active(before)


def is_stub_active() -> bool:
    """Tell whether Triton's active driver is the stand-in: launches cannot run in this process."""
    from triton.runtime.driver import driver

    # Not `driver.active`: where nobody has asked for a driver yet, that would look for a GPU.
    return isinstance(driver._active, StubDriver)
