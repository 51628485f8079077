"""The GPU's clocks, temperature and power, from NVML."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pynvml
import torch

from playground.model.measurement import ClockState

# What holds the clock back, in the words of nvidia-smi; idle and application clocks are no fault.
_THROTTLE = {
    "nvmlClocksEventReasonSwPowerCap": "power cap",
    "nvmlClocksThrottleReasonHwSlowdown": "hardware slowdown (heat or power)",
    "nvmlClocksEventReasonSwThermalSlowdown": "thermal slowdown",
    "nvmlClocksEventReasonHwPowerBrakeSlowdown": "power brake",
    "nvmlClocksEventReasonSyncBoost": "sync boost",
}


@lru_cache(maxsize=8)
def _handle(device: int) -> Any | None:
    try:
        pynvml.nvmlInit()
        uuid = str(torch.cuda.get_device_properties(device).uuid)
        return pynvml.nvmlDeviceGetHandleByUUID(uuid if uuid.startswith("GPU-") else f"GPU-{uuid}")
    except pynvml.NVMLError:
        return None


def energy_mj(device: int | None = None) -> int | None:
    """Return what the GPU has used since its driver was loaded, in millijoules, or None."""
    handle = _handle(torch.cuda.current_device() if device is None else device)
    if handle is None:
        return None
    try:
        return int(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle))
    except pynvml.NVMLError:
        return None


def clock_state(device: int | None = None) -> ClockState:
    """Return the GPU's state now; every field is None where NVML does not answer."""
    if not torch.cuda.is_available():
        return ClockState()
    handle = _handle(torch.cuda.current_device() if device is None else device)
    if handle is None:
        return ClockState()

    def ask(question: str, *args: int) -> int | None:
        try:
            return int(getattr(pynvml, question)(handle, *args))
        except pynvml.NVMLError:
            return None

    try:
        busy = int(pynvml.nvmlDeviceGetUtilizationRates(handle).gpu)
    except pynvml.NVMLError:
        busy = None
    power_mw = ask("nvmlDeviceGetPowerUsage")
    reasons = ask("nvmlDeviceGetCurrentClocksEventReasons") or 0
    return ClockState(
        sm_clock_mhz=ask("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_SM),
        memory_clock_mhz=ask("nvmlDeviceGetClockInfo", pynvml.NVML_CLOCK_MEM),
        temperature_c=ask("nvmlDeviceGetTemperature", pynvml.NVML_TEMPERATURE_GPU),
        power_w=None if power_mw is None else power_mw / 1e3,
        utilisation=busy,
        throttle=", ".join(
            text for name, text in _THROTTLE.items() if reasons & int(getattr(pynvml, name, 0))
        ),
    )
