"""The planted faults on the GPU: the same findings as the interpreter's, at the same lines."""

import pytest

from tests.engine.faults.table import CASES, check

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_found_at_its_line_and_its_twin_is_not_accused(name):
    from tests.engine.faults import looked_at

    check(name, looked_at.everything([name])[name])


def test_hazards_have_their_elements_programs_and_lines():
    from tests.engine.faults import looked_at
    from tests.engine.faults.expected_hazards import check_hazards

    check_hazards({name: looked_at.hazards_of(name) for name in looked_at.HAZARDOUS})
