"""What an error in host code says of the driver: where it arose, and which arguments led there.

The frames of the traceback still hold their variables. A name in the failing statement is followed
back through the assignments before it and through the calls that led there, until it is an
argument of the driver's call, or a size of one.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import host_code, user_frames
from playground.engine.drivers import DRIVER_FILE
from playground.model.file_map import is_jit, not_passed
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    import types

    from playground.model.driver_draft import Draft

_DEEPEST = 16
_PURE = frozenset({
    "len", "isinstance", "tuple", "list", "set", "int", "float", "min", "max", "abs", "sum", "all",
    "any", "dim", "size", "stride", "numel", "nelement", "is_contiguous", "is_floating_point",
    "element_size", "cdiv", "next_power_of_2", "range", "zip", "ceil", "get_device",
})  # fmt: skip
"""Calls that change nothing: an expression with others is not evaluated again."""

_OF_KERNELS = ("InterpreterError", "CompilationError", "CompileTimeAssertionFailure",
               "OutOfResources")  # fmt: skip

UNSEEN = object()
"""The value of an expression that could not be evaluated again."""


@dataclass(frozen=True)
class Source:
    """What a value comes from: a parameter of what the driver calls, or the size of one."""

    parameter: str
    axis: int | None = None


@dataclass(frozen=True)
class Level:
    """A frame of the user's: its function and the statement that it was executing."""

    frame: types.FrameType
    file: str
    line: int
    function: ast.FunctionDef | None
    statement: ast.stmt


