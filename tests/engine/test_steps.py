"""The steps of single programs, against lists made by hand; the GPU's twin is in tests/gpu."""

import numpy as np

from playground.engine.counter_layout import Layout, StorageSlot, TensorView
from playground.engine.recording import RecordedSite, Recording
from playground.engine.steps import placed
from tests.engine.coverage_parts import in_child
from tests.engine.steps_lists import check_steps


def test_interpreted_programs_step_by_step(tmp_path):
    check_steps(
        in_child(
            "from tests.engine import stepping_kernels\nanswer = stepping_kernels.facts()",
            interpret=True,
            tmp_path=tmp_path,
        )
    )


def recording(*accesses, size=4):
    """Return a recording of one program whose accesses are lists of addresses, all at one site."""
    count = len(accesses)
    return Recording(
        programs=(0,), sites=(RecordedSite("load", "file.py", 3, 4),), shapes=((8,),),
        program=np.zeros(count, np.int32), site=np.zeros(count, np.int32),
        shape=np.zeros(count, np.int32), element_size=np.full(count, size, np.int32),
        lanes=np.full(count, 8, np.int32), outside=np.zeros(count, np.int32),
        offsets=np.cumsum([0, *(len(item) for item in accesses)]).astype(np.int64),
        addresses=np.array([a for item in accesses for a in item], np.uint64),
        lane=np.zeros(sum(len(item) for item in accesses), np.int32),
    )  # fmt: skip


# Two tensors of ten floats in one storage of 100 bytes at 1000, the second from byte 60.
TWO = Layout(
    (StorageSlot(1000, 100, 4, False, 0, 25, "x"),),
    (TensorView("x", (10,), (1,), 0, 0, "fp32", 4), TensorView("y", (10,), (1,), 15, 0, "fp32", 4)),
    25,
)


def test_an_access_that_no_tensor_holds_alone_is_a_step_for_each():
    steps = placed(recording([1036, 1040, 1060, 1064]), TWO)
    tensors, accesses, offsets, elements = (array.tolist() for array in steps)
    assert tensors == [-1, 0, 1]  # 1040 lies between the two
    assert accesses == [0, 0, 0]
    assert offsets == [0, 0, 1, 3]
    assert elements == [9, 0, 1]


def test_a_step_without_lanes_is_of_its_site_s_tensor():
    steps = placed(recording([1060], [], [1064, 1068]), TWO)
    tensors, accesses, offsets, elements = (array.tolist() for array in steps)
    assert tensors == [1, 1, 1]
    assert accesses == [0, 1, 2]
    assert offsets == [0, 1, 1, 3]
    assert elements == [0, 1, 2]


def test_nothing_at_all():
    steps = placed(recording(), TWO)
    assert [array.tolist() for array in steps] == [[], [], [0], []]


def test_a_session_tells_the_steps_and_keeps_them(run_engine):
    found = run_engine(
        """
        import playground
        from playground.engine.job import Job
        from playground.engine.server_jobs import JOBS, STAGES
        from playground.protocol import codec
        from playground.protocol.programs import GetSteps
        play = playground.open(KERNELS / "vector_add.py")
        play.run("example(size=1000)")
        config = play.launches[0].info.config
        request = GetSteps(0, config, 0)
        steps = JOBS[GetSteps](play, request, Job())
        again = JOBS[GetSteps](play, request, Job())
        names = [item.name for item in play.coverage().tensors]
        try:
            play.steps(program=10**6)
            wrong = None
        except IndexError as error:
            finding = play.finding(error, STAGES[GetSteps])
            wrong = [finding.severity, finding.stage, finding.message]
        block = config["BLOCK_SIZE"]
        answer([
            [names[tensor] for tensor in steps.tensors], steps.offsets.tolist(),
            steps.elements.tolist() == list(range(min(block, 1000))) * 3, steps is again,
            min(block, 1000), wrong,
        ])
        """
    )
    names, offsets, elements, kept, block, wrong = found
    assert names == ["x_ptr", "y_ptr", "out_ptr"]
    assert offsets == [0, block, 2 * block, 3 * block]
    assert elements
    assert kept
    assert wrong[:2] == ["error", "coverage"]
    assert "the grid has programs 0 to" in wrong[2]
