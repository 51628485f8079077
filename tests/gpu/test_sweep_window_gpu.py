"""A sweep of the window on a GPU: two sizes, every view, gone on with, compared, exported."""

import json

import pytest

from playground.model.importance import importance
from playground.model.resources import kernels_dir
from playground.model.sweep_views import convergence
from playground.protocol import messages
from playground.ui.views.sweep_scene import scene
from tests.app.conftest import App, app, nothing_left_behind, started, wait_for  # noqa: F401

pytestmark = pytest.mark.gpu

SIZES = (1 << 20, 1 << 24)


def test_a_sweep_at_two_sizes_from_start_to_export(app: App) -> None:  # noqa: F811
    document, sweep = app.document, app.document.sweep
    document.open_file(str(kernels_dir() / "vector_add.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage")
    app.settle()
    sweep.prepare()
    sweep.offer_present()
    sweep.set_choice(source="values", where="BLOCK_SIZE >= 32 * num_warps")
    sweep.set_values("BLOCK_SIZE", "64..8192:pow2")
    sweep.set_values("num_warps", "1, 4, 8")
    sweep.set_size("size", ", ".join(map(str, SIZES)))
    # Of 8 × 3 two are under 32 elements a warp at 4 warps, … : 64 with 4 and 8, 128 with 8.
    assert sweep.plan_text() == "21 of 24 configs meet the conditions, at each of 2 sizes"
    sweep.start()
    wait_for(lambda: not sweep.running, 240, "the sweep")
    app.settle()
    assert not sweep.problem
    assert [dict(part.sizes)["size"] for part in sweep.parts] == list(SIZES)
    for part in sweep.parts:
        result = part.result
        assert result is not None
        timed = [row for row in result.rows if row.median_ms is not None]
        assert len(timed) == 21
        assert {row.status for row in timed} == {"correct"}
        assert result.ranking.groups
        assert convergence(result.rows).has_seconds
        assert len(importance(result.rows).knobs) == 2
        shown = scene(result.rows, result, document.config)
        assert shown.best is not None
        assert shown.speed(shown.fast_ms or 0.0) == 1.0
    # Sixteen times the elements: with a start-up of microseconds at least six times as long.
    best = [part.result.best.median_ms for part in sweep.parts]
    assert best[1] > 6 * best[0]
    wait_for(lambda: len(sweep.past.of_this()) >= 2, 30, "the list")
    first, second = sweep.stored()
    sweep.past.compare(first, second)
    wait_for(lambda: sweep.past.comparison is not None, 30, "the comparison")
    assert sweep.past.comparison is not None
    assert sweep.past.comparison.count("slower") == 21
    exported: list[messages.Exported] = []
    document.exported.connect(exported.append)
    for number, form in enumerate(("autotune", "dispatch", "t4", "table"), start=1):
        sweep.export(form, size="size")
        wait_for(lambda n=number: len(exported) == n, 60, form)
    document.exported.disconnect(exported.append)
    assert "triton.autotune" in exported[0].text
    for text in exported[:2]:
        compile(text.text, text.suggested_name, "exec")
    assert len(json.loads(exported[2].text)["results"]) == 24
    assert list(json.loads(exported[3].text)) == [str(size) for size in SIZES]
    print(f"best at {SIZES}: {best} ms; sweeps took "
          f"{[round(part.result.elapsed_s, 1) for part in sweep.parts]} s")  # fmt: skip
    app.settle()


def test_a_sweep_that_is_cancelled_goes_on_where_it_was(app: App) -> None:  # noqa: F811
    document, sweep = app.document, app.document.sweep
    document.open_file(str(kernels_dir() / "softmax.py"))
    document.run()
    wait_for(lambda: document.is_current(document.coverage), 120, "coverage")
    app.settle()
    sweep.offer_present()
    sweep.set_choice(source="values")
    sweep.set_values("num_warps", "1, 2, 4, 8, 16")
    sweep.set_values("num_stages", "1..4")
    total = sweep.reading.count.valid
    sweep.start()
    wait_for(lambda: sweep.done[0] >= 3, 120, "three rows")
    sweep.cancel()
    wait_for(lambda: not sweep.running, 60, "the end")
    measured = [row for row in sweep.rows if row.status == "correct"]
    assert 3 <= len(sweep.rows) < total
    assert sweep.can_continue
    sweep.start(resume=True)
    wait_for(lambda: not sweep.running, 180, "the rest")
    assert len(sweep.rows) == total
    assert sum(row.kept or row.confirmed for row in sweep.rows) >= len(measured)
    assert sweep.best() is not None
    app.settle()
