"""What a session has worked out for the launches of one run, within bounds of memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.model.config import Config

if TYPE_CHECKING:
    from playground.engine.capture import CapturedLaunch
    from playground.engine.checking import Expected
    from playground.engine.compile_outcome import CompileOutcome
    from playground.engine.counters import Counts
    from playground.engine.entries import Entries
    from playground.engine.hosting import Hosted
    from playground.engine.outline import Outline
    from playground.engine.replay import PreparedReplay, WorkingSet
    from playground.model.finding import Finding
    from playground.model.measurement import CacheMode, Measurement
    from playground.model.schedule import CacheReuse
    from playground.protocol import messages
    from playground.protocol.programs import ProgramSteps, Scheduled

Key = tuple[int, Config]
_REPLAYS = 64
_HOSTED = 64
_COUNTS = 16
_COUNTS_BYTES = 4 << 30
_SCHEDULES = 16
_OUTLINES = 4
_STEPS = 16
_STEPS_BYTES = 256 << 20
_WORKING_SETS = 4


def _no_entries() -> Entries:
    # Triton comes with these, and may only be imported once the session has decided its mode.
    from playground.engine.entries import Entries

    return Entries()


@dataclass(eq=False)
class Kept:
    """Results by launch and config; the ones used longest ago go first.

    Parameters
    ----------
    expected
        The reference's tensors beside those the driver returned, or None before they are known.
    entries
        Where knobs enter the host code.
    may_print
        Whether a kernel of the files may print, None before that was looked at.
    """

    replays: OrderedDict[Key, PreparedReplay] = field(default_factory=OrderedDict)
    working: OrderedDict[CapturedLaunch, WorkingSet] = field(default_factory=OrderedDict)
    outcomes: OrderedDict[tuple[int, Config, str], CompileOutcome] = field(
        default_factory=OrderedDict
    )
    hosted: OrderedDict[tuple[CapturedLaunch, Config], Hosted] = field(default_factory=OrderedDict)
    counts: OrderedDict[Key, Counts] = field(default_factory=OrderedDict)
    samples: OrderedDict[Key, Counts] = field(default_factory=OrderedDict)
    schedules: OrderedDict[Key, Scheduled] = field(default_factory=OrderedDict)
    steps: OrderedDict[tuple[int, Config, int], ProgramSteps] = field(default_factory=OrderedDict)
    outlines: OrderedDict[Key, Outline] = field(default_factory=OrderedDict)
    reuse: dict[tuple[int, Config, str], CacheReuse] = field(default_factory=dict)
    checked: dict[Key, messages.Checked] = field(default_factory=dict)
    measured: dict[Key, Measurement] = field(default_factory=dict)
    floors: dict[tuple[int, CacheMode], float] = field(default_factory=dict)
    entries: Entries = field(default_factory=_no_entries)
    targets: dict[CapturedLaunch, Any] = field(default_factory=dict)
    expected: tuple[list[Expected], tuple[Finding, ...]] | None = None
    may_print: bool | None = None

    def keep_replay(self, key: Key, prepared: PreparedReplay) -> None:
        """Keep a prepared replay."""
        self.replays[key] = prepared
        _bound(self.replays, _REPLAYS)

    def keep_outcome(self, key: tuple[int, Config, str], outcome: CompileOutcome) -> None:
        """Keep what compiling gave."""
        self.outcomes[key] = outcome
        _bound(self.outcomes, _REPLAYS)

    def keep_hosted(self, key: tuple[CapturedLaunch, Config], made: Hosted) -> None:
        """Keep a launch as the host code makes it."""
        self.hosted[key] = made
        _bound(self.hosted, _HOSTED)

    def keep_counts(self, key: Key, counts: Counts) -> None:
        """Keep counters, which can be as large as the tensors.

        Those of a sample of programs are kept apart: nothing may be computed from them.
        """
        if counts.run.programs_counted is not None:
            self.samples = OrderedDict({key: counts})
            return
        self.samples.pop(key, None)
        self.counts[key] = counts
        _bound(self.counts, _COUNTS)
        while len(self.counts) > 1 and self._counts_bytes() > _COUNTS_BYTES:
            self.counts.popitem(last=False)

    def counts_to_show(self, key: Key) -> Counts | None:
        """Return counters for pictures: of all programs where there are such, else of a sample."""
        return self.counts.get(key) or self.samples.get(key)

    def keep_schedule(self, key: Key, scheduled: Scheduled) -> None:
        """Keep where and when the programs ran."""
        self.schedules[key] = scheduled
        _bound(self.schedules, _SCHEDULES)

    def keep_outline(self, key: Key, outline: Outline) -> None:
        """Keep accesses in outline: other targets' caches are followed over the same ones."""
        self.outlines[key] = outline
        _bound(self.outlines, _OUTLINES)

    def keep_steps(self, key: tuple[int, Config, int], steps: ProgramSteps) -> None:
        """Keep the steps of one program: stepping back and forth asks for the same ones."""
        self.steps[key] = steps
        _bound(self.steps, _STEPS)
        while len(self.steps) > 1 and self._steps_bytes() > _STEPS_BYTES:
            self.steps.popitem(last=False)

    def _steps_bytes(self) -> int:
        return sum(steps.elements.nbytes for steps in self.steps.values())

    def _counts_bytes(self) -> int:
        return sum(counts.nbytes for counts in self.counts.values())

    def working_set(self, launch: CapturedLaunch) -> WorkingSet:
        """Return the working copies that all replays of `launch` share."""
        from playground.engine.replay import WorkingSet

        found = self.working.get(launch)
        if found is None:
            found = WorkingSet(launch.snapshot)
            self.working[launch] = found
            for dropped in _bound(self.working, _WORKING_SETS):
                # Their replays hold the copies; they are made again when asked for.
                self._drop(self.replays, dropped.info.index)
        else:
            self.working.move_to_end(launch)
        return found

    def forget(self, launch: CapturedLaunch) -> None:
        """Drop what was prepared for a launch: where its knobs enter is known better now."""
        for kept in (self.replays, self.outcomes, self.measured, self.counts, self.samples,
                     self.schedules, self.steps, self.outlines, self.reuse):  # fmt: skip
            self._drop(kept, launch.info.index)
        for made in [made for made in self.hosted if made[0] is launch]:
            del self.hosted[made]

    @staticmethod
    def _drop(kept: Any, index: int) -> None:
        for key in [key for key in kept if key[0] == index]:
            del kept[key]


def _bound(cache: OrderedDict[Any, Any], most: int) -> list[Any]:
    """Drop the entries used longest ago until `most` are left; return the keys dropped."""
    dropped = []
    while len(cache) > most:
        dropped.append(cache.popitem(last=False)[0])
    return dropped
