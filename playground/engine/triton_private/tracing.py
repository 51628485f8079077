"""The tracing copy of a kernel: built from the same function, counting beside every access.

Nothing of the copy reaches the kernel that the user launches: it is a function object of its own,
its files go to a folder that is removed at once, and Triton's front end is exchanged only while the
copy compiles and only for the thread that compiles it.
"""

from __future__ import annotations

import ast
import copy
import functools
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from triton.compiler import code_generator
from triton.compiler import compiler as triton_compiler
from triton.language import core
from triton.language.core import tensor_descriptor_base
from triton.runtime.errors import OutOfResources

from playground.engine.triton_private.front_end import front_end
from playground.engine.triton_private.library_steps import SortingContext, sorts
from playground.engine.triton_private.tracing_axes import Steps, steps_of, with_steps
from playground.engine.triton_private.tracing_plan import (
    CHOSEN_MODES,
    COUNT_OUTSIDE,
    COUNTING_MODES,
    LOOK_AT_MARKED,
    RECORD,
    BlockAccess,
    Plan,
    Site,
)
from playground.engine.triton_private.tracing_semantic import TracingSemantic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

VARIANTS = {
    "count": COUNTING_MODES,
    "windows": COUNTING_MODES,
    "chosen": CHOSEN_MODES,
    "outside": COUNT_OUTSIDE,
    "record": RECORD,
    "marked": LOOK_AT_MARKED,
}
"""What a tracing copy can be compiled for. Each is compiled when it is first needed: a copy that
could do everything at once would compile for as long as all of them."""

LANES_A_THREAD = 2
"""Lanes of the largest access that a thread should have: the copy's code grows with them, so that
with many of them it compiles for seconds, and with few for as long as the kernel itself."""
_MOST_WARPS = 32


class MoreWarpsError(BaseException):
    """An access has so many lanes that the copy should have more warps: it begins anew with those.

    Not an `Exception`: the front end would take that for a fault in the kernel.
    """

    def __init__(self, num_warps: int) -> None:
        super().__init__(f"{num_warps} warps")
        self.num_warps = num_warps


