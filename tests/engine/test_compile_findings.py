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
