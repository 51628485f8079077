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


def test_a_gpu_s_runs_are_read_whatever_their_room(tmp_path):
    # The GPU's part is played by a recording: it leaves what the recording copy would, in an order
    # of programs of its own, and no more of it than there is room for.
    told = in_child(
        """
import contextlib
from types import SimpleNamespace
import numpy as np
import torch
from playground.engine.job import Job
from playground.engine.outline import OutlineBuilder, outlined
from playground.engine.recording import record
from playground.engine.replay_layout import layout_for
from playground.engine.triton_private import tracing_outline
from playground.engine.triton_private.tracing_record import ACCESS_SHIFT, LANE_BITS
from tests.engine import outlined_kernels as kernels
from tests.engine.coverage_parts import captured, prepared

torch.cuda.device = lambda _: contextlib.nullcontext()

class Played(tracing_outline.GpuOutliner):
    def __init__(self, layout, ready):
        self.layout, self.device, self.runs = layout, torch.device("cpu"), 0
        count = ready.grid[0] * ready.grid[1] * ready.grid[2]
        self.recording = made = record(ready, range(count))
        kinds = {}
        self.kind = [
            kinds.setdefault((int(made.site[i]), made.shapes[made.shape[i]],
                              int(made.element_size[i])), len(kinds))
            for i in range(len(made))
        ]
        self.copy = SimpleNamespace(
            accesses=[SimpleNamespace(site=s, shape=shape, size=z) for s, shape, z in kinds])

    def _compile_beside(self, *_):
        pass

    def _free_bytes(self):
        return 1 << 40

    def _run_into(self, ready, programs, room, *_):
        self.runs += 1
        made, place, events = self.recording, 0, 0
        room.events.fill_(-1)
        for program in sorted(programs, key=lambda number: (number % 3, -number)):
            for i in made.of_program(program):
                lanes = int(made.lanes[i])
                if place + lanes <= len(room.lanes) and events < len(room.events):
                    row = torch.full((lanes,), -1, dtype=torch.int64)
                    mine = slice(made.offsets[i], made.offsets[i + 1])
                    row[torch.from_numpy(made.lane[mine].astype(np.int64))] = torch.from_numpy(
                        made.addresses[mine].astype(np.int64))
                    room.lanes[place : place + lanes] = row
                    room.events[events, 0] = program | (self.kind[i] << ACCESS_SHIFT)
                    room.events[events, 1] = place
                place, events = place + lanes, events + 1
        room.cursor[0] = place | (events << LANE_BITS)

x, y = torch.zeros(13, 100), torch.empty(13, 90)
wide = torch.zeros(40, 72)
for name, call in (
    ("ragged", lambda: kernels.ragged[(5, 3)](x, y, 13, 90, 100, BLOCK=32)),
    ("tiled", lambda: kernels.tiled[(3, 5)](wide, torch.empty_like(wide), 40, 72, ROWS=16,
                                            COLUMNS=16)),
    ("uneven", lambda: kernels.scalars[(4,)](x.view(-1), x.view(-1), 97)),
):
    ready = prepared(captured(call)[-1])
    expected = outlined(ready, Job())
    layout = layout_for(ready)
    for most in (1 << 20, 1100, 600):
        tracing_outline.LANES_A_RUN = tracing_outline._FEWEST_LANES = most
        played = Played(layout, ready)
        builder = OutlineBuilder(layout, played.device)
        found = builder.outline(played.outline_into(builder, ready, Job()))

        def lines(made, i):
            shape = made.shapes[made.shape[i]]
            return [made.line[i] + shape.starts, shape.lengths]

        same = len(found) == len(expected) and found.programs == expected.programs and all(
            (getattr(found, column) == getattr(expected, column)).all()
            for column in ("program", "line", "least", "requested_bytes")
        ) and all(
            (a == b).all()
            for i in range(len(found))
            for a, b in zip(lines(found, i), lines(expected, i))
        )
        answer[f"{name} {most}"] = [bool(same), played.runs]
""",
        interpret=True,
        tmp_path=tmp_path,
    )
    assert [name for name, (same, _) in told.items() if not same] == []
    assert len(told) == 9
    # One run to learn how much a program takes, and one for all: or several, with less room.
    assert told["ragged 1048576"][1] == 2
    assert told["ragged 600"][1] > 4


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
