"""Every style of kernel file is captured, compiled, replayed, judged, counted and exported."""

from __future__ import annotations

import os

import pytest

from tests.engine import style_pool, style_table
from tests.engine.style_table import all_styles, problems, runs

STYLES = {style.name: style for style in all_styles()}
PROVED_AFRESH = ("strides", "named_tuple", "addresses_in_a_tensor")
"""Their exported files are also run as processes of their own: a fork must be no cheat."""


@pytest.fixture(scope="module")
def facts(request, tmp_path_factory) -> dict[str, style_table.Facts]:
    """Run all that is selected at once, in as many processes as there are processors."""
    styles = [STYLES[name] for name in style_pool.names_asked_for(request) if runs(STYLES[name])]
    workers = style_pool.workers_for(styles, os.cpu_count() or 1)
    folder = tmp_path_factory.mktemp("styles")
    return style_pool.run_styles(styles, folder, interpret=True, workers=workers)


def test_the_table_is_full() -> None:
    assert len(STYLES) >= 80
    assert {style.path for style in all_styles()} == {style.path for style in STYLES.values()}
    assert len({style.style for style in STYLES.values()}) == len(STYLES)  # each its own


@pytest.mark.parametrize("name", STYLES)
def test_style(name, facts) -> None:
    if not runs(STYLES[name]):
        pytest.skip(f"written for triton {STYLES[name].triton}")
    found = problems(STYLES[name], facts[name])
    if found:
        pytest.fail(f"{STYLES[name].path}\n  " + "\n  ".join(found), pytrace=False)


@pytest.mark.parametrize("name", PROVED_AFRESH)
def test_an_exported_file_is_right_in_a_fresh_process_too(name, facts, tmp_path) -> None:
    exported = facts[name].get("export")
    if exported is None:
        pytest.fail(f"{name} is not exported", pytrace=False)
    code, output = style_pool.fresh_check(exported, tmp_path / "empty")
    assert (code, output) == (facts[name]["proof"]["rc"], facts[name]["proof"]["output"])
    assert code == 0
