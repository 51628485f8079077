"""A captured launch made ready to run again under another config."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from playground.engine import instrument
from playground.engine.arguments import (
    StorageKey,
    argument_value,
    replace_tensors,
    storage_key,
    tensors_in,
    view_on,
)
from playground.engine.capture import CapturedLaunch, grid_size, heuristic_values
from playground.engine.snapshot import SnapshotPool, copied, copy_bytes
from playground.engine.triton_private import interpreter, launcher, wrappers
from playground.model.config import Config, validated
from playground.model.finding import Finding
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playground.engine.session import Session
    from playground.engine.snapshot import Snapshot

_ALIGNMENT = 512


class WorkingSet:
    """Copies of a launch's storages, and views on them shaped as the launch's tensors.

    With addresses held inside tensors there are no copies: the views are the user's own tensors,
    and `put_back` returns them to what they held before the replays.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.in_place = snapshot.in_place
        self._bases: dict[StorageKey, torch.Tensor] = {}
        self._present: dict[StorageKey, torch.Tensor] = {}
        for key, image in snapshot.images.items():
            self._bases[key] = image.live if self.in_place else _like(image.live)

    def __contains__(self, tensor: torch.Tensor) -> bool:
        return storage_key(tensor) in self._bases

    def view(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the working view that stands for the user's `tensor`, whose storage is here."""
        key = storage_key(tensor)
        if self.in_place or key is None:
            return tensor
        return view_on(self._bases[key], tensor)

    def restore(self) -> None:
        """Put the snapshot's bytes into the working copies."""
        if self.in_place and not self._present:
            self._present = {key: copied(base) for key, base in self._bases.items()}
        for key, image in self.snapshot.images.items():
            copy_bytes(self._bases[key], image.saved)

    def put_back(self) -> None:
        """Return the user's own tensors to what they held, if the replays ran on them."""
        for key, saved in self._present.items():
            copy_bytes(self._bases[key], saved)
        self._present = {}

    def ranges(self) -> list[tuple[int, int]]:
        """Return the addresses `[start, end)` of the copies, without the memory around them."""
        return [(one.data_ptr(), one.data_ptr() + one.numel()) for one in self._bases.values()]

    @property
    def nbytes(self) -> int:
        """Bytes held by the copies."""
        return 0 if self.in_place else sum(base.numel() for base in self._bases.values())


class PreparedReplay:
    """One launch under one config, ready to run as often as wanted.

    Replays of one launch share their working copies (see `clone`), so run and look before the next
    is prepared.
    """

    def __init__(self, parts: _Parts, working: tuple[WorkingSet, ...]) -> None:
        self._parts = parts
        self._working = working
        self.launch = parts.launch
        self.config = parts.config
        self.effective = parts.effective
        self.grid = parts.grid
        self.options = parts.options
        self.findings = parts.findings
        self.arguments = {
            name: replace_tensors(value, self.view) for name, value in parts.source.items()
        }
        _tuning_hook(self.launch, self.arguments, self.options)
        self.restore()
        self.run: Callable[[], Any] = self._first_run

    def __repr__(self) -> str:
        return f"<replay of {self.launch.info.kernel}{list(self.grid)} {self.config.label()}>"

    @property
    def written(self) -> tuple[str, ...]:
        """Names of the tensors whose bytes the captured launch changed."""
        return self.launch.snapshot.written

    @property
    def in_place(self) -> bool:
        """Whether it runs on the user's own tensors, because others hold their addresses."""
        return self.launch.snapshot.in_place

    @property
    def reshaped(self) -> tuple[str, ...]:
        """Names of the tensors that have another shape or type under this config."""
        return self._parts.reshaped

    def restore(self) -> None:
        """Put the snapshot's bytes back into the working copies."""
        for working in self._working:
            working.restore()

    def put_back(self) -> None:
        """Return the user's own tensors to what they held before an in-place replay."""
        for working in self._working:
            working.put_back()

    def view(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the working view for a tensor that shares a storage with the launch's tensors."""
        for working in self._working:
            if tensor in working:
                return working.view(tensor)
        return tensor

    def clone(self) -> PreparedReplay:
        """Return the same replay on an independent set of working copies, restored."""
        return PreparedReplay(
            self._parts, tuple(WorkingSet(working.snapshot) for working in self._working)
        )

    def _first_run(self) -> Any:
        """Launch once on the current stream; later calls take the shortest way there is."""
        if 0 in self.grid:
            return None
        if wrappers.is_interpreted(self.launch.function) and interpreter.installed():
            again = launcher.plain_call(
                self.launch.function, self.grid, self.arguments, self.options,
                self.launch.positional,
            )  # fmt: skip

            def within_the_copies() -> Any:
                # Not in the memory around them: as at the captured launch, that is out of bounds.
                with interpreter.storages(self._ranges()):
                    return again()

            self.run = within_the_copies
            return self.run()
        result, self.run = launcher.launch(
            self.launch.function, self.grid, self.arguments, self.options, self.launch.positional
        )
        return result

    def _ranges(self) -> list[tuple[int, int]]:
        return [item for working in self._working for item in working.ranges()]


@dataclass(frozen=True, eq=False)
class _Parts:
    launch: CapturedLaunch
    config: Config
    effective: Config
    grid: tuple[int, int, int]
    source: dict[str, Any]
    options: dict[str, Any]
    reshaped: tuple[str, ...]
    findings: tuple[Finding, ...]


def prepare(launch: CapturedLaunch, config: Config, session: Session) -> PreparedReplay:
    """Return `launch` ready to run under `config`, its inputs restored.

    Raises
    ------
    KnobError
        The config names no knob of this launch, or a value that the knob cannot take.
    """
    config = validated(config, launch.info.knobs)
    source, grid = dict(launch.arguments), launch.grid
    constexprs = wrappers.constexpr_names(launch.function)
    changed = [name for name in changed_knobs(launch, config) if name in constexprs]
    reshaped: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    if changed:
        rerun = session.rerun_host(launch, config)
        if rerun is not None:
            source, reshaped = _adopt(launch, rerun)
            grid = rerun.grid
        followed = rerun is not None and (reshaped or rerun.info.grid != launch.info.grid)
        if not callable(grid) and not followed:
            written_down = [name for name in changed if _is_written_down(launch, name)]
            findings = (_did_not_follow(launch, written_down),) if written_down else ()
    effective = effective_config(launch, config)
    for name, value in effective.values:
        if name in constexprs and value != launch.info.config.as_dict().get(name):
            source[name] = argument_value(launch.arguments[name], value)
    options = {name: effective.as_dict().get(name, value) for name, value in launch.options.items()}
    working = [session.working_set(launch)]
    if reshaped:
        fresh = SnapshotPool().before({name: source[name] for name in reshaped})
        working.append(WorkingSet(fresh))
    parts = _Parts(
        launch, config, effective, grid_size(grid, source), source, options, reshaped, findings
    )
    return PreparedReplay(parts, tuple(working))


def effective_config(launch: CapturedLaunch, config: Config) -> Config:
    """Return `config` with the kernel's heuristics evaluated anew.

    A heuristic has the last word unless the user moved that very knob: then the user has.
    """
    if not wrappers.heuristics_of(launch.kernel) or not changed_knobs(launch, config):
        return config
    known = dict(launch.arguments)
    known.update({name: argument_value(known.get(name), value) for name, value in config.values})
    own = {
        name: value
        for name, value in heuristic_values(launch.kernel, known).items()
        if name in config and config[name] == launch.info.config[name]
    }
    return config.updated(own)


def changed_knobs(launch: CapturedLaunch, config: Config) -> tuple[str, ...]:
    """Return the knobs whose value in `config` is not the captured one."""
    captured = launch.info.config
    return tuple(
        name
        for name, value in config.values
        if name not in captured
        or captured[name] != value
        or type(captured[name]) is not type(value)
    )


def _adopt(launch: CapturedLaunch, rerun: CapturedLaunch) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments that the host computed for other knobs, and which tensors are new.

    Tensors that kept their shape keep the captured bytes too: inputs may be random. Others (a
    buffer with one element per block) come from the new run.
    """
    source: dict[str, Any] = {}
    reshaped: list[str] = []
    for name, captured in launch.arguments.items():
        fresh = rerun.arguments.get(name, captured)
        before, after = list(tensors_in(captured)), list(tensors_in(fresh))
        if _same_kind(before, after):
            partners = dict(zip(map(id, after), before, strict=True))
            source[name] = replace_tensors(fresh, lambda tensor, own=partners: own[id(tensor)])  # type: ignore[misc]
        else:
            source[name] = fresh
            reshaped.append(name)
    return source, tuple(reshaped)


def _same_kind(before: list[torch.Tensor], after: list[torch.Tensor]) -> bool:
    return len(before) == len(after) and all(
        one.shape == other.shape
        and one.dtype == other.dtype
        and one.stride() == other.stride()
        and one.device == other.device
        for one, other in zip(before, after, strict=True)
    )


def _is_written_down(launch: CapturedLaunch, name: str) -> bool:
    file, line = launch.site
    return instrument.is_constant(file, line, wrappers.parameter_names(launch.function), name)


def _did_not_follow(launch: CapturedLaunch, names: list[str]) -> Finding:
    kernel = launch.info.kernel
    return Finding(
        "warning",
        "capture",
        f"the grid of {kernel} did not follow {', '.join(names)}: it stays {launch.info.grid}",
        f"give the grid as a function: {kernel}[lambda meta: (triton.cdiv(n, "
        f"meta[{names[0]!r}]),)](…)",
        file=launch.info.file,
        line=launch.info.call_line,
    )


def _tuning_hook(
    launch: CapturedLaunch, arguments: dict[str, Any], options: dict[str, Any]
) -> None:
    # A config's own hook adapts host-side arguments to the config: block shapes of descriptors.
    hook = getattr(launch.chosen, "pre_hook", None)
    if hook is not None:
        hook({**arguments, **{name: options[name] for name in OPTION_KNOBS if name in options}})


def _like(live: torch.Tensor) -> torch.Tensor:
    # As aligned as the original, no more and no less: Triton compiles for the alignment it sees.
    shift = live.data_ptr() % _ALIGNMENT
    room = torch.empty(live.numel() + 2 * _ALIGNMENT, dtype=torch.uint8, device=live.device)
    start = (shift - room.data_ptr()) % _ALIGNMENT
    return room[start : start + live.numel()]


@contextlib.contextmanager
def put_back_after(prepared: PreparedReplay) -> Iterator[PreparedReplay]:
    """Return the user's tensors to what they held, however the work with `prepared` ends."""
    try:
        yield prepared
    finally:
        prepared.put_back()