class TracingGenerator(code_generator.CodeGenerator):  # type: ignore[misc]
    """Triton's code generator with the tracing semantics; one for each function of the kernel."""

    def __init__(self, plan: Plan, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.entry_block: Any = None
        self._steps: dict[str, Steps] = {}  # of variables
        self.plan = plan
        if self.is_gluon:
            self.plan.note("accesses of Gluon functions are not counted")
        else:
            self.semantic = TracingSemantic(self.builder, self.plan, self)

    def adapt_warps(self, lanes: int) -> None:
        """See whether the warps suffice for an access, in a plan that adapts them."""
        if not self.plan.adapts_warps:
            return
        wanted = lanes // (32 * LANES_A_THREAD)
        wanted = min(_MOST_WARPS, 1 << max(wanted - 1, 0).bit_length())
        if wanted > self.builder.options.num_warps:
            raise MoreWarpsError(wanted)

    def visit_compound_statement(self, stmts: Any) -> Any:
        """Note the function's first block, then visit as usual."""
        if self.entry_block is None:
            self.entry_block = self.builder.get_insertion_block()
            if self.is_kernel and not self.is_gluon:
                self._trace_descriptors()
                if self.plan.leaves:
                    self._leave_early()
        return super().visit_compound_statement(stmts)

    def set_value(self, name: str, value: Any) -> None:
        """Set a variable as usual; what a loop carries has the steps that it began with."""
        self._keep_steps(name, value)
        super().set_value(name, value)

    def visit_Name(self, node: Any) -> Any:
        """Return a variable as usual; the front end's copies of it do not keep its steps."""
        value = super().visit_Name(node)
        if isinstance(node.ctx, ast.Load):
            self._keep_steps(node.id, value)
        return value

    def _keep_steps(self, name: str, value: Any) -> None:
        steps = steps_of(value)
        if steps is None:
            with_steps(value, self._steps.get(name))
        elif steps:
            self._steps[name] = steps

    def visit_While(self, node: Any) -> Any:
        """Build the loop as usual; note that a program may wait in it for another one."""
        self.plan.waits.append(self.begin_line + node.lineno)
        return super().visit_While(node)

    def call_JitFunction(self, fn: Any, args: Any, kwargs: Any, caller_context: Any = None) -> Any:
        """Call as usual; what a sorting function calls is built apart from what the user does."""
        if caller_context is None and self.caller_context is None and sorts(fn):
            caller_context = SortingContext()
        return super().call_JitFunction(fn, args, kwargs, caller_context)

    def call_Function(self, node: Any, fn: Any, args: Any, kws: Any) -> Any:
        """Call as usual; note what no counter sees."""
        if fn is core.inline_asm_elementwise:
            line = self.begin_line + node.lineno
            self.plan.note(
                f"the inline assembly at line {line} is not seen: what it loads or stores is not "
                "counted"
            )
        return super().call_Function(node, fn, args, kws)

    def _leave_early(self) -> None:
        """End programs that nobody looks at here, in runs that say so."""
        builder, entry = self.builder, self.entry_block
        leaves = self.semantic.leaves()
        gone, body = builder.create_block(), builder.create_block()
        builder.set_insertion_point_to_end(entry)
        builder.create_cond_branch(leaves.handle, gone, body)
        builder.set_insertion_point_to_start(gone)
        builder.ret([])
        builder.set_insertion_point_to_start(body)

    def _trace_descriptors(self) -> None:
        for name in self.plan.descriptors:
            value = self.lscope.get(name)
            if isinstance(value, tensor_descriptor_base):
                self.set_value(name, self.semantic.traced_parameter(name, value))


def private_copy(function: Any) -> Any:
    """Return a JITFunction of its own for the same source.

    A shallow copy, not a new JITFunction: that would read the source file again, which may have
    changed since, and would register itself under the original's name.
    """
    twin = copy.copy(function)
    twin.hash = f"{function.cache_key}-traced"
    twin.pre_run_hooks = []
    return twin


def bind(function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """Return what Triton makes of a call: (backend, target, keywords, bound, specialization)."""
    keywords = {name: value for name, value in options.items() if value is not None}
    keywords["debug"] = False
    _, _, target, backend, binder = function.create_binder()
    names = {parameter.name for parameter in function.params}
    given = {name: value for name, value in arguments.items() if name in names}
    keywords = {name: value for name, value in keywords.items() if name not in names}
    bound, specialization, _ = binder(**given, **keywords)
    return backend, target, keywords, bound, specialization


def build(
    function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], plan: Plan
) -> Any:
    """Compile the tracing copy of `function` and return Triton's compiled kernel.

    The plan's sites and notes are filled. `arguments` holds every parameter by name; where no GPU
    is in the machine, the active driver's target decides what is compiled for.
    """
    return build_with(functools.partial(TracingGenerator, plan), function, arguments, options)


def build_with(
    make: Callable[..., Any],
    function: Any,
    arguments: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Any:
    """Compile a copy of `function` by the code generators that `make` makes, as `build` does."""
    twin = private_copy(function)
    backend, target, keywords, bound, specialization = bind(twin, arguments, options)
    parsed, signature, constants, attributes = twin._pack_args(
        backend, {**keywords, **arguments}, bound, specialization, None
    )
    # The function's own kind of source: Gluon has another.
    source = twin.ASTSource(twin, signature, constants, attributes)
    with front_end(make):
        return triton_compiler.compile(source, target=target, options=parsed.__dict__)


def tracing_options(options: Mapping[str, Any], num_warps: int) -> dict[str, Any]:
    """Return launch options for the tracing copy: the schedule does not change the counts."""
    kept = {
        name: value
        for name, value in options.items()
        if name not in ("num_warps", "num_stages", "num_ctas", "maxnreg") and value is not None
    }
    return {**kept, "num_warps": num_warps, "num_stages": 1}


class TracingCopy:
    """A tracing copy with its table, ready for any number of runs once it is compiled.

    What a run counts is decided by the table, so another set of working copies or another selected
    program costs no compile. What only some launches need is compiled as a variant of its own (see
    `VARIANTS`): "count" counts all there is, "windows" some of the cells at a time; "chosen" counts
    what is asked for, of one program where that is asked for; "outside" looks for lanes outside
    every storage, "record" keeps single accesses, "marked" sees who touches some cells and how.
    """

    def __init__(
        self,
        function: Any,
        options: Mapping[str, Any],
        units: Sequence[int],
        mixed: Sequence[bool],
        descriptors: Sequence[str],
        device: Any,
        *,
        narrow: bool = False,
    ) -> None:
        self.function = function
        self.options = dict(options)
        self.names = [parameter.name for parameter in function.params]
        words = Plan(0, tuple(units), tuple(mixed), tuple(descriptors)).words
        self.table = torch.zeros(words, dtype=torch.int64, device=device)
        self.plan = Plan(
            self.table.data_ptr(),
            tuple(units),
            tuple(mixed),
            tuple(descriptors),
            modes=COUNTING_MODES,
            narrow=narrow,
        )
        # They share the numbers of what is in the source.
        self._plans = {
            name: replace(
                self.plan,
                modes=modes,
                windowed=name == "windows",
                choosing=name not in ("count", "windows"),
            )
            for name, modes in VARIANTS.items()
        }
        self._kernels: dict[str, Any] = {}
        self._compiling = {name: threading.Lock() for name in VARIANTS}

    @property
    def sites(self) -> list[Site]:
        """The access sites in the order of their numbers; the same in all variants."""
        return list(self.plan.sites)

    @property
    def accesses(self) -> list[BlockAccess]:
        """The access sites with their blocks' shapes in the order of their numbers.

        Known once "count" is compiled.
        """
        return list(self.plan.accesses)

    @property
    def operations(self) -> list[str]:
        """The kinds of reductions and scans, known as `accesses` are."""
        return list(self.plan.operations)

    @property
    def never_waits(self) -> bool:
        """Tell whether no program can wait for what another one does; known as `accesses` are."""
        plan = self.plan
        return not (plan.waits or plan.notes or any(site.kind == "atomic" for site in plan.sites))

    def compiled(self, variant: str = "count") -> bool:
        """Tell whether a variant can run at once."""
        return variant in self._kernels

    def compile(self, arguments: Mapping[str, Any], variant: str = "count") -> None:
        """Compile and load a variant, with other warps where it does not fit the GPU.

        Raises
        ------
        OutOfResources
            No number of warps makes it fit.
        """
        with self._compiling[variant]:
            if variant not in self._kernels:
                self._compile(arguments, variant)

    def _compile(self, arguments: Mapping[str, Any], variant: str) -> None:
        plan = replace(self._plans[variant], adapts_warps=True)
        waiting = list(dict.fromkeys((int(self.options["num_warps"]), 8, 4, 16, 2, 1)))
        adapted = 0
        failure: Exception | None = None
        while waiting:
            num_warps = waiting.pop(0)
            try:
                options = tracing_options(self.options, num_warps)
                kernel = build(self.function, arguments, options, plan)
                kernel._init_handles()
            except MoreWarpsError as more:
                adapted = more.num_warps
                waiting = [adapted, num_warps, *waiting]
                continue
            except Exception as error:
                # Some operations do not spread over so many warps.
                if not isinstance(error, OutOfResources) and num_warps != adapted:
                    raise
                failure = error
                plan = self._plans[variant]
                continue
            self._kernels[variant] = kernel
            return
        try:
            if failure is not None:
                raise failure
        finally:
            del failure  # it knows this frame, which would hold it

    def launch(
        self, grid: tuple[int, int, int], arguments: Mapping[str, Any], variant: str = "count"
    ) -> None:
        """Run a compiled variant once with these arguments, on the current stream."""
        self._kernels[variant][grid](*(arguments[name] for name in self.names))
