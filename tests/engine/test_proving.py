"""The fastest configs on other inputs: what is right on the sweep's own may be wrong there."""

from __future__ import annotations

import pytest

FILE = """
path = write("k.py", '''
    import torch, triton, triton.language as tl

    @triton.jit
    def add_one(x, o, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(o + i, tl.load(x + i, i < n) + 1, i < n)

    @triton.jit
    def rows(x, o, n, WIDTH: tl.constexpr):
        i = tl.arange(0, WIDTH)
        at = tl.program_id(0) * n + i
        row = tl.load(x + at, i < n, 0.0)
        tl.store(o + at, row - tl.sum(row), i < n)

    def programs(meta):
        n, block = 256 + EXTRA, meta["B"]
        return (n // block if block == 128 else triton.cdiv(n, block),)  # 128 forgets the tail

    EXTRA = 0

    def example(n: int = 256, width: int = 32):
        global EXTRA
        EXTRA = n - 256
        if n == 265:
            raise ValueError("nine more are too many")
        x = torch.randn(n)
        o = torch.empty_like(x)
        add_one[programs](x, o, n, B=64)
        y = torch.randn(4, width)
        p = torch.empty_like(y)
        rows[(4,)](y, p, width, WIDTH=triton.next_power_of_2(width))
        return o, p

    def reference(n: int = 256, width: int = 32):
        return None
''')
import playground
from playground.engine.bench_messages import Prove
from playground.engine.job import Job
from playground.engine.proving import proved

session = playground.open(path)
session.run()

config = session.launches[0].info.config
configs = tuple(config.updated({"B": block}) for block in (32, 128, 64))
told = proved(session, 0, Prove(configs, 7, (("n", 257),), 60.0), Job())
quick = proved(session, 0, Prove(configs, 7, (("n", 257),), 0.0), Job())
plain = proved(session, 0, Prove(configs, 7), Job())
row = session.launches[1].info.config  # 32 columns; at 33 a row needs 64
dictated = proved(session, 1, Prove((row,), 7, (("width", 33),), 60.0), Job())
refused = proved(session, 0, Prove((config,), 7, (("n", 265),)), Job())
answer({
    "right": [c["B"] for c in told.right], "wrong": [[c["B"], why] for c, why in told.wrong],
    "at": told.at, "note": told.note, "quick": [c["B"] for c in quick.right],
    "plain": [[c["B"] for c in plain.right], plain.at],
    "dictated": [row["WIDTH"], len(dictated.right), dictated.wrong, dictated.at],
    "refused": [refused.at, len(refused.right)],
    "still": session.check().result.status,
})
session.close()
"""


@pytest.fixture(scope="module")
def answer(run_engine_once):
    """What came of the checks."""
    return run_engine_once(FILE)


def test_a_config_that_is_wrong_at_a_ragged_size_or_another_seed_is_found(answer):
    assert answer["right"] == [32, 64]
    ((block, why),) = answer["wrong"]
    assert block == 128
    assert why.startswith("at n=257 seed=7: ")
    assert (answer["at"], answer["note"]) == ("n=257 seed=7", "")
    assert answer["quick"] == [32]  # the best is always looked at
    assert answer["plain"] == [[32, 128, 64], "seed=7"]
    assert answer["still"] == "correct"


def test_what_the_inputs_dictate_stays_and_sizes_that_do_not_run_are_left_out(answer):
    assert answer["dictated"] == [32, 1, [], "width=33 seed=7"]
    assert answer["refused"] == ["seed=7", 1]
