"""Trying the places that a knob may come from: the driver runs again, launches left out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from playground.engine.arguments import argument_value, knob_value, storage_key, tensors_in
from playground.engine.entry import Entry
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from playground.engine.capture import CapturedLaunch
    from playground.engine.entry import KnobEntries
    from playground.engine.flow import Flow, LaunchCall, Slice
    from playground.engine.host_code import Place
    from playground.engine.session import Session
    from playground.model.knobs import KnobValue

_MOST_TRIALS = 24
_LONGEST_SEARCH_S = 20.0
"""Processor time of this thread: a busy machine searches as far as a quiet one.

That of all threads would not do: torch's others burn time while they wait for one that is held up.
"""
_MISSING = object()


class Search:
    """Tries the places that one knob may come from."""

    def __init__(
        self, session: Session, launch: CapturedLaunch, knob: str, wanted: KnobValue
    ) -> None:
        self._session = session
        self._launch = launch
        self._knob = knob
        self._captured = knob_value(launch.arguments[knob], launch.info.config[knob])
        self._wanted = wanted
        self._end_s = time.thread_time() + _LONGEST_SEARCH_S
        self._trials = 0

    def perform(self, known: KnobEntries) -> None:
        """Add the entries that hold to what is known of the knob."""
        flow, call = self._session.kept.entries.flow(self._session), None
        call = self._session.kept.entries.call_of(self._session, self._launch)
        own = flow.of_parameter(call, self._knob)
        tied: list[Entry] = []
        for entry in self._candidates(flow, call, own):
            if self._is_over():
                break
            verdict = self._try(entry)
            if verdict is None:
                if known.changes_inputs is None and entry.parts[0][2] == "same":
                    known.changes_inputs = self._changed_inputs
                continue
            if verdict.tied:
                tied.append(verdict)  # better one that moves this knob alone
                continue
            known.found.append(verdict)
            break
        if not known.found:
            known.found += tied[:1]
        self._joint(known, flow, call, own)

    def _joint(self, known: KnobEntries, flow: Flow, call: LaunchCall | None, own: Slice) -> None:
        """Add entries of equal numbers that the launch's arguments come from.

        `kernel[(n // 64,)](…, BLOCK=64)` holds one block size in two places. Where the grid has the
        number once an axis, each place is offered alone before all of them, and what would move
        another knob as well comes last. The result decides.
        """
        if call is None or callable(self._launch.grid):
            return
        equal = equal_places(self._launch, flow, call, self._knob, self._captured)
        own_places = [p for p, value in own.literals.items() if _equal(value, self._captured)]
        if not own_places or not equal:
            return
        others = self._of_other_knobs(flow, call)
        free = [place for place in equal if place not in others]
        groups = [[place] for place in free]
        groups += [group for group in (free, equal) if len(group) > 1 and group not in groups]
        if not free:
            groups = [equal]
        for group in groups:
            if self._is_over():
                return
            entry = Entry(tuple((p, self._captured, "same") for p in [*own_places, *group]))
            verdict = self._try(entry)
            if verdict is not None and verdict not in known.found:
                known.found.append(verdict)

    def _of_other_knobs(self, flow: Flow, call: LaunchCall) -> set[Place]:
        """Return the places of numbers that other knobs of the launch come from."""
        return {
            place
            for name in self._launch.info.config
            if name != self._knob and name in self._launch.arguments
            for place in flow.of_parameter(call, name).literals
        }

    def _candidates(self, flow: Flow, call: LaunchCall | None, own: Slice) -> Iterator[Entry]:
        shared: Slice | None = None
        if call is not None:
            shared = flow.of_arguments(call, _inputs(self._launch))
        of_inputs = shared.literals if shared is not None else {}
        equal = [place for place, value in own.literals.items() if _equal(value, self._captured)]
        digits = [
            place
            for place, value in own.literals.items()
            if isinstance(value, str) and value == str(self._captured)
            and not isinstance(self._captured, str)
        ]  # fmt: skip
        first = [place for place in equal if place not in of_inputs]
        for place in first:
            yield Entry(((place, self._captured, "same"),))
        for place in digits:
            yield Entry(((place, own.literals[place], "digits"),))
        whole = isinstance(self._captured, int) and not isinstance(self._captured, bool)
        for way in ("ratio", "log2", "inverse") if whole else ():
            for place, value in own.literals.items():
                if type(value) is int and place not in equal and place not in of_inputs:
                    yield Entry(((place, value, way),))
        for place in equal:
            if place in of_inputs:
                yield Entry(((place, self._captured, "same"),))
        # The farthest first: what lies between it and the launch follows.
        aliases = flow.aliases(call, self._knob)
        for place, _ in sorted(aliases.items(), key=lambda item: -item[1]):
            yield Entry(((place, self._captured, "same"),))

    def _is_over(self) -> bool:
        return self._trials >= _MOST_TRIALS or time.thread_time() > self._end_s

    def _try(self, entry: Entry) -> Entry | None:
        """Return the entry with what it ties, or None when it does not do what is wanted."""
        self._changed_inputs: Place | None = None
        wanted = argument_value(self._launch.arguments[self._knob], self._wanted)
        edits = entry.edits(self._captured, wrappers.plain(wanted))
        if edits is None or all(
            _equal(literal, value)
            for (_, literal, _), (_, value) in zip(entry.parts, edits, strict=True)
        ):
            return None
        self._trials += 1
        made = self._session.rerun_host(self._launch, edits)
        if made is None:
            return None
        if not same_problem(self._session, self._launch, made):
            self._changed_inputs = entry.parts[0][0]
            return None
        received = knob_value(made.arguments.get(self._knob), _MISSING)
        if not _equal(received, self._wanted):
            return None
        return Entry(entry.parts, self._tied(made))

    def _tied(self, made: CapturedLaunch) -> tuple[str, ...]:
        before, after = self._launch.info.config, made.info.config
        return tuple(
            name
            for name in before
            if name != self._knob
            and name in after
            and _equal(before[name], self._captured)
            and _equal(after[name], self._wanted)
        )


def equal_places(
    launch: CapturedLaunch, flow: Flow, call: LaunchCall, knob: str, captured: Any
) -> list[Place]:
    """Return where the launch's grid and other arguments come from a number equal to the knob's.

    Places that the knob itself comes from are left out: what stands there follows anyhow.
    """
    own = flow.of_parameter(call, knob)
    others = flow.of_others(call, knob, wrappers.parameter_names(launch.function))
    return sorted(
        (
            place
            for place, value in others.literals.items()
            if _equal(value, captured) and place not in own.literals
        ),
        key=lambda place: (place.file, place.line, place.column),
    )


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _inputs(launch: CapturedLaunch) -> tuple[str, ...]:
    return tuple(
        name
        for name, value in launch.arguments.items()
        if name not in launch.snapshot.written and any(True for _ in tensors_in(value))
    )


def same_problem(session: Session, launch: CapturedLaunch, made: CapturedLaunch) -> bool:
    """Tell whether a launch still works on the inputs it was captured with.

    Outputs and buffers may have other shapes, and so may what earlier launches make for it; every
    other tensor keeps its shape and type.
    """
    earlier = {
        key for item in list(session.launches)[: launch.info.index] for key in item.snapshot.after
    }
    for name, value in launch.arguments.items():
        before = list(tensors_in(value))
        after = list(tensors_in(made.arguments.get(name)))
        if len(before) != len(after):
            return False
        for one, other in zip(before, after, strict=True):
            if one.dtype != other.dtype:
                return False
            if one.shape == other.shape or storage_key(one) in earlier:
                continue
            if name in launch.snapshot.written and _is_blank(launch, one):
                continue
            return False
    return True


def _is_blank(launch: CapturedLaunch, tensor: torch.Tensor) -> bool:
    """Tell whether a tensor held one value only before the launch: it was made to be written."""
    key = storage_key(tensor)
    if key is None or key not in launch.snapshot.images:
        return True
    saved = launch.snapshot.images[key].saved
    size = tensor.element_size()
    if saved.numel() < size or saved.numel() % size:
        return True
    rows = saved.view(-1, size)
    return bool((rows == rows[0]).all())
