"""Knobs that the data dictate, told from the text right after a run.

`BLOCK = triton.next_power_of_2(n_cols)` in a kernel whose program takes a whole row is no knob to
play with: a smaller value cuts rows short. What the text proves is marked here; what it does not is
found when a moved knob breaks a result.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.engine.drivers import DRIVER_FILE
from playground.engine.entries import set_by_tuning
from playground.engine.flow import written
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session

_PADDING = frozenset({"next_power_of_2", "next_power_of_two", "next_pow2", "bit_length", "log2"})
_FACTS = frozenset({"shape", "size", "stride", "numel", "ndim", "dim", "dtype", "element_size",
                    "itemsize", "is_contiguous", "requires_grad"})  # fmt: skip
_WHOLE = frozenset({"arange", "zeros", "full", "static_assert", "static_print", "device_print"})
_COUNTING = frozenset({"range", "min", "max", "abs", "int"})
_LARGEST_CONSTANT = 16


def mark_bound(session: Session) -> None:
    """Mark the knobs of every captured launch that the text proves to be bound to the data."""
    told: dict[tuple[object, ...], dict[str, str]] = {}
    for launch in session.launches:
        key = (launch.site, launch.info.file, launch.info.line)
        if key not in told:
            told[key] = _notes(session, launch)
        notes = told[key]
        if notes:
            knobs = tuple(
                knob.marked_derived(notes[knob.name]) if knob.name in notes else knob
                for knob in launch.info.knobs
            )
            launch.info = replace(launch.info, knobs=knobs)


def _notes(session: Session, launch: CapturedLaunch) -> dict[str, str]:
    """Return the reason for every bound knob of a launch."""
    notes: dict[str, str] = {}
    flow = session.kept.entries.flow(session)
    call = session.kept.entries.call_of(session, launch)
    heuristics = wrappers.heuristics_of(launch.kernel)
    for knob in launch.info.knobs:
        if knob.origin != "constexpr" or knob.kind == "fixed":
            continue
        if knob.name in heuristics:
            if knob.kind == "bool":
                line = heuristics[knob.name].__code__.co_firstlineno
                notes[knob.name] = f"the heuristic at line {line} computes it from the arguments"
            continue
        if call is None or set_by_tuning(launch, knob.name):
            continue
        origin = flow.origin(call, knob.name)
        if origin is None:
            continue
        expression = origin[1]
        place = place_of(*origin)
        if _is_fact(expression):
            notes[knob.name] = place
        elif _pads(expression) and _takes_all(session, launch, knob.name):
            notes[knob.name] = f"{place}: a program takes all of it at once"
    return notes


def place_of(file: str, expression: ast.expr) -> str:
    """Return an expression with its line, in words."""
    text = f"{written(expression)} at line {expression.lineno}"
    return f"{text} of the driver" if file == DRIVER_FILE else text


def _is_fact(expression: ast.expr) -> bool:
    """Tell whether an expression does nothing but ask what the data are."""
    if isinstance(expression, ast.Attribute):
        return expression.attr in _FACTS
    if isinstance(expression, ast.Subscript):
        return isinstance(expression.value, ast.Attribute) and expression.value.attr == "shape"
    if isinstance(expression, ast.Call):
        function = expression.func
        if isinstance(function, ast.Name) and function.id == "len":
            return True
        return isinstance(function, ast.Attribute) and function.attr in _FACTS
    if isinstance(expression, ast.Compare):
        # `bias is not None`, `n % 2 == 0`, `x.dtype == torch.float16`.
        return all(
            isinstance(item, ast.Constant | ast.Attribute) for item in expression.comparators
        )
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.Not):
        return True
    return isinstance(expression, ast.BoolOp) and all(_is_fact(v) for v in expression.values)


def _pads(expression: ast.expr) -> bool:
    """Tell whether an expression rounds a size up to a power of two, with no limit of its own."""
    names = set()
    for node in ast.walk(expression):
        if isinstance(node, ast.Call):
            function = node.func
            names.add(getattr(function, "attr", None) or getattr(function, "id", ""))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and abs(node.value) > _LARGEST_CONSTANT
            and not _is_floor(expression)
        ):
            return False
    return bool(names & _PADDING) and "min" not in names


def _is_floor(expression: ast.expr) -> bool:
    return (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Name)
        and expression.func.id == "max"
    )


def deals_programs(session: Session, launch: CapturedLaunch, name: str) -> bool:
    """Tell whether a knob may set how much of the work each program takes: `pid * BLOCK`.

    Where the text does not show it (a helper is called with the knob), it may.
    """
    kernel = _kernel_of(session, launch)
    return kernel is None or _deals_programs(kernel, name)


@functools.lru_cache(maxsize=64)
def _deals_programs(kernel: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    knobs, programs = {name}, set[str]()
    for _ in range(3):  # a value handed on from line to line; loops go back
        for node in ast.walk(kernel):
            if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) or not node.value:
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {
                item.id
                for target in targets
                for item in ast.walk(target)
                if isinstance(item, ast.Name)
            }
            if _has(node.value, programs, "program_id"):
                programs |= names
            if _has(node.value, knobs):
                knobs |= names
    for node in ast.walk(kernel):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            sides = (node.left, node.right), (node.right, node.left)
            if any(_has(one, knobs) and _has(two, programs, "program_id") for one, two in sides):
                return True
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = [*node.args, *(item.value for item in node.keywords)]
            if node.func.id not in _COUNTING and any(_has(item, knobs) for item in given):
                return True
    return False


def _has(expression: ast.expr, names: set[str], called: str = "") -> bool:
    """Tell whether a number is made of one of `names`, or of a call of `called`.

    What is loaded, and a block's own indices, are made of other things.
    """
    if isinstance(expression, ast.Name):
        return expression.id in names
    if isinstance(expression, ast.Call):
        function = expression.func
        own = str(getattr(function, "attr", None) or getattr(function, "id", ""))
        if own == called:
            return True
        if own in _WHOLE or own == "load" or own.startswith("atomic_"):
            return False
    return any(
        _has(child, names, called)
        for child in ast.iter_child_nodes(expression)
        if isinstance(child, ast.expr)
    )


def _kernel_of(
    session: Session, launch: CapturedLaunch
) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    flow = session.kept.entries.flow(session)
    return flow.index.kernels.get((launch.info.file, launch.info.line))


def _takes_all(session: Session, launch: CapturedLaunch, name: str) -> bool:
    """Tell whether a kernel uses a block size for one whole block only, never to step through."""
    kernel = _kernel_of(session, launch)
    return kernel is not None and _only_whole(kernel, name)


@functools.lru_cache(maxsize=64)
def _only_whole(kernel: ast.FunctionDef, name: str) -> bool:
    allowed: set[int] = set()
    for node in ast.walk(kernel):
        if isinstance(node, ast.Call):
            function = node.func
            called = getattr(function, "attr", None) or getattr(function, "id", "")
            if called in _WHOLE:
                allowed.update(id(inner) for inner in ast.walk(node))
        elif isinstance(node, ast.Compare):
            allowed.update(id(inner) for inner in ast.walk(node))
    uses = [
        node
        for statement in kernel.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id == name
    ]
    return bool(uses) and all(id(node) in allowed for node in uses)
