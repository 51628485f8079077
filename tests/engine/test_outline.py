"""Accesses in outline, against all their addresses."""

import numpy as np
import torch

from playground.engine.counter_layout import Layout, StorageSlot
from playground.engine.outline import OutlineBuilder, runs_of
from tests.engine.coverage_parts import in_child

LAYOUT = Layout((StorageSlot(1024, 1 << 16, 4, False, 0, 1 << 14, "x"),), (), 1 << 14)
OFF = -1


def built(*batches, programs, shape_lanes=1 << 20):
    """Return the outline of batches of (order, program, addresses)."""
    builder = OutlineBuilder(LAYOUT, torch.device("cpu"), shape_lanes)
    for order, program, addresses in batches:
        sizes = np.full(len(order), 4)
        builder.add(np.array(order), np.array(program), sizes, torch.tensor(addresses))
    return builder.outline(programs)


def test_interpreted_launches_in_outline(tmp_path):
    told = in_child(
        "from tests.engine import outlined_kernels\nanswer = outlined_kernels.facts()",
        interpret=True,
        tmp_path=tmp_path,
    )
    assert sorted(told) == ["beyond", "gathered", "ragged", "scalars", "tiled"]
    assert not any(told.values())


def test_programs_followed_together_and_one_by_one_have_one_outline(tmp_path):
    told = in_child(
        """
from playground.engine.triton_private.tracing_interpreter import InterpreterCounter
from tests.engine import outlined_kernels
together = outlined_kernels.facts()
InterpreterCounter._follow = lambda *_, **__: None
answer["both"] = [together, outlined_kernels.facts()]
""",
        interpret=True,
        tmp_path=tmp_path,
    )["both"]
    assert len(told[0]) == len(told[1]) == 5
    assert not any([*told[0].values(), *told[1].values()])


def test_of_too_many_accesses_the_first_programs_are_kept(tmp_path):
    told = in_child(
        """
import torch
from playground.engine.job import Job
from playground.engine.outline import outlined
from playground.engine.triton_private import batched_outline, interpreter_outline
from playground.engine.triton_private.tracing_interpreter import InterpreterCounter
from tests.engine import outlined_kernels as kernels
from tests.engine.coverage_parts import captured, prepared
x = torch.zeros(13, 90)
call = lambda: kernels.ragged[(5, 3)](x, torch.empty_like(x), 13, 90, 90, BLOCK=32)
ready = prepared(captured(call)[-1])
whole = outlined(ready, Job())
batched_outline.MOST_ACCESSES = interpreter_outline.MOST_ACCESSES = 25
together = outlined(ready, Job())
InterpreterCounter._follow = lambda *_, **__: None
one_by_one = outlined(ready, Job())
answer["told"] = [
    [made.programs, len(made), made.line.tolist() == whole.line[:len(made)].tolist()]
    for made in (whole, together, one_by_one)
]
""",
        interpret=True,
        tmp_path=tmp_path,
    )["told"]
    # 15 programs make three loads and three stores each; 25 accesses are four programs and a part.
    whole, together, one_by_one = told
    assert whole == [15, 90, True]
    assert together == [3, 18, True]
    assert one_by_one == [4, 24, True]


def test_tiles_of_one_shape_share_it_wherever_they_lie():
    outline = built(
        ([0, 1, 2], [0, 0, 1], [[1024, 1028, 1280, OFF], [2048, 2052, 2304, OFF],
                                [1028, 1032, 1284, OFF]]),
        programs=2,
    )  # fmt: skip
    assert outline.shape.tolist() == [1, 1, 1]
    assert outline.line.tolist() == [8, 16, 8]
    assert outline.least.tolist() == [1024, 2048, 1028]
    assert outline.requested_bytes.tolist() == [12, 12, 12]
    assert [run.tolist() for run in outline.shapes[1]] == [[0, 2], [1, 1]]


def test_lanes_that_are_off_or_in_no_storage_touch_nothing():
    outline = built(([0, 1], [0, 0], [[OFF, OFF], [1020, 1024 + (1 << 16) - 4]]), programs=1)
    assert outline.shape.tolist() == [0, 1]
    assert outline.least.tolist() == [-1, 1024 + (1 << 16) - 4]
    assert outline.requested_bytes.tolist() == [0, 4]
    half_in = built(([0], [0], [[1024 + (1 << 16) - 2]]), programs=1)
    assert half_in.requested_bytes.tolist() == [0]


def test_programs_come_one_after_the_other_each_in_its_own_order():
    outline = built(
        ([3, 1], [0, 1], [[1024], [1152]]), ([0, 2], [1, 0], [[1280, 1284], [1408, 1412]]),
        programs=2,
    )  # fmt: skip
    assert outline.program.tolist() == [0, 0, 1, 1]
    assert outline.line.tolist() == [11, 8, 10, 9]


def test_where_each_access_has_its_own_shape_later_programs_are_left_out():
    rows = [[1024, 1024 + 128 * (program + 1)] for program in range(10)]
    outline = built((list(range(10)), list(range(10)), rows), programs=10, shape_lanes=6)
    assert outline.programs == 3
    assert outline.program.tolist() == [0, 1, 2]
    assert len(built((list(range(10)), list(range(10)), rows), programs=10)) == 10


def test_lines_become_runs_of_neighbours():
    starts, lengths = runs_of(np.array([0, 1, 2, 7, 9, 10]))
    assert starts.tolist() == [0, 7, 9]
    assert lengths.tolist() == [3, 1, 2]
