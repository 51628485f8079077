"""Every counter of every element on the GPU, against models of the kernels in NumPy."""

import pytest

from tests.engine.models.table import CASES

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("name", CASES)
def test_counters_are_those_of_the_model(name):
    from tests.engine.models import compared

    if name not in compared.CASES:
        pytest.skip("this Triton or this GPU has none of it")
    assert compared.differences(name) == []
