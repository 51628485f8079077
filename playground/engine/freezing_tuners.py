"""Writing a config into what tunes a kernel: `triton.autotune` and `triton.heuristics`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.engine.edits import Edit, replaced
from playground.engine.triton_private import wrappers
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playground.model.knobs import KnobValue

_NAME_LISTS = ("key", "reset_to_zero", "restore_value")
_FOR_TUNING = frozenset(
    {
        "prune_configs_by", "warmup", "rep", "use_cuda_graph", "do_bench", "cache_results",
        "restore_value", "pre_hook", "post_hook",
    }
)  # fmt: skip
"""Arguments of `triton.autotune` that mean nothing where one config is left."""


@dataclass(frozen=True)
class Definition:
    """A kernel in the text: its function's name, and the line of its `def`."""

    tree: ast.Module
    name: str
    line: int

    def function(self) -> ast.FunctionDef | None:
        """Return the function's node."""
        named = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef) and node.name == self.name
        ]
        return next(
            (node for node in named if node.lineno == self.line), named[0] if named else None
        )

    def wrappers(self, names: frozenset[str] = frozenset()) -> Iterator[ast.Call]:
        """Yield the calls that wrap the kernel: decorators, and `wrap(...)(kernel)`.

        With `names` given, plain calls count only in statements that bind one of these: several
        wrapper objects may share one kernel.
        """
        function = self.function()
        if function is not None:
            for decorator in function.decorator_list:
                call = self._call(decorator)
                if call is not None:
                    yield call
        for statement in ast.walk(self.tree):
            if not isinstance(statement, ast.stmt) or isinstance(
                statement, (ast.FunctionDef, ast.ClassDef)
            ):
                continue
            bound = {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            if names and bound and not bound & names:
                continue
            for node in ast.walk(statement):
                if isinstance(node, ast.Call) and any(_mentions(a, self.name) for a in node.args):
                    call = self._call(node.func)
                    if call is not None:
                        yield call

    def _call(self, node: ast.expr) -> ast.Call | None:
        """Return the call that makes a decorator; a name stands for what it was bound to."""
        if isinstance(node, ast.Call):
            return node
        if isinstance(node, ast.Name):
            return next(
                (
                    one.value
                    for one in ast.walk(self.tree)
                    if isinstance(one, ast.Assign)
                    and isinstance(one.value, ast.Call)
                    and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)
                ),
                None,
            )
        return None


def freeze_tuner(
    definition: Definition, kernel: Any, chosen: Any, values: Mapping[str, KnobValue],
    namespace: Mapping[str, Any], *, keep: bool,
    others: Sequence[Mapping[str, KnobValue]] = (), key: Sequence[str] = (),
) -> list[Edit]:  # fmt: skip
    """Return the edits that leave an autotuned kernel one config, or put it first with `keep`.

    With `others` the kernel gets this config and those, in place of its own, and what its key
    leaves out of `key`.

    Parameters
    ----------
    kernel
        What was launched: a name bound to it tells which of several tuners is meant.
    chosen
        The `triton.Config` in force; its `pre_hook` stays.
    namespace
        The globals of the kernel's module.
    """
    names = frozenset(name for name, value in namespace.items() if value is kernel)
    found: list[Edit] = []
    for call in definition.wrappers(names):
        configs = _configs(call) if _callee(call) == "autotune" else None
        if configs is not None:
            make = f"{ast.unparse(call.func).rpartition('.')[0] or 'triton'}.Config"
            config = config_text(make, values, _hook(chosen, definition.tree, namespace))
            if others:
                few = [config, *(config_text(make, one, "") for one in others)]
                text = "".join(f"\n        {one}," for one in few)
                found.append(replaced(configs, f"[{text}\n    ]"))
                more = completed_key(call, key)
                found += [more] if more is not None else []
            elif keep:
                found.append(replaced(configs, _first_of(config, configs, values)))
            else:
                found.append(replaced(configs, f"[{config}]"))
                found += without(call, _FOR_TUNING)
    if found or not names:
        return found
    return _set_afterwards(definition, kernel, sorted(names)[0], chosen, values, namespace, keep)


def completed_key(call: ast.Call, key: Sequence[str]) -> Edit | None:
    """Return the edit that adds to a tuner's key what it leaves out, None where nothing is."""
    given = next((item.value for item in call.keywords if item.arg == "key"), None)
    if given is None and len(call.args) > 1:
        given = call.args[1]
    if not isinstance(given, (ast.List, ast.Tuple)):
        return None
    known = [str(item.value) for item in given.elts if isinstance(item, ast.Constant)]
    if len(known) < len(given.elts) or all(name in known for name in key):
        return None
    names = dict.fromkeys([*known, *key])
    return replaced(given, "[" + ", ".join(f'"{name}"' for name in names) + "]")


def known_names(tree: ast.Module, frozen: str) -> Iterator[Edit]:
    """Yield the edits that take out of tuners' lists what is no parameter of their kernel.

    Triton refuses such a name from 3.9 on; the app lets it through, and the file must load alone.

    Parameters
    ----------
    frozen
        The kernel whose tuner gets one config: its other lists go anyway.
    """
    for kernel in ast.walk(tree):
        if not isinstance(kernel, ast.FunctionDef):
            continue
        every = [*kernel.args.posonlyargs, *kernel.args.args, *kernel.args.kwonlyargs]
        parameters = {item.arg for item in every}
        for call in kernel.decorator_list:
            if not isinstance(call, ast.Call) or _callee(call) != "autotune":
                continue
            given = [*zip(("configs", "key"), call.args, strict=False)]
            given += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
            for name, value in given:
                lists = ("key",) if kernel.name == frozen else _NAME_LISTS
                if name not in lists or not isinstance(value, (ast.List, ast.Tuple)):
                    continue
                kept = [
                    ast.unparse(item)
                    for item in value.elts
                    if not isinstance(item, ast.Constant) or item.value in parameters
                ]
                if len(kept) < len(value.elts):
                    yield replaced(value, f"[{', '.join(kept)}]")


