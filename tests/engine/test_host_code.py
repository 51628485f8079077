"""Host code runs again with single values replaced, and the slice of a launch's argument."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from playground.engine import bound, host_code
from playground.engine.flow import Flow
from playground.engine.host_code import Place

HOST = """\
from dataclasses import dataclass
BLOCK = 64
class K:
    def __getitem__(self, grid):
        return lambda *args, **kwargs: calls.append((grid, args, kwargs))
k, calls = K(), []

def by_default(n, size=128):
    "A docstring."
    k[(n // size,)](n, size)

def by_name(n):
    A, B = 32, 16
    meta = {"A": 8, "other": 1}
    k[(n // A, n // B)](n, A=A, B=B)
    k[(n // meta["A"],)](n, **meta)

def by_module(n):
    k[(n // BLOCK,)](n, BLOCK=BLOCK)

@dataclass
class Config:
    block: int = 32

class Launcher:
    def __init__(self, config):
        self.half = config.block // 2
    def __call__(self, n):
        for stage in (1, 2):
            k[(n // self.half,)](n, HALF=self.half, STAGE=stage)

def through(n):
    return Launcher(Config())(n)

def padded(n):
    size = power(n)
    k[(1,)](n, SIZE=size)

def power(n):
    return 1 << (n - 1).bit_length()
"""

PATH = "/nowhere/host.py"


def run(function: str, edits: list[tuple[Place, Any]]) -> list[Any]:
    namespace: dict[str, Any] = {"__name__": "host"}
    with host_code.edited(edits):
        exec(host_code.compiled(HOST, PATH), namespace)
    namespace[function](256)
    return namespace["calls"]


@pytest.fixture
def flow() -> Flow:
    return Flow({PATH: HOST})


def literal(flow: Flow, line: int, parameters: tuple[str, ...], name: str, value: object) -> Place:
    """Return the one literal of that value in the slice of what a launch passes."""
    call = flow.launch_call(PATH, line, parameters)
    assert call is not None
    found = [
        place
        for place, held in flow.of_parameter(call, name).literals.items()
        if type(held) is type(value) and held == value
    ]
    assert len(found) == 1, found
    return found[0]


def test_a_value_is_replaced_where_it_enters(flow: Flow) -> None:
    size = literal(flow, 10, ("n", "SIZE"), "SIZE", 128)
    assert run("by_default", [(size, 64)]) == [((4,), (256, 64), {})]
    a = literal(flow, 15, ("n", "A", "B"), "A", 32)
    b = literal(flow, 15, ("n", "A", "B"), "B", 16)
    assert run("by_name", [(a, 64), (b, 8)])[0] == ((4, 32), (256,), {"A": 64, "B": 8})
    key = literal(flow, 16, ("n", "A"), "A", 8)
    assert run("by_name", [(key, 4)])[1] == ((64,), (256,), {"A": 4, "other": 1})
    block = literal(flow, 19, ("n", "BLOCK"), "BLOCK", 64)
    assert run("by_module", [(block, 32)]) == [((8,), (256,), {"BLOCK": 32})]
    field = literal(flow, 30, ("n", "HALF", "STAGE"), "HALF", 32)
    assert field.line == 23
    assert run("through", [(field, 64)])[0] == ((8,), (256,), {"HALF": 32, "STAGE": 1})
    # Nothing of it lasts.
    assert run("by_default", []) == [((2,), (256, 128), {})]
    assert run("by_name", [])[0] == ((8, 16), (256,), {"A": 32, "B": 16})


def test_names_are_bound_anew_where_no_number_is_written(flow: Flow) -> None:
    call = flow.launch_call(PATH, 10, ("n", "SIZE"))
    kinds = {place.kind: place for place in flow.aliases(call, "SIZE")}
    assert run("by_default", [(kinds["parameter"], 32)]) == [((8,), (256, 32), {})]
    loop = next(
        place
        for place in flow.aliases(flow.launch_call(PATH, 30, ("n", "HALF", "STAGE")), "STAGE")
        if place.kind == "loop"
    )
    assert [call[2]["STAGE"] for call in run("through", [(loop, 7)])] == [7, 7]
    padded = flow.launch_call(PATH, 37, ("n", "SIZE"))
    lines = {place.line for place in flow.aliases(padded, "SIZE")}
    assert lines == {36, 40}  # the assignment, and what `power` returns


def test_values_of_every_kind_can_be_put_in(flow: Flow) -> None:
    import triton.language as tl

    size = literal(flow, 10, ("n", "SIZE"), "SIZE", 128)
    for value in (True, -1, "text", 0.5, tl.float16):
        namespace: dict[str, Any] = {}
        with host_code.edited([(size, value)]):
            exec(host_code.compiled(HOST, PATH), namespace)
        assert namespace["by_default"].__defaults__ == (value,)


def test_what_else_depends_on_a_value_is_known(flow: Flow) -> None:
    def shared(line: int, parameters: tuple[str, ...], name: str) -> bool:
        call = flow.launch_call(PATH, line, parameters)
        assert call is not None
        own = flow.of_parameter(call, name).places
        return bool(own & flow.of_others(call, name, parameters).places)

    assert shared(10, ("n", "SIZE"), "SIZE")  # the grid is made of it
    assert shared(15, ("n", "A", "B"), "A")
    assert not shared(30, ("n", "HALF", "STAGE"), "STAGE")


def test_a_callable_grid_asks_for_the_launch_s_own_values() -> None:
    text = (
        "def run(x, n, BLOCK=64):\n"
        "    grid = lambda meta: (cdiv(n, meta['BLOCK']),)\n"
        "    k[grid](x, n, BLOCK=BLOCK)\n"
        "    other = lambda meta: (cdiv(n, BLOCK),)\n"
        "    k[other](x, n, BLOCK=BLOCK)\n"
    )
    flow = Flow({"/f.py": text})
    found = []
    for line in (3, 5):
        call = flow.launch_call("/f.py", line, ("x", "n", "BLOCK"))
        assert call is not None
        own = flow.of_parameter(call, "BLOCK").places
        found.append(bool(own & flow.of_others(call, "BLOCK", ("x", "n", "BLOCK")).places))
    assert found == [False, True]


def test_the_origin_of_a_value_is_followed_through_single_names(flow: Flow) -> None:
    def origin(line: int, parameters: tuple[str, ...], name: str) -> str:
        call = flow.launch_call(PATH, line, parameters)
        assert call is not None
        found = flow.origin(call, name)
        return "" if found is None else ast.unparse(found[1])

    assert origin(37, ("n", "SIZE"), "SIZE") == "power(n)"
    assert origin(15, ("n", "A", "B"), "A") == "32"
    assert origin(30, ("n", "HALF", "STAGE"), "HALF") == "config.block // 2"


def test_which_expressions_only_ask_what_the_data_are() -> None:
    def expression(text: str) -> ast.expr:
        return ast.parse(text, mode="eval").body

    facts = ["x.shape[-1]", "x.size(0)", "x.dtype", "bias is not None", "n % 2 == 0", "len(xs)"]
    assert all(bound._is_fact(expression(text)) for text in facts)
    assert not any(bound._is_fact(expression(t)) for t in ("64", "pick(n)", "n // 2", "cfg.block"))
    pads = ["triton.next_power_of_2(n)", "1 << (n - 1).bit_length()", "max(16, next_power_of_2(n))"]
    assert all(bound._pads(expression(text)) for text in pads)
    limited = ["min(1024, triton.next_power_of_2(n))", "next_power_of_2(n) * 128", "n"]
    assert not any(bound._pads(expression(text)) for text in limited)


def test_lines_stay_where_they_are(tmp_path: Path) -> None:
    text = "def host(B=1):\n    x = B\n    raise ValueError('line 3')\n"
    flow = Flow({"/lines.py": "def f(): k[1](B=B)\n" + text})
    assert flow.launch_call("/lines.py", 2, ("B",)) is None
    place = Place("/lines.py", 1, 9, 1, 10, "parameter", "B")
    namespace: dict[str, Any] = {}
    with host_code.edited([(place, 5)]):
        exec(host_code.compiled(text, "/lines.py"), namespace)
    with pytest.raises(ValueError, match="line 3") as caught:
        namespace["host"]()
    assert caught.traceback[-1].lineno + 1 == 3
