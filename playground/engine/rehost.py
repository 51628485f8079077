"""Running the host code again under other knobs, to learn the grid and arguments it computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground.engine import drivers, instrument, loading
from playground.engine.arguments import argument_value, tensors_in
from playground.engine.capture import Capture, CapturedLaunch, capturing
from playground.engine.replay import changed_knobs
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.session import Session
    from playground.model.config import Config


class _ReachedError(BaseException):
    """The launch looked for was made: the rest of the driver does not matter.

    No `Exception`, so that a driver's own handlers let it pass.
    """


class _Until(Capture):
    """Records launches up to the one that stands for `wanted`, and leaves the driver there."""

    def __init__(
        self, target: str, files: tuple[str, ...], wanted: CapturedLaunch, dry: bool,
        results: dict[tuple[str, int], Any],
    ) -> None:  # fmt: skip
        super().__init__(target, files)
        self._wanted = wanted
        self._dry = dry
        self._results = results
        self.found: CapturedLaunch | None = None

    def launch(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        run: Callable[..., Any], chosen: Any,
    ) -> Any:  # fmt: skip
        """Record one launch; perform it only when a later one may need what it computes."""
        name = wrappers.kernel_name(function)
        ordinal = self._ordinals.get(name, 0)
        wanted = self._wanted
        if name == wanted.info.kernel and ordinal == wanted.ordinal:
            self.found = self.described(kernel, function, args, kwargs, grid, chosen)
            raise _ReachedError
        if not self._dry:
            return super().launch(kernel, function, args, kwargs, grid, run, chosen)
        self._ordinals[name] = ordinal + 1
        # What it returned when it was real: launchers read attributes of it.
        return self._results.get((name, ordinal))


def rerun(session: Session, launch: CapturedLaunch, config: Config) -> CapturedLaunch | None:
    """Return `launch` as the host makes it when the bindings it passes on have other values.

    None when no binding feeds the changed knobs, or the driver does not get that far again.
    """
    changed = changed_knobs(launch, config)
    values = {
        name: wrappers.plain(argument_value(launch.arguments[name], config[name]))
        for name in changed
        if name in launch.arguments
    }
    parameters = wrappers.parameter_names(launch.function)
    sites = instrument.sites_of_launch(session.path, launch.info.call_line, parameters, values)
    if not sites:
        return None
    found = _until(session, launch, sites, values, dry=True)
    if found is not None and _needs_earlier_results(launch, found):
        found = _until(session, launch, sites, values, dry=False) or found
    return found


def _until(
    session: Session, launch: CapturedLaunch, sites: Any, values: dict[str, Any], *, dry: bool
) -> CapturedLaunch | None:
    results = {(item.info.kernel, item.ordinal): item.result for item in session.launches}
    recorder = _Until(session.device.target, (session.path,), launch, dry, results)
    driver = session.driver
    code = "" if driver is None else drivers.with_sizes(driver.code, session.sizes)
    main = not code.strip()
    namespace: dict[str, Any] = {} if main else session.namespace
    try:
        with (
            session.as_before_the_driver(),
            capturing(recorder),
            instrument.overriding(sites, values, namespace),
        ):
            if main:
                _script_again(session)
            else:
                drivers.run_driver(code, namespace)
    except _ReachedError:
        pass
    except Exception:  # noqa: BLE001 - the user's host code refuses these values: no such launch
        return None
    except SystemExit:
        pass
    return recorder.found


def _script_again(session: Session) -> None:
    import sys

    private = loading.module_name(session.path)
    before = sys.modules.get(private)
    try:
        loading.load_module(session.path, session.text, name="__main__")
    finally:
        if before is not None:
            sys.modules[private] = before


def _needs_earlier_results(launch: CapturedLaunch, found: CapturedLaunch) -> bool:
    """Tell whether a tensor that the launch reads has another shape now: its bytes are new too."""
    if launch.info.index == 0:
        return False
    return any(
        [tensor.shape for tensor in tensors_in(value)]
        != [tensor.shape for tensor in tensors_in(found.arguments.get(name))]
        for name, value in launch.arguments.items()
        if name not in launch.snapshot.written
    )
