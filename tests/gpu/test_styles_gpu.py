"""The table of styles on the GPU: real launches, exact counts, timed, exported and proved.

One table is printed at the end. A subset: `-k "strides or named_tuple"`.
"""

from __future__ import annotations

import pytest

from tests.engine import style_pool, style_table
from tests.engine.style_table import all_styles, problems, runs

pytestmark = pytest.mark.gpu

STYLES = {style.name: style for style in all_styles() if style.gpu}
_MOST_PROCESSES = 8
"""Each holds a CUDA context and has a compile worker beside it."""


@pytest.fixture(scope="module")
def outcomes(request, tmp_path_factory) -> dict[str, list[str]]:
    """Run all that is selected, several files at once, and return what was wrong with each."""
    styles = [STYLES[name] for name in style_pool.names_asked_for(request) if runs(STYLES[name])]
    workers = style_pool.workers_for(styles, _MOST_PROCESSES)
    folder = tmp_path_factory.mktemp("styles")
    facts = style_pool.run_styles(styles, folder, interpret=False, workers=workers)
    found = {style.name: problems(style, facts[style.name], gpu=True) for style in styles}
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")
    terminal.ensure_newline()
    terminal.write_line(style_table.table(styles, found))
    seconds = style_table.seconds(facts)
    terminal.write_line(f"{len(styles)} styles, {sum(map(bool, found.values()))} not ok; {seconds}")
    return found


@pytest.mark.parametrize("name", STYLES)
def test_style(name, outcomes) -> None:
    if not runs(STYLES[name]):
        pytest.skip(f"written for triton {STYLES[name].triton}")
    if outcomes[name]:
        pytest.fail(f"{STYLES[name].path}\n  " + "\n  ".join(outcomes[name]), pytrace=False)
