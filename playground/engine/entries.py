"""Where a knob enters the host code: found by trying, and remembered for the next move.

A launch passes `BLOCK=BLOCK`; the number itself stands in a caller, a class, a default or a
dictionary, and the host computes grids, tile counts and buffers from it on the way. The slice of
the argument names the places it may come from. Each is tried: the driver runs again, launches left
out, with that one value replaced, and the place counts when the launch then receives what was asked
for while its inputs stay what they were. Numbers written in the text are tried before names, so
that everything between them and the launch follows.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.engine import host_code
from playground.engine.arguments import argument_value, knob_value, storage_key, tensors_in
from playground.engine.flow import Flow, LaunchCall
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import torch

    from playground.engine.capture import CapturedLaunch
    from playground.engine.flow import Slice
    from playground.engine.host_code import Edit, Place
    from playground.engine.session import Session
    from playground.model.knobs import KnobValue

_MOST_TRIALS = 24
_LONGEST_SEARCH_S = 4.0
_WAYS = ("same", "ratio", "log2", "inverse", "digits")


@dataclass(frozen=True)
class Entry:
    """Places whose values make a knob what is wanted, together.

    `way` says how the value there follows from the knob's: equal, in proportion, as an exponent.
    `tied` are other knobs that take the same value with it.
    """

    parts: tuple[tuple[Place, Any, str], ...]
    tied: tuple[str, ...] = ()

    def edits(self, captured: Any, wanted: Any) -> list[Edit] | None:
        """Return the edits that make the knob `wanted`, or None where no value would."""
        made: list[Edit] = []
        for place, literal, way in self.parts:
            value = _scaled(literal, captured, wanted, way)
            if value is None:
                return None
            made.append((place, value))
        return made

    @property
    def line(self) -> int:
        """The line of the first place."""
        return self.parts[0][0].line


@dataclass
class KnobEntries:
    """What is known of one knob of one launch.

    Parameters
    ----------
    alone
        Nothing else that the launch passes comes from where the knob does: the launch can be
        replayed alone.
    found
        The entries that were tried and hold, the one in use first.
    decided
        The result has shown that the launch alone does not do: the entry is used even so.
    changes_inputs
        The place whose value is the knob's, yet decides the launch's inputs as well.
    """

    alone: bool = False
    found: list[Entry] = field(default_factory=list)
    searched: bool = False
    decided: bool = False
    changes_inputs: Place | None = None

    @property
    def entry(self) -> Entry | None:
        """The entry in use."""
        return self.found[0] if self.found else None


class Entries:
    """The entries of every knob of a session's launches, found when first needed."""

    def __init__(self) -> None:
        self._known: dict[tuple[CapturedLaunch, str], KnobEntries] = {}
        self._flow: Flow | None = None
        self._texts: dict[str, str] = {}

    def flow(self, session: Session) -> Flow:
        """Return the flow of values through the session's files."""
        files = {session.path: session.text}
        for launch in session.launches:
            file = launch.site[0]
            files.setdefault(file, host_code.text_of(file))
        for file in host_code.files_in_use():
            files.setdefault(file, host_code.text_of(file))
        if self._flow is None or files != self._texts:
            self._flow, self._texts = Flow(files), files
        return self._flow

    def call_of(self, session: Session, launch: CapturedLaunch) -> LaunchCall | None:
        """Return the launch as it stands in the text."""
        file, line = launch.site
        if line is None:
            return None
        return self.flow(session).launch_call(file, line, wrappers.parameter_names(launch.function))

    def of(self, session: Session, launch: CapturedLaunch, knob: str) -> KnobEntries:
        """Return what is known of a knob without running anything."""
        key = (launch, knob)
        if key not in self._known:
            self._known[key] = KnobEntries(alone=_is_alone(self, session, launch, knob))
        return self._known[key]

    def searched(
        self, session: Session, launch: CapturedLaunch, knob: str, wanted: KnobValue
    ) -> KnobEntries:
        """Return what is known of a knob, its entries looked for if they were not yet."""
        known = self.of(session, launch, knob)
        if not known.searched:
            known.searched = True
            _Search(self, session, launch, knob, wanted).perform(known)
        return known


def set_by_tuning(launch: CapturedLaunch, knob: str) -> bool:
    """Tell whether an autotuner or a heuristic sets the knob: the host code does not know it."""
    chosen = {} if launch.chosen is None else launch.chosen.all_kwargs()
    return knob in chosen or knob in wrappers.heuristics_of(launch.kernel)


def _is_alone(
    entries: Entries, session: Session, launch: CapturedLaunch, knob: str
) -> bool:  # fmt: skip
    if set_by_tuning(launch, knob):
        return True
    call = entries.call_of(session, launch)
    if call is None:
        return False
    flow = entries.flow(session)
    own = flow.of_parameter(call, knob).places
    others = flow.of_others(call, knob, wrappers.parameter_names(launch.function)).places
    return not own & others


class _Search:
    """Tries the places that one knob may come from."""

    def __init__(
        self, entries: Entries, session: Session, launch: CapturedLaunch, knob: str,
        wanted: KnobValue,
    ) -> None:  # fmt: skip
        self._entries = entries
        self._session = session
        self._launch = launch
        self._knob = knob
        self._captured = knob_value(launch.arguments[knob], launch.info.config[knob])
        self._wanted = wanted
        self._end_s = time.monotonic() + _LONGEST_SEARCH_S
        self._trials = 0

    def perform(self, known: KnobEntries) -> None:
        flow, call = self._entries.flow(self._session), None
        call = self._entries.call_of(self._session, self._launch)
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
        """Add the entry of all equal numbers that the launch's arguments come from.

        `kernel[(n // 64,)](…, BLOCK=64)` holds one block size in two places. The result decides.
        """
        if call is None or callable(self._launch.grid) or self._is_over():
            return
        others = flow.of_others(call, self._knob, wrappers.parameter_names(self._launch.function))
        own_places = [p for p, value in own.literals.items() if _equal(value, self._captured)]
        equal = [
            place
            for place, value in others.literals.items()
            if _equal(value, self._captured) and place not in own.literals
        ]
        if not own_places or not equal:
            return
        entry = Entry(tuple((p, self._captured, "same") for p in [*own_places, *equal]))
        verdict = self._try(entry)
        if verdict is not None and verdict not in known.found:
            known.found.append(verdict)

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
        return self._trials >= _MOST_TRIALS or time.monotonic() > self._end_s

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


_MISSING = object()


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _scaled(literal: Any, captured: Any, wanted: Any, way: str) -> Any:
    """Return what must stand where `literal` stands so that a knob goes from captured to wanted."""
    if way == "same":
        return wanted
    if way == "digits":
        return str(wanted)
    if not (isinstance(captured, int) and isinstance(wanted, int) and captured > 0 and wanted > 0):
        return None
    if way == "ratio":
        value, rest = divmod(literal * wanted, captured)
        return None if rest else value
    if way == "inverse":
        value, rest = divmod(literal * captured, wanted)
        return None if rest else value
    if captured & (captured - 1) or wanted & (wanted - 1):
        return None
    return literal + wanted.bit_length() - captured.bit_length()


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


def combined(
    known: Sequence[tuple[KnobEntries, Any, Any]],
) -> list[Edit] | None:
    """Return the edits for several knobs at once: (what is known, captured value, wanted value).

    None when no knob has an entry. A knob without one is left to the launch itself.
    """
    edits: dict[Place, Any] = {}
    for item, captured, wanted in known:
        if item.entry is None:
            continue
        for place, value in item.entry.edits(captured, wanted) or ():
            edits.setdefault(place, value)
    return list(edits.items()) or None
