"""Which clock is used, and reading Proton's tree; the clocks themselves need a GPU (tests/gpu)."""

import json

import pytest

from playground.engine.clocks import choice, cupti, events, proton
from playground.engine.clocks.work import NoRecordsError, Work

WORK = Work(lambda: None)


def kernel(name, time_ns, count=1):
    metrics = {"count": count, "device_id": "0", "device_type": "CUDA", "time (ns)": time_ns}
    return {"children": [], "frame": {"name": name, "type": "function"}, "metrics": metrics}


def scope(name, *children):
    frame = {"name": name, "type": "function"}
    return {"children": list(children), "frame": frame, "metrics": {}}


def tree(*scopes):
    """What Proton writes: the root with its children, and facts of the devices."""
    root = scope("ROOT", kernel("vectorized_elementwise_kernel<4, FillFunctor>", 52480, 3), *scopes)
    root["metrics"] = {"count": 0, "time (ns)": 0}
    device = {"arch": "90", "bus_width": 6144, "clock_rate": 1980000, "num_sms": 132}
    return json.loads(json.dumps([root, {"CUDA": {"0": device}}]))


def turn(number, *children):
    return scope(f"playground turn {number}", *children)


def test_each_turn_keeps_its_own_kernels():
    found = proton.by_turn(
        tree(turn(0, kernel("add_kernel", 2016)), turn(1, kernel("a", 1000), kernel("b", 500, 2))),
        2,
    )
    assert found == [[("add_kernel", 0.002016, 1)], [("a", 0.001, 1), ("b", 0.0005, 2)]]


def test_a_scope_of_the_expression_itself_is_looked_into():
    inner = scope("my part", kernel("gemm", 4000))
    assert proton.by_turn(tree(turn(0, inner)), 1) == [[("gemm", 0.004, 1)]]


def test_a_turn_that_is_missing_is_told():
    with pytest.raises(NoRecordsError, match="1 of 2 turns"):
        proton.by_turn(tree(turn(1, kernel("add_kernel", 2016))), 2)
    with pytest.raises(NoRecordsError, match="0 of 1 turns"):
        proton.by_turn([], 1)


@pytest.fixture
def recorded(monkeypatch):
    """Return a function that says what Proton's reader finds."""

    def put(*turns):
        monkeypatch.setattr(proton, "_records", lambda works, order: list(turns))

    return put


def test_launches_of_one_kernel_are_told_one_by_one(recorded):
    recorded([("k", 0.002, 1), ("fill", 1.0, 1)], [("k_0d1d", 0.003, 1)])
    assert proton.sample(WORK, 2, "k") == [0.002, 0.003]


def test_a_launch_without_its_record_is_no_sample(recorded):
    recorded([("k", 0.002, 1)], [("other", 0.003, 1)])
    with pytest.raises(NoRecordsError, match="recorded 1 of 2 launches of k"):
        proton.sample(WORK, 2, "k")


def test_the_kernels_of_a_turn_are_added(recorded):
    recorded([("a", 0.5, 1), ("b", 0.25, 2)], [("c", 2.0, 1)], [("a", 0.5, 2), ("b", 0.25, 1)])
    assert proton.turns([WORK, WORK], [0, 1, 0]) == [0.75, 2.0, 0.75]


def test_turns_without_kernels_or_with_others_are_refused(recorded):
    recorded([("a", 1.0, 1)], [])
    with pytest.raises(NoRecordsError, match="launches no kernel"):
        proton.turns([WORK], [0, 0])
    recorded([("a", 1.0, 1)], [("a", 1.0, 2)])
    with pytest.raises(NoRecordsError, match="other kernels"):
        proton.turns([WORK], [0, 0])


@pytest.fixture
def clocks(monkeypatch):
    """Stand-ins that say which clock was read; without torch's profiler until told otherwise."""
    monkeypatch.setattr(cupti, "available", lambda: False)
    for number, module in enumerate((cupti, proton, events)):
        monkeypatch.setattr(module, "turns", lambda works, order, n=number: [float(n)])
    yield monkeypatch
    choice.ask_for(None)


def test_proton_reads_where_torch_has_no_profiler(clocks):
    assert choice.turns([WORK], [0]) == choice.Turns([1.0], "proton")
    clocks.setattr(cupti, "available", lambda: True)
    assert choice.turns([WORK], [0]) == choice.Turns([0.0], "cupti")


def test_a_clock_that_is_asked_for_is_kept_to(clocks):
    clocks.setattr(cupti, "available", lambda: True)
    choice.ask_for("proton")
    assert (choice.reader(), choice.turns([WORK], [0]).times_ms) == ("proton", [1.0])
    choice.ask_for("events")
    assert choice.turns([WORK], [0]) == choice.Turns([2.0], "events")


def no_records(*_arguments):
    raise NoRecordsError("another tool holds CUPTI")


def test_event_pairs_take_over_with_a_note_but_not_for_a_reader_asked_for(clocks):
    clocks.setattr(proton, "turns", no_records)
    found = choice.turns([WORK], [0])
    assert (found.times_ms, found.source) == ([2.0], "events")
    assert "another tool holds CUPTI" in found.note
    choice.ask_for("proton")
    with pytest.raises(NoRecordsError):
        choice.turns([WORK], [0])


def test_a_clock_of_earlier_turns_is_kept_to(clocks):
    assert choice.turns([WORK], [0], "events").times_ms == [2.0]


def test_the_interpreter_has_no_other_clock(run_engine):
    answer = run_engine(
        """
        import playground
        session = playground.open(KERNELS / "vector_add.py")
        try:
            session.use_clock("proton")
        except ValueError as error:
            answer({"told": str(error)})
        session.close()
        """
    )
    assert "no GPU here" in answer["told"]
