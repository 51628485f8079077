"""Findings from errors that a small kernel cannot provoke at will: a failing compiler pass."""

from playground.engine.compile_findings import Context, from_compile_error
from playground.engine.compile_messages import KernelRef, Order

ORDER = Order(KernelRef("case", "k", "/home/me/case.py", 3), (), (("num_warps", 4),), "cuda:90", 0)


def test_what_a_pass_printed_gives_line_and_words():
    printed = (
        'loc("/home/me/case.py":7:12): error: operation scheduled before its operands\n'
        "/home/me/case.py:9:1: error: a later one\n"
    )
    error = RuntimeError("PassManager::run failed")
    finding = from_compile_error(error, Context(ORDER, {}, printed))
    assert finding.line == 7
    assert "operation scheduled before its operands" in finding.message
    assert "PassManager::run failed" in finding.detail


def test_a_failure_without_a_place_is_on_the_kernels_line():
    finding = from_compile_error(RuntimeError("out of luck"), Context(ORDER, {}, ""))
    assert (finding.file, finding.line) == ("/home/me/case.py", 3)
    assert finding.message == "out of luck"


def test_a_bare_error_is_told_with_its_kind():
    finding = from_compile_error(KeyError("x"), Context(ORDER, {}, ""))
    assert finding.message == "KeyError: x"


def test_an_error_within_the_library_is_told_at_the_line_that_called_it(tmp_path):
    path = tmp_path / "case.py"
    path.write_text("def k(x):\n    y = 1\n    tl.store(x, tl.sum(y))\n")
    printed = (
        "/usr/lib/python3/site-packages/triton/language/standard.py:291:36: error: no such layout\n"
        f"{path}:3:17: note: called from\n"
        f"{path}:2:5: error: another\n"
    )
    finding = from_compile_error(
        RuntimeError("PassManager::run failed"), Context(ORDER, {}, printed)
    )
    assert (finding.file, finding.line, finding.column) == (str(path), 3, 16)
    assert finding.message == "no such layout"


def test_a_failing_pass_leaves_its_input_in_a_file():
    context = Context(ORDER, {}, "", {"ttir": "module {\n}\n"}, "ttgir", "/home/me/case.py")
    finding = from_compile_error(RuntimeError("PassManager::run failed"), context)
    _, _, path = finding.hint.partition("is kept in ")
    with open(path, encoding="utf-8") as file:
        assert file.read().endswith("module {\n}\n")


def test_wrong_launch_options_are_told_at_the_launch():
    order = Order(ORDER.kernel, (), (), "cuda:90", 0, called=21)
    context = Context(order, {}, "", path="/home/me/main.py")
    finding = from_compile_error(ValueError("num_warps must be a power of 2"), context)
    assert (finding.file, finding.line) == ("/home/me/main.py", 21)


def test_too_few_registers_name_the_knob_that_leaves_so_few():
    said = (
        "PTXAS error: (C7602) Insufficient registers (64) to compile instruction at line 9 in "
        "function k. Try to compile with register target of 90 or higher."
    )
    for options, hint in (
        ((("num_warps", 32),), "fewer warps have more registers each"),
        ((("num_warps", 4), ("maxnreg", 64)), "set maxnreg to 90 or more"),
    ):
        order = Order(ORDER.kernel, (), options, "cuda:90", 0)
        finding = from_compile_error(RuntimeError(f"ptxas: {said}"), Context(order, {}, ""))
        assert finding.message.endswith("the assembler (ptxas) needs at least 90")
        assert finding.hint.startswith(hint)
