"""Which functions and classes of a file are kernels, and which reach a launch of one."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NO_KERNELS = frozenset({
    "list", "dict", "tuple", "set", "type", "List", "Dict", "Tuple", "Optional", "Union",
    "Callable", "Sequence", "Literal", "cast",
})  # fmt: skip
_OTHER_COMPILERS = ("torch.", "jax.", "numba.", "cute.")

_FILLED_IN = frozenset({"self", "cls", "ctx", "context"})

Scope = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class KernelPlace:
    """A kernel: its function, how module code reaches it (empty: it can't), and what tunes it.

    `tuned` holds the constexprs that an autotuner or heuristics give, with one value of theirs.
    """

    node: ast.FunctionDef
    call: str
    tuned: dict[str, int]


@dataclass
class FileMap:
    """A file's kernels, its top-level functions and classes, and what each refers to."""

    kernels: list[KernelPlace] = field(default_factory=list)
    top: dict[str, Scope] = field(default_factory=dict)
    refers: dict[str, set[str]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    launching: set[str] = field(default_factory=set)
    constants: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    loose: list[ast.stmt] = field(default_factory=list)
    main_block: ast.If | None = None

    def reaches(self, node: ast.AST) -> bool:
        """Tell whether running `node` launches a kernel, as far as this file shows."""
        return bool(references(node) & self.launching) or self.launches(node)

    def launches(self, node: ast.AST) -> bool:
        """Tell whether `node` itself contains a launch."""
        return any(launched_name(each) is not None for each in ast.walk(node))


def map_file(tree: ast.Module) -> FileMap:
    """Return the map of a module."""
    found = FileMap()
    found.kernels = sorted(_kernels(tree), key=lambda place: place.node.lineno)
    jitted = {id(place.node) for place in found.kernels}
    for node in _module_level(tree.body):
        found.names |= _bound(node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            if id(node) not in jitted and not _is_stub(node, found.top.get(node.name), found):
                found.top[node.name] = node
                found.refers[node.name] = references(node)
        elif _is_main_block(node) and isinstance(node, ast.If):
            found.main_block = node
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            found.loose.append(node)
        for name, value in _aliases(node):
            found.aliases.setdefault(name, ast.unparse(value))
            found.refers.setdefault(name, set()).update(references(value))
        _take_constant(node, found.constants)
    direct = {name for name, node in found.top.items() if found.launches(node)}
    found.launching = set(direct)
    while True:
        more = {name for name, refs in found.refers.items() if refs & found.launching}
        if more <= found.launching:
            return found
        found.launching |= more


def _is_stub(node: Scope, before: Scope | None, files: FileMap) -> bool:
    """Tell whether `node` stands in, under an `else`, for a launcher of the same name."""
    return before is not None and files.launches(before) and not files.launches(node)


def is_jit(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether `node` is a kernel: a function under a decorator called `jit`."""
    return any(_is_jit_name(decorator) for decorator in node.decorator_list)


def _is_jit_name(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    return name == "jit" and not ast.unparse(target).startswith(_OTHER_COMPILERS)


def launched_name(node: ast.AST) -> str | None:
    """Return the name before the brackets of `kernel[grid](...)`, or None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
        return None
    inner = node.func.value
    while isinstance(inner, ast.Call) and inner.args:  # wrap_triton(kernel)[grid](...)
        inner = inner.args[0]
    name = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
    return None if name in _NO_KERNELS else name


def references(node: ast.AST) -> set[str]:
    """Return all names and attribute names that `node` mentions."""
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


# --------------------------------------------------------------------------------- kernels


def _kernels(tree: ast.Module) -> Iterator[KernelPlace]:
    named: dict[str, ast.FunctionDef] = {}
    seen: set[int] = set()
    for node, path in _functions(tree.body, ""):
        if path is not None:
            named.setdefault(node.name, node)
        if is_jit(node):
            seen.add(id(node))
            yield KernelPlace(node, path or "", _tuned(node.decorator_list, tree))
    # Applied by plain calls: `kernel = triton.autotune(...)(triton.jit(function))`.
    for statement in ast.walk(tree):
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
            continue
        for call in ast.walk(statement.value):
            inner = _jitted_by_call(call)
            function = named.get(inner or "")
            if function is None or id(function) in seen:
                continue
            seen.add(id(function))
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            at_top = statement in tree.body and isinstance(targets[0], ast.Name)
            path = ast.unparse(targets[0]) if at_top else ""
            yield KernelPlace(function, path, _tuned([statement.value], tree))


def _jitted_by_call(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    makes = _is_jit_name(node.func)
    given = node.args[0] if node.args else next(
        (each.value for each in node.keywords if each.arg == "fn"), None
    )  # fmt: skip
    return given.id if makes and isinstance(given, ast.Name) else None


def _functions(
    body: Sequence[ast.stmt], path: str | None
) -> Iterator[tuple[ast.FunctionDef, str | None]]:
    """Yield all functions with the dotted path that reaches them; None inside other functions."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node, None if path is None else f"{path}{node.name}"
            yield from _functions(node.body, None)
        elif isinstance(node, ast.ClassDef):
            inner = None if path is None else f"{path}{node.name}."
            yield from _functions(node.body, inner)
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from _functions(getattr(node, part, ()), path)
            for handler in getattr(node, "handlers", ()):
                yield from _functions(handler.body, path)


def _tuned(decorators: Sequence[ast.expr], tree: ast.Module) -> dict[str, int]:
    """Return what configs and heuristics around a kernel set, by name."""
    found: dict[str, int] = {}
    tunes = False
    for decorator in decorators:
        text = ast.unparse(decorator)
        tunes = tunes or "autotune" in text or "Config(" in text
        if "heuristics" in text:
            for each in ast.walk(decorator):
                if isinstance(each, ast.Dict):
                    found.update(dict.fromkeys(_keys(each), 64))
    if tunes:
        inside = [each for decorator in decorators for each in _configs(decorator)]
        # Configs made elsewhere, by a function or a list: any of the file's may be meant.
        for config in inside or list(_configs(tree)):
            given = config.args[0] if config.args else None
            if isinstance(given, ast.Dict):
                for key, value in zip(given.keys, given.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        number = value.value if isinstance(value, ast.Constant) else 128
                        size = number if isinstance(number, int) else 128
                        found[key.value] = max(size, found.get(key.value, 0))
    return found


def _configs(node: ast.AST) -> Iterator[ast.Call]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(
                each.func, "id", ""
            )  # fmt: skip
            if name == "Config":
                yield each


def _keys(node: ast.Dict) -> list[str]:
    return [key.value for key in node.keys
            if isinstance(key, ast.Constant) and isinstance(key.value, str)]  # fmt: skip


# ---------------------------------------------------------------------------- module level


def _module_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run at import, those under conditions and tries one by one."""
    for node in body:
        holds = isinstance(node, (ast.If, ast.Try)) and not _is_main_block(node)
        if holds and any(
            isinstance(each, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))
            for each in ast.walk(node)
        ):
            for part in ("body", "orelse", "finalbody"):
                yield from _module_level(getattr(node, part, ()))
        else:
            yield node


def _aliases(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield `attention` of `attention = _attention.apply`: another name of what is called so."""
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.Call) and ast.unparse(value.func).endswith("partial"):
        value = value.args[0] if value.args else None
    if isinstance(value, (ast.Name, ast.Attribute)) and isinstance(
        node, (ast.Assign, ast.AnnAssign)
    ):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, value


def _is_main_block(node: ast.stmt) -> bool:
    if not isinstance(node, ast.If):
        return False
    test = ast.unparse(node.test)
    return "__name__" in test and "__main__" in test


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(each.asname or each.name).split(".")[0] for each in node.names}
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _take_constant(node: ast.stmt, constants: dict[str, int]) -> None:
    """Take `N = 128`, `N: tl.constexpr = 128` and `N = tl.constexpr(128)`."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target, value = node.target, node.value
    else:
        return
    if isinstance(value, ast.Call) and value.args and _is_constexpr(value.func):
        value = value.args[0]
    if not isinstance(target, ast.Name) or not isinstance(value, ast.Constant):
        return
    if isinstance(value.value, int):
        constants[target.id] = int(value.value)


def _is_constexpr(node: ast.expr) -> bool:
    return ast.unparse(node).endswith("constexpr")


def defaults_of(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return the parameters that have defaults."""
    plain = [*node.args.posonlyargs, *node.args.args]
    found = dict(
        zip(
            (each.arg for each in plain[len(plain) - len(node.args.defaults) :]),
            node.args.defaults,
            strict=True,
        )
    )
    for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            found[each.arg] = default
    return found


def not_passed(node: ast.FunctionDef) -> int:
    """Return how many leading parameters Python or torch fill in: `self`, `cls`, `ctx`."""
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    return next((at for at, name in enumerate(names) if name not in _FILLED_IN), len(names))


def constexprs_of(node: ast.FunctionDef) -> tuple[str, ...]:
    """Return the parameters annotated as `tl.constexpr`."""
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return tuple(
        each.arg for each in arguments
        if each.annotation is not None and "constexpr" in ast.unparse(each.annotation)
    )  # fmt: skip
