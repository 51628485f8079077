"""Why warps wait: the shares are of all states, the issuing one included."""

import pytest

from playground.model.nsight import Metric, NsightReport
from playground.model.stall_reasons import stalls


def test_reasons_are_ranked_and_shares_are_of_the_whole():
    found = stalls({"wait": 2.0, "long_scoreboard": 5.0, "selected": 1.0, "sleeping": 0.0})
    assert [(stall.reason, stall.cycles) for stall in found] == [
        ("long_scoreboard", 5.0), ("wait", 2.0),
    ]  # fmt: skip
    assert [stall.share for stall in found] == [5 / 8, 2 / 8]
    assert found[0].text() == "62% waiting for global memory (5.00 cycles)"


def test_a_reason_without_words_of_its_own_is_named_as_nvidia_does():
    (found,) = stalls({"some_new_unit": 1.0})
    assert (found.title, found.share) == ("some new unit", 1.0)
    assert found.meaning
    assert found.remedy


@pytest.mark.parametrize(
    ("idle", "said"),
    [("90", "one in 10% of all cycles, so the first"), ("10", "in 90% of all cycles, so the wait")],
)
def test_waiting_matters_where_the_scheduler_is_idle(idle, said):
    report = NsightReport(
        "k", (Metric("s", "No Eligible", idle, "%"),), stalls=stalls({"wait": 3, "selected": 1})
    )
    assert report.stall_text().startswith("Between two of its instructions a warp waits 3.0 cycles")
    assert said in report.stall_text()


def test_without_reasons_nothing_is_said():
    assert NsightReport("k", ()).stall_text() == ""
    assert NsightReport("k", (), stalls=stalls({"wait": 3})).stall_text().endswith("3.0 cycles.")
    assert stalls({}) == ()
