"""Drivers that the app writes for a file without one, from signatures and use alone.

Nothing is executed and nothing beyond the standard library is imported: opening a file stays
reading it. A written driver is ordinary commented Python that the user edits.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from playground.model import driver_values
from playground.model.driver_hosts import host_driver
from playground.model.driver_kernels import kernel_driver
from playground.model.driver_tensors import DriverText
from playground.model.file_map import constexprs_of, defaults_of, references
from playground.model.host_reading import read_host
from playground.model.kernel_reading import read_kernel
from playground.model.kernel_use import KernelUse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.file_map import FileMap

_MOST_DRIVERS = 6
_NO_LAUNCHERS = re.compile(r"(test|bench|profile|perf|main$|demo|check|reference|get_)", re.I)

_REGISTERED = re.compile(r"register_|impl_abstract|\bfake\b")

_OF_INPUT = re.compile(
    r"(hidden|embed\w*|model|in|input|feature\w*|d)?_?(size|dim|features?|channels?|model)s?"
    r"|normalized_shape|dim|n_embd", re.I,
)  # fmt: skip
"""What a model is made with that is as large as its input's last dimension."""

Written = tuple[str, str, int]
"""A label, the code, and the line of what the driver is for."""


def written_drivers(files: FileMap, text: str) -> list[Written]:
    """Return drivers for the file's models, launchers and kernels, the likeliest first."""
    writer = _Writer(files, text)
    found: list[Written] = []
    for made in writer.all():
        found.append(made)
        if len(found) == _MOST_DRIVERS:
            break
    return found


