"""What a sweep knows so far: its rows, the best of each device, and who is told of a new row."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from playground.model.sweep import SweepPhases, SweepRow, timed_rows
from playground.protocol.messages import SweepProgress

if TYPE_CHECKING:
    from playground.engine.job import Job
    from playground.engine.sweep_record import SweepRecord
    from playground.model.config import Config
    from playground.model.search import Search


class Tally:
    """The rows of one sweep, kept as they come from the threads of several workers.

    Parameters
    ----------
    search
        Told of each config's time.
    total
        Configs to expect, None where the answers decide.
    record
        Where every row is kept on disk at once.

    `before_s` is how long the sweep had taken before it was cut off, if it goes on.
    """

    def __init__(
        self, search: Search, total: int | None, job: Job, record: SweepRecord | None
    ) -> None:
        self._search = search
        self.total = total
        self._job = job
        self._record = record
        self._lock = threading.Lock()
        self._rows: dict[Config, SweepRow] = {}
        self._samples: dict[Config, tuple[float, ...]] = {}
        self._scales: dict[str, float] = {}
        self._phases = SweepPhases()
        self.notes: list[str] = []
        self.excluded = 0
        self._started = time.monotonic()
        self._paused_before_s = job.paused_s  # while it swept another problem size
        self.before_s = 0.0
        self._tried = 0
        self._first_s: float | None = None

    def __contains__(self, config: object) -> bool:
        with self._lock:
            return config in self._rows

    def __getitem__(self, config: Config) -> SweepRow:
        with self._lock:
            return self._rows[config]

    def __len__(self) -> int:
        with self._lock:
            return len(self._rows)

    def rows(self) -> tuple[SweepRow, ...]:
        """Return every row in the order in which it came."""
        with self._lock:
            return tuple(self._rows.values())

    @property
    def elapsed_s(self) -> float:
        """Seconds since the sweep began, without those for which it was paused."""
        paused_s = self._job.paused_s - self._paused_before_s
        return time.monotonic() - self._started - paused_s

    @property
    def phases(self) -> SweepPhases:
        """Where the time went."""
        with self._lock:
            return self._phases

    def expected(self) -> int:
        """Return how many configs there will be, as far as is known."""
        with self._lock:
            return self._expected()

    def note(self, text: str) -> None:
        """Say something of the whole sweep, once."""
        with self._lock:
            if text and text not in self.notes:
                self.notes.append(text)

    def phase(self, **seconds: float) -> None:
        """Set how long a phase took."""
        with self._lock:
            self._phases = replace(self._phases, **seconds)

    def spent(self, check_s: float, screen_s: float) -> None:
        """Add what one config's check and timing took."""
        with self._lock:
            self._phases = replace(
                self._phases, check_s=self._phases.check_s + check_s,
                screen_s=self._phases.screen_s + screen_s,
            )  # fmt: skip

    # ------------------------------------------------------------------ devices

    def is_scaled(self, device: str) -> bool:
        """Tell whether the config that puts all devices on one scale was timed on this one."""
        with self._lock:
            return device in self._scales

    def set_scale(self, device: str, time_ms: float) -> None:
        """Take the time in ms, on a device, of the config that all are held against."""
        with self._lock:
            self._scales[device] = time_ms
            for config, row in self._rows.items():  # rows taken over from an earlier sweep
                self._rows[config] = self._scaled(row)

    def best_ms(self, device: str) -> float | None:
        """Return about how fast the best config so far is on a device, None when nobody knows."""
        with self._lock:
            timed = timed_rows(self._rows.values())
            here = [row for row in timed if row.device == device]
            scale = self._scales.get(device)
            if scale is not None and timed and timed[0].relative is not None:
                return timed[0].relative * scale
            return here[0].median_ms if here else None

    # ------------------------------------------------------------------ rows

    def add(self, row: SweepRow, samples_ms: tuple[float, ...] = (), *, tell: bool = True) -> None:
        """Take a new row, tell the search of it and send it."""
        if not row.kept:
            row = replace(row, at_s=self.before_s + self.elapsed_s)
        row = self.keep(row, samples_ms)
        with self._lock:
            if tell:
                self._search.tell(row.config, self._comparable_ms(row))
            done, total = len(self._rows), max(self._expected(), len(self._rows))
            if not row.kept and row.status != "constraint":
                self._tried += 1
            eta_s = self._eta_s(total - done)
        self._job.send(SweepProgress((row,), done, total, eta_s))

    def keep(self, row: SweepRow, samples_ms: tuple[float, ...] | None = None) -> SweepRow:
        """Take a row in place of what is known of its config, and keep it on disk.

        Without samples those that are known stay.
        """
        with self._lock:
            row = self._scaled(row)
            self._rows[row.config] = row
            if samples_ms is not None:
                self._samples[row.config] = samples_ms
            samples = self._samples.get(row.config, ())
        if self._record is not None and not row.kept:
            self._record.add(row, samples)
        return row

    # ------------------------------------------------------------------ inside

    def _eta_s(self, left: int) -> float | None:
        """Return about how long the rest takes, None where nothing says it yet.

        What cost no time tells nothing: rows kept from before, and configs that a condition rules
        out. Nor does what comes before the first config, once a second one was tried.
        """
        if not self._tried or left <= 0:
            return None
        now = self.elapsed_s
        if self._first_s is None:
            self._first_s = now
        if self._tried == 1:
            return now * left
        return (now - self._first_s) / (self._tried - 1) * left

    def _expected(self) -> int:
        return self.total if self.total is not None else len(self._rows)

    def _scaled(self, row: SweepRow) -> SweepRow:
        scale = self._scales.get(row.device)
        if scale is None or row.median_ms is None:
            return row
        return replace(row, relative=row.median_ms / scale)

    def _comparable_ms(self, row: SweepRow) -> float | None:
        """Return a row's time as on the first of the devices; None where it counts for nothing."""
        if row.status not in ("correct", "unjudged") or row.median_ms is None:
            return None
        if row.relative is None:
            return row.median_ms
        return row.relative * next(iter(self._scales.values()))
