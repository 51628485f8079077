"""Compiling the last run's launch from a text that was edited since."""

import dataclasses
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from playground.engine.compile_edited import KernelGoneError, moved
from playground.engine.compile_messages import KernelRef, Order
from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]
RAN = """
import torch
import triton
import triton.language as tl


@triton.jit
def double(v):
    return v * 2


@triton.jit
def kernel(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, double(i), mask=i < n)


def example():
    kernel[(1,)](torch.zeros(64), 3, 32)
"""

SCRIPT = """
import dataclasses, json, sys, threading, time
from playground.engine.job import CancelledError, Job
from playground.engine.session import Session
from playground.protocol import messages

session = Session()
path, ran, texts = json.loads(sys.stdin.read())
session.load(path, ran)
session.run("example()")
launch = session.launches[0]
report = session.compile(0).report
found = []
for text in texts:
    request = messages.CompileEdited(0, launch.info.config, None, text)
    started = time.perf_counter()
    later = session.edited.later(session, request, Job())
    asked_ms = 1e3 * (time.perf_counter() - started)
    edited = later.work()
    found.append({
        "findings": [dataclasses.asdict(item) for item in edited.findings],
        "registers": edited.report and edited.report.registers,
        "same_text": edited.text == text, "asked_ms": asked_ms,
        "took_ms": 1e3 * (time.perf_counter() - started),
    })
# A newer text comes while an older one is being compiled.
old, new = Job(), Job()
slow = session.edited.later(session, messages.CompileEdited(
    0, launch.info.config, None, texts[0] + "\\nimport time; time.sleep(5)\\n"), old)
cancelled = []
def work():
    try:
        slow.work()
    except CancelledError:
        cancelled.append(time.perf_counter())
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.3)
asked = time.perf_counter()
old.cancel()
thread.join()
# Texts that never come to an end keep no worker for long.
for number in range(3):
    endless = Job()
    hung = session.edited.later(session, messages.CompileEdited(
        0, launch.info.config, None, texts[0] + f"\\nwhile {number + 1}: pass\\n"), endless)
    threading.Timer(0.5, endless.cancel).start()
    try:
        hung.work()
    except CancelledError:
        pass
started = time.perf_counter()
after = session.edited.later(
    session, messages.CompileEdited(0, launch.info.config, None, texts[2]), Job()).work()
print(json.dumps({
    "after_s": time.perf_counter() - started, "after": len(after.findings),
    "found": found, "stopped_ms": 1e3 * (cancelled[0] - asked), "registers": report.registers,
    "workers": session.compiler.workers,
}))
session.close()
"""

TEXTS = {
    "the same text": RAN,
    "two lines above": "#\n#\n" + RAN,
    "a broken line": RAN.replace("mask=i < n", "mask=i < m"),
    "broken, two lines below": ("#\n#\n" + RAN).replace("mask=i < n", "mask=i < m"),
    "a renamed parameter": RAN.replace("n, B: tl", "count, B: tl").replace("i < n", "i < count"),
    "one parameter more": RAN.replace("x, n, B", "x, n, y, B"),
    "one with a default": RAN.replace("B: tl.constexpr", "B: tl.constexpr, C: tl.constexpr = 2"),
    "the kernel is gone": RAN.replace("def kernel", "def other"),
    "fails when imported": RAN + "\nraise RuntimeError('not here')\n",
    "a broken helper": RAN.replace("v * 2", "v * w"),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    path = tmp_path_factory.mktemp("edited") / "case.py"
    path.write_text(RAN)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, cwd=ROOT, check=False,
        input=json.dumps([str(path), RAN, list(TEXTS.values())]),
        env=child_environment(interpret=True),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    answer["found"] = dict(zip(TEXTS, answer["found"], strict=True))
    return answer


def line_in(name, part):
    return next(n for n, text in enumerate(TEXTS[name].splitlines(), 1) if part in text)


def test_a_text_that_compiles_has_a_report_and_no_finding(answers):
    for name in ("the same text", "two lines above", "a renamed parameter", "one with a default"):
        found = answers["found"][name]
        assert found["findings"] == [], name
        assert found["registers"] == answers["registers"], name
        assert found["same_text"]


def test_an_error_is_on_its_line_of_the_edited_text(answers):
    for name in ("a broken line", "broken, two lines below"):
        (finding,) = answers["found"][name]["findings"]
        assert finding["line"] == line_in(name, "i < m")
        assert finding["column"] == TEXTS[name].splitlines()[finding["line"] - 1].index("m)")
        assert "m is not defined" in finding["message"]
    (finding,) = answers["found"]["a broken helper"]["findings"]
    assert finding["line"] == line_in("a broken helper", "v * w")


def test_what_cannot_be_compiled_alone_says_nothing(answers):
    for name in ("one parameter more", "the kernel is gone"):
        assert answers["found"][name]["findings"] == []
        assert answers["found"][name]["registers"] is None


def test_a_file_that_fails_when_imported_still_compiles_what_it_defines(answers):
    assert answers["found"]["fails when imported"]["findings"] == []


def test_the_engine_waits_for_nothing_and_a_newer_text_stops_an_older_one(answers):
    later = list(answers["found"].values())[1:]
    assert max(found["asked_ms"] for found in later) < 50
    assert answers["stopped_ms"] < 1000
    assert answers["workers"] == 1  # the run's own worker keeps the text that ran


GIVEN = (("x", ("tensor",)), ("n", ("plain", 3)))


def test_a_text_that_never_ends_does_not_keep_the_next_one_waiting(answers):
    assert answers["after"] == 1
    assert answers["after_s"] < 30  # far below the limit of a compilation; mostly torch's import


def order(qualname="kernel", line=13, file="/f.py", arguments=GIVEN):
    return Order(KernelRef("m", qualname, file, line), arguments, (), "cuda:90", 0)


def test_functions_are_found_again_by_name_and_order():
    ran = "def kernel(x, n): pass\ndef make():\n    def kernel(x, n): pass\n    return kernel\n"
    text = "\n\n" + ran
    assert moved(order(line=1), "/f.py", ran, text).kernel.line == 3
    inner = order("make.<locals>.kernel", 3)
    assert moved(inner, "/f.py", ran, text).kernel.line == 5
    elsewhere = order(file="/other.py", line=7)
    assert moved(elsewhere, "/f.py", ran, text) == elsewhere
    twice = "if A:\n    def kernel(x, n): pass\nelse:\n    def kernel(x, n): pass\n"
    assert moved(order(line=4), "/f.py", twice, "\n" + twice).kernel.line == 5


def test_functions_among_the_arguments_move_too():
    ran = "def helper(v): pass\ndef kernel(f, n): pass\n"
    spec = ("tuple", (("function", KernelRef("m", "helper", "/f.py", 1)),))
    asked = order(line=2, arguments=(("f", spec), ("n", ("plain", 3))))
    made = moved(asked, "/f.py", ran, "\n" + ran)
    assert dataclasses.asdict(made)["arguments"][0][1][1][0][1]["line"] == 2


def test_arguments_nobody_gives_are_told():
    ran = textwrap.dedent("""
        def kernel(x, n): pass
    """)
    with pytest.raises(KernelGoneError, match="m, k"):
        moved(order(line=2), "/f.py", ran, ran.replace("n)", "n, m, k)"))
    fewer = moved(order(line=2), "/f.py", ran, ran.replace("x, n", "x"))
    assert [name for name, _ in fewer.arguments] == ["x"]
