"""Writing a config into source text: at the launch, at a bound name, or in a decorator."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.source_text import lines_of
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playground.model.knobs import KnobValue


_ALWAYS_WRITTEN = ("num_warps", "num_stages")
"""Options written even where the file left them to Triton: its defaults may change."""


@dataclass(frozen=True)
class Edit:
    """Replace the text between two places (1-based line, 0-based UTF-8 column) by `text`."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def literal(value: KnobValue) -> str:
    """Return the source text of a knob's value; a dtype's Triton name is its own text."""
    return value if isinstance(value, str) and value.startswith("tl.") else repr(value)


def freeze(
    tree: ast.Module,
    kernel: str,
    parameters: Sequence[str],
    values: Mapping[str, KnobValue],
    changed: frozenset[str],
    call_line: int | None,
    autotuned: Sequence[str] = (),
) -> tuple[list[Edit], list[str]]:
    """Return the edits that make the file launch `kernel` with `values`, and the knobs left out.

    Parameters
    ----------
    parameters
        The kernel's parameter names in order, to read positional constexprs.
    changed
        Knobs whose value differs from what the file gives; only those are written over an
        expression, so that `triton.next_power_of_2(n)` stays when it gives the same value.
    call_line
        The line that launched, to tell several launches of one kernel apart; None for all.
    autotuned
        Knobs that the kernel's autotuner sets: they are written into its one remaining config.
    """
    tuned = dict(values)
    edits: list[Edit] = []
    for decorator in _decorators(tree, kernel):
        name = _callee(decorator)
        if name == "autotune":
            inside = {key: value for key, value in tuned.items() if key in autotuned}
            edits.extend(_freeze_autotune(decorator, inside))
            tuned = {key: value for key, value in tuned.items() if key not in autotuned}
        if name == "heuristics":
            edits.extend(_freeze_heuristics(decorator, tuned, changed))
    sites = list(_sites(tree, kernel))
    here = [site for site in sites if call_line and _spans(site, call_line)] or sites
    missing = set(tuned)
    for site in here:
        written = _freeze_site(tree, site, parameters, tuned, changed, edits)
        missing -= written
    unique = {(edit.line, edit.column, edit.end_line, edit.end_column): edit for edit in edits}
    return list(unique.values()), sorted(missing)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return `text` with all edits made; they must not overlap."""
    lines = lines_of(text, keep_ends=True)
    for edit in sorted(edits, key=lambda item: (item.line, item.column), reverse=True):
        head = lines[edit.line - 1].encode()[: edit.column].decode()
        tail = lines[edit.end_line - 1].encode()[edit.end_column :].decode()
        lines[edit.line - 1 : edit.end_line] = [head + edit.text + tail]
    return "".join(lines)


def _freeze_site(
    tree: ast.Module,
    site: ast.Call,
    parameters: Sequence[str],
    values: dict[str, KnobValue],
    changed: frozenset[str],
    edits: list[Edit],
) -> set[str]:
    given: dict[str, ast.expr] = {
        keyword.arg: keyword.value for keyword in site.keywords if keyword.arg is not None
    }
    if not any(isinstance(argument, ast.Starred) for argument in site.args):
        given.update(zip(parameters, site.args, strict=False))
    written = set()
    added = []
    for name, value in values.items():
        if name in given:
            written.add(name)
            if name in changed or isinstance(given[name], ast.Constant):
                edits.extend(_freeze_expression(tree, site, given[name], literal(value)))
        elif name in OPTION_KNOBS or name in parameters:
            written.add(name)
            if name in changed or name in _ALWAYS_WRITTEN:
                added.append(f"{name}={literal(value)}")
    if added:
        edits.append(_append(site, added))
    return written


def _append(site: ast.Call, added: Sequence[str]) -> Edit:
    arguments = [*site.args, *(keyword.value for keyword in site.keywords)]
    if not arguments:
        line, column = site.end_lineno or site.lineno, (site.end_col_offset or 1) - 1
        return Edit(line, column, line, column, ", ".join(added))
    last = max(arguments, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
    line, column = last.end_lineno or last.lineno, last.end_col_offset or 0
    # One argument a line stays one argument a line.
    alone = line > site.lineno and (site.end_lineno or line) > line
    indent = min((node.col_offset for node in arguments if node.lineno > site.lineno), default=0)
    owner = next((item for item in site.keywords if item.value is last), None)
    if alone and owner is not None:
        indent = owner.col_offset
    separator = ",\n" + " " * indent if alone else ", "
    return Edit(line, column, line, column, "".join(separator + text for text in added))


def _freeze_expression(
    tree: ast.Module, site: ast.Call, node: ast.expr, text: str
) -> Iterator[Edit]:
    """Replace `node`, or what its name is bound to, so that a grid computed from it follows."""
    if isinstance(node, ast.Name):
        scope = _enclosing(tree, site)
        bindings = list(_bindings(scope, node.id)) if scope else []
        bindings = bindings or list(_bindings(tree, node.id))
        if bindings:
            yield from (_replace(binding, text) for binding in bindings)
            return
        if scope is not None and node.id in _parameter_names(scope):
            first = scope.body[0]
            if _is_docstring(first) and len(scope.body) > 1:
                first = scope.body[1]
            indent = " " * first.col_offset
            yield Edit(
                first.lineno,
                first.col_offset,
                first.lineno,
                first.col_offset,
                f"{node.id} = {text}  # tuned\n{indent}",
            )
            return
    yield _replace(node, text)


def _replace(node: ast.expr, text: str) -> Edit:
    return Edit(
        node.lineno,
        node.col_offset,
        node.end_lineno or node.lineno,
        node.end_col_offset or node.col_offset,
        text,
    )


def _bindings(scope: ast.Module | ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    for statement in scope.body:
        if isinstance(scope, ast.Module) and isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                if any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
                    yield node.value
            elif (
                isinstance(node, ast.AnnAssign)
                and node.value is not None
                and isinstance(node.target, ast.Name)
                and node.target.id == name
            ):
                yield node.value


def _enclosing(tree: ast.Module, site: ast.Call) -> ast.FunctionDef | None:
    best: ast.FunctionDef | None = None
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef)
            and _spans(node, site.lineno)
            and (best is None or node.lineno >= best.lineno)
        ):
            best = node
    return best


def _parameter_names(scope: ast.FunctionDef) -> set[str]:
    arguments = scope.args
    return {arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _sites(tree: ast.Module, kernel: str) -> Iterator[ast.Call]:
    names = {kernel} | {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _mentions(node.value, kernel)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            base = node.func.value
            label = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
            if label in names:
                yield node


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(child, ast.Name) and child.id == name for child in ast.walk(node))


def _decorators(tree: ast.Module, kernel: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == kernel:
            yield from (item for item in node.decorator_list if isinstance(item, ast.Call))
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Call)
            and any(_mentions(argument, kernel) for argument in node.args)
        ):
            yield node.func


def _callee(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _freeze_autotune(decorator: ast.Call, values: Mapping[str, KnobValue]) -> Iterator[Edit]:
    configs = next((item.value for item in decorator.keywords if item.arg == "configs"), None)
    configs = configs or (decorator.args[0] if decorator.args else None)
    if configs is None:
        return
    root = ast.unparse(decorator.func).rpartition(".")[0]
    make = f"{root}.Config" if root else "triton.Config"
    constexprs = {name: value for name, value in values.items() if name not in OPTION_KNOBS}
    inside = ", ".join(f'"{name}": {literal(value)}' for name, value in constexprs.items())
    options = "".join(
        f", {name}={literal(value)}"
        for name, value in values.items()
        if name in OPTION_KNOBS and value is not None
    )
    yield _replace(configs, f"[{make}({{{inside}}}{options})]")


def _freeze_heuristics(
    decorator: ast.Call, values: dict[str, KnobValue], changed: frozenset[str]
) -> Iterator[Edit]:
    arguments = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
    for argument in arguments:
        if not isinstance(argument, ast.Dict):
            continue
        for key, value in zip(argument.keys, argument.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in values:
                name = str(key.value)
                tuned = values.pop(name)
                if name in changed:
                    yield _replace(value, f"lambda args: {literal(tuned)}")


def _spans(node: ast.expr | ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
