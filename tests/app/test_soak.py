"""Random hands on the real window for a while; `tests/benchmarks/soak.py` goes on for hours."""

import random

from tests.app.conftest import kernels
from tests.benchmarks.soak import Soak


def test_random_actions_lose_nothing_and_answer_right(qapp, tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path / "config"))
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}: python -m tests.benchmarks.soak --actions 80 --seed {seed}")
    soak = Soak(tmp_path, seed)
    try:
        outcome = soak.run(80, 10.0)
    finally:
        soak.close()
        qapp.setStyleSheet("")
    assert outcome.faults == []
    assert outcome.answers > 0
    assert not kernels()
