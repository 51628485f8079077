"""Where a knob enters the host code: found by trying, and remembered for the next move.

A launch passes `BLOCK=BLOCK`; the number itself stands in a caller, a class, a default or a
dictionary, and the host computes grids, tile counts and buffers from it on the way. The slice of
the argument names the places it may come from. Each is tried: the driver runs again, launches left
out, with that one value replaced, and the place counts when the launch then receives what was asked
for while its inputs stay what they were. Numbers written in the text are tried before names, so
that everything between them and the launch follows.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from playground.engine import host_code
from playground.engine.drivers import DRIVER_FILE, with_sizes
from playground.engine.entry import KnobEntries
from playground.engine.entry_search import Search
from playground.engine.flow import Flow, LaunchCall
from playground.engine.triton_private import wrappers

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.session import Session
    from playground.model.knobs import KnobValue


class Entries:
    """The entries of every knob of a session's launches, found when first needed."""

    def __init__(self) -> None:
        self._known: dict[tuple[CapturedLaunch, str], KnobEntries] = {}

    def flow(self, session: Session) -> Flow:
        """Return the flow of values through the session's files."""
        files = {session.path: session.text}
        if session.driver is not None and session.driver.code.strip():
            files[DRIVER_FILE] = with_sizes(session.driver.code, session.sizes)
        for launch in session.launches:
            file = launch.site[0]
            files.setdefault(file, host_code.text_of(file))
        for file in host_code.files_in_use(besides=files):
            files.setdefault(file, host_code.text_of(file))
        return _flow_through(tuple(files.items()), session.path)

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
            Search(session, launch, knob, wanted).perform(known)
        return known


@functools.lru_cache(maxsize=4)
def _flow_through(files: tuple[tuple[str, str], ...], path: str) -> Flow:
    # Made of texts alone: another run of the same ones needs no new one.
    return Flow(dict(files), {DRIVER_FILE: path})


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
