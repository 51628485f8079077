"""The steps of single programs on the GPU, against the lists of tests/engine/test_steps.py."""

import pytest

from tests.engine.coverage_parts import in_child
from tests.engine.steps_lists import check_steps

pytestmark = pytest.mark.gpu


def test_programs_on_the_gpu_step_by_step(tmp_path):
    check_steps(
        in_child(
            "from tests.engine import stepping_kernels\nanswer = stepping_kernels.facts()",
            interpret=False,
            tmp_path=tmp_path,
        )
    )
