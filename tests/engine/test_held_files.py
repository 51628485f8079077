"""Several open files in one engine process: each answer is about the file that was asked about."""

from __future__ import annotations

import pytest

from tests.engine.conftest import RunEngine

FILES = '''
from playground.engine.held_files import HeldFiles, ReleasedError
from playground.engine import held_files
from playground.engine.session import Session

TEXT = """
    import torch, triton
    import triton.language as tl
    from scales import factor

    @triton.jit
    def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * {times}, mask=at < n)

    def example(n: int = {n}):
        x = torch.ones(n)
        out = torch.empty_like(x)
        scale[(triton.cdiv(n, 64),)](x, out, n, BLOCK=64)
        return out * factor()

    def later():
        import scales
        return scales.factor()
"""
import os
for name, factor in (("a", 10), ("b", 100)):
    os.makedirs(FOLDER / name, exist_ok=True)
    write(f"{name}/scales.py", f"def factor(): return {factor}")
A = write("a/one.py", TEXT.format(times=2, n=100))
B = write("b/one.py", TEXT.format(times=3, n=200))
first = Session()
files = HeldFiles(first, lambda: Session(first.device))

def run(number, path):
    session = files.take(number, runs=True)
    session.load(path)
    session.run()
    return session
'''


def test_two_files_of_the_same_names_keep_their_own_launches(run_engine: RunEngine) -> None:
    found = run_engine(
        FILES
        + """
run(1, A)
run(2, B)
told = []
for number in (1, 2, 1):
    session = files.take(number)
    replayed = session.replay(BLOCK=32)
    told.append([
        session.launches[0].info.argument("n").text if hasattr(session.launches[0].info, "argument")
        else next(a.text for a in session.launches[0].info.arguments if a.name == "n"),
        float(session.result[0]), replayed.check.status, session.namespace["later"](),
        "* 2" in session.text, replayed.compile_report is not None
        if hasattr(replayed, "compile_report") else True,
    ])
held = files.of(1).held_bytes(), files.of(2).held_bytes()
files.close()
answer({"told": told, "held": held})
"""
    )
    a, b = ["100", 20.0, "correct", 10, True, True], ["200", 300.0, "correct", 100, False, True]
    assert found["told"] == [a, b, a]
    # x and out, live and saved, float32, beside what a replay keeps of them.
    assert found["held"][0] >= 100 * 4 * 4
    assert found["held"][1] >= 200 * 4 * 4


def test_a_file_is_read_from_disk_while_another_one_imports_it(run_engine: RunEngine) -> None:
    found = run_engine(
        FILES
        + """
import linecache
session = run(1, A)
edited = session.text.replace("* 2", "* 7")
session.load(A, edited)
session.run()
seen = [linecache.getlines(A) != []]
here = "".join(linecache.getlines(A))
files.take(2, runs=True)
there = "".join(linecache.getlines(A))
files.take(1)
back = "".join(linecache.getlines(A))
files.close()
answer([["* 7" in text, "* 2" in text] for text in (here, there, back)])
"""
    )
    assert found == [[True, False], [False, True], [True, False]]


def test_files_are_let_go_when_room_is_wanted_and_a_run_takes_them_up_again(
    run_engine: RunEngine,
) -> None:
    found = run_engine(
        FILES
        + """
held_files.SHARE_HELD = 0.0
run(1, A)
run(2, B)
told = []
try:
    files.take(1)
except ReleasedError as error:
    told.append(str(error))
try:
    files.of(1)
except ReleasedError as error:
    told.append("released")
told.append(len(run(1, A).launches))
files.close_file(1)
try:
    files.of(1)
except LookupError as error:
    told.append(type(error).__name__)
told.append(files.current is first)
files.close()
answer(told)
"""
    )
    text = "the engine no longer holds this file's launches: run it again"
    assert found == [text, "released", 1, "LookupError", True]


@pytest.mark.parametrize("closed", [0, 1])
def test_any_file_can_be_closed_and_the_others_go_on(run_engine: RunEngine, closed: int) -> None:
    found = run_engine(
        FILES
        + f"""
run(0, A)
run(1, B)
files.close_file({closed})
session = files.take({1 - closed})
status = session.replay(BLOCK=32).check.status
ran = len(run({closed}, A).launches)
files.close()
answer([status, ran])
"""
    )
    assert found == ["correct", 1]
