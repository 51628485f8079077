"""Where a value of host code may come from: a slice by name, backwards, across the user's files.

It follows names, attributes, dictionary keys, keywords, parameters and returned values, without
regard to the order of statements, and never looks into kernels. So it finds too much rather than
too little; what it finds is tried out before it is believed.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.engine.flow_index import Index, Token, Value, expression_parts
from playground.engine.host_code import Place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_LONGEST_SLICE = 4000
_LONGEST_TEXT = 60
_LAUNCHERS = frozenset({"run", "warmup"})


@dataclass
class Slice:
    """What an expression may be made of, nearest first.

    `literals` are numbers and strings written in the text, by their place; `bindings` are places
    where a name is given a value, each with its distance from the expression.
    """

    literals: dict[Place, Any] = field(default_factory=dict)
    bindings: dict[Place, int] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[Place]:
        """Every place of the slice."""
        return frozenset(self.literals) | frozenset(self.bindings)


@dataclass(frozen=True)
class LaunchCall:
    """A launch in the text: what it passes, by the kernel's parameter names.

    `others` are expressions that may hold any parameter (`*arguments`, `**options`).
    """

    file: str
    scope: tuple[str, ...]
    grid: ast.expr | None
    passed: Mapping[str, ast.expr]
    others: tuple[ast.expr, ...]


class Flow:
    """The flow of values through the host code of a set of files, by their texts.

    `inside` names texts that run in another file's namespace, with that file.
    """

    def __init__(self, texts: Mapping[str, str], inside: Mapping[str, str] | None = None) -> None:
        self.index = Index(texts, inside or {})

    def launch_call(self, file: str, line: int, parameters: tuple[str, ...]) -> LaunchCall | None:
        """Return the launch that stands at `file:line`, or None when none is recognised there."""
        best: tuple[int, ast.Call, tuple[str, ...]] | None = None
        for call, scope in self.index.calls.get(file, ()):
            if not call.lineno <= line <= (call.end_lineno or call.lineno):
                continue
            if not _launches(call):
                continue
            span = (call.end_lineno or call.lineno) - call.lineno
            if best is None or span <= best[0]:
                best = span, call, scope
        if best is None:
            return None
        _, call, scope = best
        passed: dict[str, ast.expr] = {}
        others: list[ast.expr] = []
        for position, value in enumerate(call.args):
            if isinstance(value, ast.Starred):
                others += [
                    item.value if isinstance(item, ast.Starred) else item
                    for item in call.args[position:]
                ]
                break
            if position < len(parameters):
                passed[parameters[position]] = value
        grid = call.func.slice if isinstance(call.func, ast.Subscript) else None
        for keyword in call.keywords:
            if keyword.arg is None:
                others.append(keyword.value)
            elif keyword.arg == "grid" and grid is None:
                grid = keyword.value
            else:
                passed[keyword.arg] = keyword.value
        return LaunchCall(file, scope, grid, passed, tuple(others))

    def of_parameter(self, call: LaunchCall | None, name: str) -> Slice:
        """Return the slice of what a launch passes for one parameter."""
        if call is None:
            return self._sliced([], [("key", "", name)])
        if name in call.passed:
            return self._sliced([Value(call.file, call.scope, call.passed[name])], [])
        starts = [Value(call.file, call.scope, item) for item in call.others]
        return self._sliced(starts, [("key", "", name)])

    def of_others(self, call: LaunchCall, name: str, names: Collection[str]) -> Slice:
        """Return the slice of everything that the launch passes for other parameters, and its grid.

        `names` are the kernel's parameters: a callable grid asks for them by key.
        """
        starts = [
            Value(call.file, call.scope, value) for key, value in call.passed.items() if key != name
        ]
        found = self._sliced(starts, [])
        if call.grid is not None:
            grid = self._sliced([Value(call.file, call.scope, call.grid)], [], frozenset(names))
            found.literals.update(grid.literals)
            found.bindings.update(grid.bindings)
        if name in call.passed:
            mixed = self._sliced([Value(call.file, call.scope, item) for item in call.others], [])
            found.literals.update(mixed.literals)
            found.bindings.update(mixed.bindings)
        return found

    def of_arguments(self, call: LaunchCall, names: Iterable[str]) -> Slice:
        """Return the slice of what the launch passes for several parameters together."""
        starts = [
            Value(call.file, call.scope, call.passed[name]) for name in names if name in call.passed
        ]
        return self._sliced(starts, [])

    def aliases(self, call: LaunchCall | None, name: str) -> dict[Place, int]:
        """Return the places that are given the very value of a parameter, with their distance.

        Only what hands a value on as it is: names, keys, arguments, returned values. A place inside
        an expression holds something else.
        """
        if call is None:
            values, tokens = [], [("key", "", name)]
        elif name in call.passed:
            values, tokens = [Value(call.file, call.scope, call.passed[name])], []
        else:
            values = [Value(call.file, call.scope, item) for item in call.others]
            tokens = [("key", "", name)]
        found: dict[Place, int] = {}
        seen: set[Token] = set()
        distance = 0
        while values or tokens:
            distance += 1
            following = [*tokens]
            for value in values:
                following += self._handed_on(value)
            values, tokens = [], []
            for token in following:
                if token in seen:
                    continue
                seen.add(token)
                for source in self.index.sources.get(token, ()):
                    if source.place is not None:
                        found.setdefault(source.place, distance)
                    if source.of_returns and source.expression is not None:
                        place = Place.of(source.file, source.expression, "value")
                        if not isinstance(source.expression, ast.Constant):
                            found.setdefault(place, distance)
                    if source.alias is not None:
                        tokens.append(source.alias)
                    else:
                        values.append(source)
        return found

    def _handed_on(self, value: Value) -> list[Token]:
        expression = value.expression
        if isinstance(expression, ast.IfExp):
            return [
                token
                for item in (expression.body, expression.orelse)
                for token in self._handed_on(Value(value.file, value.scope, item))
            ]
        if isinstance(expression, ast.Call):
            function = expression.func
            name = getattr(function, "attr", None) or getattr(function, "id", "")
            return [("returned", "", name)] if name else []
        token = self.index.token_of(value)
        return [] if token is None else [token]

    def origin(self, call: LaunchCall, name: str) -> tuple[str, ast.expr] | None:
        """Return the one expression that a parameter's value comes from, with its file.

        Names are followed as long as each has a single source; None when the text does not tell.
        """
        if name not in call.passed:
            return None
        value = Value(call.file, call.scope, call.passed[name])
        for _ in range(20):
            if value.expression is None:
                return None
            token = self.index.token_of(value)
            if token is None:
                return value.file, value.expression
            sources = self._single(token)
            if sources is None:
                return value.file, value.expression
            value = sources
        return None

    def _single(self, token: Token) -> Value | None:
        seen: set[Token] = set()
        values: list[Value] = []
        queue = [token]
        while queue:
            one = queue.pop()
            if one in seen:
                continue
            seen.add(one)
            for value in self.index.sources.get(one, ()):
                if value.alias is not None:
                    queue.append(value.alias)
                elif value.expression is not None and not value.of_returns:
                    values.append(value)
        return values[0] if len(values) == 1 else None

    def _sliced(
        self, starts: list[Value], tokens: list[Token], ignored: frozenset[str] = frozenset()
    ) -> Slice:
        found = Slice()
        seen: set[Token] = set()
        values, names, distance = list(starts), list(tokens), 0
        visited = 0
        while (values or names) and visited < _LONGEST_SLICE:
            following: list[Token] = list(names)
            names = []
            for value in values:
                visited += 1
                if value.expression is None:
                    continue
                literals, mentioned = expression_parts(value, self.index)
                for place, literal in literals:
                    found.literals.setdefault(place, literal)
                following += mentioned
            values = []
            distance += 1
            for token in following:
                if token in seen or (token[0] == "key" and token[2] in ignored):
                    continue
                seen.add(token)
                for source in self.index.sources.get(token, ()):
                    if source.place is not None:
                        found.bindings.setdefault(source.place, distance)
                    if source.alias is not None:
                        names.append(source.alias)
                    else:
                        values.append(source)
        return found


def _launches(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Subscript):
        return True
    return isinstance(call.func, ast.Attribute) and call.func.attr in _LAUNCHERS


def written(node: ast.expr) -> str:
    """Return an expression as it is written, on one line and not too long."""
    text = ast.unparse(node).replace("triton.", "")
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
