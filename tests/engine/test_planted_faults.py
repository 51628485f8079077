"""Forty planted faults are found at their lines, and their correct twins are not accused."""

import pytest

from tests.engine.coverage_parts import in_child
from tests.engine.faults.expected_hazards import check_hazards
from tests.engine.faults.table import CASES, check


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return in_child(
        "from tests.engine.faults import looked_at\nanswer = looked_at.everything()",
        interpret=True,
        tmp_path=tmp_path_factory.mktemp("faults"),
    )


def test_there_are_at_least_forty():
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_found_at_its_line_and_its_twin_is_not_accused(found, name):
    check(name, found[name])


def test_an_offset_that_wrapped_around_is_told_as_that(found):
    for name in ("int32 overflow", "int32 overflow far away"):
        hints = [item[3] for item in found[name]["bad"] if item[0] == "error"]
        assert "tl.int64" in hints[0]
    (hint,) = {item[3] for item in found["negative index"]["bad"] if item[0] == "error"}
    assert "offsets >= 0" in hint


def test_hazards_have_their_elements_programs_and_lines(tmp_path):
    check_hazards(
        in_child(
            "from tests.engine.faults import looked_at\n"
            "answer = {name: looked_at.hazards_of(name) for name in looked_at.HAZARDOUS}",
            interpret=True,
            tmp_path=tmp_path,
        )
    )
