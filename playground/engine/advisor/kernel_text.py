"""A kernel's source as the advisor reads it: its loops, calls and parameters, by line."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.edits import Edit, apply
from playground.model.advice import LineEdit, line_edits
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, eq=False)
class KernelText:
    """The file's text and the kernel's definition in it; the tree is shared and never changed."""

    source: str
    node: ast.FunctionDef

    def parameters(self) -> dict[str, bool]:
        """Return each parameter, and whether it is a `tl.constexpr`."""
        arguments = [*self.node.args.posonlyargs, *self.node.args.args, *self.node.args.kwonlyargs]
        return {
            each.arg: each.annotation is not None and "constexpr" in ast.unparse(each.annotation)
            for each in arguments
        }

    def loops_around(self, line: int) -> Iterator[tuple[int, int]]:
        """Yield first and last line of each loop that a line stands in."""
        for node in ast.walk(self.node):
            if isinstance(node, (ast.For, ast.While)):
                last = node.end_lineno or node.lineno
                if node.lineno < line <= last:
                    yield node.lineno, last

    def is_unrolled(self, line: int) -> bool:
        """Tell whether a line stands in a `tl.static_range` and in no other loop."""
        around = [
            node
            for node in ast.walk(self.node)
            if isinstance(node, (ast.For, ast.While))
            and node.lineno < line <= (node.end_lineno or node.lineno)
        ]
        return bool(around) and all(
            isinstance(node, ast.For)
            and isinstance(node.iter, ast.Call)
            and last_name(node.iter.func) == "static_range"
            for node in around
        )

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """Yield the kernel's calls of functions whose last name is one of `names`, in order."""
        found = [
            node
            for node in ast.walk(self.node)
            if isinstance(node, ast.Call) and last_name(node.func) in names
        ]
        yield from sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def assigned(self, name: str) -> ast.expr | None:
        """Return what `name` is set to, where the kernel sets it once."""
        found = [
            node.value
            for node in ast.walk(self.node)
            if isinstance(node, ast.Assign)
            and any(isinstance(item, ast.Name) and item.id == name for item in node.targets)
        ]
        return found[0] if len(found) == 1 else None

    def resolved(self, node: ast.expr) -> ast.expr:
        """Return what a name stands for where that is known, else the node itself."""
        seen: set[str] = set()
        while isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            value = self.assigned(node.id)
            if value is None:
                return node
            node = value
        return node

    def shown(self, line: int) -> str:
        """Return a line of the file without the space around it."""
        lines = self.source.split("\n")
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def changed(self, edits: Sequence[Edit]) -> tuple[LineEdit, ...]:
        """Return edits as lines to replace."""
        return line_edits(self.source, apply(self.source, edits))


def last_name(node: ast.expr) -> str:
    """Return `load` for `tl.load` and for `load`, nothing for what has no name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def named_values(node: ast.expr) -> set[str]:
    """Return the names that an expression reads."""
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """Return a call's keyword argument, if it has one of that name."""
    return next((item for item in call.keywords if item.arg == name), None)


def kernel_text(source: str, kernel: str, line: int) -> KernelText | None:
    """Return the kernel called `kernel` whose definition stands at or around `line`."""
    try:
        tree = tree_of(source)
    except (SyntaxError, ValueError):
        return None
    found = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == kernel
    ]
    if not found:
        return None

    def away(node: ast.FunctionDef) -> int:
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        return 0 if first <= line <= (node.end_lineno or first) else abs(first - line)

    return KernelText(source, min(found, key=away))
