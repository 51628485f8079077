"""What is noted of host code's decisions, and that it decides as before."""

from __future__ import annotations

import ast

import pytest

from playground.engine import benchmarks, host_watch, run_notes

TEXT = """\
class K:
    def __getitem__(self, grid):
        return lambda *args: calls.append(args)
k, calls = K(), []

def launch(x):
    k[(1,)](x)

def early(x):
    if not x > 0:
        return 'torch'
    return launch(x)

def either(x):
    if x == 1:
        launch(x)
    else:
        return 'else'

def chosen(x):
    return launch(x) if x else 'no'

def neither(x):
    if x:
        y = 1
    else:
        y = 2
    launch(y)

def both(x):
    if x:
        launch(1)
    else:
        launch(2)

def caught():
    try:
        raise KeyError('gone')
    except Exception as error:
        return str(error)

def expected():
    try:
        import not_there
    except ImportError:
        return None
"""


@pytest.fixture
def module():
    tree = ast.parse(TEXT)
    host_watch.watch(tree, "host.py")
    namespace: dict = {}
    host_watch.attach(namespace)
    exec(compile(ast.fix_missing_locations(tree), "host.py", "exec"), namespace)
    host_watch.forget()
    return namespace


@pytest.mark.parametrize(
    ("call", "value", "noted"),
    [
        ("early(-1)", "torch", [(10, "not x > 0", True)]),
        ("early(1)", None, []),
        ("either(2)", "else", [(15, "x == 1", False)]),
        ("either(1)", None, []),
        ("chosen(0)", "no", [(21, "x", False)]),
        ("chosen(5)", None, []),
        ("neither(0)", None, []),
        ("both(0)", None, []),
    ],
)
def test_the_way_without_a_launch_is_noted(module, call, value, noted) -> None:
    assert eval(call, module) == value
    assert [(item.line, item.test, item.outcome) for item in host_watch.events] == noted
    assert len(module["calls"]) == (not noted)


def test_what_the_file_catches_by_itself_is_noted(module) -> None:
    assert module["caught"]() == "'gone'"
    assert module["expected"]() is None
    (event,) = host_watch.events
    assert (event.line, type(event.error)) == (39, KeyError)


def test_the_truth_of_a_test_is_asked_once(module) -> None:
    asked = []

    class Once:
        def __bool__(self):
            asked.append(1)
            return False

    module["chosen"](Once())
    assert asked == [1]


LOOPS = """\
import time

def timed(f, n):
    start = time.perf_counter()
    for _ in range(n):
        f()
    total = 0
    for i in range(n):
        total += i
    for i in range(n):
        f(i)
    return time.perf_counter() - start, total

def untimed(f, n):
    for _ in range(n):
        f()
"""


def test_loops_that_only_repeat_a_timed_call_go_round_once(tmp_path) -> None:
    tree = ast.parse(LOOPS)
    host_watch.watch(tree, "loops.py")
    namespace: dict = {}
    host_watch.attach(namespace)
    exec(compile(ast.fix_missing_locations(tree), "loops.py", "exec"), namespace)
    calls: list = []
    with run_notes.taking(run_notes.RunNotes()) as notes, benchmarks.skipped(benchmarks.Plan()):
        _, total = namespace["timed"](lambda *args: calls.append(args), 5)
        assert (len(calls), total) == (1 + 5, 10)
        namespace["untimed"](lambda: calls.append(()), 5)
        assert len(calls) == 11
    assert [finding.message for finding in notes.findings] == [
        "the timing loop went round once instead of 5 times"
    ]
    calls.clear()
    namespace["timed"](lambda *args: calls.append(args), 5)
    assert len(calls) == 10, "between runs nothing is left out"
