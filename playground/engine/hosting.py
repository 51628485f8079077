"""A launch as the host code makes it under another config: its grid, arguments and constexprs.

Replays, compilations and counts all use what is found here, so that they agree on one launch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from playground.engine import bound
from playground.engine.arguments import argument_value, knob_value, replace_tensors, tensors_in
from playground.engine.capture import grid_size
from playground.engine.entries import set_by_tuning
from playground.engine.entry import combined
from playground.engine.entry_search import same_problem
from playground.engine.presets import heuristic_values
from playground.engine.triton_private import wrappers
from playground.model.config import Config, validated
from playground.model.finding import Finding

if TYPE_CHECKING:
    import torch

    from playground.engine.capture import CapturedLaunch
    from playground.engine.host_code import Edit
    from playground.engine.session import Session

Route = Literal["launch", "driver"]


@dataclass(frozen=True, eq=False)
class Hosted:
    """One launch under one config, before any memory is taken for it.

    Parameters
    ----------
    effective
        The config with what follows it: constexprs that heuristics or the host code compute.
    grid
        As given: a callable, or a tuple.
    arguments
        By the kernel's parameter names. Tensors are the captured ones where they kept their shape.
    reshaped
        Names of the tensors that have another shape or type under this config.
    route
        `driver` when the host code had to be run again for it.
    edits
        What was replaced in the host code.
    """

    launch: CapturedLaunch
    config: Config
    effective: Config
    grid: Any
    arguments: dict[str, Any]
    reshaped: tuple[str, ...] = ()
    route: Route = "launch"
    edits: tuple[Edit, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def size(self) -> tuple[int, int, int]:
        """The grid in numbers."""
        return grid_size(self.grid, self.arguments)


def hosted(session: Session, launch: CapturedLaunch, config: Config) -> Hosted:
    """Return `launch` under `config`, the host code run again where something depends on it.

    Raises
    ------
    KnobError
        The config names no knob of this launch, or a value that the knob cannot take.
    """
    config = settled(launch, config)
    moved = moved_constexprs(launch, config)
    edits = _edits(session, launch, config, moved, also_alone=has_moved_on(launch))
    if not edits:
        findings = _did_not_follow(session, launch, moved)
        return alone(launch, config, findings=findings)
    made = session.rerun_host(launch, edits)
    if made is None or not same_problem(session, launch, made):
        return alone(launch, config, findings=_did_not_follow(session, launch, moved))
    return _adopted(launch, config, moved, made, edits)


def alone(launch: CapturedLaunch, config: Config, *, findings: tuple[Finding, ...] = ()) -> Hosted:
    """Return `launch` under `config` with everything else as it was captured."""
    config = settled(launch, config)
    effective = with_heuristics(launch, config)
    arguments = _forced(launch, dict(launch.arguments), effective, launch.info.config)
    grid = launch.grid
    if not changed_knobs(launch, effective) or has_moved_on(launch):
        grid = launch.info.grid
    return Hosted(launch, config, effective, grid, arguments, findings=findings)


def settled(launch: CapturedLaunch, config: Config) -> Config:
    """Return `config` in the order of the launch's knobs, with what it changes checked.

    What was launched is replayed as it was, also where no knob would take its value.

    Raises
    ------
    KnobError
        The config names no knob of this launch, or a value that the knob cannot take.
    """
    changed = Config.of({name: config[name] for name in changed_knobs(launch, config)})
    return validated(changed, launch.info.knobs)


def has_moved_on(launch: CapturedLaunch) -> bool:
    """Tell whether a grid function gives another grid now than it gave at the launch.

    It looks at a name of the host (the variable of a loop) that has another value by now.
    """
    if not callable(launch.grid):
        return False
    try:
        return grid_size(launch.grid, dict(launch.arguments)) != launch.info.grid
    except Exception:  # whatever it looks at is gone: the captured grid is what there is
        return True


def moved_constexprs(launch: CapturedLaunch, config: Config) -> tuple[str, ...]:
    """Return the constexprs whose value in `config` is not the captured one."""
    constexprs = wrappers.constexpr_names(launch.function)
    return tuple(name for name in changed_knobs(launch, config) if name in constexprs)


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


def with_heuristics(launch: CapturedLaunch, config: Config) -> Config:
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


def whole_edits(session: Session, launch: CapturedLaunch, config: Config) -> tuple[Edit, ...]:
    """Return the edits under which the whole driver runs with `config`, looked for if need be."""
    moved = moved_constexprs(launch, config)
    return _edits(session, launch, config, moved, also_alone=True)


def _edits(
    session: Session, launch: CapturedLaunch, config: Config, moved: tuple[str, ...], *,
    also_alone: bool = False,
) -> tuple[Edit, ...]:  # fmt: skip
    known = []
    for name in moved:
        if set_by_tuning(launch, name):
            continue
        item = session.kept.entries.of(session, launch, name)
        if item.alone and not also_alone and len(item.found) == 0:
            continue
        item = session.kept.entries.searched(session, launch, name, config[name])
        if item.alone and not also_alone and not item.decided:
            continue
        captured = wrappers.plain(launch.arguments[name])
        wanted = wrappers.plain(argument_value(launch.arguments[name], config[name]))
        known.append((item, captured, wanted))
    return tuple(combined(known) or ())


def _adopted(
    launch: CapturedLaunch, config: Config, moved: tuple[str, ...], made: CapturedLaunch,
    edits: tuple[Edit, ...],
) -> Hosted:  # fmt: skip
    arguments, reshaped = _adopt(launch, made)
    captured, fresh = launch.info.config, made.info.config
    followed = {
        name: fresh[name]
        for name in captured
        if name in launch.arguments and name in fresh and name not in moved
        and config[name] == captured[name] and fresh[name] != captured[name]
    }  # fmt: skip
    effective = with_heuristics(launch, config).updated(followed)
    arguments = _forced(launch, arguments, effective, fresh)
    # A grid function may look at names that have moved on since the launch was made.
    forced = any(name in fresh and fresh[name] != value for name, value in effective.values)
    grid = (
        made.grid if callable(made.grid) and forced and not has_moved_on(made) else made.info.grid
    )
    differs = (
        bool(reshaped or followed)
        or (not callable(launch.grid) and grid_size(grid, arguments) != launch.info.grid)
        or any(not _same(launch.arguments[n], arguments[n]) for n in arguments if n not in moved)
    )
    if not differs and callable(launch.grid):
        # A function of the launch's own parameters follows by itself; one that looks at other
        # names of the host does not.
        differs = grid_size(launch.grid, arguments) != grid_size(grid, arguments)
    route: Route = "driver" if differs else "launch"
    return Hosted(launch, config, effective, grid, arguments, reshaped, route, edits)


def _forced(
    launch: CapturedLaunch, arguments: dict[str, Any], effective: Config, present: Config
) -> dict[str, Any]:
    """Put the config's constexprs in, whatever the host passed for them."""
    constexprs = wrappers.constexpr_names(launch.function)
    for name, value in effective.values:
        if name in constexprs and value != present.as_dict().get(name):
            arguments[name] = argument_value(launch.arguments[name], value)
    return arguments


