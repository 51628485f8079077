"""Which calls of a file's own may launch its kernels, beside `example` and the main block."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from playground.model.file_map import defaults_of, launched_name, references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.file_map import FileMap

_CALLED_ALONE = re.compile(r"(run|demo|launch|check|smoke|bench|profile)\w*$", re.I)
_OF_PYTEST = frozenset({"request", "tmp_path", "tmpdir", "monkeypatch"})
_BENCHMARK = re.compile(r"bench|perf|profile", re.I)

Call = tuple[str, int]
"""A call as code, and the line of the function it calls."""


def runs_at_import(files: FileMap) -> int | None:
    """Return the line where loading the file launches kernels, without a guard; None if it doesn't.

    A call of `benchmark.run()` does not count: that is measured when the user asks.
    """
    for node in files.loose:
        for call in ast.walk(node):
            if not isinstance(call, ast.Call):
                continue
            if isinstance(call.func, ast.Attribute) and call.func.attr == "run":
                owner = ast.unparse(call.func.value)
                if owner in files.top:
                    continue
            if launched_name(call) is not None or references(call.func) & files.launching:
                return node.lineno
    return None


def only_benchmarks(files: FileMap) -> bool:
    """Tell whether all that the main block launches are benchmarks, or another tool's test run."""
    if files.main_block is None:
        return False
    body = ast.Module(files.main_block.body, [])
    if files.launches(body):
        return False
    used = references(body)
    if used & {"unittest", "pytest"} and "main" in used:
        return True
    reached = used & files.launching
    return bool(reached) and all(_is_benchmark(files, name) for name in reached)


def _is_benchmark(files: FileMap, name: str) -> bool:
    decorators = getattr(files.top.get(name), "decorator_list", [])
    return bool(_BENCHMARK.match(name)) or any(
        "perf_report" in ast.unparse(each) for each in decorators
    )


def function_calls(files: FileMap) -> Iterator[Call]:
    """Yield calls that need no more than the file says: `main()`, tests, what runs by itself."""
    # Where the file launches nothing itself, its functions may reach kernels of other modules.
    anywhere = not files.launching
    functions = [
        node for name, node in files.top.items()
        if isinstance(node, ast.FunctionDef) and (anywhere or name in files.launching)
    ]  # fmt: skip
    main = next((node for node in functions if node.name == "main"), None)
    in_block = references(files.main_block) if files.main_block is not None else set()
    if main is not None and "main" not in in_block and not _required(main):
        yield "main()", main.lineno
    fixtures = _fixtures(files)
    for node in functions:
        if node.name.startswith("test"):
            arguments = _first_parameters(node, fixtures=fixtures)
            if arguments is not None:
                yield f"{node.name}({arguments})", node.lineno
    yield from _test_methods(files, anywhere=anywhere)
    alone = [
        node for node in functions
        if _CALLED_ALONE.match(node.name) and not _required(node) and not any(
            "perf_report" in ast.unparse(each) for each in node.decorator_list
        )
    ]  # fmt: skip
    for node in sorted(alone, key=lambda node: bool(_BENCHMARK.match(node.name))):
        yield f"{node.name}()", node.lineno


def _test_methods(files: FileMap, *, anywhere: bool) -> Iterator[Call]:
    for name, node in files.top.items():
        if not isinstance(node, ast.ClassDef) or not name.startswith("Test"):
            continue
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or not method.name.startswith("test"):
                continue
            if not anywhere and not files.reaches(method):
                continue
            arguments = _first_parameters(
                method, skipped=1, outer=node.decorator_list, fixtures=_fixtures(files)
            )
            unittest = any("TestCase" in ast.unparse(base) for base in node.bases)
            if arguments is not None:
                made = f"{name}({method.name!r})" if unittest else f"{name}()"
                yield f"{made}.{method.name}({arguments})", method.lineno


def _required(node: ast.FunctionDef, skipped: int = 0) -> list[str]:
    defaults = defaults_of(node)
    arguments = [*node.args.posonlyargs, *node.args.args][skipped:] + node.args.kwonlyargs
    return [each.arg for each in arguments if each.arg not in defaults]


def _fixtures(files: FileMap) -> frozenset[str]:
    """Return the fixtures that running a test can make: the file's own, and some of pytest's."""
    own = (
        name
        for name, node in files.top.items()
        if isinstance(node, ast.FunctionDef)
        and any("fixture" in ast.unparse(each) for each in node.decorator_list)
    )
    return _OF_PYTEST | frozenset(own)


def _first_parameters(
    node: ast.FunctionDef, skipped: int = 0, outer: list[ast.expr] | None = None, *,
    fixtures: frozenset[str],
) -> str | None:  # fmt: skip
    """Return the arguments of a test's first case, or None where something else is asked for.

    `fixtures` are left out: they are made when the test is called.
    """
    values: dict[str, str] = {}
    for decorator in (*node.decorator_list, *(outer or [])):
        found = _parametrized(decorator)
        if found is None:
            continue
        names, first = found
        parts = first.elts if isinstance(first, (ast.Tuple, ast.List)) and len(names) > 1 else [
            first
        ]  # fmt: skip
        if len(parts) != len(names):
            # The cases are made by an expression: its first element is one.
            text = ast.unparse(first)
            values.update({name: f"{text}[{at}]" for at, name in enumerate(names)})
            continue
        values.update(zip(names, map(ast.unparse, parts), strict=True))
    if "device" not in values:
        values["device"] = "'cuda'"
    required = [name for name in _required(node, skipped) if name in values or name not in fixtures]
    if any(name not in values for name in required):
        return None
    defaults = defaults_of(node)
    order = [each.arg for each in (*node.args.posonlyargs, *node.args.args)][skipped:]
    order += [each.arg for each in node.args.kwonlyargs]
    return ", ".join(
        f"{name}={values[name]}" for name in order if name in required
        or (name in values and name in defaults and name != "device")
    )  # fmt: skip


def _parametrized(decorator: ast.expr) -> tuple[list[str], ast.expr] | None:
    """Return the names and the first case of `pytest.mark.parametrize`."""
    if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:
        return None
    if not ast.unparse(decorator.func).endswith("parametrize"):
        return None
    names_node, cases = decorator.args[:2]
    if isinstance(names_node, ast.Constant) and isinstance(names_node.value, str):
        names = [part.strip() for part in names_node.value.split(",") if part.strip()]
    elif isinstance(names_node, (ast.Tuple, ast.List)):
        names = [each.value for each in names_node.elts
                 if isinstance(each, ast.Constant) and isinstance(each.value, str)]  # fmt: skip
    else:
        return None
    if isinstance(cases, (ast.List, ast.Tuple)) and cases.elts:
        first = cases.elts[0]
        if isinstance(first, ast.Starred):
            return names, ast.parse(f"list({ast.unparse(first.value)})[0]", mode="eval").body
        if isinstance(first, ast.Call) and ast.unparse(first.func).endswith("param"):
            first = first.args[0] if len(first.args) == 1 else ast.Tuple(first.args, ast.Load())
        return names, first
    return names, ast.parse(f"list({ast.unparse(cases)})[0]", mode="eval").body
