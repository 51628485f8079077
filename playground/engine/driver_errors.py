"""Drivers to try after an error: what it says is asked for in the driver, the likeliest first."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import torch

from playground.engine.driver_blame import Blame, Source, size_of
from playground.engine.driver_changes import Reading
from playground.engine.driver_wants import Wants
from playground.engine.findings import root_cause
from playground.model.host_expressions import TENSOR_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from playground.engine.capture import CapturedLaunch
    from playground.model.driver_draft import Draft

_MOST_OF_ONE = 4
"""Readings of one error that are tried at most."""


def readings(blame: Blame) -> list[Reading]:
    """Return what to try after an error, without the driver that failed and without doubles."""
    error = root_cause(blame.error)
    why = _why(blame, error)
    seen = {blame.draft.code}
    found: list[Reading] = []
    for draft in _drafts(blame, error):
        if draft.code not in seen and len(found) < _MOST_OF_ONE:
            seen.add(draft.code)
            found.append(Reading(draft, why))
    return found


def readings_of_accesses(blame: Blame, launches: Iterable[CapturedLaunch]) -> list[Reading]:
    """Return what to try after accesses outside the tensors that the driver has made."""
    changes = Wants(blame).changes
    found: dict[str, Reading] = {}
    for launch in launches:
        for event in launch.outside:
            why = f"{launch.info.kernel} has a {event.kind} outside {event.tensor}"
            # Only what the app has guessed is changed: an access without a mask is the file's own.
            drafts = []
            if any(changes.is_index(each) for each in launch.arguments.values()):
                drafts = [changes.small_indices(), changes.harmless_indices()]
            variable = changes.holder(launch.arguments.get(event.tensor))
            if variable and changes.is_guessed(variable):
                drafts += changes.enlarged(variable)
            for draft in drafts:
                if draft is not None and draft.code != blame.draft.code:
                    found.setdefault(draft.code, Reading(draft, why))
    return list(found.values())[:_MOST_OF_ONE]


def _why(blame: Blame, error: BaseException) -> str:
    first = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {first[0]}" if first else type(error).__name__
    if blame.levels and isinstance(blame.levels[-1].statement, ast.Assert):
        test = ast.unparse(blame.levels[-1].statement.test)
        text = f"`{test}` does not hold" if len(test) < 100 else text
    return text if len(text) <= 160 else f"{text[:159]}…"


def _drafts(blame: Blame, error: BaseException) -> Iterator[Draft]:
    wants = Wants(blame)
    statement = blame.levels[-1].statement if blame.levels else None
    if not blame.in_kernel:
        if isinstance(statement, ast.Assert):
            yield from wants.want(statement.test, truth=True)
        elif isinstance(statement, ast.Raise) and blame.levels[-1].function is not None:
            yield from _raised(wants, blame.levels[-1].function, statement)
        if statement is not None:
            yield from _Message(blame, wants, error, statement).drafts()
        yield from _missing(blame, wants, error)
    yield from _usual(blame, wants, error)


def _raised(wants: Wants, function: ast.FunctionDef, raised: ast.stmt) -> Iterator[Draft]:
    """Yield drivers that keep off the condition under which the file raises."""
    for node in ast.walk(function):
        if not isinstance(node, ast.If):
            continue
        if any(each.lineno == raised.lineno for each in node.body):
            yield from wants.want(node.test, truth=False)
        elif any(each.lineno == raised.lineno for each in node.orelse):
            yield from wants.want(node.test, truth=True)


def _missing(blame: Blame, wants: Wants, error: BaseException) -> Iterator[Draft]:
    """Yield the driver with what a call of the driver's own lacks."""
    found = re.search(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)",
                      str(error))  # fmt: skip
    if found is None or not isinstance(error, TypeError) or len(blame.levels) > 1:
        return
    draft: Draft | None = blame.draft
    for name in re.findall(r"'(\w+)'", found[1]):
        if draft is not None:
            inner = Wants(Blame(error, draft, blame.function))
            draft = inner.changes.given(name)
    if draft is not None:
        yield draft


def _usual(blame: Blame, wants: Wants, error: BaseException) -> Iterator[Draft]:
    """Yield drivers that more launchers take: equal sizes, powers of two, half precision."""
    text = str(error).lower()
    changes = wants.changes
    if blame.in_kernel and isinstance(error, AssertionError):
        # What a kernel asserts of its arguments is, mostly, that a number is not too large.
        for parameter, value in blame.values.items():
            if type(value) is int and value > 4:
                draft = changes.sized(Source(parameter), 4)
                if draft is not None:
                    yield draft
    if re.search(r"dtype|scalar type|half|float16|bfloat16|same type|data type", text):
        for dtype in ("torch.float16", "torch.bfloat16", "torch.float32"):
            draft = changes.all_typed(dtype)
            if draft is not None:
                yield draft
    if re.search(r"\b(shapes?|sizes?|power of (2|two)|dimensions?|broadcast\w*|index)\b", text):
        draft = changes.all_equal()
        if draft is not None:
            yield draft


