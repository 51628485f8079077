"""Where a value goes in the user's text: before a statement, behind a call's arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playground.engine.edits import Edit

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from playground.engine.flow import LaunchCall
    from playground.engine.host_code import Place


def before(body: list[ast.stmt], start: int, text: str) -> Edit:
    """Return the edit that puts a statement before the one at `start`, or after the last."""
    if start >= len(body):
        last = body[-1]
        line, column = last.end_lineno or last.lineno, last.end_col_offset or 0
        return Edit(line, column, line, column, f"\n{' ' * last.col_offset}{text}")
    first = body[start]
    line = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))])
    column = first.col_offset
    return Edit(line, column, line, column, f"{text}\n{' ' * column}")


def additions(site: ast.Call, added: list[str]) -> list[Edit]:
    """Return the edits that pass more by name; what a `**mapping` there holds gives way."""
    places = [at for at, keyword in enumerate(site.keywords) if keyword.arg is None]
    mappings = site.keywords[places[0] : places[-1] + 1] if places else []
    if not mappings or any(keyword.arg is not None for keyword in mappings):
        return [_append(site, added)]
    first, last = mappings[0].value, mappings[-1].value
    end_line, end_column = last.end_lineno or last.lineno, last.end_col_offset or 0
    pairs = (text.partition("=") for text in added)
    more = "".join(f', "{name}": {value}' for name, _, value in pairs)
    return [
        Edit(first.lineno, first.col_offset, first.lineno, first.col_offset, "{**"),
        Edit(end_line, end_column, end_line, end_column, more + "}"),
    ]


def _append(site: ast.Call, added: list[str]) -> Edit:
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


def same_arguments(node: ast.Call, call: LaunchCall) -> bool:
    """Tell whether a call passes the very expressions that a launch received."""
    passed: Mapping[str, ast.expr] = call.passed
    mine = {
        (one.lineno, one.col_offset)
        for one in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    return all((one.lineno, one.col_offset) in mine for one in passed.values())


def stands_at(node: ast.expr | ast.arg, place: Place) -> bool:
    """Tell whether a node is what stands at a place."""
    return (place.line, place.column, place.end_line, place.end_column) == (
        node.lineno,
        node.col_offset,
        node.end_lineno,
        node.end_col_offset,
    )


def height(node: ast.expr) -> int:
    """Return how many lines an expression goes over, less one."""
    return (node.end_lineno or node.lineno) - node.lineno


def spans(node: ast.expr | ast.stmt, line: int) -> bool:
    """Tell whether a line is one of a node's."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)
