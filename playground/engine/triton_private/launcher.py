"""The shortest way to launch a kernel again: no binding, no cache look-up, one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from triton import knobs
from triton.runtime.driver import driver

from playground.engine.triton_private import stub_driver, wrappers

if TYPE_CHECKING:
    from collections.abc import Callable


def launch(
    function: Any,
    grid: tuple[int, int, int],
    arguments: dict[str, Any],
    options: dict[str, Any],
    positional: int,
) -> tuple[Any, Callable[[], Any]]:
    """Launch `function` once, and return what Triton returned and a callable that launches again.

    Parameters
    ----------
    arguments
        Every kernel parameter by name, in order.
    options
        Launch options; None values are left to Triton's default.
    positional
        How many arguments to pass by position: a parameter named like an option is one only
        when it is passed by keyword.
    """
    again = plain_call(function, grid, arguments, options, positional)
    if wrappers.is_interpreted(function):
        return again(), again
    if stub_driver.is_stub_active():
        what = "Gluon" if wrappers.is_gluon(function) else "for the compiler alone"
        raise stub_driver.NoGpuError(
            f"{wrappers.kernel_name(function)} is {what}, which Triton's interpreter cannot run: "
            "launching it needs a GPU"
        )
    device = _device_of(arguments)
    if device is not None and device != torch.cuda.current_device():
        again = _on_device(again, device)
        return again(), again
    result = again()
    if function.pre_run_hooks or not hasattr(result, "packed_metadata"):
        return result, again
    return result, _direct_call(result, grid, arguments)


def plain_call(
    function: Any,
    grid: tuple[int, int, int],
    arguments: dict[str, Any],
    options: dict[str, Any],
    positional: int,
) -> Callable[[], Any]:
    """Return the launch as a call that takes nothing."""
    names = list(arguments)
    parameters = wrappers.signature(function).parameters
    args: list[Any] = []
    for name in names[: max(positional, wrappers.by_position(names))]:
        if parameters[name].kind is parameters[name].KEYWORD_ONLY:
            break
        args.append(arguments[name])
    kwargs = {name: arguments[name] for name in names[len(args) :]}
    given = {
        name: value
        for name, value in options.items()
        if value is not None and name not in parameters
    }
    run = function.run

    def call() -> Any:
        return run(*args, grid=grid, warmup=False, **kwargs, **given)

    return call


def _direct_call(
    kernel: Any, grid: tuple[int, int, int], arguments: dict[str, Any]
) -> Callable[[], Any]:
    values = tuple(arguments.values())
    device = driver.active.get_current_device()
    get_stream = driver.active.get_current_stream
    run, function, packed = kernel.run, kernel.function, kernel.packed_metadata
    first, second, third = grid

    def call() -> Any:
        stream = get_stream(device)
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        metadata = None if enter is None else kernel.launch_metadata(grid, stream, *values)
        run(first, second, third, stream, function, packed, metadata, enter, leave, *values)
        return kernel

    return call


def _device_of(arguments: dict[str, Any]) -> int | None:
    for value in arguments.values():
        if isinstance(value, torch.Tensor) and value.is_cuda:
            return value.device.index
    return None


def _on_device(call: Callable[[], Any], device: int) -> Callable[[], Any]:
    def inside() -> Any:
        with torch.cuda.device(device):
            return call()

    return inside
