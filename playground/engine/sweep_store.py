"""Every row of every sweep in one SQLite file: written as it comes, kept across crashes."""

from __future__ import annotations

import contextlib
import datetime
import json
import sqlite3
import threading
import time
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import platformdirs

from playground.model.sweep import SweepResult, SweepRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.model.config import Config

VERSION = 1
"""Of the tables; a file of a newer one is left to the newer program."""
_APPLICATION = 0x54504731  # "TPG1": what `file` and we know it by
_BUSY_S = 30.0

_TABLES = """
create table if not exists sweeps (
    number integer primary key autoincrement, context text not null, started real not null,
    ended real, state text not null, title text not null, facts text not null, result text
);
create index if not exists sweeps_by_context on sweeps (context, number);
create table if not exists rows (
    sweep integer not null references sweeps (number), config text not null, status text not null,
    median_ms real, row text not null, samples blob not null, at real not null,
    primary key (sweep, config)
) without rowid;
"""


@dataclass(frozen=True)
class StoredSweep:
    """A past sweep as the list shows it; times are seconds since 1970.

    `state` is `running` (or killed meanwhile), `cancelled` or `done`.
    """

    number: int
    title: str
    state: str
    started: float
    ended: float | None
    rows: int
    best_ms: float | None
    facts: dict[str, Any]


class StoreError(RuntimeError):
    """The file cannot be used, and could not be set aside either."""


def default_path() -> Path:
    """Return where the sweeps of this user are kept."""
    return (
        Path(platformdirs.user_data_path("triton-playground", appauthor=False)) / "sweeps.sqlite3"
    )


