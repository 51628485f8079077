"""Memory beyond the limit is refused in words, and the process lives."""

import resource

from playground.engine import memory_limit


def test_a_hungry_driver_is_refused_on_its_line_and_the_next_run_works(run_engine):
    got = run_engine(
        """
import os
os.environ["PLAYGROUND_MEMORY_LIMIT_MB"] = "3000"
from playground.engine import memory_limit
memory_limit.apply()
from playground.engine.session import Session
play = Session()
said = []
for text in (
    "import torch\\nkept = []\\nwhile True:\\n    kept.append(torch.ones(1 << 26))\\n",
    "kept = []\\nwhile True:\\n    kept.append(bytearray(1 << 27))\\n",
    "import numpy as np\\nx = np.ones(1 << 34)\\n",
):
    play.load(write("hungry.py", text))
    (found,) = [f for f in play.run().findings if f.severity == "error"]
    said.append([found.line, found.message, found.hint])
play.load(KERNELS / "vector_add.py")
launches = len(play.run().launches)
play.close()
answer({"said": said, "launches": launches})
"""
    )
    for (line, message, hint), at in zip(got["said"], (4, 3, 2), strict=True):
        assert line == at
        assert message == "this wants more memory than the 3.1 GB that the engine may have"
        assert "smaller problem size" in hint
    assert got["launches"] == 1


def test_the_limit_is_below_what_the_machine_has(monkeypatch):
    whole = memory_limit.machine_bytes()
    monkeypatch.delenv("PLAYGROUND_MEMORY_LIMIT_MB", raising=False)
    assert 0.5 * whole < memory_limit.limit_bytes() < whole
    monkeypatch.setenv("PLAYGROUND_MEMORY_LIMIT_MB", "0")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    memory_limit.apply()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
