"""Every counter of every element, against models of the kernels written out in NumPy."""

import pytest

from tests.engine.coverage_parts import in_child
from tests.engine.models.table import CASES


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    return in_child(
        "from tests.engine.models.compared import CASES, differences\n"
        "answer = {name: differences(name) for name in CASES}",
        interpret=True,
        tmp_path=tmp_path_factory.mktemp("models"),
    )


def test_there_are_at_least_twenty_five(compared):
    assert len(compared) >= 25


@pytest.mark.parametrize("name", CASES)
def test_counters_are_those_of_the_model(compared, name):
    if name not in compared:
        pytest.skip("this Triton or this GPU has none of it")
    assert compared[name] == []
