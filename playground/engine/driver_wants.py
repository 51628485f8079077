"""Drivers under which a condition of the host code holds that did not: shapes, types, flags."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.driver_blame import UNSEEN, Blame, Source
from playground.engine.driver_changes import Changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.driver_draft import Draft

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_LIKELY_TYPES = (
    torch.float16, torch.float32, torch.bfloat16, torch.int8, torch.uint8, torch.int32, torch.int64,
)  # fmt: skip


class Wants:
    """Proposes drivers under which a test comes out as wanted."""

    def __init__(self, blame: Blame) -> None:
        self.blame = blame
        self.changes = Changes(blame)

    def want(self, node: ast.expr, *, truth: bool) -> Iterator[Draft]:
        """Yield drivers that may make `node` true, or false."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from self.want(node.operand, truth=not truth)
        elif isinstance(node, ast.BoolOp):
            yield from self._joined(node, truth=truth)
        elif isinstance(node, ast.Compare):
            yield from self._compared(node, truth=truth)
        elif isinstance(node, ast.Call):
            yield from self._called(node, truth=truth)
        elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            for source in self.blame.sources(node):
                yield from _known(self.changes.valued(source, repr(truth)))

    def _joined(self, node: ast.BoolOp, *, truth: bool) -> Iterator[Draft]:
        if isinstance(node.op, ast.And) is truth:
            for part in node.values:  # all have to hold: the first that does not is in the way
                value = self.blame.value(part)
                if value is not UNSEEN and _truth(value) is truth:
                    continue
                yield from self.want(part, truth=truth)
                if value is not UNSEEN:
                    return
        else:
            for part in node.values:
                yield from self.want(part, truth=truth)

    def _called(self, node: ast.Call, *, truth: bool) -> Iterator[Draft]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(
            node.func, "id", ""
        )  # fmt: skip
        if name == "isinstance" and len(node.args) == 2 and truth:
            kinds = ast.unparse(node.args[1])
            for source in self.blame.sources(node.args[0]):
                if "Tensor" in kinds:
                    yield from _known(self.changes.given(source.parameter))
                elif "int" in kinds:
                    yield from _known(self.changes.whole_number(source.parameter))
                elif "list" in kinds or "tuple" in kinds:
                    yield from self.listed(source, "tuple" if "list" not in kinds else "list")
        elif name == "is_contiguous" and isinstance(node.func, ast.Attribute) and truth:
            for source in self.blame.sources(node.func.value):
                variable = self.changes.variable(source.parameter)
                if variable:
                    yield from _known(self.changes.valued(source, f"{variable}.contiguous()"))

    def listed(self, source: Source, kind: str = "list") -> Iterator[Draft]:
        """Yield drivers with a list of numbers for a parameter, and a list of tensors."""
        for inside in (
            "64",
            "64, 64, 64",
            f"torch.randn(64, 64, device={self.blame.draft.device})",
        ):
            text = f"[{inside}]" if kind == "list" else f"({inside},)"
            yield from _known(self.changes.valued(source, text))

    # ---------------------------------------------------------------------- comparisons

    def _compared(self, node: ast.Compare, *, truth: bool) -> Iterator[Draft]:
        operands = [node.left, *node.comparators]
        if not truth and len(node.ops) > 1:
            return
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            kind = type(operator)
            single = ast.Compare(left, [operator], [right])
            if len(node.ops) > 1 and _truth(self.blame.value(ast.fix_missing_locations(single))):
                continue
            yield from self._pair(left, kind if truth else _OPPOSITE[kind], right)
            return

    def _pair(self, left: ast.expr, kind: type[ast.cmpop], right: ast.expr) -> Iterator[Draft]:
        first, second = self.blame.value(left), self.blame.value(right)
        if second is UNSEEN and isinstance(right, (ast.Constant, ast.Tuple, ast.List, ast.Set)):
            try:
                second = ast.literal_eval(right)
            except ValueError:
                second = UNSEEN
        if second is None:
            yield from self._none(left, wanted=kind in (ast.Is, ast.Eq))
            return
        yield from self._typed(left, first, kind, right, second)
        ranked = rank_of(left)
        if ranked is not None:
            for rank in _several(second, kind):
                for source in self.blame.sources(ranked):
                    yield from self.changes.ranked(source, rank)
            return
        if isinstance(first, (tuple, list)) and isinstance(second, (tuple, list)):
            yield from self._shapes(left, tuple(first), right, tuple(second), kind)
            return
        for value in _several(second, kind):
            if isinstance(value, (str, bool)):
                for source in self.blame.sources(left):
                    yield from _known(self.changes.valued(source, repr(value)))
        if _is_int(first):
            numbers = [value for value in _several(second, kind) if _is_int(value)]
            for value in sorted(numbers, key=lambda each: abs(each - first)):
                yield from self._numbers(left, first, kind, right, value)

    def _none(self, left: ast.expr, *, wanted: bool) -> Iterator[Draft]:
        for source in self.blame.sources(left):
            if wanted:
                yield from _known(self.changes.valued(source, "None"))
            else:
                yield from _known(self.changes.given(source.parameter))

    def _typed(
        self, left: ast.expr, first: Any, kind: type[ast.cmpop], right: ast.expr, second: Any
    ) -> Iterator[Draft]:
        wanted = [each for each in _several(second, kind) if isinstance(each, torch.dtype)]
        if kind in (ast.NotEq, ast.NotIn) and isinstance(first, torch.dtype):
            wanted = [each for each in _LIKELY_TYPES[:2] if each != first]
        order = {each: at for at, each in enumerate(_LIKELY_TYPES)}
        for dtype in sorted(wanted, key=lambda each: order.get(each, len(order)))[:3]:
            if dtype != first:
                yield from _known(self.changes.typed(self.blame.sources(left), dtype))
        if kind in (ast.Eq, ast.Is) and isinstance(first, torch.dtype) and first != second:
            yield from _known(self.changes.typed(self.blame.sources(right), first))

    def _shapes(
        self, left: ast.expr, first: tuple[Any, ...], right: ast.expr, second: tuple[Any, ...],
        kind: type[ast.cmpop],
    ) -> Iterator[Draft]:  # fmt: skip
        if kind not in (ast.Eq, ast.Is):
            return
        for node, other in ((right, first), (left, second)):
            if not other:  # no dimension is left: the other side has too few
                for source in self.blame.sources(left if node is right else right):
                    yield from self.changes.ranked(source, 2)
                continue
            for source in self._whole(node):
                variable = self.changes.variable(source.parameter)
                texts = [str(size) for size in other]
                yield from _known(self.changes.shaped(variable, texts) if variable else None)
        if len(first) != len(second):
            return
        for at, (one, other_size) in enumerate(zip(first, second, strict=True)):
            if one == other_size:
                continue
            for node, size in ((right, one), (left, other_size)):
                part = _part(node, at)
                if part is not None:
                    for source in self.blame.sources(part):
                        yield from self._scaled(source, self.blame.value(part), size)

    def _whole(self, node: ast.expr) -> list[Source]:
        """Return the tensors whose whole shape an expression is."""
        if isinstance(node, ast.Call) and not node.args:
            node = node.func
        if not isinstance(node, ast.Attribute) or node.attr not in ("shape", "size"):
            return []
        return [each for each in self.blame.sources(node.value) if each.axis is None]

    def _numbers(
        self, left: ast.expr, first: int, kind: type[ast.cmpop], right: ast.expr, second: int
    ) -> Iterator[Draft]:
        if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and kind is ast.Eq:
            yield from self._divided(left)
            return
        lower = {ast.Eq: 0, ast.In: 0, ast.LtE: 0, ast.GtE: 0, ast.Lt: -1, ast.Gt: 1, ast.NotEq: 1}
        step = lower.get(kind)
        if step is None or kind in (ast.Is, ast.IsNot):
            return
        for source in self.blame.sources(left):
            yield from self._scaled(source, first, second + step)
        for source in self.blame.sources(right):
            yield from self._scaled(source, second, first - step)

    def _divided(self, node: ast.BinOp) -> Iterator[Draft]:
        """Yield drivers under which one number divides another."""
        number, by = self.blame.value(node.left), self.blame.value(node.right)
        if not _is_int(number) or not _is_int(by) or by == 0:
            return
        for source in self.blame.sources(node.left):
            yield from self._scaled(source, number, by * max(1, number // by))
        for source in self.blame.sources(node.right):
            yield from self._scaled(source, by, math.gcd(number, by))

    def _scaled(self, source: Source, before: Any, wanted: int) -> Iterator[Draft]:
        """Yield the driver with a source changed as much as what comes of it has to change."""
        now = self.changes.current(source)
        if not _is_int(now) or not _is_int(before) or before == wanted:
            return
        value = now + wanted - before
        if before and now * wanted % before == 0:
            value = now * wanted // before
        yield from _known(self.changes.sized(source, value))


def rank_of(node: ast.expr) -> ast.expr | None:
    """Return the tensor whose rank an expression is: `x.dim()`, `x.ndim`, `len(x.shape)`."""
    target = node.func if isinstance(node, ast.Call) else node
    if isinstance(target, ast.Attribute) and target.attr in ("dim", "ndim"):
        return target.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
        inner = node.args[0] if node.args else None
        if isinstance(inner, ast.Attribute) and inner.attr == "shape":
            return inner.value
    return None


def _part(node: ast.expr, at: int) -> ast.expr | None:
    """Return the expression of one size of a shape."""
    if isinstance(node, (ast.Tuple, ast.List)):
        starred = any(isinstance(each, ast.Starred) for each in node.elts)
        return node.elts[at] if at < len(node.elts) and not starred else None
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        part = ast.Subscript(node, ast.Constant(at), ast.Load())
        return ast.fix_missing_locations(ast.copy_location(part, node))
    return None


def _several(value: Any, kind: type[ast.cmpop]) -> list[Any]:
    if kind is ast.In and isinstance(value, (tuple, list, set, frozenset, dict)):
        return sorted(value, key=str) if isinstance(value, (set, frozenset)) else list(value)
    return [] if kind is ast.NotIn else [value]


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _truth(value: Any) -> bool | None:
    if value is UNSEEN:
        return None
    try:
        return bool(value)
    except (RuntimeError, ValueError, TypeError):  # a tensor of several elements
        return None


def _known(draft: Draft | None) -> Iterator[Draft]:
    if draft is not None:
        yield draft
