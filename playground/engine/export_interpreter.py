"""Lines that mend Triton's interpreter in an exported file, where its kernels need it to be judged.

An exported file runs alone: on a machine without a GPU its check has Triton's own interpreter,
which computes bfloat16 on bit patterns, has no libdevice, keeps the last operand of `and` alone,
does not see what a kernel closes over, and returns nothing from a launch. Each of these is mended
in a few lines, written only into files that make use of it. What cannot be mended is in `limits`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine import export_interpreter_text as text_of
from playground.model.outline import is_jit

if TYPE_CHECKING:
    from collections.abc import Iterator

_COPIED = re.compile(r"\b(module_from_spec|spec_from_file_location)\b")


@dataclass(frozen=True)
class Figures:
    """What the compiler made of the launch, for host code that looks at a compiled kernel."""

    target: str
    registers: int = 32
    spills: int = 0
    shared_bytes: int = 0


def parts(text: str, figures: Figures, *, narrow: bool) -> list[str]:
    """Return the code that mends what the kernels in `text` need, each a part of its own.

    Parameters
    ----------
    narrow
        Whether launches work on types that Triton's interpreter gets wrong.
    """
    tree = ast.parse(text)
    kernels = list(_kernels(tree))
    found = []
    known = {
        name: text_of.FUNCTIONS[name] for name in libdevice_names(tree) if name in text_of.FUNCTIONS
    }
    if known:
        known |= {
            text_of.SYMBOLS[name]: code for name, code in known.items() if name in text_of.SYMBOLS
        }
        lines = "\n".join(f'    "{name}": {code},' for name, code in known.items())
        found.append("import functools\n" + text_of.LIBDEVICE.format(functions=lines).lstrip("\n"))
        if _COPIED.search(text):
            found.append(text_of.COPIES)
    if narrow:
        found.append("import copy\n\nimport numpy\n" + text_of.FP32.lstrip("\n"))
    if any(_is_nested(tree, kernel) for kernel in kernels):
        found.append(text_of.CLOSURES)
    if any(_combines_blocks(kernel) for kernel in kernels):
        found.append(text_of.LOGIC)
    variables = {name for kernel in kernels for name in _loop_variables_as_tensors(kernel)}
    if variables:
        names = ", ".join(f'"{name}"' for name in sorted(variables))
        found.append(text_of.LOOPS.replace("VARIABLES", names))
    if re.search(r"\bgdc_(wait|launch_dependents)\b", text):
        found.append("import operator\n" + text_of.EARLIER_GRID.lstrip("\n"))
    if looks_at_compiled(text):
        made = text_of.RETURNED.replace("TARGET", figures.target)
        made = made.replace("REGISTERS", str(figures.registers))
        made = made.replace("SPILLS", str(figures.spills))
        found.append(made.replace("SHARED", str(figures.shared_bytes)))
    return found


def looks_at_compiled(text: str) -> bool:
    """Tell whether host code looks at the compiled kernel that a launch returns."""
    return bool(re.search(r"\.warmup\(|\.(n_regs|n_spills|metadata|_init_handles)\b", text))


def taking_part(text: str, kernel: str) -> str:
    """Return the text of a kernel and of the helpers beside it: not of others that are launched."""
    return "\n\n".join(
        ast.unparse(node)
        for node in _kernels(ast.parse(text))
        if node.name == kernel or not re.search(rf"\b{node.name}\[|\b{node.name}\.run\(", text)
    )


def names_narrow(kernels: str) -> bool:
    """Tell whether the text of kernels names a type that Triton's interpreter gets wrong."""
    return bool(re.search(r"bfloat16|float8", kernels))


def _widening_limits(text: str, kernels: str) -> list[str]:
    """Return why launches on narrow types cannot go in fp32 instead."""
    found = []
    if "bitcast" in kernels:
        found.append("its kernels look at the bits of bfloat16 or float8 numbers (bitcast)")
    if re.search(r"\breinterpret\(", text) or "pointer_type(" in kernels:
        found.append("its kernels are handed bfloat16 or float8 numbers as another type's bits")
    if "dot_scaled" in kernels:
        found.append("tl.dot_scaled takes float8 operands, which it computes wrongly")
    return found


def limits(text: str, kernels: str, *, narrow: bool) -> list[str]:
    """Return why Triton's own interpreter cannot judge a file, in words; empty where it can.

    Parameters
    ----------
    kernels
        The text of those kernels that the launch runs (`taking_part`).
    narrow
        Whether it works on types that the interpreter gets wrong.
    """
    tree = ast.parse(text)
    found = _widening_limits(text, kernels) if narrow else []
    unknown = sorted(libdevice_names(tree) - set(text_of.FUNCTIONS))
    if unknown:
        found.append(f"it has no libdevice.{', libdevice.'.join(unknown)}")
    if "inline_asm" in text:
        found.append("inline assembly is for one kind of GPU")
    return list(dict.fromkeys(found))


def doubts(text: str) -> list[str]:
    """Return what may keep Triton's own interpreter from judging a file."""
    found = []
    if re.search(r"\.asm\[|\.asm\.", text):
        found.append("the file reads a kernel's compiled code, and nothing is compiled there")
    if re.search(r"launch_(enter|exit)_hook|add_pre_run_hook|pre_run_hooks", text):
        found.append("it calls no launch hooks")
    return found


def libdevice_names(tree: ast.Module) -> set[str]:
    """Return the libdevice functions that a file's text names."""
    names, modules = set(), {"libdevice"}
    text = ast.unparse(tree)
    copied = "libdevice" in text and bool(_COPIED.search(text))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            origin = getattr(node, "module", "") or ""
            for one in node.names:
                if one.name.rpartition(".")[2] == "libdevice":
                    modules.add(one.asname or "libdevice")
                elif origin.rpartition(".")[2] == "libdevice":
                    names.add(one.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            if getattr(owner, "attr", getattr(owner, "id", "")) in modules:
                names.add(node.attr)
        elif isinstance(node, ast.Constant) and node.value in text_of.FUNCTIONS and copied:
            names.add(str(node.value))  # `found_in_copy("rsqrt")`
    return names - {"*"}


def _kernels(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and is_jit(node):
            yield node


def _is_nested(tree: ast.Module, kernel: ast.AST) -> bool:
    return any(
        kernel is not other and any(kernel is each for each in ast.walk(other))
        for other in ast.walk(tree)
        if isinstance(other, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def _combines_blocks(kernel: ast.AST) -> bool:
    """Tell whether `and`, `or` or `not` gives a value in a kernel, not only a branch."""
    return any(
        isinstance(each, ast.BoolOp)
        or (isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not))
        for value in _values(kernel)
        for each in ast.walk(value)
    )


def _values(kernel: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(kernel):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)):
            if node.value is not None:
                yield node.value
        elif isinstance(node, ast.Call):
            yield from node.args
            yield from (one.value for one in node.keywords)


def _loop_variables_as_tensors(kernel: ast.AST) -> set[str]:
    """Return the variables of loops that are asked for what only a tensor has: `row.to(…)`."""
    loops = {
        node.target.id
        for node in ast.walk(kernel)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
    }
    asked = (
        node.value
        for node in ast.walk(kernel)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, (ast.Name, ast.BinOp))
        and node.attr in ("to", "cast", "dtype", "shape")
    )
    return {
        each.id
        for value in asked
        for each in ast.walk(value)
        if isinstance(each, ast.Name) and each.id in loops
    }
