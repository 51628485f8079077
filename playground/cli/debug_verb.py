"""The verb `debug`: one program alone or stepped through by a script, prints, NaN, differences."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.cli import schema
from playground.cli.programs_schema import runs
from playground.cli.work import FailedError, RefusedError, refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.schema import Json
    from playground.cli.work import Work
    from playground.engine.debugger import Debugger
    from playground.model.debugging import Prints, Stop
    from playground.protocol.debugging import DebugMode, Differed, Hunted, RanAlone

MOST_STOPS = 1000
"""Stops that a document lists; a loop with a breakpoint in it makes them by the thousand."""
_LISTED_VALUES = 256
_LISTED_PRINTS = 4096
_KNOWN = "go, step, next, out, round, until LINE, break LINE [if EXPR], watch EXPR, print EXPR"
_WITH_REST = ("until", "break", "watch", "print")
_MOVES = {
    "into": "step", "step": "step", "over": "next", "next": "next", "out": "out", "go": "go",
    "continue": "go", "round": "round",
}  # fmt: skip


def debug(work: Work) -> None:
    """Do what the options ask for; with none of them, run the program alone."""
    task = work.task
    _check_script(work)
    found: dict[str, object] = dict.fromkeys(schema.DEBUG_PARTS)
    program, grid = _program(work)
    found |= {
        "launch": work.launch.index, "kernel": work.launch.kernel, "config": work.config,
        "program": program, "grid": grid,
    }  # fmt: skip

    def add(key: str, doing: str, step: Callable[[], object]) -> None:
        with contextlib.suppress(FailedError):
            found[key] = work.attempt("runtime", doing, step)
        work.report.put("debug", schema.plain(found))

    work.report.put("debug", schema.plain(found))
    index, config, job = work.launch.index, work.config, work.job
    if _steps(work):
        add("stops", f"stepping through program {program}", lambda: _stepped(work, program))
    if task.prints:
        add("prints", "gathering prints", lambda: _prints_of(work))
    if task.hunt:
        chosen = program if task.program is not None else None
        add("nonfinite", "hunting NaN and infinities",
            lambda: _hunted(work, work.session.hunt(index, config, chosen, job)))  # fmt: skip
    if task.compare is not None:
        add("differences", f"comparing with {task.compare}",
            lambda: _differed(work, work.session.differences(task.compare or "", index, config,
                                                             job)))  # fmt: skip
    if not (_steps(work) or task.prints or task.hunt or task.compare):
        add(
            "alone", f"running program {program} alone",
            lambda: _alone(work, work.session.alone(program, index, config, _mode(work), job)),
        )  # fmt: skip


def _steps(work: Work) -> bool:
    task = work.task
    return bool(task.commands or task.breakpoints or task.watches or task.trace)


def _check_script(work: Work) -> None:
    """Refuse what no step could follow, before anything runs.

    Raises
    ------
    RefusedError
        A command or a breakpoint is none.
    """
    from playground.engine.debugger import breakpoint_from

    for command in _commands(work):
        word, _, rest = command.partition(" ")
        known = word in _MOVES or (word in _WITH_REST and bool(rest.strip()))
        if not known or (word == "until" and not rest.strip().isdigit()):
            message = f"{command!r} is no command of --do"
            raise RefusedError(refusal("runtime", message, work.task, f"one of: {_KNOWN}"))
    points = [*work.task.breakpoints]
    points += [text.partition(" ")[2] for text in _commands(work) if text.startswith("break ")]
    for point in points:
        try:
            breakpoint_from(point, work.launch.file)
        except ValueError as error:
            raise RefusedError(refusal("runtime", str(error), work.task)) from error


def _commands(work: Work) -> list[str]:
    return [one.strip() for line in work.task.commands for one in line.split(";") if one.strip()]


def _mode(work: Work) -> DebugMode | None:
    return work.task.mode


def _program(work: Work) -> tuple[int, tuple[int, int, int]]:
    """Return the linear id of the program asked for, and the grid."""
    text = work.task.program or "0"
    grid = work.session.prepare(work.launch.index, work.config).grid
    x, y, z = grid
    hint = f"--program takes 0 to {x * y * z - 1}, or a place in the grid {x} × {y} × {z} as 3,0,1"
    try:
        place = [int(part) for part in text.split(",")]
    except ValueError:
        place = []
    if len(place) == 1 and 0 <= place[0] < x * y * z:
        return place[0], grid
    padded = (*place, *(0,) * (3 - len(place)))
    if 2 <= len(place) <= 3 and all(0 <= at < n for at, n in zip(padded, grid, strict=True)):
        return padded[0] + x * (padded[1] + y * padded[2]), grid
    raise RefusedError(refusal("runtime", f"the grid has no program {text}", work.task, hint))


# ------------------------------------------------------------------------------ stepping


def _stepped(work: Work, program: int) -> Json:
    """Step through the program as the script says, and return every stop."""
    task = work.task
    debugger = work.session.debug(
        program, work.launch.index, work.config, task.breakpoints, task.watches
    )
    stops: list[Json] = []
    try:
        if task.trace:
            _traced(debugger, stops)
        elif task.commands:
            for command in _commands(work):
                _obey(debugger, command, stops)
        else:
            while debugger.stop is not None and len(stops) < MOST_STOPS:
                debugger.go()
                _note(debugger, stops)
        work.report.add(*debugger.findings)
        return {
            "rows": stops, "ended": debugger.ended, "truncated": len(stops) >= MOST_STOPS,
            "prints": _listed(debugger.prints),
        }  # fmt: skip
    finally:
        debugger.close()


def _traced(debugger: Debugger, stops: list[Json]) -> None:
    """Tell every line with what it has changed."""
    _note(debugger, stops, changed_only=True)
    while debugger.stop is not None and len(stops) < MOST_STOPS:
        debugger.step()
        _note(debugger, stops, changed_only=True)


def _obey(debugger: Debugger, command: str, stops: list[Json]) -> None:
    word, _, rest = command.partition(" ")
    rest = rest.strip()
    if word in _MOVES:
        getattr(debugger, _MOVES[word])()
        _note(debugger, stops)
    elif word == "until":
        debugger.until(int(rest))
        _note(debugger, stops)
    elif word == "break":
        debugger.break_at(rest)
    elif word == "watch":
        debugger.watch(rest)
    else:
        numbers = debugger.value(rest)
        told = None if numbers is None else numbers.reshape(-1)[:_LISTED_VALUES].tolist()
        shape = [] if numbers is None else list(numbers.shape)
        stops.append({"printed": rest, "shape": shape, "values": schema.plain(told)})


def _note(debugger: Debugger, stops: list[Json], *, changed_only: bool = False) -> None:
    stop = debugger.stop
    if stop is not None:
        if changed_only:
            stop = replace(stop, values=tuple(one for one in stop.values if one.changed))
        stops.append(_stop(stop))


def _stop(stop: Stop) -> Json:
    return {
        "reason": stop.reason, "file": stop.file, "line": stop.line,
        "frames": schema.plain(stop.frames), "rounds": schema.plain(stop.rounds),
        "values": schema.plain(stop.values), "watches": schema.plain(stop.watches),
        "notes": list(stop.notes),
    }  # fmt: skip


# --------------------------------------------------------------------------- single questions


def _listed(prints: Prints) -> Json:
    """Return prints for a document: at most so many of them, each with so many values."""
    kept = prints.printed[:_LISTED_PRINTS]
    notes = [*prints.notes]
    if len(prints.printed) > len(kept):
        notes.append(f"of {len(prints.printed)} prints the first {len(kept)} are here")
    rows = [schema.plain(replace(one, values=one.values[:_LISTED_VALUES])) for one in kept]
    return {
        "mode": prints.mode, "lines": prints.lines, "lost": prints.lost, "rows": rows,
        "static": list(prints.static), "other": list(prints.other), "notes": notes,
    }  # fmt: skip


def _prints_of(work: Work) -> Json:
    program = None if work.task.program is None else _program(work)[0]
    told = work.session.prints(
        work.launch.index, work.config, program, _mode(work), work.job
    )  # fmt: skip
    work.report.add(*told.findings)
    return _listed(told.prints)


def _alone(work: Work, ran: RanAlone) -> Json:
    work.report.add(*ran.findings)
    written = []
    for tensor, values in zip(ran.run.written, ran.values, strict=True):
        written.append(
            {
                **schema.plain_object(tensor),
                "runs": runs(values.elements),
                "before": schema.plain(values.before[:_LISTED_VALUES].tolist()),
                "after": schema.plain(values.after[:_LISTED_VALUES].tolist()),
            }
        )
    return {
        "mode": ran.run.mode, "program": ran.run.program, "written": written,
        "prints": _listed(ran.run.prints), "duration_ms": ran.run.duration_ms,
        "notes": list(ran.run.notes),
    }  # fmt: skip


def _hunted(work: Work, hunted: Hunted) -> object:
    work.report.add(*hunted.findings)
    found = schema.plain_object(hunted.found)
    for key, items in (("stored", hunted.found.stored), ("origins", hunted.found.origins)):
        # A number that is not finite is null in a document: here it is what there is to tell.
        found[key] = [
            {**schema.plain_object(item), "value": str(item.value),
             "operands": [{"text": part.text, "value": str(part.value)}
                          for part in getattr(item, "operands", ())]}
            for item in items
        ]  # fmt: skip
    return found


def _differed(work: Work, differed: Differed) -> object:
    work.report.add(*differed.findings)
    return differed.differences