class Blame:
    """An error, the user's frames that it came through, and the driver that led there.

    `parameters` are what the driver's call can pass, in order; `values` what it passed.

    Parameters
    ----------
    function
        What the driver calls, for an error that arose before its first line.
    namespace
        The module's variables, for an error that has no frames.
    """

    def __init__(
        self,
        error: BaseException,
        draft: Draft,
        function: ast.FunctionDef | None = None,
        namespace: dict[str, Any] | None = None,
    ) -> None:
        self.error = error
        self.draft = draft
        self.levels: list[Level] = []
        self.namespace: dict[str, Any] = namespace or {}
        self.in_kernel = type(error).__name__ in _OF_KERNELS
        self._read(error)
        root = self._root()
        self.function = function if root is None else root.function
        self.parameters = _parameters(self.function)
        named = [] if self.function is None else self.function.args.kwonlyargs
        self.by_keyword = {each.arg for each in named}
        self.values = self._passed(root)

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line of the innermost statement of the user's."""
        return (self.levels[-1].file, self.levels[-1].line) if self.levels else None

    def _read(self, error: BaseException) -> None:
        walk = error.__traceback__
        inside = False
        while walk is not None:
            frame = walk.tb_frame
            file = frame.f_code.co_filename
            if file == DRIVER_FILE:
                inside, self.namespace, self.levels = True, frame.f_globals, []
            elif inside and user_frames.is_user(file):
                function, statement = _statement_at(file, frame.f_code.co_name, walk.tb_lineno)
                if function is not None and is_jit(function):
                    self.in_kernel = True
                    return
                if statement is not None:
                    level = Level(frame, file, walk.tb_lineno, function, statement)
                    self.levels.append(level)
            walk = walk.tb_next

    def _root(self) -> Level | None:
        """Return the frame of what the driver calls: wrappers around it are passed by."""
        wanted = self.draft.called.rpartition(".")[2]
        names = {wanted, "forward"} if wanted in ("apply", "model") else {wanted}
        for level in self.levels:
            if level.function is not None and level.function.name in names:
                return level
        return None

    def _passed(self, root: Level | None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for at, slot in enumerate(self.draft.slots):
            name = slot.keyword or (self.parameters[at] if at < len(self.parameters) else "")
            if not name:
                continue
            try:
                found[name] = self.namespace[slot.text]
            except KeyError:
                try:
                    found[name] = ast.literal_eval(slot.text)
                except ValueError:
                    found[name] = UNSEEN
        if root is not None:
            for name in self.parameters:
                found.setdefault(name, root.frame.f_locals.get(name, UNSEEN))
        return found

    # --------------------------------------------------------------------------- values

    def value(self, node: ast.expr) -> Any:
        """Return the value of an expression of the failing statement.

        It is `UNSEEN` where evaluating it again might change something.
        """
        if not self.levels:
            return UNSEEN
        for each in ast.walk(node):
            if isinstance(each, ast.Call):
                name = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(
                    each.func, "id", ""
                )  # fmt: skip
                if name not in _PURE:
                    return UNSEEN
            elif isinstance(each, (ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)):
                return UNSEEN
        frame = self.levels[-1].frame
        code = compile(ast.Expression(node), "<value>", "eval")
        try:
            return eval(code, {**frame.f_globals, **frame.f_locals})
        except Exception:  # what fails here failed in the file: there is no value
            return UNSEEN

    # -------------------------------------------------------------------------- sources

    def sources(self, node: ast.expr, at: int | None = None) -> list[Source]:
        """Return what an expression of the failing statement comes from."""
        if not self.levels:
            names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
            return [Source(name) for name in dict.fromkeys(names) if name in self.parameters]
        level = len(self.levels) - 1 if at is None else at
        found = self._sources(node, level, self.levels[level].line, 0)
        return list(dict.fromkeys(found))

    def _sources(self, node: ast.AST, at: int, line: int, depth: int) -> list[Source]:
        if depth > _DEEPEST:
            return []
        if isinstance(node, ast.Name):
            return self._of_name(node.id, at, line, depth)
        sized = size_of(node)
        if sized is not None:
            tensor, axis = sized
            inner = self._sources(tensor, at, line, depth + 1)
            return [Source(each.parameter, axis) for each in inner if each.axis is None]
        found: list[Source] = []
        if isinstance(node, ast.Call):
            parts: list[ast.AST] = [*node.args, *(each.value for each in node.keywords)]
            if isinstance(node.func, ast.Attribute):
                parts.insert(0, node.func.value)
        else:
            parts = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
        for part in parts:
            found += self._sources(part, at, line, depth + 1)
        return found

    def _of_name(self, name: str, at: int, line: int, depth: int) -> list[Source]:
        level = self.levels[at]
        value = level.frame.f_locals.get(name, UNSEEN)
        if isinstance(value, torch.Tensor):
            for parameter, passed in self.values.items():
                if passed is value:
                    return [Source(parameter)]
        function = level.function
        if function is None:
            return []
        assigned = _assigned(function, name, line)
        if assigned is not None:
            expression, position, where = assigned
            if position is not None and _is_shape(expression):
                whole = self._sources(expression, at, where, depth + 1)
                return [Source(each.parameter, position) for each in whole if each.axis is None]
            parts = expression.elts if isinstance(expression, (ast.Tuple, ast.List)) else []
            if position is not None and position < len(parts):
                expression = parts[position]
            return self._sources(expression, at, where, depth + 1)
        names = _parameters(function)
        if name not in names:
            return []
        if function is self.function:
            return [Source(name)]
        if at > 0:
            passed = _argument(self.levels[at - 1].statement, function, name)
            if passed is not None:
                return self._sources(passed, at - 1, self.levels[at - 1].line, depth + 1)
        return [Source(name)] if name in self.parameters else []


# ------------------------------------------------------------------------------------ text


def _parameters(function: ast.FunctionDef | None) -> list[str]:
    if function is None:
        return []
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    return names[not_passed(function) :] + [each.arg for each in function.args.kwonlyargs]


def _statement_at(
    file: str, name: str, line: int
) -> tuple[ast.FunctionDef | None, ast.stmt | None]:
    """Return the function called `name` around a line, and the innermost statement there."""
    function: ast.FunctionDef | None = None
    statement: ast.stmt | None = None
    try:
        tree = tree_of(host_code.text_of(file))
    except (SyntaxError, ValueError):
        return None, None
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or not node.lineno <= line <= (node.end_lineno or 0):
            continue
        if isinstance(node, ast.FunctionDef) and node.name == name:
            function = node
        if statement is None or node.lineno >= statement.lineno:
            statement = node
    return function, statement


def _is_shape(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "size"
        and not node.args
    )


def size_of(node: ast.AST) -> tuple[ast.expr, int] | None:
    """Return tensor and axis of `x.shape[1]`, `x.size(1)` and `x.stride(1)`."""
    place: ast.expr | None = None
    tensor: ast.expr | None = None
    if isinstance(node, ast.Subscript) and _is_shape(node.value):
        holder = node.value.func if isinstance(node.value, ast.Call) else node.value
        tensor = holder.value if isinstance(holder, ast.Attribute) else None
        place = node.slice
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("size", "stride")
        and len(node.args) == 1
    ):
        tensor, place = node.func.value, node.args[0]
    if tensor is None or place is None:
        return None
    try:
        axis = ast.literal_eval(place)
    except ValueError:
        return None
    return (tensor, axis) if isinstance(axis, int) else None


def _assigned(
    function: ast.FunctionDef, name: str, line: int
) -> tuple[ast.expr, int | None, int] | None:
    """Return what `name` was set to last before a line, which part of it, and where."""
    found: tuple[ast.expr, int | None, int] | None = None
    for node in ast.walk(function):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        if node.lineno >= line or (found is not None and node.lineno < found[2]):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and target.id == name:
                found = node.value, None, node.lineno
            elif isinstance(target, (ast.Tuple, ast.List)):
                for position, part in enumerate(target.elts):
                    if isinstance(part, ast.Name) and part.id == name:
                        found = node.value, position, node.lineno
    return found


def _argument(statement: ast.stmt, function: ast.FunctionDef, name: str) -> ast.expr | None:
    """Return what a statement's call of `function` passes for a parameter."""
    names = _parameters(function)
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(
            node.func, "id", ""
        )  # fmt: skip
        if called not in (function.name, "apply", "forward"):
            continue
        for keyword in node.keywords:
            if keyword.arg == name:
                return keyword.value
        at = names.index(name)
        if at < len(node.args) and not any(isinstance(a, ast.Starred) for a in node.args[: at + 1]):
            return node.args[at]
    return None
