"""What a worker is asked to compile: a kernel, its arguments and options as a launch has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton

from playground.engine.arguments import replace_tensors
from playground.engine.compile_messages import (
    ArgumentError,
    Order,
    Spec,
    encode,
    reference,
)
from playground.engine.triton_private import wrappers
from playground.model.finding import Finding
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.capture import CapturedLaunch
    from playground.engine.hosting import Hosted


_NO_OPTION = frozenset({"grid", "warmup", "stream"})


def order_of(launch: CapturedLaunch, made: Hosted, target: str) -> Order:
    """Return the order to compile a launch as the host code makes it, for a target."""
    effective = made.effective
    arguments = _arguments(made)
    options = {name: value for name, value in launch.options.items() if name not in _NO_OPTION}
    taken = wrappers.option_defaults(target)
    for name in OPTION_KNOBS:
        if name in effective and (name in options or name not in arguments):
            options[name] = effective[name]
        # A launch option that another target lacks says nothing there; but an older GPU of the
        # same maker refuses clusters of programs, which the compiler shall say.
        refused = name == "num_ctas" and target.startswith("cuda") and options.get(name) != 1
        if options.get(name) is None or (name not in taken and not refused):
            options.pop(name, None)
    return Order(
        reference(launch.function),
        tuple((name, encode(value)) for name, value in arguments.items()),
        tuple(sorted((name, _hashable(value)) for name, value in options.items())),
        target,
        launch.ordinal,
        launch.info.call_line,
    )


def _hashable(value: Any) -> Any:
    # `extern_libs` is a mapping; Triton takes pairs as well.
    return tuple(sorted(value.items())) if isinstance(value, dict) else value


def _arguments(made: Hosted) -> dict[str, Any]:
    """Return a launch's arguments under a config, as the kernel would see them."""
    arguments = dict(made.arguments)
    hook = getattr(made.launch.chosen, "pre_hook", None)
    described = [name for name, value in arguments.items() if hasattr(value, "block_shape")]
    if hook is not None and described:
        # A tuning config's own hook adapts descriptors to the blocks. It may also write to tensors,
        # so it is shown stand-ins without memory.
        shown = {
            name: replace_tensors(value, lambda tensor: tensor.to("meta"))
            for name, value in arguments.items()
        }
        hook({**shown, **made.effective.as_dict()})
        arguments.update({name: shown[name] for name in described})
    return arguments


def sendable(
    rebound: Mapping[str, Mapping[str, Any]],
) -> tuple[tuple[str, str, Spec], ...]:
    """Return the rebound globals that another process can be told of."""
    told = []
    for module, values in rebound.items():
        for name, value in values.items():
            # What is no plain value (a tensor, a function typed into the console) stays here.
            if isinstance(value, _TOLD):
                told.append((module, name, encode(value)))
    return tuple(sorted(told))


_TOLD = (bool, int, float, str, triton.language.constexpr, triton.language.dtype, torch.dtype)


def unsendable(launch: CapturedLaunch, error: ArgumentError) -> Finding:
    """Return why a launch cannot be sent to a worker."""
    return Finding(
        "error", "compile", str(error),
        "the compile worker is another process: define the class in a module that can be imported",
        launch.info.file, launch.info.line,
    )  # fmt: skip
