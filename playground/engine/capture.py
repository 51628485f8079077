"""Recording every launch while a driver runs."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from playground.engine import host_code
from playground.engine.arguments import StorageKey, describe, knob_value, knobs_of
from playground.engine.findings import finding_from_exception, out_of_bounds
from playground.engine.snapshot import Snapshot, SnapshotPool, room_bytes
from playground.engine.triton_private import door, wrappers
from playground.model.config import Config, default_config
from playground.model.finding import Finding
from playground.model.launch import Launch, Preset

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from playground.model.knobs import Knob

KEPT_LAUNCHES = 256
"""Launches beyond these, or beyond `room_bytes`, run but are not recorded: a training loop would
fill the memory."""


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
        How many launches of the same kernel came before it in its run.
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
    site: tuple[str, int | None] = ("", None)

    def __repr__(self) -> str:
        info = self.info
        tensors = ", ".join(f"{item.name} {item.text}" for item in info.arguments if item.tensor)
        place = f"{info.kernel}{list(info.grid)}"
        return f"<launch {info.index}: {place} {info.config.label()}; {tensors}>"

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
    """

    def __init__(self, target: str, files: Collection[str]) -> None:
        self.launches: list[CapturedLaunch] = []
        self.findings: list[Finding] = []
        self.dropped = 0
        self._target = target
        self._files = tuple(files)
        self._pool = SnapshotPool()
        self._room_bytes = room_bytes()
        self._ordinals: dict[str, int] = {}

    def launch(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        run: Callable[..., Any], chosen: Any,
    ) -> Any:  # fmt: skip
        """Record one launch and perform it."""
        try:
            arguments, given = wrappers.bind(function, args, kwargs)
        except TypeError:
            # Triton's own message names the kernel's parameter; it comes from the same call.
            return run(function, *args, grid=grid, warmup=False, **kwargs)
        size = grid_size(grid, arguments)
        if len(self.launches) >= KEPT_LAUNCHES or self._pool.kept_bytes > self._room_bytes:
            self.dropped += 1
            return self._perform(run, function, args, kwargs, size)
        snapshot = self._pool.before(arguments)
        captured = self._captured(
            kernel, function, arguments, given, grid, size, chosen, snapshot, len(args)
        )
        self._mistyped(captured, given)
        self.launches.append(captured)
        try:
            captured.result = self._perform(run, function, args, kwargs, size)
        except BaseException as error:  # an interrupt, too: the launch has no result
            captured.error = error
            raise
        if 0 not in size:
            self._pool.after(snapshot, function, arguments)
        return captured.result

    def described(
        self, kernel: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any,
        chosen: Any,
    ) -> CapturedLaunch:  # fmt: skip
        """Return what a launch would be, without performing it and without a snapshot."""
        arguments, given = wrappers.bind(function, args, kwargs)
        size = grid_size(grid, arguments)
        return self._captured(
            kernel, function, arguments, given, grid, size, chosen, Snapshot(), len(args)
        )

    def skipped_config(self, kernel: Any, config: Any, error: Exception) -> None:
        """Drop the launch that could not run: the next config is tried instead."""
        if self.launches and self.launches[-1].error is error:
            failed = self.launches.pop()
            self._ordinals[failed.info.kernel] -= 1
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

    def _perform(
        self, run: Callable[..., Any], function: Any, args: tuple[Any, ...],
        kwargs: dict[str, Any], size: tuple[int, int, int],
    ) -> Any:  # fmt: skip
        if 0 in size:
            return None  # a launch of no programs does nothing, and Triton's launcher rejects some
        result = run(function, *args, grid=size, warmup=False, **kwargs)
        if wrappers.is_interpreted(function):
            from playground.engine.triton_private import interpreter

            if interpreter.installed():
                name = wrappers.kernel_name(function)
                for event in interpreter.last_out_of_bounds():
                    self._tell(out_of_bounds(name, event))
        return result

    def _tell(self, finding: Finding) -> None:
        # A launch in a loop says the same each time.
        if all((item.line, item.file) != (finding.line, finding.file) for item in self.findings):
            self.findings.append(finding)

    def _captured(
        self, kernel: Any, function: Any, arguments: dict[str, Any], given: dict[str, Any],
        grid: Any, size: tuple[int, int, int], chosen: Any, snapshot: Snapshot, positional: int,
    ) -> CapturedLaunch:  # fmt: skip
        options = {**wrappers.option_defaults(self._target), **given}
        knobs = knobs_of(function, arguments, options, self._target)
        config = default_config(knobs)
        constexprs = wrappers.constexpr_names(function)
        numbers: dict[StorageKey, int] = {}
        file, line = wrappers.definition(function)
        name = wrappers.kernel_name(function)
        ordinal = self._ordinals.get(name, 0)
        self._ordinals[name] = ordinal + 1
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
            presets=presets_of(kernel, knobs, config, arguments),
            wrappers=wrappers.wrapper_names(kernel),
        )
        return CapturedLaunch(
            info, kernel, function, arguments, options, snapshot, grid, ordinal, positional, chosen,
            site=_site(),
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

    def _mistyped(self, captured: CapturedLaunch, given: dict[str, Any]) -> None:
        # The interpreter drops such keywords silently; the compiler refuses them.
        if not wrappers.is_interpreted(captured.function):
            return
        known = wrappers.known_options(self._target)
        names = wrappers.parameter_names(captured.function)
        for name in given:
            if name in known or name in names:
                continue
            self.findings.append(
                Finding(
                    "warning", "capture",
                    f"{captured.info.kernel} has no parameter {name!r}, and it is no launch option",
                    "on a GPU this launch fails; its parameters are " + ", ".join(names),
                    file=self._files[0] if self._files else None,
                    line=captured.info.call_line,
                )
            )  # fmt: skip


@contextlib.contextmanager
def capturing(capture: Capture) -> Iterator[Capture]:
    """Record every launch of this process in `capture` meanwhile."""
    with door.hooked(capture):
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


def presets_of(
    kernel: Any, knobs: tuple[Knob, ...], config: Config, arguments: dict[str, Any]
) -> tuple[Preset, ...]:
    """Return the configs that an autotuned kernel offers, as configs of its knobs.

    Heuristics have the last word, as they have in a launch: the values are those the kernel sees.
    """
    tuner = wrappers.autotuner_of(kernel)
    if tuner is None:
        return ()
    movable = {knob.name for knob in knobs if knob.kind != "fixed"}
    presets = []
    for item in tuner.configs:
        values = {
            name: knob_value(value, value)
            for name, value in item.all_kwargs().items()
            if name in movable
        }
        label = Config.of(values).label()
        effective = heuristic_values(kernel, {**arguments, **item.all_kwargs()})
        values.update({name: value for name, value in effective.items() if name in movable})
        presets.append(Preset(label, config.updated(values)))
    return tuple(presets)


def heuristic_values(kernel: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a kernel's heuristics set, given its other arguments, as knob values."""
    known = dict(arguments)
    values: dict[str, Any] = {}
    for name, heuristic in wrappers.heuristics_of(kernel).items():
        known[name] = heuristic(dict(known))
        values[name] = knob_value(known[name], known[name])
    return values


def _site() -> tuple[str, int | None]:
    walk: Any = sys._getframe(1)
    while walk is not None:
        if host_code.is_loaded(walk.f_code.co_filename):
            return walk.f_code.co_filename, walk.f_lineno
        walk = walk.f_back
    return "", None