def _set_afterwards(
    definition: Definition, kernel: Any, name: str, chosen: Any,
    values: Mapping[str, KnobValue], namespace: Mapping[str, Any], keep: bool,
) -> list[Edit]:  # fmt: skip
    """Return the edit that gives the tuner its config after the statement that makes it.

    For a tuner that some function of the project's own made, out of sight.
    """
    statement = next(
        (
            node
            for node in definition.tree.body
            if getattr(node, "name", "") == name
            or any(
                isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
                for one in ast.walk(node)
            )
        ),
        None,
    )
    if statement is None:
        return []
    tuner = wrappers.autotuner_of(kernel)
    place = name
    for link in wrappers.chain(kernel):
        if link is tuner:
            break
        place += ".fn"
    make = next((n for n, v in namespace.items() if getattr(v, "__name__", "") == "triton"), None)
    if make is None:
        return []
    config = config_text(f"{make}.Config", values, _hook(chosen, definition.tree, namespace))
    rest = f", *{place}.configs" if keep else ""
    line = statement.end_lineno or statement.lineno
    column = statement.end_col_offset or 0
    return [Edit(line, column, line, column, f"\n\n{place}.configs = [{config}{rest}]  # tuned")]


def config_text(make: str, values: Mapping[str, KnobValue], hook: str = "") -> str:
    """Return the source text of a `triton.Config`; `make` is what it is called there."""
    inside = ", ".join(
        f'"{name}": {_literal(value)}' for name, value in values.items() if name not in OPTION_KNOBS
    )
    options = "".join(
        f", {name}={_literal(value)}"
        for name, value in values.items()
        if name in OPTION_KNOBS and value is not None
    )
    return f"{make}({{{inside}}}{options}{f', pre_hook={hook}' if hook else ''})"


def _first_of(config: str, configs: ast.expr, values: Mapping[str, KnobValue]) -> str:
    if isinstance(configs, (ast.List, ast.Tuple)):
        others = [ast.unparse(one) for one in configs.elts if not _is_this(one, values)]
        return "[" + "".join(f"\n        {one}," for one in [config, *others]) + "\n    ]"
    return f"[{config}, *{ast.unparse(configs)}]"


def _is_this(node: ast.expr, values: Mapping[str, KnobValue]) -> bool:
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Dict):
        return False
    written = dict(
        zip((ast.unparse(k) for k in node.args[0].keys if k), node.args[0].values, strict=False)
    )
    wanted = {repr(name): repr(v) for name, v in values.items() if name not in OPTION_KNOBS}
    if {name: ast.unparse(value) for name, value in written.items()} != wanted:
        return False
    return all(
        keyword.arg is None or ast.unparse(keyword.value) == repr(values.get(keyword.arg))
        for keyword in node.keywords
    )


def _hook(chosen: Any, tree: ast.Module, namespace: Mapping[str, Any]) -> str:
    """Return the text of the hook that runs before each launch under the chosen config."""
    hook = getattr(chosen, "pre_hook", None)
    if hook is None:
        return ""
    for name, value in namespace.items():
        if value is hook:
            return name
    line = getattr(getattr(hook, "__code__", None), "co_firstlineno", 0)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno == line:
            return ast.unparse(node)
    return str(getattr(hook, "__name__", ""))


def _configs(call: ast.Call) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "configs":
            return keyword.value
    return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None


def without(call: ast.Call, names: frozenset[str]) -> Iterator[Edit]:
    """Yield the edits that take keyword arguments out of a call, each with its comma."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    arguments = sorted(given, key=lambda node: (node.lineno, node.col_offset))
    for before, node in zip([None, *arguments], arguments, strict=False):
        if isinstance(node, ast.keyword) and node.arg in names and before is not None:
            yield Edit(
                before.end_lineno or before.lineno, before.end_col_offset or 0,
                node.end_lineno or node.lineno, node.end_col_offset or 0, "",
            )  # fmt: skip


def freeze_heuristics(
    definition: Definition, values: Mapping[str, KnobValue]
) -> tuple[list[Edit], set[str]]:
    """Return the edits that make heuristics give `values`, and the names written."""
    found: list[Edit] = []
    written: set[str] = set()
    for call in definition.wrappers():
        if _callee(call) != "heuristics":
            continue
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
            table = _table(definition.tree, argument)
            for key, value in zip(table.keys, table.values, strict=True) if table else ():
                if isinstance(key, ast.Constant) and key.value in values:
                    written.add(str(key.value))
                    text = f"lambda args: {_literal(values[str(key.value)])}"
                    found.append(replaced(value, text))
    return found, written


def _table(tree: ast.Module, node: ast.expr) -> ast.Dict | None:
    if isinstance(node, ast.Dict):
        return node
    if isinstance(node, ast.Name):
        for one in ast.walk(tree):
            if (
                isinstance(one, ast.Assign)
                and isinstance(one.value, ast.Dict)
                and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)
            ):
                return one.value
    return None


def _callee(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(child, ast.Name) and child.id == name for child in ast.walk(node))


def _literal(value: KnobValue) -> str:
    return value if isinstance(value, str) and value.startswith("tl.") else repr(value)
