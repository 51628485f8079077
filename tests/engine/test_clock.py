"""A clock that goes back, as one set by hand does, changes nothing: durations have another one."""

import re
from pathlib import Path

import playground


def test_a_run_a_replay_and_a_measurement_with_the_clock_going_backwards(run_engine):
    got = run_engine(
        """
import itertools, time
hours = itertools.count()
time.time = lambda: 2e9 - 3600.0 * next(hours)
from playground.engine.session import Session
play = Session()
play.load(KERNELS / "vector_add.py")
elapsed = play.run().elapsed_ms
checked = play.check(0, BLOCK_SIZE=256).result.status
measured = play.bench(0, BLOCK_SIZE=256)
asked = next(hours)
play.close()
answer({"elapsed": elapsed, "checked": checked, "samples": list(measured.samples_ms)})
"""
    )
    assert 0 < got["elapsed"] < 120_000
    assert got["checked"] == "correct"
    assert all(0 < sample < 60_000 for sample in got["samples"])


def test_only_what_people_read_as_a_time_of_day_asks_the_clock():
    folder = Path(playground.__file__).parent
    asking = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"\btime\.time\(\)", path.read_text())
    }
    assert asking <= {"engine/sweep_store.py", "ui/unsaved.py"}
