"""What an interpreted launch returns in place of Triton's compiled kernel."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any, NoReturn

from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Callable

Lookup = "Callable[[Any, dict[str, Any], dict[str, Any]], Any]"

_lookup: Callable[[Any, dict[str, Any], dict[str, Any]], Any] | None = None

_FIGURES = frozenset(
    {"n_regs", "n_spills", "shared", "metadata", "asm", "name", "hash", "n_max_threads"}
)


def set_compiled_lookup(
    lookup: Callable[[Any, dict[str, Any], dict[str, Any]], Any] | None,
) -> None:
    """Say who compiles a launch when a script asks its result for registers, metadata or asm.

    Parameters
    ----------
    lookup
        Called with the interpreted function, the arguments by name and the launch options; returns
        an outcome with `report` (`CompileReport` or None), `findings` and `asm`. None: nobody.
    """
    global _lookup
    _lookup = lookup


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

        Compile-time arguments that the caller leaves out are those it was made with.
        """
        signature = inspect.signature(self.function.fn)
        made_with = self._arguments()

        def launch(*args: Any, **named: Any) -> Any:
            fixed = {
                name: made_with[name]
                for name, parameter in signature.parameters.items()
                if "constexpr" in str(parameter.annotation) and name in made_with
            }
            if len(args) < len(signature.parameters):
                rest = [name for name in signature.parameters if name not in fixed]
                named = {**fixed, **dict(zip(rest, args, strict=False)), **named}
                args = ()
            return self.function.run(*args, grid=grid, warmup=False, **named)

        return launch

    def _arguments(self) -> dict[str, Any]:
        signature = inspect.signature(self.function.fn)
        known = {k: v for k, v in self._named.items() if k in signature.parameters}
        bound = signature.bind_partial(*self._args, **known)
        bound.apply_defaults()
        return dict(bound.arguments)

    def _options(self) -> dict[str, Any]:
        parameters = inspect.signature(self.function.fn).parameters
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
        if name == "asm":
            return outcome.asm
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
            return types.SimpleNamespace(
                shared=report.shared_bytes, name=report.kernel, target=report.target,
                **{**options, **self._options()},
            )  # fmt: skip
        if figures.get(name) is None:
            self._missing(name, f"the compiler for {report.target} does not tell it")
        return figures[name]
