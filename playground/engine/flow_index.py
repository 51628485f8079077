"""Which values each name of the host code may take: the index under `flow`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.engine.flow_syntax import LIBRARIES, Function, is_own, own_nodes
from playground.engine.host_code import Place
from playground.model.outline import is_jit
from playground.model.source_tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Token = tuple[str, str, str]
"""A kind (`name`, `key`, `returned`), the scope it belongs to (empty: everywhere), and a name."""


@dataclass(frozen=True, eq=False)
class Value:
    """One source of a name: an expression in its scope, or another name (`alias`).

    `place` is where the name can be given another value; `of_returns` tells that the expression is
    what a function returns, and not what the name itself is bound to.
    """

    file: str
    scope: tuple[str, ...]
    expression: ast.expr | None = None
    place: Place | None = None
    alias: Token | None = None
    of_returns: bool = False


@dataclass(frozen=True, eq=False)
class _Definition:
    file: str
    scope: tuple[str, ...]
    parameters: tuple[str, ...]
    method: bool
    rest: str = ""


class Index:
    """Sources of every name in a set of files.

    `calls` are the calls of each file with their scope, `kernels` the functions that are not host
    code, by file and line of their `def`. `inside` names files (a driver) that run in the
    namespace of another.
    """

    def __init__(self, texts: Mapping[str, str], inside: Mapping[str, str]) -> None:
        self.sources: dict[Token, list[Value]] = {}
        self.calls: dict[str, list[tuple[ast.Call, tuple[str, ...]]]] = {}
        self.kernels: dict[tuple[str, int], Function] = {}
        self._locals: dict[tuple[str, ...], set[str]] = {}
        self._functions: dict[str, list[_Definition]] = {}
        self._classes: dict[str, list[_Definition]] = {}
        self._forwards: dict[str, _Definition] = {}
        trees = {}
        for file, text in texts.items():
            try:
                trees[file] = tree_of(text)
            except (SyntaxError, ValueError):
                continue  # it was loaded under another text; what it holds is not known
        for file, tree in trees.items():
            self._declare(file, tree, (inside.get(file, file),))
        for file, tree in trees.items():
            self.calls[file] = []
            self._collect(file, tree, (inside.get(file, file),))

    # ------------------------------------------------------------------ looking up

    def token_of(self, value: Value) -> Token | None:
        """Return the name that an expression is, if it is nothing but a name or an attribute."""
        expression = value.expression
        if isinstance(expression, ast.Name):
            return self.name_token(value.scope, expression.id)
        if isinstance(expression, ast.Attribute) and is_own(expression):
            return ("key", "", expression.attr)
        if isinstance(expression, ast.Subscript):
            key = expression.slice
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                return ("key", "", key.value)
        return None

    def name_token(self, scope: tuple[str, ...], name: str) -> Token:
        """Return the token of a name as Python would look it up from `scope`."""
        for size in range(len(scope), 0, -1):
            outer = scope[:size]
            if size < len(scope) and outer[-1].startswith("class "):
                continue  # a class's names are not seen from its methods
            if name in self._locals.get(outer, ()):
                return ("name", "/".join(outer), name)
        return ("name", scope[0], name)

    def definitions(self, call: ast.Call) -> Iterator[tuple[_Definition, int]]:
        """Yield what a call may call, and how many parameters come before its first argument."""
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name == "apply" and isinstance(function, ast.Attribute):
            owner = function.value
            owner_name = getattr(owner, "attr", None) or getattr(owner, "id", "")
            if owner_name in self._forwards:
                yield self._forwards[owner_name], 1
            else:  # an instance of torch.autograd.Function under another name
                yield from ((item, 1) for item in self._forwards.values())
            return
        known = False
        for definition in self._functions.get(name, ()):
            known = True
            through_class = isinstance(function, ast.Attribute) and definition.method
            yield definition, 1 if through_class else 0
        for definition in self._classes.get(name, ()):
            known = True
            yield definition, 1 if definition.method else 0
        if not known and not isinstance(function, ast.Subscript) and name:
            yield from ((item, 1) for item in self._forwards.values())

    # ------------------------------------------------------------------ first pass: what there is

    def _declare(self, file: str, node: ast.AST, scope: tuple[str, ...]) -> None:
        own = self._locals.setdefault(scope, set())
        outer: set[str] = set()
        for child in own_nodes(node):
            if isinstance(child, Function):
                own.add(child.name)
                self._declare_function(file, child, scope)
            elif isinstance(child, ast.ClassDef):
                own.add(child.name)
                self._declare_class(file, child, scope)
            elif isinstance(child, (ast.Global, ast.Nonlocal)):
                outer.update(child.names)
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                own.add(child.id)
            elif isinstance(child, (ast.Import, ast.ImportFrom)):
                own.update((alias.asname or alias.name).split(".")[0] for alias in child.names)
        own -= outer

    def _declare_function(self, file: str, node: Function, scope: tuple[str, ...]) -> None:
        inner = (*scope, f"{node.name}@{node.lineno}")
        if is_jit(node):
            self.kernels[(file, node.lineno)] = node
            return
        parameters = tuple(item.arg for item in [*node.args.posonlyargs, *node.args.args])
        static = any(getattr(item, "id", "") == "staticmethod" for item in node.decorator_list)
        method = scope[-1].startswith("class ") and not static
        rest = node.args.vararg.arg if node.args.vararg is not None else ""
        definition = _Definition(file, inner, parameters, method, rest)
        self._functions.setdefault(node.name, []).append(definition)
        self._declare(file, node, inner)
        self._locals[inner].update(parameters, (item.arg for item in node.args.kwonlyargs))
        for extra in (node.args.vararg, node.args.kwarg):
            if extra is not None:
                self._locals[inner].add(extra.arg)

    def _declare_class(self, file: str, node: ast.ClassDef, scope: tuple[str, ...]) -> None:
        inner = (*scope, f"class {node.name}@{node.lineno}")
        fields: list[str] = []
        made = False
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                fields.append(item.target.id)
            if isinstance(item, Function) and item.name in ("__init__", "forward", "__call__"):
                parameters = tuple(arg.arg for arg in [*item.args.posonlyargs, *item.args.args])
                place = (*inner, f"{item.name}@{item.lineno}")
                definition = _Definition(file, place, parameters, True)
                if item.name == "__init__":
                    self._classes.setdefault(node.name, []).append(definition)
                    made = True
                else:
                    self._forwards[node.name] = definition
        if not made and fields:
            self._classes.setdefault(node.name, []).append(
                _Definition(file, inner, tuple(fields), False)
            )
        self._declare(file, node, inner)

    # ------------------------------------------------------------------ second pass: what flows

    def _add(self, token: Token, value: Value) -> None:
        self.sources.setdefault(token, []).append(value)

    def _collect(self, file: str, node: ast.AST, scope: tuple[str, ...]) -> None:
        for child in own_nodes(node):
            if isinstance(child, Function):
                if not is_jit(child):
                    self._function(file, child, scope)
            elif isinstance(child, ast.ClassDef):
                self._collect(file, child, (*scope, f"class {child.name}@{child.lineno}"))
            elif isinstance(child, ast.Assign):
                for target in child.targets:
                    self._bind(file, scope, target, child.value)
            elif isinstance(child, (ast.AnnAssign, ast.NamedExpr)) and child.value is not None:
                self._bind(file, scope, child.target, child.value)
            elif isinstance(child, ast.AugAssign):
                self._bind(file, scope, child.target, child.value, replaceable=False)
            elif isinstance(child, (ast.For, ast.AsyncFor)):
                self._loop(file, scope, child)
            elif isinstance(child, ast.comprehension):
                self._bind(file, scope, child.target, child.iter, replaceable=False)
            elif isinstance(child, ast.withitem) and child.optional_vars is not None:
                self._bind(file, scope, child.optional_vars, child.context_expr, replaceable=False)
            elif isinstance(child, (ast.Return, ast.Yield)) and child.value is not None:
                self._returned(file, scope, child.value)
            elif isinstance(child, ast.Dict):
                for key, value in zip(child.keys, child.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        self._add(("key", "", key.value), Value(file, scope, value))
            elif isinstance(child, ast.ImportFrom):
                for alias in child.names:
                    token = self.name_token(scope, alias.asname or alias.name)
                    self._add(token, Value(file, scope, alias=("key", "", alias.name)))
            elif isinstance(child, ast.Call):
                self.calls[file].append((child, scope))
                self._call(file, scope, child)

    def _function(self, file: str, node: Function, scope: tuple[str, ...]) -> None:
        inner = (*scope, f"{node.name}@{node.lineno}")
        plain = [*node.args.posonlyargs, *node.args.args]
        defaults = dict(
            zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True)
        )
        defaults.update(
            (arg, default)
            for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default is not None
        )
        for arg in [*plain, *node.args.kwonlyargs]:
            token: Token = ("name", "/".join(inner), arg.arg)
            place = Place.of(file, arg, "parameter", arg.arg)
            self._add(token, Value(file, inner, place=place, alias=("key", "", arg.arg)))
            if arg in defaults:
                self._add(token, Value(file, scope, defaults[arg]))
        if any("property" in ast.unparse(item) for item in node.decorator_list):
            returned: Token = ("returned", "", node.name)
            self._add(("key", "", node.name), Value(file, inner, alias=returned))
        self._collect(file, node, inner)

    def _returned(self, file: str, scope: tuple[str, ...], value: ast.expr) -> None:
        name = scope[-1].split("@")[0]
        self._add(("returned", "", name), Value(file, scope, value, of_returns=True))

    def _loop(self, file: str, scope: tuple[str, ...], node: ast.For | ast.AsyncFor) -> None:
        if isinstance(node.target, ast.Name):
            place = Place.of(file, node.target, "loop", node.target.id)
            self._name(file, scope, node.target.id, Value(file, scope, node.iter, place))
        else:
            self._bind(file, scope, node.target, node.iter, replaceable=False)

    def _bind(
        self, file: str, scope: tuple[str, ...], target: ast.expr, value: ast.expr, *,
        replaceable: bool = True,
    ) -> None:  # fmt: skip
        if isinstance(target, (ast.Tuple, ast.List)):
            values: list[ast.expr] = [value] * len(target.elts)
            pairwise = (
                isinstance(value, (ast.Tuple, ast.List))
                and len(value.elts) == len(target.elts)
                and not any(isinstance(i, ast.Starred) for i in [*target.elts, *value.elts])
            )
            if pairwise and isinstance(value, (ast.Tuple, ast.List)):
                values = value.elts
            for item, one in zip(target.elts, values, strict=True):
                inner = item.value if isinstance(item, ast.Starred) else item
                self._bind(file, scope, inner, one, replaceable=replaceable and pairwise)
            return
        place = None
        if replaceable and not isinstance(value, ast.Constant):
            place = Place.of(file, value, "value")
        made = Value(file, scope, value, place)
        if isinstance(target, ast.Name):
            self._name(file, scope, target.id, made)
        elif isinstance(target, ast.Attribute):
            self._add(("key", "", target.attr), made)
        elif isinstance(target, ast.Subscript):
            key = target.slice
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self._add(("key", "", key.value), made)

    def _name(self, file: str, scope: tuple[str, ...], name: str, value: Value) -> None:
        self._add(self.name_token(scope, name), value)
        if len(scope) == 1 or scope[-1].startswith("class "):
            # Reached as an attribute or by import too: `module.BLOCK`, `self.BLOCK`.
            self._add(("key", "", name), value)

    def _call(self, file: str, scope: tuple[str, ...], call: ast.Call) -> None:
        for keyword in call.keywords:
            if keyword.arg is not None:
                self._add(("key", "", keyword.arg), Value(file, scope, keyword.value))
        self._option(file, scope, call)
        for definition, skipped in self.definitions(call):
            names = definition.parameters[skipped:]
            rest = [definition.rest] if definition.rest else []
            for position, value in enumerate(call.args):
                if isinstance(value, ast.Starred):
                    for name in [*names[position:], *rest]:
                        self._parameter(definition, name, Value(file, scope, value.value))
                    break
                for name in [names[position]] if position < len(names) else rest:
                    self._parameter(definition, name, Value(file, scope, value))

    def _parameter(self, definition: _Definition, name: str, value: Value) -> None:
        if definition.scope[-1].startswith("class "):
            self._add(("key", "", name), value)  # a field of a dataclass
        else:
            self._add(("name", "/".join(definition.scope), name), value)

    def _option(self, file: str, scope: tuple[str, ...], call: ast.Call) -> None:
        # `parser.add_argument("--block", default=64)` gives `arguments.block`.
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"):
            return
        for keyword in call.keywords:
            if keyword.arg == "default":
                for item in call.args:
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        name = item.value.lstrip("-").replace("-", "_")
                        self._add(("key", "", name), Value(file, scope, keyword.value))


def expression_parts(value: Value, index: Index) -> tuple[list[tuple[Place, Any]], list[Token]]:
    """Return the literals of an expression with their places, and the names it mentions."""
    literals: list[tuple[Place, Any]] = []
    tokens: list[Token] = []
    stack: list[ast.AST] = [] if value.expression is None else [value.expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (bool, int, float, str)):
                literals.append((Place.of(value.file, node, "literal"), node.value))
        elif isinstance(node, ast.JoinedStr):
            continue
        elif isinstance(node, ast.Name):
            if node.id not in LIBRARIES:
                token = index.name_token(value.scope, node.id)
                tokens.append(token)
                tokens.append(("returned", "", node.id))
        elif isinstance(node, ast.Subscript):
            stack.append(node.value)
            if isinstance(node.slice, ast.Constant):
                # An index or a key: no quantity, except in `kernel[64,]`, which is a grid.
                if isinstance(node.slice.value, str):
                    tokens.append(("key", "", node.slice.value))
            else:
                stack.append(node.slice)
        elif isinstance(node, ast.Attribute):
            if is_own(node):
                tokens += [("key", "", node.attr), ("returned", "", node.attr)]
                stack.append(node.value)
        elif isinstance(node, ast.keyword):
            stack.append(node.value)
        else:
            stack.extend(ast.iter_child_nodes(node))
    return literals, tokens
