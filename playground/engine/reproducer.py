"""A minimal script that launches one kernel once: what a bug report to the Triton project needs.

It has the kernel with what it calls, tensors of the launch's shapes, types and strides with made-up
contents, and the launch itself; without a GPU it compiles for the target what would be launched.
Nothing of the user's host code is in it.
"""

from __future__ import annotations

import ast
import textwrap
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.arguments import dtype_text, storage_key, tensors_in
from playground.engine.bundle import Bundle
from playground.engine.bundle_text import BundleText
from playground.engine.reporting import private_folders
from playground.engine.triton_private.wrappers import parse_target
from playground.engine.user_modules import UserModules
from playground.model.report_html import without_folders
from playground.protocol.messages import Exported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playground.engine.session import Session
    from playground.model.config import Config

MARK = "Triton Playground's reproducer"
"""How such a script begins, which tells it from other files."""

_WIDTH = 96


class NoReproducerError(ValueError):
    """A launch that cannot be written down alone; the message says what to do instead."""


def reproducer(session: Session, launch: int, config: Config) -> Exported:
    """Return the script for a launch under a config, and a name for it.

    Raises
    ------
    NoReproducerError
        The kernel is made within a function, or an argument is nothing that can be written down.
    """
    captured = session.launches[launch]
    kernel = captured.info.kernel
    modules = UserModules(captured.info.file, {session.path: session.text})
    target = modules.member(modules.main, kernel)
    if target is None:
        raise NoReproducerError(
            f"{kernel} is made within a function, so it cannot be taken out of its file: "
            "export the tuned kernel and attach that"
        )
    bundle = Bundle(modules)
    bundle.need_names([kernel])
    bundle.complete()
    written = BundleText(bundle)
    name = next(
        (
            final for identity, final in bundle.names.items()
            if getattr(identity, "name", None) == kernel
            and getattr(identity, "path", None) == captured.info.file
        ),
        kernel,
    )  # fmt: skip
    prepared = session.prepare(launch, config)
    makes, call = _arguments(prepared.arguments, config)
    body = without_tuners(written.body, name)
    parts = [
        _header(session, launch, config),
        _imports(written.imports, body, makes),
        body.strip("\n"),
        'DEVICE = "cuda" if torch.cuda.is_available() else "cpu"\ntorch.manual_seed(0)\n'
        + "\n".join(makes),
        _call(name, prepared.grid, call, config, session.device.target),
    ]
    text = without_folders("\n\n".join(parts) + "\n", private_folders(session))
    try:
        ast.parse(text)
    except SyntaxError as error:
        raise NoReproducerError(
            f"the script for {kernel} would be no Python ({error}): export the tuned kernel instead"
        ) from error
    return Exported(text, f"{kernel}_reproducer.py")


def without_tuners(text: str, kernel: str) -> str:
    """Return a module's text with only `jit` left above `kernel`: its config is in the call."""
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            for decorator in reversed(node.decorator_list):
                if "jit" in ast.unparse(decorator).partition("(")[0].split("."):
                    continue
                end = decorator.end_lineno or decorator.lineno
                del lines[decorator.lineno - 1 : end]
    return "\n".join(lines)


def _header(session: Session, launch: int, config: Config) -> str:
    info, device = session.launches[launch].info, session.device
    compiled = session.kept.outcomes.get((launch, config, device.target))
    told = [
        finding.message for finding in (compiled.findings if compiled is not None else ())
        if finding.severity == "error"
    ]  # fmt: skip
    checked = session.kept.checked.get((launch, config))
    if checked is not None and checked.result.status == "wrong":
        told.append(checked.result.text())
    rows = [
        f"{MARK}: {info.kernel} under {config.label()}",
        f"triton {device.triton}, torch {device.torch}, Python {device.python}",
        f"{device.name}, target {device.target}"
        + (f", driver {device.driver}" * bool(device.driver)),
        *told,
        "Tensors have the shapes, types and strides of the launch, and made-up contents.",
    ]
    lines = [line for row in rows for line in textwrap.wrap(row, _WIDTH)]
    return "\n".join(f"# {line}" for line in lines)


def _imports(imports: str, body: str, makes: list[str]) -> str:
    wanted = ["import torch", "import triton", "import triton.language as tl"]
    lines = [line for line in imports.strip("\n").split("\n") if line.strip()]
    if any("TensorDescriptor(" in make for make in makes):
        wanted.append("from triton.tools.tensor_descriptor import TensorDescriptor")
    have = set(lines)
    lines += [line for line in wanted if line not in have and _is_needed(line, body)]
    return "\n".join(lines)


def _is_needed(line: str, body: str) -> bool:
    bound = line.split()[-1]
    return bound in ("torch", "TensorDescriptor") or f"{bound}." in body


