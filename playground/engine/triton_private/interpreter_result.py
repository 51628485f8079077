"""What an interpreted launch returns in place of Triton's compiled kernel."""

from __future__ import annotations

import contextlib
import types
from typing import TYPE_CHECKING, Any, NoReturn

import triton
from triton.compiler.compiler import LazyDict

from playground.engine.triton_private import wrappers
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Lookup = "Callable[[Any, dict[str, Any], dict[str, Any]], Any]"

_lookup: Callable[[Any, dict[str, Any], dict[str, Any]], Any] | None = None

_FIGURES = frozenset(
    {"n_regs", "n_spills", "shared", "metadata", "asm", "name", "kernel", "n_max_threads"}
)


def set_compiled_lookup(
    lookup: Callable[[Any, dict[str, Any], dict[str, Any]], Any] | None,
) -> Callable[[Any, dict[str, Any], dict[str, Any]], Any] | None:
    """Say who compiles a launch when a script asks its result for registers, metadata or asm.

    Returned is who did until now.

    Parameters
    ----------
    lookup
        Called with the interpreted function, the arguments by name and the launch options; returns
        an outcome with `report` (`CompileReport` or None), `findings` and `asm`. None: nobody.
    """
    global _lookup
    before, _lookup = _lookup, lookup
    return before


class InterpretedLaunch:
    """Stands in for the compiled kernel; its figures come from a compile-only pass, or not at all.

    Reading `n_regs`, `n_spills`, `shared`, `metadata` or `asm` compiles the launch for the chosen
    target where a compiler was set, else raises `AttributeError`: an interpreter has none of them,
    and made-up numbers would be computed with.
    """

    def __init__(self, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.function = function
        self._args = args
        self._named = named
        self._outcome: Any = None

    def __repr__(self) -> str:
        return f"<interpreted launch of {self.function.__name__}>"

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        """Return a launcher over `grid`, as a compiled kernel's `kernel[grid](...)` is.

        Compile-time arguments are those it was made with, and so are its options.
        """

        def launch(*args: Any, stream: Any = None, **named: Any) -> Any:
            del stream  # there is one order of things here
            given = {**self._constants(), **named}
            names = wrappers.parameter_names(self.function)
            wanted = (
                names if len(args) == len(names) else [one for one in names if one not in given]
            )
            passed = dict(zip(wanted, args, strict=False))
            return self.function.run(
                grid=grid, warmup=False, **{**self._options(), **passed, **given}
            )

        return launch

    def _constants(self) -> dict[str, Any]:
        """Return the compile-time arguments it was made with: launching cannot change them."""
        names = wrappers.constexpr_names(self.function)
        return {name: value for name, value in self._arguments().items() if name in names}

    def _arguments(self) -> dict[str, Any]:
        signature = wrappers.signature(self.function)
        known = {k: v for k, v in self._named.items() if k in signature.parameters}
        bound = signature.bind_partial(*self._args, **known)
        bound.apply_defaults()
        return dict(bound.arguments)

    def _options(self) -> dict[str, Any]:
        parameters = wrappers.signature(self.function).parameters
        return {name: value for name, value in self._named.items() if name not in parameters}

    def _init_handles(self) -> None:
        """Compile now where a compiler was set; there is nothing to load."""
        if _lookup is not None:
            self._compiled()

    def _missing(self, name: str, reason: str) -> NoReturn:
        raise AttributeError(
            f"{name}: {self.function.__name__} was interpreted, not compiled; {reason}"
        )

    def _compiled(self) -> Any:
        if self._outcome is None and _lookup is not None:
            self._outcome = _lookup(self.function, self._arguments(), self._options())
        return self._outcome

    def __getattr__(self, name: str) -> Any:
        if name not in _FIGURES:
            raise AttributeError(
                f"an interpreted launch has no {name!r}: compile the kernel for a target to get it"
            )
        outcome = self._compiled()
        if outcome is None:
            self._missing(name, "choose a target and compile it to see registers, spills and code")
        report = outcome.report
        if name in ("asm", "kernel"):
            return outcome.asm if name == "asm" else outcome.asm["cubin"]
        if report is None:
            found = "; ".join(finding.message for finding in outcome.findings)
            self._missing(name, f"compiling it failed: {found}")
        figures: dict[str, Any] = {
            "n_regs": report.registers,
            # Triton counts spilled 4-byte words.
            "n_spills": None if report.spill_bytes is None else report.spill_bytes // 4,
            "n_max_threads": report.threads,
            "shared": report.shared_bytes,
            "name": report.kernel,
        }
        if name == "metadata":
            options = {name: report.config[name] for name in OPTION_KNOBS if name in report.config}
            target = wrappers.parse_target(report.target)
            return types.SimpleNamespace(
                shared=report.shared_bytes, name=report.kernel, target=target,
                warp_size=target.warp_size, **{**options, **self._options()},
            )  # fmt: skip
        if figures.get(name) is None:
            self._missing(name, f"the compiler for {report.target} does not tell it")
        return figures[name]


class _LaterMetadata:
    """The metadata of an interpreted launch, compiled when something of it is read."""

    def __init__(self, result: InterpretedLaunch) -> None:
        self._result = result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._result.metadata, name)


@contextlib.contextmanager
def launch_hooks(result: InterpretedLaunch, grid: tuple[int, int, int]) -> Iterator[None]:
    """Call what is hooked into launches (profilers do), before and after one that is interpreted.

    The interpreter alone would call none of them.
    """
    runtime = triton.knobs.runtime
    enter, leave = runtime.launch_enter_hook, runtime.launch_exit_hook
    if not any(getattr(hook, "calls", hook) for hook in (enter, leave)):
        yield
        return
    metadata = _launch_metadata(result, grid)
    if enter is not None:
        enter(metadata)
    yield
    if leave is not None:
        leave(metadata)


def _launch_metadata(result: InterpretedLaunch, grid: tuple[int, int, int]) -> LazyDict:
    function, arguments = result.function, result._arguments()
    found = LazyDict({"name": function.__name__, "function": 0, "stream": 0})
    described = getattr(function, "kwargs", {}).get("launch_metadata")
    if described is not None:
        found.add(described, (grid, _LaterMetadata(result), arguments))
    return found
