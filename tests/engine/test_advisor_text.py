"""What the advisor reads out of a kernel's text, and what it changes in it: no engine needed."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace

import pytest

from playground.engine.advisor import costs, rewrites
from playground.engine.advisor.kernel_text import KernelText, kernel_text
from playground.engine.advisor.trials import Trials
from playground.engine.job import Job
from playground.model import roofline
from playground.model.advice import edited
from playground.model.config import Config
from playground.model.coverage import AccessCount, TensorCoverage
from playground.model.finding import Finding
from playground.model.launch import Argument, TensorInfo
from playground.model.machine_code import LineCode, MachineCode
from playground.model.measurement import Measurement
from tests.engine.test_advisor_costs import CONFIG, facts, site

LOOPS = """
def k(x_ptr, y_ptr, n, D, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    first = pid // D
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    for turn in range(n):
        for step in tl.static_range(STEPS):
            total = tl.load(x_ptr + offsets)
            tl.debug_barrier()
    for step in tl.static_range(1, 9, 2):
        tl.store(y_ptr + offsets // D, total)
"""


def text_of(source: str) -> KernelText:
    found = kernel_text(textwrap.dedent(source).strip() + "\n", "k", 1)
    assert found is not None
    return found


def line_with(text: KernelText, part: str) -> int:
    return next(n for n, line in enumerate(text.source.split("\n"), 1) if part in line)


def test_unrolled_loops_hold_their_code_as_often_as_they_have_rounds() -> None:
    text = text_of(LOOPS)
    load, store = line_with(text, "tl.load"), line_with(text, "tl.store")
    assert text.unrolled_rounds(load, {"STEPS": 16}) == 16
    assert text.unrolled_rounds(store, {}) == 4  # 1, 3, 5, 7
    assert text.unrolled_rounds(load, {}) == 1  # STEPS is not known
    assert [text.is_unrolled(line) for line in (load, store)] == [False, True]
    # A program loads 5 * 16 times: the loop of 5 runs code that has 16 loads in it.
    looped = site(line=load, executions=80, programs_looked_at=1, lanes_looked_at=0)
    found = replace(facts(1, [looped]), text=text)
    assert found.times(load) == 80
    assert found.trips(load) == 80  # STEPS is not known
    wide = LineCode(load, (("wide memory", 16),))
    code = MachineCode(0, CONFIG, "cuda:90", (wide,), (("wide memory", 16),))
    stepped = replace(found, config=Config.of({"STEPS": 16}), code=code)
    assert stepped.trips(load) == 5
    assert costs.executed(stepped) == 80


def test_only_divisions_of_blocks_count() -> None:
    text = text_of(LOOPS)
    found = rewrites.run_time_divisors(replace(facts(), text=text))
    assert found == ({"D"}, line_with(text, "tl.store"))
    alone = text_of("def k(x_ptr, D):\n    row = tl.program_id(0) // D\n    tl.store(x_ptr, row)")
    assert rewrites.run_time_divisors(replace(facts(), text=alone)) is None


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("tl.store(x_ptr, n)\ntl.device_print('n', n)", "tl.store(x_ptr, n)"),
        ("if n < 0:\n    tl.device_print('n', n)\ntl.store(x_ptr, n)", "tl.store(x_ptr, n)"),
        ("if n < 0:\n    tl.device_print('n', n)\nelse:\n    tl.store(x_ptr, n)",
         "if n < 0:\n    pass\nelse:\n    tl.store(x_ptr, n)"),
        ("if n < 0:\n    n = 0\nelif n > 9:\n    tl.device_print('n', n)",
         "if n < 0:\n    n = 0\nelif n > 9:\n    pass"),
        ("for i in range(n):\n    tl.device_print('i', i)", "for i in range(n):\n    pass"),
        ("for i in range(n):\n    if i > 3:\n        tl.device_print('i', i)",
         "for i in range(n):\n    if i > 3:\n        pass"),
    ],
)  # fmt: skip
def test_a_statement_taken_out_leaves_a_file_that_runs(body: str, after: str) -> None:
    text = text_of("def k(x_ptr, n):\n" + textwrap.indent(body, "    "))
    call = next(text.calls("device_print"))
    attempt = rewrites.removed_statement(replace(facts(), text=text), call)
    assert attempt is not None
    changed = edited(text.source, attempt.edits)
    wanted = "def k(x_ptr, n):\n" + textwrap.indent(after, "    ")
    assert ast.dump(ast.parse(changed)) == ast.dump(ast.parse(wanted))


def timed(share: float):
    """Return facts of a launch that stands at a share of the roof."""
    found = facts(sites=[site()])
    assert found.coverage is not None
    assert found.ceilings is not None
    floor = roofline.standing(found.coverage, found.ceilings).floor_ms
    measured = Measurement(0, CONFIG, (floor / share,) * 5, "cupti", "cold")
    standing = roofline.standing(found.coverage, found.ceilings, measured)
    return replace(found, measurement=measured, standing=standing)


@pytest.mark.parametrize(("share", "looks"), [(0.5, True), (0.89, True), (0.95, False)])
def test_nothing_is_looked_at_where_nothing_is_left_to_gain(share, looks, monkeypatch) -> None:
    trials = Trials(None, timed(share), Job())  # type: ignore[arg-type]
    looked = []
    monkeypatch.setattr(trials, "predicted", looked.append)
    monkeypatch.setattr(trials, "_compile_ahead", lambda _: None)
    attempt = rewrites.Try("BLOCK=2048", (("BLOCK", 2048),))
    assert trials.best([attempt]) is None
    assert bool(looked) is looks
    trials.best([attempt], same_roof=False)
    assert looked[-1] is attempt


def test_products_that_wait_take_turns_with_all_other_instructions() -> None:
    told = Finding("hint", "compile", "the products of tl.dot (wgmma) run one after the other "
                   "instead of overlapping: a function is called between them")  # fmt: skip
    code = MachineCode(0, CONFIG, "cuda:90", (), (("integer", 5000),))
    flops = (("fp16", 2 * 1024**3),)
    free = facts(132, flops=flops, code=code)
    waiting = costs.costs(replace(free, findings=(told,)))
    beside = costs.costs(free)
    assert beside.time_ms == pytest.approx(max(beside.arithmetic_ms, beside.issue_ms))
    assert waiting.time_ms == pytest.approx(beside.arithmetic_ms + beside.issue_ms)


def test_an_atomic_is_alone_by_the_counts_of_all_programs_not_by_a_sample() -> None:
    from playground.engine.advisor import atomics

    def found(most: int):
        place = site(kind="atomic", tensors=("out",), sampled=True)
        base = facts(sites=[place])
        assert base.coverage is not None
        tensor = TensorCoverage("out", (1 << 20,), "int32", 1 << 20, AccessCount(1, 1, 1),
                                AccessCount(1, 1, most), 0, 0, 0)  # fmt: skip
        return replace(base, coverage=replace(base.coverage, tensors=(tensor,))), place

    assert atomics._is_alone(*found(1))
    assert not atomics._is_alone(*found(2))


def wide(elements: int, source: str):
    """Return facts of a launch on one tensor of so many elements, without memory for it."""
    base = replace(facts(), text=text_of(source))
    tensor = TensorInfo((elements,), "float32", (1,), 4, 0, 0, 4 * elements, 16, "cuda:0")
    argument = Argument("x_ptr", "tensor", "", tensor)
    return replace(base, launch=replace(base.launch, arguments=(argument,)))


def test_offsets_of_32_bits_into_more_than_they_reach_are_a_slip() -> None:
    from playground.engine.advisor import mistakes

    plain = "def k(x_ptr, B):\n    tl.store(x_ptr + tl.program_id(0) * B + tl.arange(0, 64), 0)"
    told = mistakes._wide_offsets(wide((1 << 31) + 1, plain))
    assert told is not None
    assert (told.cause, told.topic) == ("int32-offset", "slips")
    assert "to(tl.int64)" in told.remedy
    assert told.evidence[0].value == 1 << 31  # the last element's offset, from 0
    # One element less is reached, and so is any with the cast.
    assert mistakes._wide_offsets(wide(1 << 31, plain)) is None
    cast = plain.replace("program_id(0)", "program_id(0).to(tl.int64)")
    assert mistakes._wide_offsets(wide(1 << 33, cast)) is None
