"""Written drivers launch, and every address they lead to lies inside what they allocate.

The interpreter checks each address against the launch's tensors: an overrun is a finding.
"""

from __future__ import annotations

import pytest

from tests.engine.conftest import RunEngine
from tests.engine.driverless import FILES, HEAD


@pytest.mark.parametrize("part", range(3))
def test_written_drivers_launch_within_their_tensors(run_engine: RunEngine, part: int) -> None:
    files = {name: HEAD + text for at, (name, text) in enumerate(FILES.items()) if at % 3 == part}
    answers = run_engine(
        f"""
        import playground
        files = {files!r}
        told = {{}}
        for name, text in files.items():
            play = playground.open(write(name + ".py", text))
            run = play.run()
            told[name] = [
                play.driver.kind, len(run.launches),
                [f.text() for f in run.findings if f.severity == "error"], play.driver.code,
            ]
            play.close()
        answer(told)
        """
    )
    assert set(answers) == set(files)
    for name, (kind, launches, errors, code) in answers.items():
        assert (kind, errors) == ("generated", []), f"{name}:\n{code}"
        assert launches >= 1, f"{name}:\n{code}"