def _adopt(launch: CapturedLaunch, made: CapturedLaunch) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments that the host computed for other knobs, and which tensors are new.

    Tensors that kept their shape keep the captured bytes too: inputs may be random. Others (a
    buffer with one element per block) come from the new run.
    """
    arguments: dict[str, Any] = {}
    reshaped: list[str] = []
    for name, captured in launch.arguments.items():
        fresh = made.arguments.get(name, captured)
        before, after = list(tensors_in(captured)), list(tensors_in(fresh))
        if not before and not after:
            arguments[name] = captured if _is_same_function(captured, fresh) else fresh
        elif _same_kind(before, after):
            partners = dict(zip(map(id, after), before, strict=True))
            arguments[name] = replace_tensors(fresh, lambda tensor, own=partners: own[id(tensor)])  # type: ignore[misc]
        else:
            arguments[name] = fresh
            reshaped.append(name)
    return arguments, tuple(reshaped)


def _is_same_function(one: Any, other: Any) -> bool:
    # The fresh modules hold functions of their own; the session goes on with those it has.
    if not (wrappers.is_function(one) and wrappers.is_function(other)):
        return False
    return wrappers.definition(one) == wrappers.definition(other)


def _same_kind(before: list[torch.Tensor], after: list[torch.Tensor]) -> bool:
    return len(before) == len(after) and all(
        one.shape == other.shape
        and one.dtype == other.dtype
        and one.stride() == other.stride()
        and one.device == other.device
        for one, other in zip(before, after, strict=True)
    )


def _same(one: Any, other: Any) -> bool:
    if any(True for _ in tensors_in(one)):
        blocks = getattr(one, "block_shape", None), getattr(other, "block_shape", None)
        return blocks[0] == blocks[1]
    one, other = wrappers.plain(one), wrappers.plain(other)
    return one is other or knob_value(one, repr(one)) == knob_value(other, repr(other))


def _did_not_follow(
    session: Session, launch: CapturedLaunch, moved: tuple[str, ...]
) -> tuple[Finding, ...]:
    if not moved or callable(launch.grid):
        return ()
    call = session.kept.entries.call_of(session, launch)
    if call is None:
        return ()
    flow = session.kept.entries.flow(session)
    written = [
        name
        for name in moved
        if (origin := flow.origin(call, name)) is not None
        and isinstance(origin[1], ast.Constant)
        and session.kept.entries.of(session, launch, name).changes_inputs is None
        and bound.deals_programs(session, launch, name)
    ]
    if not written:
        return ()
    kernel = launch.info.kernel
    return (
        Finding(
            "warning",
            "capture",
            f"the grid of {kernel} did not follow {', '.join(written)}: it stays "
            f"{launch.info.grid}",
            f"give the grid as a function: {kernel}[lambda meta: (triton.cdiv(n, "
            f"meta[{written[0]!r}]),)](…)",
            file=launch.info.file,
            line=launch.info.call_line,
        ),
    )
