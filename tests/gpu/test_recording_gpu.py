"""Single accesses kept on the GPU, against the lists that the interpreter's are compared with."""

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu


def test_programs_are_recorded_access_by_access():
    from tests.engine import recorded_kernels
    from tests.engine.recording_lists import check_recordings

    check_recordings(recorded_kernels.facts())


def test_sites_of_bundled_kernels():
    from tests.engine import site_facts

    site_facts.check_sites(site_facts.facts())
