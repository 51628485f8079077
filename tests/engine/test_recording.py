"""Single accesses kept, against lists made by hand; the GPU's twin is in tests/gpu."""

import pytest

from tests.engine.coverage_parts import in_child
from tests.engine.recording_lists import check_recordings


def test_interpreted_programs_are_recorded_access_by_access(tmp_path):
    check_recordings(
        in_child(
            "from tests.engine import recorded_kernels\nanswer = recorded_kernels.facts()",
            interpret=True,
            tmp_path=tmp_path,
        )
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return in_child(
        """
from playground.engine.triton_private.stub_driver import activate_stub
activate_stub("cuda:90")
from playground.engine.triton_private import tracing
from playground.engine.triton_private.tracing_plan import (RECORD, COUNTING_MODES, Plan)
import torch
from tests.engine import recorded_kernels as kernels
x = torch.zeros(1024)
for modes in (RECORD, COUNTING_MODES):
    plan = Plan(0x7f0012340000, (4, 4), (), (), modes=modes)
    made = tracing.build(kernels.tiles, dict(a=x, out=x, M=5, N=7, step=10, BM=4, BN=4),
                         {"num_warps": 4, "num_stages": 1}, plan)
    answer[str(modes)] = [
        made.asm["ttir"].count("tt.atomic_rmw"), made.asm["ttir"].count("tt.store"),
        len(made.asm["cubin"]) > 0,
        [[list(item.shape), item.size, item.masked] for item in plan.accesses],
    ]
""",
        interpret=False,
        tmp_path=tmp_path_factory.mktemp("recording"),
    )


def test_a_recording_copy_counts_nothing_and_a_counting_copy_records_nothing(compiled):
    from playground.engine.triton_private import tracing_plan

    accesses = [[[4, 4], 4, True], [[4], 4, True]]
    # Per access the limit's count and a reservation, two words and the addresses; the kernel's own
    # store beside them.
    assert compiled[str(tracing_plan.RECORD)] == [2 * 2, 2 * 3 + 1, True, accesses]
    # Loads or stores and executions, a store's first and last program; the reduction's operations.
    assert compiled[str(tracing_plan.COUNTING_MODES)] == [2 * (1 + 1) + 2 + 1, 1, True, accesses]
