"""Running the host code again under other knobs, to learn the grid and arguments it computes."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import drivers, instrument, loading
from playground.engine.arguments import argument_value, tensors_in
from playground.engine.capture import Capture, CapturedLaunch, capturing, grid_size
from playground.engine.replay import changed_knobs
from playground.engine.snapshot import poisoned_memory
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.session import Session
    from playground.model.config import Config


class _ReachedError(BaseException):
    """The launch looked for was made: the rest of the driver does not matter.

    No `Exception`, so that a driver's own handlers let it pass.
    """


class _Until(Capture):
    """Follows launches up to the one that stands for `wanted`, and leaves the driver there.

    Parameters
    ----------
    dry
        Earlier launches are not performed; they return what they returned when they were real.
    """

    def __init__(self, session: Session, wanted: CapturedLaunch, *, dry: bool) -> None:
        super().__init__(session.device.target, (session.path,))
        self._wanted = wanted
        self._dry = dry
        self._results = {(item.info.kernel, item.ordinal): item.result for item in session.launches}
        self.found: CapturedLaunch | None = None

    def launch(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        run: Callable[..., Any], chosen: Any,
    ) -> Any:  # fmt: skip
        """Describe the launch that is looked for; pass others over."""
        name = wrappers.kernel_name(function)
        ordinal = self._ordinals.get(name, 0)
        if name == self._wanted.info.kernel and ordinal == self._wanted.ordinal:
            self.found = self.described(kernel, function, args, kwargs, grid, chosen)
            raise _ReachedError
        self._ordinals[name] = ordinal + 1
        if self._dry:
            return self._results.get((name, ordinal))
        return _perform(function, args, kwargs, grid, run)


class _Overriding(Capture):
    """Performs every launch, and the one that stands for `wanted` under another config.

    `results` are what later launches left, by captured launch and argument.
    """

    def __init__(self, session: Session, wanted: CapturedLaunch, config: Config) -> None:
        super().__init__(session.device.target, (session.path,))
        self._wanted = wanted
        self._config = config
        self._later = {
            (item.info.kernel, item.ordinal): item
            for item in session.launches[wanted.info.index + 1 :]
        }
        self.results: list[tuple[CapturedLaunch, str, torch.Tensor]] = []

    def launch(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        run: Callable[..., Any], chosen: Any,
    ) -> Any:  # fmt: skip
        """Perform one launch."""
        name = wrappers.kernel_name(function)
        ordinal = self._ordinals.get(name, 0)
        self._ordinals[name] = ordinal + 1
        arguments, options = wrappers.bind(function, args, kwargs)
        if name != self._wanted.info.kernel or ordinal != self._wanted.ordinal:
            returned = _perform(function, args, kwargs, grid, run)
            self._keep(self._later.get((name, ordinal)), arguments)
            return returned
        for knob, value in self._config.values:
            if knob in arguments:
                arguments[knob] = argument_value(arguments[knob], value)
            elif value is not None:
                options[knob] = value
        size = grid_size(grid, arguments)
        options = {knob: value for knob, value in options.items() if knob not in arguments}
        return _perform(function, (), {**arguments, **options}, size, run)

    def _keep(self, captured: CapturedLaunch | None, arguments: dict[str, Any]) -> None:
        if captured is None:
            return
        for name in captured.snapshot.written:
            value = arguments.get(name)
            if isinstance(value, torch.Tensor):
                self.results.append((captured, name, value.detach().clone()))


def _perform(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any, run: Any
) -> Any:
    arguments, _ = wrappers.bind(function, args, kwargs)
    size = grid_size(grid, arguments)
    if 0 in size:
        return None
    return run(function, *args, grid=size, warmup=False, **kwargs)


def rerun(session: Session, launch: CapturedLaunch, config: Config) -> CapturedLaunch | None:
    """Return `launch` as the host makes it when the bindings it passes on have other values.

    None when no binding feeds the changed knobs, or the driver does not get that far again.
    """
    sites, values = _sites(launch, config)
    if not sites:
        return None
    found = _until(session, launch, sites, values, dry=True)
    if found is not None and _needs_earlier_results(launch, found):
        found = _until(session, launch, sites, values, dry=False) or found
    return found


def whole_run(
    session: Session, launch: CapturedLaunch, config: Config
) -> tuple[Any, list[tuple[CapturedLaunch, str, torch.Tensor]]]:
    """Run the driver to its end with `launch` under `config`.

    Returns what the driver returns, and what later launches left in the tensors they write: by
    captured launch and argument.

    Raises
    ------
    Exception
        What the driver raises then.
    """
    sites, values = _sites(launch, config)
    recorder = _Overriding(session, launch, config)
    with _host(session, sites, values, recorder) as run:
        return run(), recorder.results


def _sites(
    launch: CapturedLaunch, config: Config
) -> tuple[tuple[tuple[instrument.Site, str], ...], dict[str, Any]]:
    values = {
        name: wrappers.plain(argument_value(launch.arguments[name], config[name]))
        for name in changed_knobs(launch, config)
        if name in launch.arguments
    }
    file, line = launch.site
    names = wrappers.parameter_names(launch.function)
    return instrument.sites_of_launch(file, line, names, values), values


def _until(
    session: Session, launch: CapturedLaunch, sites: Any, values: dict[str, Any], *, dry: bool
) -> CapturedLaunch | None:
    recorder = _Until(session, launch, dry=dry)
    try:
        with _host(session, sites, values, recorder) as run:
            run()
    except _ReachedError:
        return recorder.found
    except Exception as error:
        if session.is_fatal(error):
            raise
        # The user's host code refuses these values; the replay goes on with the captured grid.
        return None
    return recorder.found


@contextlib.contextmanager
def _host(
    session: Session, sites: Any, values: dict[str, Any], recorder: Capture
) -> Iterator[Callable[[], Any]]:
    """Give a callable that runs the session's driver again under overrides."""
    driver = session.driver
    code = "" if driver is None else drivers.with_sizes(driver.code, session.sizes)
    script = not code.strip()

    def run() -> Any:
        try:
            if script:
                return _script_again(session)
            return drivers.run_driver(code, session.namespace)
        except SystemExit:
            return None

    with (
        session.as_before_the_driver(),
        capturing(recorder),
        poisoned_memory(),
        instrument.overriding(sites, values),
    ):
        yield run


def _script_again(session: Session) -> None:
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
