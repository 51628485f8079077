"""The verb `debug`: stops by a script, prints, where an infinity comes from, differences."""

from pathlib import Path

from tests.cli.documents import check_document

FILE = Path(__file__).parents[1] / "engine" / "debugged_kernels.py"
LINES = FILE.read_text().splitlines()


def line(mark):
    """Return the line that ends with a comment."""
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(f"# {mark}"))


def test_a_script_steps_and_everything_is_in_one_document(call):
    call_line = line("the call")
    done = call(
        "debug", FILE, "--json", "--program", "1", "--break", f"{call_line} if k == 1",
        "--watch", "x.max()", "--do", "go; print x; next", "--prints", "--compare", "reference",
    )  # fmt: skip
    assert done.status == 1, done.err  # the reference is wrong on purpose
    check_document(done.document, "debug")
    found = done.document["debug"]
    assert (found["program"], found["grid"]) == (1, [2, 1, 1])
    first, printed, then = found["stops"]["rows"]
    assert (first["reason"], first["line"]) == ("breakpoint", call_line)
    assert first["rounds"] == [{"line": line("the loop"), "round": 1, "rounds": 2}]
    assert first["watches"][0]["text"] == "59"  # the last of 60 numbers
    # Program 1, second round: 48 to 59, the rest masked off.
    assert printed["values"] == [*map(float, range(48, 60)), 0.0, 0.0, 0.0, 0.0]
    assert then["reason"] == "step"
    assert [(row["program"], row["values"][0]) for row in found["prints"]["rows"]] == [(1, "160")]
    told = found["differences"]["tensors"][0]
    assert (told["tensor"], told["first"], told["got"], told["want"]) == ("out_ptr", [20], 176, 177)
    assert (told["program"], told["line"]) == (1, line("the store"))
    assert any(item["line"] == line("the store") for item in done.document["findings"])


def test_an_infinity_in_words(call):
    done = call("debug", FILE, "--launch", "1", "--hunt")
    assert f"stored by program 0 in line {line('stores the logarithm')}" in done.out
    assert "-inf" in done.out
    assert "y = tl.log(x)" in done.out


def test_a_script_that_no_step_could_follow_is_refused(call):
    done = call("debug", FILE, "--do", "go; jump 3")
    assert done.status == 2
    assert "'jump 3' is no command of --do - one of: go, step" in done.err
