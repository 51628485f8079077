"""A kernel's source as the advisor reads it: its loops, calls and parameters, by line."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.engine.edits import Edit, apply
from playground.model.advice import LineEdit, line_edits
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_BLOCKS = frozenset({"arange", "load", "full", "zeros", "atomic_add", "make_block_ptr"})


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

    def loops_around(self, line: int, *, unrolled: bool = True) -> Iterator[tuple[int, int]]:
        """Yield first and last line of each loop that a line stands in.

        Without `unrolled` those of `tl.static_range` are left out.
        """
        for node in self._loops(line):
            if unrolled or not _is_unrolled(node):
                yield node.lineno, node.end_lineno or node.lineno

    def is_unrolled(self, line: int) -> bool:
        """Tell whether a line stands in a `tl.static_range` and in no other loop."""
        around = self._loops(line)
        return bool(around) and all(map(_is_unrolled, around))

    def unrolled_rounds(self, line: int, values: Mapping[str, object]) -> int:
        """Return how many copies of a line the loops make that are unrolled around it.

        `values` are those of the constexprs; a loop whose length they do not tell counts as one.
        """
        found = 1
        for node in self._loops(line):
            if _is_unrolled(node) and isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
                found *= max(_length(node.iter.args, values), 1)
        return found

    def _loops(self, line: int) -> list[ast.For | ast.While]:
        return [
            node
            for node in ast.walk(self.node)
            if isinstance(node, (ast.For, ast.While))
            and node.lineno < line <= (node.end_lineno or node.lineno)
        ]

    def is_block(self, node: ast.expr) -> bool:
        """Tell whether an expression has a block's shape: a range or a load is in it."""
        seen: set[str] = set()
        waiting: list[ast.AST] = [node]
        while waiting:
            for item in ast.walk(waiting.pop()):
                if isinstance(item, ast.Call) and last_name(item.func) in _BLOCKS:
                    return True
                if isinstance(item, ast.Name) and item.id not in seen:
                    seen.add(item.id)
                    waiting += self._values(item.id)
        return False

    def _values(self, name: str) -> list[ast.expr]:
        return [
            node.value
            for node in ast.walk(self.node)
            if isinstance(node, ast.Assign)
            and any(isinstance(item, ast.Name) and item.id == name for item in node.targets)
        ]

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
        found = self._values(name)
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


def _is_unrolled(node: ast.For | ast.While) -> bool:
    return (
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and last_name(node.iter.func) == "static_range"
    )


def _length(arguments: Sequence[ast.expr], values: Mapping[str, object]) -> int:
    """Return how many rounds `static_range` makes with these arguments, 1 where that is unknown."""
    known = []
    for argument in arguments:
        value = values.get(argument.id) if isinstance(argument, ast.Name) else (
            argument.value if isinstance(argument, ast.Constant) else None
        )  # fmt: skip
        if not isinstance(value, int):
            return 1
        known.append(value)
    return len(range(*known)) if 0 < len(known) <= 3 and 0 not in known[2:] else 1


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
