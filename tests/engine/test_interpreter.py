"""The interpreter through the real `kernel[grid](...)`: memory, source, arguments, cancelling."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.child_environment import child_environment
from tests.engine.interpreted import ROOT, run_cases, value_of

CASES = (
    "arange_not_power_of_two",
    "missing_mask",
    "k_loop_without_mask",
    "float_argument",
    "chained_assignment",
    "masked_lanes",
    "docstring_with_def",
    "waiting_programs",
    "language_restored",
    "addresses_in_tensors",
    "returned_value",
    "observed",
    "device_context",
    "device_functions",
)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Any]:
    return run_cases(*CASES)


def line_of(case: str, text: str) -> int:
    lines = (ROOT / f"tests/engine/cases/{case}.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_an_arange_that_is_no_power_of_two_is_refused_on_its_line(outcomes):
    failed = outcomes["arange_not_power_of_two"]
    assert failed["error"] == "InterpreterError"
    assert failed["message"] == "arange's range must be a power of 2"
    where = f'arange_not_power_of_two.py", line {line_of("arange_not_power_of_two", "tl.arange")}'
    assert where in failed["traceback"]


class TestOutOfBounds:
    def test_lanes_past_the_end_are_recorded_and_not_touched(self, outcomes):
        found = value_of(outcomes, "missing_mask")
        load, store = (line_of("missing_mask", text) for text in ("tl.load(x + i)", "(o + i, v)"))
        # 2 programs of 16 lanes over 20 elements: 12 too many, the first one right after the end.
        assert found["copy"] == [["x", "load", 1, 1, 12, load], ["o", "store", 1, 1, 12, store]]
        assert found["copied"] == [float(i) for i in range(20)]
        assert found["neighbour"]

    def test_far_and_negative_distances(self, outcomes):
        far, before = value_of(outcomes, "missing_mask")["far"]
        assert far[:5] == ["o", "store", 0, 1_000_000_000 - 19, 1]
        assert before[:5] == ["o", "store", 0, -3, 1]

    def test_atomics_touch_only_what_is_inside(self, outcomes):
        found = value_of(outcomes, "missing_mask")
        assert [event[:5] for event in found["atomics"]] == [
            ["o", "atomic", 0, 1, 6],
            ["c", "atomic", 0, 4, 1],
            ["c", "atomic", 0, 1, 1],  # the fifth of five unmasked lanes
        ]
        assert found["sums"] == [1.0] * 10
        assert found["counts"] == [3] * 4

    def test_a_clean_launch_forgets_the_last_ones(self, outcomes):
        assert value_of(outcomes, "missing_mask")["clean"] == []

    def test_told_ranges_bound_a_launch(self, outcomes):
        found = value_of(outcomes, "missing_mask")
        assert [event[:5] for event in found["told"]] == [["o", "store", 0, 1, 8]]
        assert found["told_copied"] == [float(i) for i in range(8)] + [0.0] * 12

    def test_a_k_loop_without_a_mask_shows_for_a_ragged_k_only(self, outcomes):
        found = value_of(outcomes, "k_loop_without_mask")
        for ragged, clean in (("50/16", "64/16"), ("50/16", "64/32")):
            assert found[clean]["outside"] == []
            assert found[clean]["error"] < 1e-4
            # Each is named after the tensor it was computed from, however near another one lies.
            assert sorted(event[:2] for event in found[ragged]["outside"]) == [
                ["a", "load"],
                ["b", "load"],
            ]

    def test_storages_reached_by_address_belong_to_the_launch(self, outcomes):
        found = value_of(outcomes, "addresses_in_tensors")
        assert found["a"] == [2.0] * 8
        assert found["b"] == [2.0] * 5
        assert found["clean"] == 0
        assert found["outside"] == [[True, "load", 1, 2], [True, "store", 1, 2]]
        assert found["b again"] == [4.0] * 5
        assert found["c"] == [4.0] * 16


class TestArguments:
    def test_floats_ints_and_bools_are_tensors_as_for_the_compiler(self, outcomes):
        assert value_of(outcomes, "float_argument")["sum"] == 1 + 0.5 + 3 + 1

    def test_an_annotated_float_keeps_its_width(self, outcomes):
        assert value_of(outcomes, "float_argument")["double"] == 0.1

    def test_half_times_a_float_argument_is_single_precision(self, outcomes):
        assert value_of(outcomes, "float_argument")["product"] == [683.0 * 3] * 4


class TestMaskedLanes:
    def test_a_missing_other_shows_when_poisoned(self, outcomes):
        found = value_of(outcomes, "masked_lanes")
        assert not found["no other"]["same"]

    def test_a_given_other_is_not_touched(self, outcomes):
        found = value_of(outcomes, "masked_lanes")
        assert found["other=0"]["same"]
        assert not found["other=0"]["right"]
        assert found["other=-inf"]["same"]
        assert found["other=-inf"]["right"]
        assert found["other=-inf"]["nan_rows"] == [False, True, False]  # all -inf: torch agrees

    @pytest.mark.parametrize("dtype", ["bfloat16", "float8_e5m2", "float16"])
    def test_every_float_takes_the_poison(self, outcomes, dtype):
        assert value_of(outcomes, "masked_lanes")[dtype] == ["1.0", "1.0", "nan", "nan"]

    @pytest.mark.parametrize(
        ("dtype", "poison"), [("int32", float(0x5A5A5A00 + 0x80)), ("int8", 90.0), ("bool", 1.0)]
    )
    def test_other_types_take_a_pattern(self, outcomes, dtype, poison):
        # float32 holds 24 bits of 0x5A5A5A5A.
        assert value_of(outcomes, "masked_lanes")[dtype][2:] == [str(poison)] * 2


class TestSource:
    def test_a_docstring_with_def_is_no_function(self, outcomes):
        assert value_of(outcomes, "docstring_with_def")["documented"] == [7.0] * 4

    def test_decorators_closures_and_methods(self, outcomes):
        found = value_of(outcomes, "docstring_with_def")
        assert found["decorated"] == [1.0] * 4
        assert found["closure 5"] == [5.0] * 4
        assert found["closure 6"] == [6.0] * 4

    def test_a_helper_that_calls_itself_finds_itself(self, outcomes):
        # 4 + 3 + 2 + 1.
        assert value_of(outcomes, "docstring_with_def")["recursion"] == [10.0] * 4

    def test_the_users_module_gets_no_new_names(self, outcomes):
        assert value_of(outcomes, "docstring_with_def")["new globals"] == []

    def test_errors_point_at_the_kernels_own_line(self, outcomes):
        found = value_of(outcomes, "docstring_with_def")
        assert found["raises"] == ["NameError", line_of("docstring_with_def", "undefined_name")]
        assert found["raises file"]

    def test_a_chained_assignment_is_a_syntax_error_with_a_place(self, outcomes):
        found = value_of(outcomes, "chained_assignment")
        assert found["line"] == line_of("chained_assignment", "a = b")
        assert found["file"].endswith("cases/chained_assignment.py")
        assert "one assignment per line" in found["text"]


class TestStopping:
    def test_a_serial_lock_ends(self, outcomes):
        assert value_of(outcomes, "waiting_programs")["lock"] == 0

    def test_programs_that_wait_for_each_other_take_turns(self, outcomes):
        found = value_of(outcomes, "waiting_programs")
        assert found["barrier"] == [2, 2, line_of("waiting_programs", "atomic_add(c, 0) < N")]
        # After the barrier each of six programs takes what the next one wrote before it.
        assert found["everybody"] == [[1, 2, 3, 4, 5, 0], [3, 3, 6]]
        assert found["relay"] == list(range(40, 0, -1))
        assert found["after"] == [0, 1]

    def test_a_barrier_that_nobody_can_pass_waits_forever(self, outcomes):
        name, text = value_of(outcomes, "waiting_programs")["forever"]
        assert name == "WaitsForeverError"
        assert text.startswith("program ")
        assert f"line {line_of('waiting_programs', 'atomic_add(c, 0) < N')} " in text

    def test_an_error_ends_those_that_wait_as_well(self, outcomes):
        message, ended = value_of(outcomes, "waiting_programs")["fails"]
        assert message == "arange's range must be a power of 2"
        assert ended

    def test_an_endless_program_can_be_cancelled(self, outcomes):
        assert value_of(outcomes, "waiting_programs")["forgot_step"] == "stopped"

    def test_progress_counts_the_programs(self, outcomes):
        seen = value_of(outcomes, "waiting_programs")["seen"]
        assert seen == [[program, 6] for program in range(6)]

    @pytest.mark.parametrize(
        "end", ["after a helper", "after an error", "after an interrupt", "after a helper outside"]
    )
    def test_the_language_is_restored(self, outcomes, end):
        found = value_of(outcomes, "language_restored")
        assert found[end] == []
        assert found["interrupted"]
        assert found["value"] == found["again"] == [2.0 + 4.0 + 4.0] * 4
        assert found["helper outside"] == 4


class TestResult:
    def test_without_a_compiler_there_are_no_figures(self, outcomes):
        found = value_of(outcomes, "returned_value")
        assert not found["has"]
        assert "was interpreted, not compiled" in found["message"]

    def test_figures_come_from_the_compiler_that_was_set(self, outcomes):
        found = value_of(outcomes, "returned_value")
        assert found["figures"] == [24, 2, 1024]
        assert found["warps"] == 2
        assert found["ptx"] == "// ptx"
        assert found["asked"] == [["add", ["B", "n", "o", "x"], {"num_warps": 2}]]

    def test_what_warmup_returns_can_be_launched(self, outcomes):
        assert value_of(outcomes, "returned_value")["relaunched"] == 128.0


class TestObserver:
    def test_lines_programs_and_lanes(self, outcomes):
        found = value_of(outcomes, "observed")
        load, store = (
            line_of("observed", "tl.load(x + i, mask"),
            line_of("observed", "(o + i, v, m"),
        )
        # 50 elements in blocks of 16: the last program has 2. Program 1 is (1, 0).
        assert found["rows"] == [
            [kind, program, lanes, 4, line, True]
            for program, lanes in ((0, 16), (1, 16), (2, 16), (3, 2))
            for kind, line in (("load", load), ("store", store))
        ]
        assert found["file"]
        assert found["offsets"] == [0, 4, 8]
        assert found["dtype"] == "uint64"
        assert found["copied"]

    @pytest.mark.parametrize("dtype", ["torch.float32", "torch.bfloat16"])
    def test_block_pointers_and_descriptors(self, outcomes, dtype):
        found = value_of(outcomes, "observed")
        names = [
            name for name in ("blocks", "described", "made_here") if f"{name} {dtype}" in found
        ]
        assert {"described", "made_here"} <= set(names)
        for name in names:
            seen = found[f"{name} {dtype}"]
            first = 256 if name == "made_here" else 144
            assert seen == {"right": True, "lanes": [first, 256, 0, 256], "outside": 0}

    def test_atomics_and_dots(self, outcomes):
        found = value_of(outcomes, "observed")
        assert found["kinds"] == [["atomic", 3], ["atomic", 1], ["atomic", 1]]
        assert found["counts"] == [2, 7, 1, 0]
        assert found["dots"] == [[16, 16, 16, "bf16"]]


def test_a_launcher_written_for_a_gpu_runs(outcomes):
    assert value_of(outcomes, "device_context") == {"device": "cuda:0", "sum": 12.0}


def test_libdevice_functions_compute(outcomes):
    found = value_of(outcomes, "device_functions")
    assert found["close"] == [True] * 6
    name, text = found["missing"]
    assert name == "NotInterpretableError"
    assert "__nv_fadd_ru" in text


def test_install_refuses_a_process_that_compiles():
    code = (
        "import os; os.environ.pop('TRITON_INTERPRET', None)\n"
        "import triton\n"
        "os.environ['TRITON_INTERPRET'] = '1'\n"
        "from playground.engine.triton_private import interpreter\n"
        "try: interpreter.install()\n"
        "except interpreter.NotInterpretingError as error: print(error)\n"
        "print(interpreter.installed(), interpreter.judgeable('bfloat16'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    message, state = done.stdout.splitlines()
    assert message.startswith("set TRITON_INTERPRET=1 before triton is imported")
    assert state == "False False"
