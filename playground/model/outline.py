"""What a kernel file holds, read from its text alone: opening a file never executes it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from playground.model.finding import Finding


@dataclass(frozen=True)
class ProblemSize:
    """An integer parameter of a driver, with the value it has when nobody sets it."""

    name: str
    default: int


@dataclass(frozen=True)
class Driver:
    """Something whose execution launches kernels.

    `code` is what runs after the module: an expression such as `example()` for `example` and
    `typed`; empty for `main`, where the module itself runs as `__main__`.
    """

    kind: Literal["example", "main", "typed", "generated"]
    label: str
    code: str
    sizes: tuple[ProblemSize, ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class KernelOutline:
    """A function under a `triton.jit` decorator; `line` is its `def`."""

    name: str
    line: int
    parameters: tuple[str, ...]
    constexprs: tuple[str, ...]


@dataclass(frozen=True)
class Outline:
    """Kernels and drivers of a file; drivers in the order they are offered."""

    kernels: tuple[KernelOutline, ...] = ()
    drivers: tuple[Driver, ...] = ()
    has_reference: bool = False
    findings: tuple[Finding, ...] = ()


def outline(text: str, path: str) -> Outline:
    """Return what `text` holds; a syntax error becomes a finding, never an exception."""
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError) as error:
        return Outline(findings=(syntax_finding(error, path),))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    kernels = tuple(
        sorted((_kernel(node) for node in functions if is_jit(node)), key=lambda k: k.line)
    )
    top = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    drivers: list[Driver] = []
    if "example" in top and not is_jit(top["example"]):
        drivers.append(
            Driver(
                "example", "example()", "example()", _sizes(top["example"]), top["example"].lineno
            )
        )
    main = next((node for node in tree.body if _is_main_block(node)), None)
    if main is not None:
        drivers.append(Driver("main", 'if __name__ == "__main__"', "", (), main.lineno))
    return Outline(kernels, tuple(drivers), "reference" in top)


def syntax_finding(error: SyntaxError | ValueError, path: str) -> Finding:
    """Return the finding for source text that does not parse."""
    line = getattr(error, "lineno", None)
    offset = getattr(error, "offset", None)
    return Finding(
        "error", "syntax", f"{type(error).__name__}: {getattr(error, 'msg', None) or error}",
        file=path, line=line, column=max(offset - 1, 0) if offset else None,
    )  # fmt: skip


def _kernel(node: ast.FunctionDef) -> KernelOutline:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    constexprs = tuple(
        arg.arg
        for arg in arguments
        if arg.annotation is not None and "constexpr" in ast.unparse(arg.annotation)
    )
    return KernelOutline(node.name, node.lineno, tuple(arg.arg for arg in arguments), constexprs)


def is_jit(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether `node` is a kernel: a function under a decorator called `jit`."""
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name == "jit" and not ast.unparse(target).startswith(("torch.", "jax.", "numba.")):
            return True
    return False


def _is_main_block(node: ast.stmt) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = ast.unparse(node.test)
    return "__name__" in test and "__main__" in test


def _sizes(node: ast.FunctionDef) -> tuple[ProblemSize, ...]:
    plain = [*node.args.posonlyargs, *node.args.args]
    pairs = [
        *zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True),
        *(
            (arg, default)
            for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default
        ),
    ]
    sizes = []
    for arg, default in pairs:
        try:
            value = _integer(default)
        except ValueError:
            continue
        sizes.append(ProblemSize(arg.arg, value))
    return tuple(sizes)


def _integer(node: ast.expr) -> int:
    # `1 << 20` and `16 * 1024` are how people write sizes; only integer arithmetic is evaluated.
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int)
        and not isinstance(node.value, bool)
    ):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_integer(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _integer(node.left), _integer(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.FloorDiv) and right:
            return left // right
        if isinstance(node.op, ast.LShift) and 0 <= right < 64:
            return left << right
        if isinstance(node.op, ast.Pow) and 0 <= right < 64:
            return int(left**right)
    raise ValueError("no integer constant")
