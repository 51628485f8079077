"""Kernel times from CUPTI activity records, read through torch's profiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._C._autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

if TYPE_CHECKING:
    from collections.abc import Callable


class NoRecordsError(RuntimeError):
    """CUPTI gave no usable records here; another clock has to be used."""


def available() -> bool:
    """Tell whether this torch was built with CUPTI (Kineto)."""
    return torch.profiler.ProfilerActivity.CUDA in torch.profiler.supported_activities()


def sample(
    launch: Callable[[], Any], before: Callable[[], None] | None, count: int, kernel: str
) -> list[float]:
    """Return the durations of `count` launches in ms, in launch order.

    Parameters
    ----------
    launch
        Launches the kernel once on the current stream.
    before
        Runs on the stream ahead of each launch (evicting the L2, restoring inputs); its own
        kernels are not counted.
    kernel
        The kernel's name in the records.

    Raises
    ------
    NoRecordsError
        The records do not hold exactly `count` launches of `kernel`: another tool holds CUPTI, or
        the driver gives no access to it.
    """
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
        for _ in range(count):
            if before is not None:
                before()
            launch()
        torch.cuda.synchronize()
    results = profiler.profiler.kineto_results if profiler.profiler is not None else None
    if results is None:
        raise NoRecordsError("the profiler kept no records")
    # Only raw records are read: building the profiler's event tree costs more than the launches.
    records = sorted(
        (event.start_ns(), event.duration_ns())
        for event in results.events()
        if event.device_type() == DeviceType.CUDA and _is(kernel, event.name())
    )
    if len(records) != count:
        raise NoRecordsError(f"CUPTI recorded {len(records)} of {count} launches of {kernel}")
    return [duration / 1e6 for _, duration in records]


def _is(kernel: str, name: str) -> bool:
    # triton appends its specialisation to some names (`kernel_0d1d`); torch's are templates.
    return name == kernel or (name.startswith(kernel + "_") and "(" not in name and "<" not in name)