def _arguments(
    arguments: Mapping[str, Any], config: Config
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the statements that make the arguments, and each argument's text by name."""
    makes: list[str] = []
    call: list[tuple[str, str]] = []
    shared = _shared(arguments)
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor):
            makes += _tensor(name, value, shared)
            call.append((name, name))
        elif _is_descriptor(value):
            makes += _tensor(f"{name}_base", value.base, shared)
            makes.append(
                f"{name} = TensorDescriptor({name}_base, {list(value.shape)}, "
                f"{list(value.strides)}, {list(value.block_shape)})"
            )
            call.append((name, name))
        else:
            call.append((name, _literal(name, value)))
    return makes, call


def _shared(arguments: Mapping[str, Any]) -> dict[object, str]:
    """Return a name for each storage that several arguments lie in."""
    found: dict[object, int] = {}
    for value in arguments.values():
        for tensor in tensors_in(value):
            key = storage_key(tensor)
            if key is not None:
                found[key] = found.get(key, 0) + 1
    several = [key for key, count in found.items() if count > 1]
    return {key: f"storage_{number}" for number, key in enumerate(several)}


def _tensor(name: str, tensor: torch.Tensor, shared: dict[object, str]) -> list[str]:
    """Return the statements that make one tensor on the GPU."""
    dtype = f"torch.{dtype_text(tensor.dtype)}"
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    key = storage_key(tensor)
    if key in shared:
        storage = shared[key]
        size = tensor.untyped_storage().nbytes()
        view = f"{storage}.view({dtype}).as_strided({shape}, {strides}, {tensor.storage_offset()})"
        return [
            f'{storage} = globals().get("{storage}", torch.zeros({size}, dtype=torch.uint8, '
            f"device=DEVICE))",
            f"{name} = {view}",
        ]
    made = f"torch.empty_strided({shape}, {strides}, dtype={dtype}, device=DEVICE)"
    lines = [f"{name} = {made}"]
    if tensor.dtype.itemsize == 1 and tensor.dtype.is_floating_point:
        return [*lines, f"{name}.copy_(torch.randn({shape}, device=DEVICE))"]
    fill = ".normal_()" if tensor.dtype.is_floating_point else ".zero_()"
    return [*lines, f"{name}{fill}"]


def _is_descriptor(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("base", "shape", "strides", "block_shape"))


def _literal(name: str, value: Any) -> str:
    """Return the source text of an argument that is no tensor."""
    if value is None or isinstance(value, bool | int | float | str):
        if (isinstance(value, float) and value != value) or value in (float("inf"), -float("inf")):
            return f'float("{value}")'
        return repr(value)
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, tuple | list):
        inner = ", ".join(_literal(name, item) for item in value)
        return f"({inner},)" if isinstance(value, tuple) else f"[{inner}]"
    kind = type(value)
    if kind.__module__.startswith("triton.language"):
        if kind.__name__ == "constexpr":
            return _literal(name, value.value)
        if kind.__name__ == "dtype":
            return f"tl.{_LANGUAGE_TYPES.get(str(value), str(value))}"
    raise NoReproducerError(
        f"{name} is a {kind.__name__}, which cannot be written down alone: export the tuned kernel "
        "and attach that"
    )


_LANGUAGE_TYPES = {
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
    "fp8e4nv": "float8e4nv", "fp8e5": "float8e5", "i1": "int1",
}  # fmt: skip


def _call(
    name: str, grid: tuple[int, ...], call: list[tuple[str, str]], config: Config, target: str
) -> str:
    """Return the launch; where the script runs without a GPU, it compiles what would be launched.

    Many faults are the compiler's, and who looks into them need not have the GPU.
    """
    known = {argument for argument, _ in call}
    options = [
        f"{option}={value!r}" for option, value in config.values
        if option not in known and value is not None
    ]  # fmt: skip
    parts = [f"{argument}={text}" for argument, text in call] + options
    lines = textwrap.wrap(", ".join(parts), _WIDTH - 4, break_long_words=False)
    inside = "\n".join(f"    {line}" for line in lines)
    return _RUN.format(
        arguments=inside, name=name, grid=tuple(grid), target=target, made=_made(target)
    )


_RUN = """arguments = dict(
{arguments}
)
if torch.cuda.is_available():
    {name}[{grid}](**arguments)
    torch.cuda.synchronize()
    print("launched")
else:
    from triton.backends.compiler import GPUTarget

    class NoGPU:
        # All that Triton asks of a driver when it only compiles.
        def get_current_target(self):
            return {made}

        def get_current_device(self):
            return 0

        def get_current_stream(self, device=None):
            return 0

    triton.runtime.driver.set_active(NoGPU())
    compiled = {name}.warmup(grid={grid}, **arguments)
    print("no GPU here; compiled for {target}:", ", ".join(compiled.asm))"""


def _made(target: str) -> str:
    found = parse_target(target)
    return f"GPUTarget({found.backend!r}, {found.arch!r}, {found.warp_size})"
