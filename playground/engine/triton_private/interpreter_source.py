"""The kernel's own text, found and rewritten for the interpreter without guessing at lines.

Triton cuts the source at the last line that starts with `def `, which may stand in a docstring or
be a nested function, and fills the user's module with its own names. Here the syntax tree is cut
instead, and the function keeps its globals, closure, defaults and annotations.
"""

from __future__ import annotations

import ast
import inspect
import types
from typing import TYPE_CHECKING, Any

from playground.engine.triton_private import interpreter_logic, interpreter_loops
from playground.engine.triton_private.interpreter_libdevice import replaced

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME_WITHIN = "__kernel__"
"""Of the function while it is compiled: one that calls itself must find itself by its own name."""


def _function_node(lines: list[str]) -> ast.FunctionDef | ast.AsyncFunctionDef:
    source = "".join(lines)
    if lines[0][:1].isspace():
        # Taken from within a class or function. Dedenting could change multi-line strings.
        wrapper = ast.parse(f"if True:\n{source}").body[0]
        if not isinstance(wrapper, ast.If):  # pragma: no cover - what was written just above
            raise TypeError("the kernel's source does not parse as a block")
        node = wrapper.body[0]
        ast.increment_lineno(node, -1)
    else:
        node = ast.parse(source).body[0]
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise TypeError("the kernel is not defined by a def statement")
    return node


def _refuse_chains(node: ast.AST, file: str, lines: list[str], first_line: int) -> None:
    for item in ast.walk(node):
        if isinstance(item, ast.Assign) and len(item.targets) > 1:
            text = lines[item.lineno - first_line] if item.lineno >= first_line else ""
            raise SyntaxError(
                "Triton does not support chained assignment (a = b = value) in a kernel: "
                "write one assignment per line",
                (file, item.lineno, item.col_offset + 1, text),
            )


def _nested_code(code: types.CodeType, name: str) -> types.CodeType:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_name == name:
                return constant
            if constant.co_name == "__closure__":
                return _nested_code(constant, name)
    raise LookupError(name)


def rewrite(function: Any, transformer: ast.NodeTransformer, names: dict[str, Any]) -> Any:
    """Return `function` with its assignments and comparisons made fit for the interpreter.

    Parameters
    ----------
    function
        The Python function below `@triton.jit`.
    transformer
        Triton's own transformation of the syntax tree.
    names
        What the transformed code refers to; bound in the closure, so no module sees them.

    Returns
    -------
    function
        The rewritten function, or the given one when its source cannot be had.

    Raises
    ------
    SyntaxError
        The kernel holds a chained assignment; the error has its file and line.
    """
    try:
        lines, first_line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return function  # made at run time: interpreted as it is
    file: str = function.__code__.co_filename
    node = _function_node(lines)
    node.decorator_list = []
    node.returns = None
    node.name = _NAME_WITHIN
    for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        argument.annotation = None  # kept from the original, not evaluated again
    ast.increment_lineno(node, first_line - 1)
    _refuse_chains(node, file, lines, first_line)

    # A function around it declares the closure's names, so that they compile as free variables.
    cells = function.__closure__ or ()
    free = dict(zip(function.__code__.co_freevars, cells, strict=True))
    for change in (interpreter_logic.Logic(), interpreter_loops.Loops(), transformer):
        node = change.visit(node)
    outer = ast.parse("def __closure__(): pass").body[0]
    if not isinstance(outer, ast.FunctionDef):  # pragma: no cover - what was written just above
        raise TypeError("the closure is no function")
    outer.args.args = [ast.arg(arg=name) for name in {**free, **names}]
    outer.body = [node]
    tree = ast.fix_missing_locations(ast.Module(body=[outer], type_ignores=[]))
    code = _nested_code(compile(tree, file, "exec", dont_inherit=True), node.name)
    code = code.replace(co_name=function.__name__, co_qualname=function.__qualname__)

    free = {name: types.CellType(value) for name, value in names.items()} | free
    closure = tuple(free[name] for name in code.co_freevars)
    result = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__annotations__ = dict(inspect.get_annotations(function))
    result.__doc__ = function.__doc__
    result.__module__ = function.__module__
    result.__qualname__ = function.__qualname__
    return result


def install(interpreter: Any) -> None:
    """Make Triton's interpreter take kernels from `rewrite`."""
    names = {
        name: getattr(interpreter, name)
        for name in ("interpreter_semantic", "_InterpreterComparison")
        if hasattr(interpreter, name)
    }

    def rewrite_ast(rewriter: Any) -> Callable[..., Any]:
        seen = {**replaced(rewriter.fn), **names, **interpreter_logic.NAMES}
        seen |= interpreter_loops.NAMES
        result: Callable[..., Any] = rewrite(rewriter.fn, rewriter.ast_transformer, seen)
        return result

    interpreter.FunctionRewriter.rewrite_ast = rewrite_ast
