"""What a launch returns where none is performed, and what a file's launches were there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Callable


class Noted(NamedTuple):
    """A launch that was made and not performed."""

    function: Any
    arguments: dict[str, Any]


class SkippedLaunch:
    """Stands in for the compiled kernel that a launch returns; compiles when it is looked at.

    Launchers plan grids from registers and shared memory, so those must be true figures.

    Parameters
    ----------
    compile_now
        Compiles the launch and returns Triton's compiled kernel.
    """

    def __init__(self, compile_now: Callable[[], Any]) -> None:
        self._compile_now = compile_now
        self._kernel: Any = None

    def _compiled(self) -> Any:
        if self._kernel is None:
            self._kernel = self._compile_now()
            self._kernel._init_handles()
        return self._kernel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiled(), name)

    def __getitem__(self, grid: Any) -> Any:
        return self._compiled()[grid]


class Skipping:
    """Notes launches instead of performing them."""

    def __init__(self) -> None:
        self.launches: list[Noted] = []

    def launch(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        run: Callable[..., Any], chosen: Any,
    ) -> Any:  # fmt: skip
        """Note one launch."""
        names = function.arg_names
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        self.launches.append(Noted(function, given))
        return SkippedLaunch(lambda: function.run(*args, grid=(1,), warmup=True, **kwargs))

    def about_to_tune(self, arguments: dict[str, Any]) -> None:
        """Nothing to do: nothing is tuned here."""

    def skipped_config(self, kernel: Any, config: Any, error: Exception) -> None:
        """Nothing to do: no config is run here."""

    def nth(self, name: str, ordinal: int) -> Noted | None:
        """Return the launch that came after `ordinal` others of kernels called `name`."""
        same = [one for one in self.launches if wrappers.kernel_name(one.function) == name]
        return same[ordinal] if ordinal < len(same) else None