class SweepStore:
    """One writer at a time; others read meanwhile (write-ahead log).

    A file that is damaged, or of a newer version, is renamed and told of in `note`; a new one
    takes its place.

    Raises
    ------
    StoreError
        The folder cannot be written.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_path()
        self.note = ""
        self._lock = threading.Lock()
        self._last_s = 0.0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            why = self._why_unusable()
            if why:
                self._set_aside(why)
            self._database = self._connect()
            self._database.executescript(_TABLES)
            self._database.execute(f"pragma user_version = {VERSION}")
            self._database.execute(f"pragma application_id = {_APPLICATION}")
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{self.path} cannot be used: {error}") from error

    def begin(self, context: str, title: str, facts: dict[str, Any]) -> int:
        """Note that a sweep begins; return its number."""
        with self._lock:
            made = self._database.execute(
                "insert into sweeps (context, started, state, title, facts) values (?, ?, ?, ?, ?)",
                (context, time.time(), "running", title, json.dumps(facts)),
            )
            return int(made.lastrowid or 0)

    def begin_again(self, number: int) -> None:
        """Note that a sweep goes on."""
        with self._lock:
            self._database.execute(
                "update sweeps set state = 'running', ended = null where number = ?", (number,)
            )

    def add(self, number: int, row: SweepRow, samples_ms: tuple[float, ...]) -> None:
        """Keep a row with its samples; a later one of the same config takes its place."""
        values = (
            number, config_key(row.config), row.status, row.median_ms,
            json.dumps(msgspec.to_builtins(row)), array("d", samples_ms).tobytes(), self._now(),
        )  # fmt: skip
        with self._lock:
            self._database.execute(
                "insert or replace into rows (sweep, config, status, median_ms, row, samples, at) "
                "values (?, ?, ?, ?, ?, ?, ?)",
                values,
            )

    def _now(self) -> float:
        # Rows are told in the order measured, also when the clock was put back meanwhile.
        self._last_s = max(time.time(), self._last_s + 1e-3)
        return self._last_s

    def finish(self, number: int, result: SweepResult) -> None:
        """Note how a sweep ended; its rows are there already."""
        state = "cancelled" if result.cancelled else "done"
        told = msgspec.to_builtins(result)
        told["rows"] = []
        with self._lock:
            self._database.execute(
                "update sweeps set state = ?, ended = ?, result = ? where number = ?",
                (state, time.time(), json.dumps(told), number),
            )

    def latest(self, context: str) -> int | None:
        """Return the newest sweep of exactly this kernel, problem, device and method."""
        found = self._database.execute(
            "select number from sweeps where context = ? order by number desc limit 1", (context,)
        ).fetchone()
        return None if found is None else int(found[0])

    def rows(self, number: int) -> tuple[tuple[SweepRow, tuple[float, ...]], ...]:
        """Return the rows of a sweep in the order measured, with their raw samples in ms."""
        return tuple(
            (msgspec.convert(json.loads(row), SweepRow), tuple(array("d", samples)))
            for row, samples in self._database.execute(
                "select row, samples from rows where sweep = ? order by at", (number,)
            )
        )

    def sweeps(self) -> tuple[StoredSweep, ...]:
        """Return every past sweep, the newest first."""
        return tuple(
            StoredSweep(number, title, state, started, ended, rows, best, json.loads(facts))
            for number, title, state, started, ended, facts, rows, best in self._database.execute(
                "select number, title, state, started, ended, facts, "
                "(select count(*) from rows where sweep = number), "
                "(select min(median_ms) from rows where sweep = number and status = 'correct') "
                "from sweeps order by number desc"
            )
        )

    def open(self, number: int) -> SweepResult:
        """Return a past sweep as its result; raises `LookupError` when there is none of it."""
        found = self._database.execute(
            "select result, state, started, facts from sweeps where number = ?", (number,)
        ).fetchone()
        if found is None:
            raise LookupError(f"there is no sweep {number} in {self.path}")
        result, state, _, facts = found
        rows = tuple(row for row, _ in self.rows(number))
        if result is not None:
            told = {**json.loads(result), "rows": msgspec.to_builtins(rows), "store": number}
            return msgspec.convert(told, SweepResult)
        known = json.loads(facts)
        return SweepResult(
            known.get("launch", 0), known.get("target", ""), rows, len(rows), True, 0.0,
            f"it was interrupted ({state}); --resume finishes the rest", store=number,
        )  # fmt: skip

    def close(self) -> None:
        """Write back what lies in the log and close the file."""
        with self._lock:
            self._database.close()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(
            self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        database.execute("pragma journal_mode = wal")
        # A killed process loses nothing so; only a power cut may lose the last rows.
        database.execute("pragma synchronous = normal")
        return database

    def _why_unusable(self) -> str:
        if not self.path.exists() or self.path.stat().st_size == 0:
            return ""
        try:
            with contextlib.closing(self._connect()) as database:
                version = database.execute("pragma user_version").fetchone()[0]
                if version > VERSION:
                    return f"it is of version {version}, this program knows {VERSION}"
                answer = database.execute("pragma quick_check(1)").fetchone()[0]
                if answer != "ok":
                    return f"it is damaged ({answer})"
                database.executescript(_TABLES)
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise
            return f"it is damaged ({error})"
        except sqlite3.DatabaseError as error:
            return f"it is damaged ({error})"
        return ""

    def _set_aside(self, why: str) -> None:
        stamp = datetime.datetime.now(tz=datetime.UTC).strftime("%Y%m%d-%H%M%S-%f")
        for suffix in ("", "-wal", "-shm"):
            old = Path(f"{self.path}{suffix}")
            if old.exists():
                old.rename(f"{self.path}.aside-{stamp}{suffix}")
        self.note = f"{self.path} was set aside as {self.path.name}.aside-{stamp}: {why}"


def config_key(config: Config) -> str:
    """Return a config as the text it is looked up by."""
    return json.dumps(config.as_dict(), sort_keys=True)


@contextlib.contextmanager
def opened(path: Path | None = None) -> Iterator[SweepStore]:
    """Open the store and close it again."""
    store = SweepStore(path)
    try:
        yield store
    finally:
        store.close()
