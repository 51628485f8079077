"""Reading what Nsight Compute prints: figures, advice and stall reasons, and where it refuses."""

import sys

import pytest

from playground.engine import nsight

HEAD = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
    '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value",'
    '"Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"'
)
START = (
    '"0","4242","python3.12","127.0.0.1","add_kernel","1","7","(128, 1, 1)","(16384, 1, 1)","0",'
    '"9.0",'
)
STALLED = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
REASONS = {
    "barrier": "0", "dispatch_stall": "0.04", "drain": "1.93", "gmma": "0", "imc_miss": "0.31",
    "lg_throttle": "4.20", "long_scoreboard": "1,036.10", "selected": "1.00", "wait": "2.48",
}  # fmt: skip


def row(section, name, unit, value):
    return f'{START}"{section}","{name}","{unit}","{value}","","","","",""'


def told(section, text):
    return f'{START}"{section}","","","","CPIStall","OPT","{text}","global","61.2"'


def page(*rows):
    before = ["==PROF== Connected to process 4242 (/usr/bin/python3.12)", "some words of the file"]
    after = ["==PROF== Disconnected from process 4242"]
    return "\n".join([*before, HEAD, *rows, *after])


PAGE = page(
    row("GPU Speed Of Light Throughput", "Duration", "us", "49.31"),
    row("Warp State Statistics", "Warp Cycles Per Issued Instruction", "cycle", "1,046.06"),
    told("Warp State Statistics", "On average, each warp of this workload spends 1036.1 cycles"),
    row("Launch Statistics", "Registers Per Thread", "register/thread", "18"),
    *(row("Command line profiler metrics", STALLED.format(reason), "inst", value)
      for reason, value in REASONS.items()),
)  # fmt: skip


def test_figures_advice_and_reasons_are_told_apart():
    report = nsight.parse(PAGE)
    assert report.kernel == "add_kernel"
    assert [(item.name, item.number) for item in report.metrics] == [
        ("Duration", 49.31), ("Warp Cycles Per Issued Instruction", 1046.06),
        ("Registers Per Thread", 18),
    ]  # fmt: skip
    assert report.advice == ("On average, each warp of this workload spends 1036.1 cycles",)
    assert [(stall.reason, stall.cycles) for stall in report.stalls] == [
        ("long_scoreboard", 1036.1), ("lg_throttle", 4.2), ("wait", 2.48), ("drain", 1.93),
        ("imc_miss", 0.31), ("dispatch_stall", 0.04),
    ]  # fmt: skip
    assert report.stalls[0].share == pytest.approx(1036.1 / 1046.06)


def test_the_part_of_a_state_that_issued_nothing_is_not_counted_twice():
    more = "smsp__average_warps_issue_stalled_wait_not_issued_per_issue_active.ratio"
    report = nsight.parse(page(
        row("Command line profiler metrics", STALLED.format("wait"), "inst", "2"),
        row("Command line profiler metrics", more, "inst", "1"),
    ))  # fmt: skip
    assert [(stall.reason, stall.share) for stall in report.stalls] == [("wait", 1.0)]


def test_reasons_under_the_labels_of_their_section():
    report = nsight.parse(page(
        row("Warp State Statistics", "Stall Long Scoreboard", "inst", "3"),
        row("Warp State Statistics", "Stall Dispatch Stall", "inst", "0.5"),
        row("Warp State Statistics", "Stall IMC Miss", "inst", "0.25"),
        row("Warp State Statistics", "Selected", "inst", "1"),
    ))  # fmt: skip
    assert [(stall.reason, stall.cycles) for stall in report.stalls] == [
        ("long_scoreboard", 3), ("dispatch_stall", 0.5), ("imc_miss", 0.25),
    ]  # fmt: skip
    assert report.metrics == ()


def test_text_without_a_table_is_an_empty_report():
    assert nsight.parse("==ERROR== The application returned an error code (1).").metrics == ()


def test_every_reason_is_asked_for_by_one_pattern():
    line = nsight.command(["python", "x.py"])
    assert line[line.index("--metrics") + 1].startswith("regex:smsp__average_warps_issue_stalled_")
    assert "--metrics" not in nsight.command(["python", "x.py"], waits=False)


FAKE = """#!{python}
import pathlib, sys
arguments = sys.argv[1:]
pathlib.Path({calls!r}).open("a").write("x")
if "--metrics" in arguments and {refuse!r}:
    print({refuse!r})
    sys.exit(1)
pathlib.Path(arguments[arguments.index("--log-file") + 1]).write_text({page!r})
"""


@pytest.fixture
def fake_ncu(tmp_path, monkeypatch):
    """Return a function that puts a program called `ncu` on the PATH."""
    calls = tmp_path / "calls"

    def put(refuse="", said=PAGE):
        program = tmp_path / "ncu"
        program.write_text(
            FAKE.format(python=sys.executable, calls=str(calls), refuse=refuse, page=said)
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        return calls

    return put


def test_a_profile_is_one_run(fake_ncu):
    calls = fake_ncu()
    assert nsight.profile("x.py", []).stalls[0].reason == "long_scoreboard"
    assert calls.read_text() == "x"


def test_where_the_metrics_are_unknown_the_sections_are_taken_alone(fake_ncu):
    calls = fake_ncu("==ERROR== Failed to find metric regex:smsp__average", page(
        row("Launch Statistics", "Registers Per Thread", "register/thread", "18")
    ))  # fmt: skip
    report = nsight.profile("x.py", [])
    assert (report.value("Registers Per Thread"), report.stalls) == (18, ())
    assert calls.read_text() == "xx"


def test_counters_that_are_not_allowed_are_asked_for_once(fake_ncu):
    denied = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters"
    calls = fake_ncu(denied)
    with pytest.raises(nsight.NsightError, match="counters to administrators") as caught:
        nsight.profile("x.py", [])
    # The command stands once: in the note, or in the field or hint of its own beside the reason.
    assert "triton-playground replay x.py" not in str(caught.value)
    assert "triton-playground replay x.py" in caught.value.__notes__[0]
    assert calls.read_text() == "x"
