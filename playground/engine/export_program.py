"""What an exported file runs: the main block, the script's own statements, or typed code."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from playground.engine import timing_loops
from playground.engine.edits import Edit, apply
from playground.engine.export_fixtures import with_fixtures
from playground.engine.freezing import driver_code
from playground.engine.references import Reference, bound_name, bound_names, references
from playground.engine.statements import is_main, root_name
from playground.engine.user_modules import Folder, Outside, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playground.engine.session import Session
    from playground.engine.statements import Segment
    from playground.engine.user_modules import UserModule, UserModules

_REGISTERING = ("register", "impl", "define", "append", "update", "add", "setdefault")


@dataclass(frozen=True, eq=False)
class Program:
    """The statements that launch, in order.

    Parameters
    ----------
    nodes
        Statements of the kernel file, to stand in the exported file's main block.
    left_out
        Statements of the kernel file that stand nowhere: sweeps that are timed by hand.
    code
        Code typed, written or offered for the file, after those; `uses` are its references.
    """

    nodes: list[ast.stmt] = field(default_factory=list)
    left_out: list[ast.stmt] = field(default_factory=list)
    code: str = ""
    uses: list[Reference] = field(default_factory=list)


def program_of(
    session: Session, modules: UserModules, edits: Iterable[Edit], *, benchmarks: bool
) -> Program:
    """Return what the exported file of a session runs.

    Parameters
    ----------
    edits
        What a config changes in the driver's code.
    benchmarks
        Whether the file's own benchmarks are part of it.
    """
    module = modules.module(modules.main)
    code = with_fixtures(apply(driver_code(session), list(edits)), module.tree)
    tree = ast.parse(code)
    uses = _with_imports(
        references(tree.body, lambda one: modules.is_user_import(modules.main, one)), tree, modules
    )
    driver = session.driver
    left_out: list[ast.stmt] = []
    nodes = _script(module, modules, left_out, benchmarks=benchmarks)
    if driver is None or driver.kind == "main":
        for node in module.tree.body:
            if isinstance(node, ast.If) and is_main(node):
                body = [one for one in node.body if not isinstance(one, (ast.Pass,))]
                nodes += [
                    one
                    for one in body
                    if benchmarks or not _is_benchmark(one, module) or not _others(body, module)
                ]
    return Program(nodes, left_out, code, uses)


def _with_imports(uses: list[Reference], tree: ast.Module, modules: UserModules) -> list[Reference]:
    """Return the references of typed code, those to its own imports of the user's modules too."""
    imported = {
        bound_name(alias): (node, alias)
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and modules.is_user_import(modules.main, node)
        for alias in node.names
    }
    return [
        replace(use, imported=imported[use.node.id])
        if use.imported is None and use.node.id in imported
        else use
        for use in uses
    ]


def _others(body: list[ast.stmt], module: UserModule) -> bool:
    """Tell whether something is left of a block without its benchmarks."""
    return any(
        not _is_benchmark(one, module) and not isinstance(one, (ast.Import, ast.ImportFrom))
        for one in body
    )


def _script(
    module: UserModule, modules: UserModules, left_out: list[ast.stmt], *, benchmarks: bool
) -> list[ast.stmt]:
    """Return the statements with which a file launches in its own body, from the first on."""
    reach = _Reach(modules)
    started = False
    nodes: list[ast.stmt] = []
    bound: set[str] = set()
    for part in module.segments:
        node = part.node
        if is_main(node) or isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            outer = references(
                [*node.decorator_list, *getattr(getattr(node, "args", None), "defaults", [])]
            )
            if any(one.node.id in bound for one in outer):
                nodes.append(node)
            continue
        before, started = started, started or _acts(part, module, reach)
        if not started or (not benchmarks and _is_benchmark(node, module)):
            continue
        if before and not benchmarks and _is_sweep(node, module):
            left_out.append(node)
            continue
        if isinstance(node, ast.Expr) and ast.unparse(node).startswith(("sys.path", "plt.")):
            continue
        nodes.append(node)
        bound |= bound_names([node])
    return nodes


def _acts(part: Segment, module: UserModule, reach: _Reach) -> bool:
    """Tell whether a top-level statement launches when it runs."""
    node = part.node
    called = list(_calls_of(node))
    if not called:
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr.startswith(_REGISTERING):
            return False
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and _serves_functions(part, module):
        return False  # `kernel = make_kernel(64)`: a definition
    return _launch_syntax(node) or any(reach.launches(module.path, one) for one in called)


def _calls_of(node: ast.AST) -> Iterable[str]:
    """Yield the names that a statement calls, in whatever way."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            name = root_name(one.func)
            if name:
                yield name


def _serves_functions(part: Segment, module: UserModule) -> bool:
    return any(
        use.node.id in part.binds
        for other in module.segments
        if isinstance(other.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        for use in other.uses
    )


def _launch_syntax(node: ast.AST) -> bool:
    return any(
        isinstance(one, ast.Call)
        and (
            isinstance(one.func, ast.Subscript)
            or (
                isinstance(one.func, ast.Attribute)
                and one.func.attr in ("run", "warmup")
                and any(keyword.arg == "grid" for keyword in one.keywords)
            )
        )
        for one in ast.walk(node)
    )


class _Reach:
    """Which of the user's functions launch, themselves or through what they use."""

    def __init__(self, modules: UserModules) -> None:
        self._modules = modules
        self._known: dict[tuple[str, str], bool] = {}

    def launches(self, path: str, name: str) -> bool:
        target = self._modules.member(path, name)
        if target is None or isinstance(target, Outside):
            return False
        if isinstance(target, Folder):
            return any(
                self.launches(target.path, public)
                for public in self._modules.public_names(target.path)
            )
        return self._symbol(target)

    def _symbol(self, symbol: Symbol) -> bool:
        key = (symbol.path, symbol.name)
        if key in self._known:
            return self._known[key]
        self._known[key] = False  # while it is looked at: functions may call each other
        module = self._modules.module(symbol.path)
        for index in module.bindings.get(symbol.name, ()):
            part = module.segments[index]
            if _launch_syntax(part.node) or any(
                self.launches(symbol.path, use.node.id) for use in part.uses
            ):
                self._known[key] = True
                break
        return self._known[key]


def _is_benchmark(node: ast.stmt, module: UserModule) -> bool:
    """Tell whether a statement only runs a benchmark: `bench.run(print_data=True)`."""
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    function = node.value.func
    name = root_name(function)
    if not name:
        return False
    marked = any(
        "perf_report" in ast.unparse(decorator)
        for index in module.bindings.get(name, ())
        for decorator in _decorators(module.segments[index].node)
    )
    if isinstance(function, ast.Attribute):
        return function.attr == "run" and marked
    timed = any(
        (isinstance(one, ast.Attribute) and one.attr.startswith("do_bench"))
        or (isinstance(one, ast.Name) and one.id.startswith("do_bench"))
        for index in module.bindings.get(name, ())
        for one in ast.walk(module.segments[index].node)
    )  # fmt: skip
    return timed and "bench" in name.lower()


def _is_sweep(node: ast.stmt, module: UserModule) -> bool:
    """Tell whether a statement is a loop that times one size after another."""
    return isinstance(node, (ast.For, ast.While)) and timing_loops.sweeps(
        node, {one.name: one for one in module.tree.body if isinstance(one, ast.FunctionDef)}
    )


def _decorators(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.decorator_list
    return [node.value] if isinstance(node, ast.Assign) else []