class _Message:
    """Reads what an error of Python's or torch's own says of the statement that raised it."""

    def __init__(
        self, blame: Blame, wants: Wants, error: BaseException, statement: ast.stmt
    ) -> None:
        self.blame, self.wants, self.changes = blame, wants, wants.changes
        self.error, self.text, self.statement = error, str(error), statement
        self.parts = [node for node in ast.walk(_head(statement)) if isinstance(node, ast.expr)]

    def drafts(self) -> Iterator[Draft]:
        if isinstance(self.error, ValueError):
            yield from self.unpacked()
        if isinstance(self.error, IndexError):
            yield from self.out_of_range()
        if isinstance(self.error, KeyError):
            yield from self.not_a_key()
        if isinstance(self.error, AttributeError):
            yield from self.without_attribute()
        if isinstance(self.error, TypeError):
            yield from self.mistyped()
        if isinstance(self.error, (RuntimeError, IndexError, TypeError)):
            yield from self.retyped()
        if isinstance(self.error, (RuntimeError, ValueError)):
            yield from self.misshapen()

    def unpacked(self) -> Iterator[Draft]:
        found = re.search(r"values to unpack \(expected (?:at least )?(\d+)", self.text)
        value = getattr(self.statement, "value", None)
        if found is None or value is None:
            return
        for source in self.blame.sources(value):
            yield from self.changes.ranked(source, int(found[1]))
            if isinstance(self.changes.current(source), (int, float)):
                inside = ", ".join(["64"] * int(found[1]))
                yield from _known(self.changes.valued(source, f"[{inside}]"))

    def out_of_range(self) -> Iterator[Draft]:
        for node in self.parts:
            sized = size_of(node)
            if sized is not None:
                tensor, axis = sized
                rank = axis + 1 if axis >= 0 else -axis
                for source in self.blame.sources(tensor):
                    value = self.changes.current(source)
                    if isinstance(value, torch.Tensor) and value.ndim < rank:
                        yield from self.changes.ranked(source, rank)
        if "Dimension out of range" in self.text or "out of range" in self.text:
            for source in self.whole_sources():
                if isinstance(self.changes.current(source), int):
                    yield from _known(self.changes.valued(source, "-1"))
        if "list index" in self.text or "tuple index" in self.text:
            for source in self.whole_sources():
                value = self.changes.current(source)
                if isinstance(value, (list, tuple)) and all(isinstance(v, int) for v in value):
                    yield from _known(self.changes.valued(source, "[64, 64, 64]"))
        if "too many indices" in self.text:
            for source in self.whole_sources():
                value = self.changes.current(source)
                if isinstance(value, torch.Tensor):
                    yield from self.changes.ranked(source, value.ndim + 1)

    def not_a_key(self) -> Iterator[Draft]:
        for node in self.parts:
            if not isinstance(node, ast.Subscript):
                continue
            table = self.blame.value(node.value)
            if not isinstance(table, dict):
                continue
            types = [key for key in table if isinstance(key, torch.dtype)]
            for dtype in sorted(types, key=lambda each: each is not torch.float16)[:2]:
                yield from _known(self.changes.typed(self.blame.sources(node.slice), dtype))
            for key in [key for key in table if isinstance(key, (str, int))][:2]:
                for source in self.blame.sources(node.slice):
                    yield from _known(self.changes.valued(source, repr(key)))

    def without_attribute(self) -> Iterator[Draft]:
        found = re.search(r"'(\w+)' object has no attribute '(\w+)'", self.text)
        if found is None:
            return
        for node in self.parts:
            if not isinstance(node, ast.Attribute) or node.attr != found[2]:
                continue
            for source in self.blame.sources(node.value):
                if source.axis is not None:
                    continue
                if found[2] in TENSOR_WORDS:
                    yield from _known(self.changes.given(source.parameter))
                else:
                    made = self.made_with(found[2])
                    if made:
                        yield from _known(self.changes.valued(source, made))

    def made_with(self, attribute: str) -> str:
        """Return the text that makes an object of the file's own class with an attribute."""
        for name, kind in self.blame.namespace.items():
            fields = getattr(kind, "__dataclass_fields__", {}) if isinstance(kind, type) else {}
            if attribute not in fields:
                continue
            needed = [
                key for key, each in fields.items()
                if each.init and "MISSING" in repr(each.default)
                and "MISSING" in repr(each.default_factory)
            ]  # fmt: skip
            arguments = ", ".join(
                f"{key}={'1.0' if 'float' in str(fields[key].type) else '64'}" for key in needed
            )
            return f"{name}({arguments})"
        return ""

    def mistyped(self) -> Iterator[Draft]:
        text = self.text
        if re.search(r"not subscriptable|not iterable|has no len|iteration over a 0-d", text):
            for source in self.whole_sources():
                value = self.changes.current(source)
                if isinstance(value, (int, float)):
                    yield from self.wants.listed(source)
                elif isinstance(value, torch.Tensor) and value.ndim < 2:
                    yield from self.changes.ranked(source, 2)
        if "must be an iterable" in text or "after *" in text:
            for node in self.parts:
                if isinstance(node, ast.IfExp):
                    yield from self.wants.want(node.test, truth=True)
        if re.search(r"float|integer|int|Python scalars|tuple of ints", text):
            for source in self.whole_sources():
                value = self.changes.current(source)
                if isinstance(value, float):
                    yield from _known(self.changes.whole_number(source.parameter))
        if "NoneType" in text:
            for source in self.whole_sources():
                if self.changes.current(source) is None:
                    yield from _known(self.changes.given(source.parameter))

    def misshapen(self) -> Iterator[Draft]:
        if "only one element tensors" in self.text:
            for source in self.whole_sources():
                if self.changes.variable(source.parameter):
                    yield from _known(self.changes.whole_number(source.parameter))
        if not re.search(r"shape|size|dimension|broadcast|expand|invalid for input", self.text):
            return
        yield from self.matched()
        whole = [s for s in self.whole_sources() if self.changes.variable(s.parameter)]
        tensors_made = self.blame.draft.tensors()
        for source in reversed(whole):
            variable = self.changes.variable(source.parameter)
            for name, other in tensors_made.items():
                if name != variable and variable in tensors_made:
                    yield from _known(self.changes.shaped(variable, other.texts))
            value = self.changes.current(source)
            if isinstance(value, torch.Tensor) and "expand" in self.text and value.ndim > 1:
                yield from self.changes.ranked(source, value.ndim - 1)

    def retyped(self) -> Iterator[Draft]:
        """Yield drivers with whole numbers, or half precision, in what torch refuses."""
        if not re.search(
            r"scalar type|to be Long|dtype|Expected tensor for|used as ind", self.text
        ):
            return
        tensors = [s for s in self.whole_sources()
                   if isinstance(self.changes.current(s), torch.Tensor)]  # fmt: skip
        for dtype in (torch.int64, torch.float16):
            for source in reversed(tensors):
                if self.changes.current(source).dtype is not dtype:
                    yield from _known(self.changes.typed([source], dtype))

    def matched(self) -> Iterator[Draft]:
        """Yield drivers in which two sizes that torch names are the same."""
        found = re.search(r"tensor a \((\d+)\) must match.*tensor b \((\d+)\)", self.text)
        pair = (int(found[1]), int(found[2])) if found else None
        inner = re.search(r"\((\d+)x(\d+) and (\d+)x(\d+)\)", self.text)
        if pair is None and inner is not None:
            pair = int(inner[2]), int(inner[3])
        if pair is None:
            return
        for before, wanted in (pair[::-1], pair):
            for source in reversed(self.whole_sources()):
                value = self.changes.current(source)
                if not isinstance(value, torch.Tensor):
                    continue
                for axis, size in enumerate(value.shape):
                    if size == before:
                        yield from _known(
                            self.changes.sized(Source(source.parameter, axis), wanted)
                        )

    def whole_sources(self) -> list[Source]:
        """Return the parameters that the failing statement uses."""
        found: dict[Source, None] = {}
        for node in ast.iter_child_nodes(_head(self.statement)):
            if isinstance(node, ast.expr):
                for source in self.blame.sources(node):
                    found[Source(source.parameter)] = None
        return list(found)


def _head(statement: ast.stmt) -> ast.AST:
    """Return what a compound statement itself evaluates, without its body."""
    part: Any = None
    if isinstance(statement, (ast.If, ast.While)):
        part = statement.test
    elif isinstance(statement, ast.For):
        part = statement.iter
    elif isinstance(statement, ast.With):
        part = ast.Tuple([item.context_expr for item in statement.items], ast.Load())
    return statement if part is None else ast.Expr(part)


def _known(draft: Draft | None) -> Iterator[Draft]:
    if draft is not None:
        yield draft
