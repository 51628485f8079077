"""A kernel without its prints: the same code otherwise, for a time that holds no printing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from triton.compiler import code_generator
from triton.language.semantic import TritonSemantic

from playground.engine.triton_private.tracing import build_with

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from playground.engine.replay import PreparedReplay


class SilentSemantic(TritonSemantic):  # type: ignore[misc]
    """Triton's semantics, in which `tl.device_print` (and `print`) builds nothing."""

    def device_print(self, *arguments: Any) -> None:
        """Leave a print out."""


class SilentGenerator(code_generator.CodeGenerator):  # type: ignore[misc]
    """Triton's code generator with the semantics above; one for each function of the kernel."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        if not self.is_gluon:
            self.semantic = SilentSemantic(self.builder)


def build_silent(
    function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any]
) -> Any:  # fmt: skip
    """Compile a copy of `function` without its prints and return Triton's compiled kernel.

    `arguments` holds every parameter by name, `options` are the launch's own.
    """
    return build_with(SilentGenerator, function, arguments, options)


def silent_run(prepared: PreparedReplay) -> Callable[[], Any]:
    """Compile and load a replay's kernel without its prints; return what launches that.

    It runs on the current stream and on the replay's own tensors.
    """
    options = {name: value for name, value in prepared.options.items() if value is not None}
    function = prepared.launch.function
    kernel = build_silent(function, prepared.arguments, options)
    kernel._init_handles()
    names = [parameter.name for parameter in function.params]
    given = [prepared.arguments[name] for name in names]
    return lambda: kernel[prepared.grid](*given)
