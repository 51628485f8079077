"""What a kernel file holds, read from its text alone: opening a file never executes it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from playground.model.driver_offers import function_calls, only_benchmarks, runs_at_import
from playground.model.file_map import FileMap, constexprs_of, is_jit, map_file
from playground.model.finding import Finding
from playground.model.source_tree import tree_of

__all__ = [
    "Driver", "KernelOutline", "Outline", "ProblemSize", "is_jit", "outline", "syntax_finding",
]  # fmt: skip

_MOST_FUNCTIONS = 12


@dataclass(frozen=True)
class ProblemSize:
    """An integer parameter of a driver, with the value it has when nobody sets it."""

    name: str
    default: int


@dataclass(frozen=True)
class Driver:
    """Something whose execution launches kernels.

    `code` is what runs after the module: an expression such as `example()` for `example`, a
    `function` of the file and `typed`; several lines for one that the app wrote (`generated`);
    empty for `main`, where the module itself runs as `__main__`.
    """

    kind: Literal["example", "main", "function", "typed", "generated"]
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
        tree = tree_of(text)
    except (SyntaxError, ValueError) as error:
        return Outline(findings=(syntax_finding(error, path),))
    files = map_file(tree)
    kernels = tuple(_kernel(place.node) for place in files.kernels)
    has_reference = isinstance(files.top.get("reference"), ast.FunctionDef)
    drivers, findings = _drivers(files, text, path)
    return Outline(kernels, drivers, has_reference, findings)


def _drivers(
    files: FileMap, text: str, path: str
) -> tuple[tuple[Driver, ...], tuple[Finding, ...]]:
    """Return what may be run, in the order in which it is offered."""
    first: list[Driver] = []
    example = files.top.get("example")
    if isinstance(example, ast.FunctionDef):
        sizes = _sizes(example)
        first.append(Driver("example", "example()", "example()", sizes, example.lineno))
    script: list[Driver] = []
    imported = runs_at_import(files)
    if files.main_block is not None:
        line = files.main_block.lineno
        script.append(Driver("main", 'if __name__ == "__main__"', "", (), line))
    elif imported is not None:
        script.append(Driver("main", "the file itself", "", (), imported))
    functions = [
        Driver("function", code if len(code) <= 60 else f"{code[:59]}…", code, (), line)
        for code, line in function_calls(files)
    ]
    written: list[Driver] = []
    findings: tuple[Finding, ...] = ()
    if example is None and (files.kernels or files.launching or not (script or functions)):
        # Here: a file that brings its example needs nothing of what writes one.
        from playground.model.driver_writing import written_drivers

        try:
            written = [
                Driver("generated", label, code, (), line)
                for label, code, line in written_drivers(files, text)
            ]
        except (RecursionError, ValueError, LookupError, TypeError, AttributeError) as error:
            # Texts are of all kinds: one that can't be read this way can still be run by hand.
            told = f"no driver could be written for this file: {type(error).__name__}: {error}"
            findings = (
                Finding("hint", "driver", told, "type a call that launches a kernel", path),
            )
    if imported is None and only_benchmarks(files) and (functions or written):
        return (*first, *functions[:_MOST_FUNCTIONS], *written, *script), findings
    return (*first, *script, *functions[:_MOST_FUNCTIONS], *written), findings


def syntax_finding(error: SyntaxError | ValueError, path: str) -> Finding:
    """Return the finding for source text that does not parse."""
    line = getattr(error, "lineno", None)
    offset = getattr(error, "offset", None)
    start = str(getattr(error, "text", None) or "").lstrip()[:1]
    hint = ""
    if start in ("%", "!"):
        hint = (
            "this line is a notebook's own, which Python does not know: take it out or put # "
            "before it (`jupyter nbconvert --to script` writes such lines so that they run)"
        )
    return Finding(
        "error", "syntax", f"{type(error).__name__}: {getattr(error, 'msg', None) or error}", hint,
        file=path, line=line, column=max(offset - 1, 0) if offset else None,
    )  # fmt: skip


def _kernel(node: ast.FunctionDef) -> KernelOutline:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    names = tuple(argument.arg for argument in arguments)
    return KernelOutline(node.name, node.lineno, names, constexprs_of(node))


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
