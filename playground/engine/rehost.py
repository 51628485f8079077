"""Running the host code again in fresh modules, to learn what it computes under other knobs."""

from __future__ import annotations

import contextlib
import io
import sys
import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import drivers, helper_modules, host_code, loading, surroundings
from playground.engine.arguments import argument_value, tensors_in
from playground.engine.capture import Capture, CapturedLaunch, capturing, grid_size
from playground.engine.job import CancelledError
from playground.engine.own_checks import OwnChecks
from playground.engine.poisoning import poisoned_memory
from playground.engine.randomness import in_state, reseeded
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playground.engine.host_code import Edit
    from playground.engine.session import Session
    from playground.model.config import Config


@dataclass
class WholeRun:
    """What came of a whole driver under another config.

    `value` is the driver's, `namespace` what its module holds afterwards, `later` what launches
    after the one in question left: by captured launch and argument. `error` is what ended the
    driver before its end.
    """

    value: Any = None
    error: Exception | None = None
    namespace: dict[str, Any] = field(default_factory=dict)
    later: list[tuple[CapturedLaunch, str, torch.Tensor]] = field(default_factory=list)
    checks: OwnChecks = field(default_factory=OwnChecks)


class _ReachedError(BaseException):
    """The launch looked for was made: the rest of the driver does not matter.

    No `Exception`, so that a driver's own handlers let it pass.
    """


class _Performing(Capture):
    """Performs launches without keeping anything of them."""

    def _performed(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any, run: Any
    ) -> Any:
        arguments, _ = wrappers.bind(function, args, kwargs)
        return self._perform(run, function, args, kwargs, grid_size(grid, arguments), None)


class _Until(_Performing):
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
        self._results = {
            (item.info.kernel, ordinal): item.result
            for item in session.launches
            for ordinal in item.ordinals
        }
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
        return self._performed(function, args, kwargs, grid, run)


class _Overriding(_Performing):
    """Performs every launch, and the one that stands for `wanted` under another config."""

    def __init__(
        self, session: Session, wanted: CapturedLaunch, moved: dict[str, Any], into: WholeRun
    ) -> None:
        super().__init__(session.device.target, (session.path,))
        self._wanted = wanted
        self._moved = moved
        self._into = into
        self._later = {
            (item.info.kernel, item.ordinal): item
            for item in session.launches[wanted.info.index + 1 :]
        }

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
            returned = self._performed(function, args, kwargs, grid, run)
            self._keep(self._later.get((name, ordinal)), arguments)
            return returned
        for knob, value in self._moved.items():
            if knob in arguments:
                arguments[knob] = argument_value(arguments[knob], value)
            elif value is not None:
                options[knob] = value
        size = grid_size(grid, arguments)
        options = {knob: value for knob, value in options.items() if knob not in arguments}
        returned = self._performed(function, (), {**arguments, **options}, size, run)
        self._into.checks.start()
        return returned

    def _keep(self, captured: CapturedLaunch | None, arguments: dict[str, Any]) -> None:
        if captured is None:
            return
        for name in captured.snapshot.written:
            value = arguments.get(name)
            if isinstance(value, torch.Tensor):
                self._into.later.append((captured, name, value.detach().clone()))


def rerun(session: Session, launch: CapturedLaunch, edits: Sequence[Edit]) -> CapturedLaunch | None:
    """Return `launch` as the host code makes it with `edits`; None when it does not get there."""
    found = _until(session, launch, edits, dry=True)
    if launch.info.index > 0 and (found is None or _needs_earlier_results(launch, found)):
        # Its inputs are what earlier launches compute, or the host code looked at their results.
        found = _until(session, launch, edits, dry=False) or found
    return found


def whole_run(
    session: Session, launch: CapturedLaunch, config: Config, moved: Sequence[str],
    edits: Sequence[Edit],
) -> WholeRun:  # fmt: skip
    """Run the driver to its end with `launch` under `config`; `moved` are the knobs it moves."""
    made = WholeRun()
    options = [name for name in config if name not in launch.arguments]
    forced = {name: config[name] for name in [*moved, *options]}
    recorder = _Overriding(session, launch, forced, made)
    try:
        with _host(session, edits, recorder) as run, made.checks.listening():
            made.value, made.namespace = run()
    except CancelledError:
        raise
    except Exception as error:
        if session.is_fatal(error):
            raise
        made.error = error
    return made


def _until(
    session: Session, launch: CapturedLaunch, edits: Sequence[Edit], *, dry: bool
) -> CapturedLaunch | None:
    recorder = _Until(session, launch, dry=dry)
    try:
        with _host(session, edits, recorder) as run:
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
    session: Session, edits: Sequence[Edit], recorder: Capture
) -> Iterator[Callable[[], tuple[Any, dict[str, Any]]]]:
    """Give a callable that runs the session's text and driver again under edits."""
    driver = session.driver
    code = "" if driver is None else drivers.with_sizes(driver.code, session.sizes)
    script = not code.strip()
    name = "__main__" if script else loading.module_name(session.path)
    module = types.ModuleType(name)

    def run() -> tuple[Any, dict[str, Any]]:
        value = None
        # What it prints was printed when it ran first.
        with contextlib.redirect_stdout(io.StringIO()), drivers.may_end_itself():
            loading.execute(module, session.path, session.text)
            if not script:
                session.changes.apply(module.__dict__)
                with helper_modules.importing_helpers():
                    value = drivers.run_driver(code, module.__dict__)
        return value, module.__dict__

    with (
        in_state({}),
        _fresh_modules(),
        loading.script_arguments(session.path),
        surroundings.again(session),
        capturing(recorder),
        poisoned_memory(host=session.device.mode != "gpu"),
        host_code.edited(edits),
    ):
        reseeded(session.seed)
        yield run
    wrappers.forget_rewritten(module.__dict__)


@contextlib.contextmanager
def _fresh_modules() -> Iterator[None]:
    """Put the user's modules back afterwards as they are now: the session goes on with them."""
    before = dict(sys.modules)
    try:
        yield
    finally:
        for name, module in list(sys.modules.items()):
            if name not in before and _is_users(module):
                del sys.modules[name]
                if isinstance(module, types.ModuleType):
                    wrappers.forget_rewritten(module.__dict__)
        for name, module in before.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module


def _is_users(module: Any) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and host_code.is_loaded(file)


def _needs_earlier_results(launch: CapturedLaunch, found: CapturedLaunch) -> bool:
    """Tell whether a tensor that the launch reads has another shape now: its bytes are new too."""
    return any(
        [tensor.shape for tensor in tensors_in(value)]
        != [tensor.shape for tensor in tensors_in(found.arguments.get(name))]
        for name, value in launch.arguments.items()
        if name not in launch.snapshot.written
    )