class _Writer:
    def __init__(self, files: FileMap, text: str) -> None:
        self.files = files
        self.lines = text.splitlines()
        # The torch and triton that a driver imports are the file's own.
        self.taken = files.names - {"torch", "triton"}
        self.helpers = {place.node.name: place.node for place in files.kernels}
        self.tuned: dict[str, dict[str, int]] = {}
        for place in files.kernels:
            self.tuned[place.node.name] = place.tuned
            self.tuned[place.call.rpartition(".")[2] or place.node.name] = place.tuned
        self._kernels: dict[str, KernelUse] | None = None

    @property
    def kernels(self) -> dict[str, KernelUse]:
        """What each kernel does, by its own name and by the name it is bound to."""
        if self._kernels is None:
            self._kernels = {}
            for place in self.files.kernels:
                use = read_kernel(
                    place.node, self.helpers, self.files.constants, constexprs_of(place.node)
                )
                self._kernels[place.node.name] = use
                self._kernels[place.call.rpartition(".")[2] or place.node.name] = use
        return self._kernels

    def all(self) -> Iterator[Written]:
        models, functions = self._roots()
        for node in models:
            yield self._model(node)
        for name, function, call, skipped in functions:
            yield self._function(name, function, call, skipped)
        yield from self._bare_kernels()

    def _roots(
        self,
    ) -> tuple[list[ast.ClassDef], list[tuple[str, ast.FunctionDef, str, int]]]:
        """Return the models, and the outermost launchers as (name, function, call, skipped)."""
        files = self.files
        launchers = [name for name in files.top if name in files.launching]
        launchers = [name for name in launchers if not self._is_beside(name)]
        if not launchers and not files.kernels:
            launchers = self._of_other_modules()
        inner = {ref for name in launchers for ref in files.refers[name] if ref != name}
        inner |= {ref for name in inner - set(files.top) for ref in files.refers.get(name, ())}
        models, functions = [], []
        for name in launchers:
            node = files.top[name]
            if isinstance(node, ast.ClassDef):
                forward = _method(node, "forward")
                bases = " ".join(ast.unparse(each) for each in node.bases)
                if forward is None:
                    continue
                if "Module" in bases:
                    models.append(node)
                elif "Function" in bases and name not in inner:
                    whole = any("classmethod" in ast.unparse(d) for d in forward.decorator_list)
                    functions.append((name, forward, f"{name}.apply", 2 if whole else 1))
            elif name not in inner:
                functions.append((name, node, name, 0))
        models.sort(key=lambda node: node.name != "ModelNew")
        functions.sort(key=lambda each: (each[0] not in ("solve", "solution"), each[0][0] == "_"))
        roots = {each[0] for each in functions}
        # Those behind them come last: what leads to them may ask for more than a driver can give.
        for name in launchers:
            node = files.top[name]
            if isinstance(node, ast.FunctionDef) and name not in roots and files.launches(node):
                functions.append((name, node, name, 0))
        return models, functions

    def _is_beside(self, name: str) -> bool:
        """Tell whether a function is a test or another tool's, such as an operator's fake."""
        decorators = " ".join(map(ast.unparse, self.files.top[name].decorator_list))
        return bool(_NO_LAUNCHERS.match(name) or _REGISTERED.search(decorators))

    def _of_other_modules(self) -> list[str]:
        """Return what may launch kernels that are imported: functions of tensors."""
        found = []
        for name, node in self.files.top.items():
            if self._is_beside(name):
                continue
            if isinstance(node, ast.ClassDef):
                bases = " ".join(map(ast.unparse, node.bases))
                if "Function" in bases and _method(node, "forward") is not None:
                    found.append(name)
            elif any(
                each.annotation is not None and "Tensor" in ast.unparse(each.annotation)
                for each in node.args.args
            ):
                found.append(name)
        return found

    def _functions_to_follow(self, owner: ast.ClassDef | None) -> dict[str, ast.FunctionDef]:
        found: dict[str, ast.FunctionDef] = {}
        for name, node in self.files.top.items():
            if isinstance(node, ast.FunctionDef):
                found[name] = node
            else:
                forward = _method(node, "forward")
                if forward is not None:
                    found[f"{name}.apply"] = forward
        for alias, path in self.files.aliases.items():
            if path in found:
                found.setdefault(alias, found[path])
        if owner is not None:
            for each in owner.body:
                if isinstance(each, ast.FunctionDef):
                    found[each.name] = each
        return found

    def _function(self, name: str, function: ast.FunctionDef, call: str, skipped: int) -> Written:
        use = read_host(
            function, self._functions_to_follow(None), frozenset(self.helpers),
            self.files.constants, self.lines, skipped=skipped,
        )  # fmt: skip
        code = host_driver(
            use, self.kernels, self.tuned, defaults_of(function), call, [], self.taken,
            f"{name} (line {function.lineno})", returns=_returns(function),
        )  # fmt: skip
        return f"written for {name}", code, function.lineno

    def _model(self, node: ast.ClassDef) -> Written:
        forward = _method(node, "forward")
        label = f"written for {node.name}"
        if "get_inputs" in self.files.top:
            return label, self._benchmark_model(node), node.lineno
        init = _method(node, "__init__")
        given = [] if init is None else _init_arguments(init)
        setup = [f"model = {node.name}({', '.join(given)}).to({{device}})"]
        if forward is None:
            return label, "", node.lineno
        use = read_host(
            forward, self._functions_to_follow(node), frozenset(self.helpers),
            self.files.constants, self.lines, skipped=1,
        )  # fmt: skip
        code = host_driver(
            use, self.kernels, self.tuned, defaults_of(forward), "model", setup,
            self.taken | {"model"}, f"{node.name} (line {node.lineno})", returns=True,
        )  # fmt: skip
        return label, code, node.lineno

    def _benchmark_model(self, node: ast.ClassDef) -> str:
        """Write the driver of a model whose file makes its own inputs, as KernelBench's do."""
        text = DriverText(self.taken)
        text.comment(
            f"Written by the app for {node.name} (line {node.lineno}): the inputs are the file's"
            " own.",
        )
        text.start(triton=False)
        text.line()
        if "get_init_inputs" in self.files.top:
            text.comment("What the model is made with is a list, or a dict of names.")
            made = text.variable("made_with")
            text.line(f"{made} = get_init_inputs()")
            new = f"{node.name}(**{made}) if isinstance({made}, dict) else {node.name}(*{made})"
        else:
            new = f"{node.name}()"
        model, inputs = text.variable("model"), text.variable("inputs")
        text.line(f"{model} = ({new}).to({text.device})")
        text.line(f"{inputs} = [")
        text.line(f"    each.to({text.device}) if isinstance(each, torch.Tensor) else each")
        text.line("    for each in get_inputs()")
        text.line("]")
        text.line(f"{model}(*{inputs})")
        return text.text()

    def _bare_kernels(self) -> Iterator[Written]:
        files = self.files
        used: set[str] = set()
        loose = [node for node in files.loose if files.launches(node)]
        for node in (*files.top.values(), *loose, files.main_block):
            if node is not None:
                used |= references(node)
        for place in files.kernels:
            others = (k.node for k in files.kernels if k.node is not place.node)
            called = {ref for other in others for ref in references(other)}
            name = place.node.name
            reach = place.call.rpartition(".")[2]
            if not place.call or {name, reach} & used or name in called:
                continue
            use = self.kernels[name]
            if not use.pointers and not use.descriptors:
                continue
            code = kernel_driver(use, place.call, place.tuned, self.taken, place.node.lineno)
            yield f"written for {name}", code, place.node.lineno


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next(
        (each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == name),
        None,
    )


def _returns(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Return) and each.value is not None for each in ast.walk(node))


def _init_arguments(init: ast.FunctionDef) -> list[str]:
    defaults, found = defaults_of(init), []
    for each in [*init.args.posonlyargs, *init.args.args][1:]:
        if each.arg in defaults:
            continue
        annotation = ast.unparse(each.annotation) if each.annotation is not None else ""
        if "float" in annotation or re.search(r"eps|scale|alpha|dropout|slope", each.arg):
            value = repr(driver_values.float_of(each.arg))
        elif "bool" in annotation or driver_values.is_truth(each.arg):
            value = "False"
        else:
            size = min(driver_values.size_of(each.arg, matrices=False), 256)
            value = f"{{last {size}}}" if _OF_INPUT.fullmatch(each.arg) else str(size)
        found.append(f"{each.arg}={value}")
    return found
