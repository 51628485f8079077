"""Recording every launch while a driver runs."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from playground.engine import host_code, torch_doors
from playground.engine.arguments import StorageKey, describe, knobs_of
from playground.engine.coverage_findings import out_of_bounds
from playground.engine.findings import finding_from_exception
from playground.engine.interpreter_findings import limit_of, not_interpretable, waits
from playground.engine.launch_findings import warnings_of
from playground.engine.likeness import likeness
from playground.engine.presets import presets_of
from playground.engine.snapshot import Snapshot, SnapshotPool, room_bytes
from playground.engine.triton_private import door, stub_driver, wrappers
from playground.engine.triton_private.interpreter_result import InterpretedLaunch
from playground.model.config import Config, default_config
from playground.model.finding import Finding
from playground.model.launch import Launch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator

    from playground.model.coverage import OutOfBounds

KEPT_LAUNCHES = 256
"""Groups of like launches beyond these, or beyond `room_bytes`, run but are not recorded."""


@dataclass(eq=False)
class CapturedLaunch:
    """A launch with everything needed to do it again.

    Parameters
    ----------
    info
        The launch as the window and the command line see it.
    kernel
        The outermost wrapper that was launched (an autotuner, heuristics, or the function itself).
    function
        The innermost `JITFunction` or `InterpretedFunction`.
    arguments
        Every kernel parameter by name as bound at the launch, constexprs included: the user's own
        tensors.
    options
        Launch options by name, given or defaulted.
    snapshot
        The bytes of every distinct storage before the launch, and what the launch changed.
    grid
        The grid as given: a callable, or a tuple.
    ordinal
        How many launches of a kernel of this name came before it in its run.
    ordinals
        The ordinals of all like launches that this one stands for, its own first.
    positional
        How many arguments were passed by position.
    chosen
        The autotuner's `triton.Config` in force, or None.
    error
        What the launch raised, if it did.
    site
        File and line of the innermost frame that was loaded from the user's folder.
    result
        What Triton returned for the launch.
    outside
        Its accesses outside every tensor, as the interpreter saw them.
    """

    info: Launch
    kernel: Any
    function: Any
    arguments: dict[str, Any]
    options: dict[str, Any]
    snapshot: Snapshot
    grid: Any = None
    ordinal: int = 0
    positional: int = 0
    chosen: Any = None
    error: BaseException | None = None
    result: Any = field(default=None, repr=False)
    outside: tuple[OutOfBounds, ...] = ()
    site: tuple[str, int | None] = ("", None)
    ordinals: list[int] = field(default_factory=list, repr=False)

    def __repr__(self) -> str:
        info = self.info
        tensors = ", ".join(f"{item.name} {item.text}" for item in info.arguments if item.tensor)
        place = f"{info.kernel}{list(info.grid)}"
        times = f" ×{info.count}" if info.count > 1 else ""
        return f"<launch {info.index}: {place}{times} {info.config.label()}; {tensors}>"

    @property
    def config(self) -> Config:
        """The config of this launch."""
        return self.info.config


class Capture:
    """The recorder of one run.

    Parameters
    ----------
    target
        Which GPU's launch options are knobs.
    files
        The user's files: `call_line` is the line of the innermost frame in the first of them.
    tuning
        Let the file's autotuners time their configs, where there is a GPU.
    """

    def __init__(self, target: str, files: Collection[str], *, tuning: bool = False) -> None:
        self.launches: list[CapturedLaunch] = []
        self.findings: list[Finding] = []
        self.dropped = 0
        self.tuning = tuning
        self._target = target
        self._files = tuple(files)
        self._pool = SnapshotPool()
        self._room_bytes = room_bytes()
        self._ordinals: dict[str, int] = {}
        self._groups: dict[Hashable, CapturedLaunch] = {}
        self._newest: tuple[CapturedLaunch, BaseException] | None = None
        self._untuned: Snapshot | None = None

    def launch(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        run: Callable[..., Any], chosen: Any,
    ) -> Any:  # fmt: skip
        """Record one launch and perform it; one like an earlier launch is only counted."""
        try:
            arguments, given = wrappers.bind(function, args, kwargs)
        except TypeError:
            # Triton's own message names the kernel's parameter; it comes from the same call.
            return run(function, *args, grid=grid, warmup=False, **kwargs)
        size = grid_size(grid, arguments)
        ordinal = self._count(wrappers.kernel_name(function))
        place = self._call_line(), _site()
        key = likeness(function, arguments, given, size, place, chosen)
        captured = self._groups.get(key)
        if captured is not None and captured.error is None:
            captured.ordinals.append(ordinal)
            captured.info = replace(captured.info, count=len(captured.ordinals))
            return self._perform(run, function, args, kwargs, size, captured)
        if len(self.launches) >= KEPT_LAUNCHES or self._pool.kept_bytes > self._room_bytes:
            self.dropped += 1
            return self._perform(run, function, args, kwargs, size, None)
        snapshot = self._pool.before(arguments)
        untuned, self._untuned = self._untuned, None
        captured = self._captured(
            kernel, function, arguments, given, grid, size, chosen, snapshot, len(args), ordinal
        )
        self.findings += warnings_of(
            captured, given, self._target, self._file(), performs=self._performs(function),
            tuning=self.tuning,
        )  # fmt: skip
        self.launches.append(captured)
        self._groups[key] = captured
        captured.result = self._perform(run, function, args, kwargs, size, captured)
        if 0 not in size and self._performs(function):
            self._pool.after(snapshot, function, arguments, untuned)
        return captured.result

    def about_to_tune(self, arguments: dict[str, Any]) -> None:
        """Keep what the memory holds: tuning leaves there what the launch itself is to write."""
        if self._untuned is None:
            self._untuned = self._pool.before(arguments)

    def described(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        chosen: Any,
    ) -> CapturedLaunch:  # fmt: skip
        """Return what a launch would be, without performing it and without a snapshot."""
        arguments, given = wrappers.bind(function, args, kwargs)
        size = grid_size(grid, arguments)
        ordinal = self._count(wrappers.kernel_name(function))
        return self._captured(
            kernel, function, arguments, given, grid, size, chosen, Snapshot(), len(args), ordinal
        )

    def _count(self, name: str) -> int:
        ordinal = self._ordinals.get(name, 0)
        self._ordinals[name] = ordinal + 1
        return ordinal

    def skipped_config(self, kernel: Any, config: Any, error: Exception) -> None:
        """Drop the launch that could not run: the next config is tried instead."""
        if self._newest is not None and self._newest[1] is error:
            self._take_back(self._newest[0])
        name = wrappers.kernel_name(wrappers.unwrap(kernel))
        told = finding_from_exception(error, "compile", user_files=self._files)
        self.findings.append(
            replace(
                told,
                severity="hint",
                message=f"{name}: the config [{config}] cannot run: {told.message}",
                hint="Triton skips it when it tunes; here the next one was taken",
            )
        )

    def _take_back(self, failed: CapturedLaunch) -> None:
        """Forget the latest launch, which `failed` records or stands for."""
        self._ordinals[failed.info.kernel] -= 1
        failed.ordinals.pop()
        if failed.ordinals:
            failed.info = replace(failed.info, count=len(failed.ordinals))
            return
        self.launches.pop()
        self._groups = {key: one for key, one in self._groups.items() if one is not failed}

    def _performs(self, function: Any) -> bool:
        """Tell whether a launch of `function` can run in this process."""
        return wrappers.is_interpreted(function) or not stub_driver.is_stub_active()

    def _perform(
        self, run: Callable[..., Any], function: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any], size: tuple[int, int, int], captured: CapturedLaunch | None,
    ) -> Any:  # fmt: skip
        if not self._performs(function):
            return InterpretedLaunch(function, args, kwargs)
        # A launch of no programs does nothing, and Triton's launcher rejects some: it is compiled.
        warmup = 0 in size
        try:
            result = run(function, *args, grid=size, warmup=warmup, **kwargs)
        except BaseException as error:  # an interrupt, too: the launch has no result
            if captured is not None:
                self._newest = captured, error
                if len(captured.ordinals) == 1:
                    captured.error = error
            limit = limit_of(error)
            if limit is None:
                raise
            # Known and compilable all the same; what comes after it is worth seeing, too.
            self._newest = None
            found = finding_from_exception(error, "capture", user_files=self._files)
            self._tell(not_interpretable(wrappers.kernel_name(function), found, limit))
            return InterpretedLaunch(function, args, kwargs)
        if wrappers.is_interpreted(function):
            from playground.engine.triton_private import interpreter

            if interpreter.installed():
                name = wrappers.kernel_name(function)
                for event in interpreter.last_out_of_bounds():
                    self._tell(out_of_bounds(name, event))
                    if captured is not None:
                        captured.outside = (*captured.outside, event)
                for finding in waits(name, interpreter.last_waits()):
                    self._tell(finding)
        return result

    def _tell(self, finding: Finding) -> None:
        # A launch in a loop says the same each time.
        if all((item.line, item.file) != (finding.line, finding.file) for item in self.findings):
            self.findings.append(finding)

    def _captured(
        self, kernel: Any, function: Any, arguments: dict[str, Any], given: dict[str, Any],
        grid: Any, size: tuple[int, int, int], chosen: Any, snapshot: Snapshot, positional: int,
        ordinal: int,
    ) -> CapturedLaunch:  # fmt: skip
        options = {**wrappers.option_defaults(self._target), **given}
        knobs = knobs_of(function, arguments, options, self._target)
        config = default_config(knobs)
        constexprs = wrappers.constexpr_names(function)
        numbers: dict[StorageKey, int] = {}
        file, line = wrappers.definition(function)
        name = wrappers.kernel_name(function)
        info = Launch(
            index=len(self.launches),
            kernel=name,
            file=file,
            line=line,
            call_line=self._call_line(),
            grid=size,
            grid_kind="callable" if callable(grid) else "fixed",
            arguments=tuple(
                describe(key, value, constexpr=key in constexprs, numbers=numbers)
                for key, value in arguments.items()
            ),
            knobs=knobs,
            config=config,
            presets=presets_of(kernel, knobs, config, door.outer_call() or ((), arguments)),
            wrappers=wrappers.wrapper_names(kernel),
        )
        return CapturedLaunch(
            info, kernel, function, arguments, options, snapshot, grid, ordinal, positional, chosen,
            site=_site(), ordinals=[ordinal],
        )  # fmt: skip

    def _call_line(self) -> int | None:
        frame = sys._getframe(1)
        found: int | None = None
        helper: int | None = None
        walk: Any = frame
        while walk is not None:
            file = walk.f_code.co_filename
            if self._files and file == self._files[0]:
                found = walk.f_lineno
                break
            if helper is None and file in self._files:
                helper = walk.f_lineno
            walk = walk.f_back
        return found if found is not None else helper

    def told(self, text: str) -> None:
        """Tell something of the whole run."""
        self.findings.append(Finding("hint", "capture", text, file=self._file()))

    def _file(self) -> str | None:
        return self._files[0] if self._files else None


@contextlib.contextmanager
def capturing(capture: Capture) -> Iterator[Capture]:
    """Record every launch of this process in `capture` meanwhile."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(door.hooked(capture, tuning=capture.tuning))
        stack.enter_context(torch_doors.compiled_functions_run_eagerly(capture.told))
        if stub_driver.is_stub_active():
            stack.enter_context(torch_doors.cuda_implementations_serve())
        yield capture


def grid_size(grid: Any, arguments: dict[str, Any]) -> tuple[int, int, int]:
    """Return a grid padded to three dimensions; a callable is called as a real launch calls it.

    Raises
    ------
    TypeError
        The grid is neither a callable nor one to three whole numbers.
    """
    value = grid(dict(arguments)) if callable(grid) else grid
    items = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(items) <= 3:
        raise TypeError(f"a grid has one to three dimensions, not {len(items)}: {value!r}")
    try:
        sizes = [int(item) for item in items]
    except (TypeError, ValueError) as error:
        raise TypeError(f"a grid is made of whole numbers, not {value!r}") from error
    first, second, third = [*sizes, 1, 1][:3]
    return first, second, third


def _site() -> tuple[str, int | None]:
    walk: Any = sys._getframe(1)
    while walk is not None:
        if host_code.is_loaded(walk.f_code.co_filename):
            return walk.f_code.co_filename, walk.f_lineno
        walk = walk.f_back
    return "", None
