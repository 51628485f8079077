"""Pictures of counters, against NumPy."""

import threading
from dataclasses import replace

import numpy as np
import pytest
import torch

from playground.engine.counter_layout import PROGRAM_LIMIT, layout_of
from playground.engine.counters import Cells, CountedRun, Counts
from playground.model.config import Config
from playground.protocol.messages import PlaneView


def counts_of(tensor, *, name="x", programs=64, seed=0, stored=True):
    """Return counts with random counters for one tensor, and those counters in its shape."""
    start = tensor.untyped_storage().data_ptr()
    layout = layout_of({name: tensor}, [(start, start + tensor.untyped_storage().nbytes())])
    random = np.random.default_rng(seed)
    cells = layout.cells
    loads = random.integers(0, 50, cells, dtype=np.int32)
    stores = random.integers(0, 3, cells, dtype=np.int32) if stored else np.zeros(cells, np.int32)
    last = random.integers(0, programs, cells, dtype=np.int32)
    first = np.where(random.random(cells) < 0.5, last, np.maximum(last - 1, 0)).astype(np.int32)
    none = stores == 0
    vectors = Cells(
        torch.from_numpy(loads),
        torch.from_numpy(stores),
        torch.from_numpy(np.where(none, 0, last + 1).astype(np.int32)),
        torch.from_numpy(np.where(none, 0, PROGRAM_LIMIT - first).astype(np.int32)),
    )
    run = CountedRun(0, Config(), (programs, 1, 1), "interpreter", {}, (), 1.0)
    truth = {
        "loads": loads,
        "stores": stores,
        "owner": np.where(none, -1, last),
        "first": np.where(none, -1, first),
        "unwritten": none,
        "several": ~none & (first != last),
    }
    return Counts(run, layout, vectors), truth


def test_a_small_matrix_comes_element_by_element():
    counts, truth = counts_of(torch.zeros(12, 20))
    for paint in ("owner", "first", "loads", "stores"):
        plane = counts.plane("x", paint, PlaneView())
        assert plane.values.dtype == np.int32
        assert np.array_equal(plane.values, truth[paint].reshape(12, 20))
        assert (plane.plane_rows, plane.plane_columns) == (12, 20)
    expected = truth["unwritten"].astype(np.uint8) | truth["several"].astype(np.uint8) << 1
    assert plane.flags.dtype == np.uint8
    assert np.array_equal(plane.flags, expected.reshape(12, 20))
    assert plane.maximum == truth["stores"].max()


def test_elements_with_different_values_have_a_flag_of_their_own():
    counts, truth = counts_of(torch.zeros(12, 20))
    disputed = truth["several"] & (np.arange(240) % 3 == 0)
    counts.cells = replace(counts.cells, disputed=torch.from_numpy(disputed))
    flags = counts.plane("x", "owner", PlaneView()).flags
    assert np.array_equal(flags & 8 != 0, disputed.reshape(12, 20))
    assert np.array_equal(flags & 2 != 0, truth["several"].reshape(12, 20))


def test_a_rectangle_of_a_matrix():
    counts, truth = counts_of(torch.zeros(100, 60))
    plane = counts.plane("x", "loads", PlaneView(row=90, column=10, rows=40, columns=7))
    assert np.array_equal(plane.values, truth["loads"].reshape(100, 60)[90:100, 10:17])
    assert (plane.view.rows, plane.view.columns) == (10, 7)


@pytest.mark.parametrize("shape", [(1000, 700), (1024, 1024), (37, 2000)])
def test_a_reduced_picture_keeps_every_extreme(shape):
    counts, truth = counts_of(torch.zeros(shape))
    plane = counts.plane("x", "loads", PlaneView(max_rows=64, max_columns=100))
    step_rows, step_columns = -(-shape[0] // 64), -(-shape[1] // 100)
    loads = truth["loads"].reshape(shape)
    several, unwritten = truth["several"].reshape(shape), truth["unwritten"].reshape(shape)
    owner = truth["owner"].reshape(shape)
    picture = counts.plane("x", "owner", PlaneView(max_rows=64, max_columns=100)).values
    for row in range(plane.values.shape[0]):
        for column in range(plane.values.shape[1]):
            block = (
                slice(row * step_rows, (row + 1) * step_rows),
                slice(column * step_columns, (column + 1) * step_columns),
            )
            assert plane.values[row, column] == loads[block].max()
            assert bool(plane.flags[row, column] & 1) == unwritten[block].any()
            assert bool(plane.flags[row, column] & 2) == several[block].any()
            middle = (
                min(row * step_rows + step_rows // 2, shape[0] - 1),
                min(column * step_columns + step_columns // 2, shape[1] - 1),
            )
            assert picture[row, column] == owner[middle]


def test_a_folded_vector_marks_what_is_no_element():
    counts, truth = counts_of(torch.zeros(1000))
    plane = counts.plane("x", "owner", PlaneView())
    assert plane.values.shape == (32, 32)
    assert np.array_equal(plane.values.ravel()[:1000], truth["owner"])
    assert (plane.values.ravel()[1000:] == -1).all()
    assert (plane.flags.ravel()[1000:] == 4).all()
    inner = counts.plane("x", "loads", PlaneView(row=31, column=4, rows=1, columns=8))
    assert inner.values.tolist() == [[*truth["loads"][996:1000], 0, 0, 0, 0]]
    assert inner.flags[0, 4:].tolist() == [4, 4, 4, 4]


def test_inputs_have_no_flags_but_the_missing_rest():
    counts, _ = counts_of(torch.zeros(1000), stored=False)
    plane = counts.plane("x", "loads", PlaneView())
    assert (plane.flags.ravel()[:1000] == 0).all()
    assert (plane.flags.ravel()[1000:] == 4).all()
    assert counts.summary().tensor("x").unwritten is None


def test_views_slices_and_transposes():
    base = torch.zeros(6, 10, 14)
    counts, truth = counts_of(base.transpose(1, 2)[:, 2:, :])
    loads = truth["loads"].reshape(6, 10, 14).transpose(0, 2, 1)[:, 2:, :]
    for index in range(6):
        plane = counts.plane("x", "loads", PlaneView(slices=(index,)))
        assert np.array_equal(plane.values, loads[index])
    cell = counts.element("x", 3, 4, (5,))
    assert (cell.index, cell.loads) == ((5, 3, 4), loads[5, 3, 4])


def test_a_view_of_wider_elements_sees_its_first_cell():
    storage = torch.zeros(64, dtype=torch.int32)
    start = storage.data_ptr()
    layout = layout_of(
        {"wide": storage.view(torch.int64), "narrow": storage.view(torch.int16)},
        [(start, start + 256)],
    )
    assert layout.cells == 128
    assert [view.strides for view in layout.tensors] == [(4,), (1,)]
    assert layout.storages[0].mixed


def test_totals_against_numpy():
    counts, truth = counts_of(torch.zeros(50, 40))
    item = counts.summary().tensor("x")
    loads, stores = truth["loads"], truth["stores"]
    assert (item.loads.total, item.loads.minimum, item.loads.maximum) == (
        loads.sum(), loads.min(), loads.max(),
    )  # fmt: skip
    assert item.unwritten == truth["unwritten"].sum()
    assert item.multi_written == truth["several"].sum()
    assert counts.summary().bytes_requested == 4 * (loads.sum() + stores.sum())
    assert counts.summary().bytes_unique == 4 * ((loads > 0).sum() + (stores > 0).sum())


def test_one_element():
    counts, truth = counts_of(torch.zeros(30, 30))
    for row, column in [(0, 0), (7, 19), (29, 29)]:
        cell = counts.element("x", row, column)
        place = row * 30 + column
        assert cell.index == (row, column)
        assert (cell.loads, cell.stores) == (truth["loads"][place], truth["stores"][place])
        assert cell.owner == truth["owner"][place]
        assert cell.multi_written == truth["several"][place]
        assert (cell.first_loader, cell.last_loader) == (-1, -1)


def test_what_does_not_exist_says_so():
    counts, _ = counts_of(torch.zeros(30, 30))
    with pytest.raises(KeyError):
        counts.plane("y", "owner", PlaneView())
    with pytest.raises(IndexError):
        counts.element("x", 30, 0)
    with pytest.raises(IndexError):
        counts.footprint(None, "x", 64, PlaneView())


def test_other_threads_read_at_the_same_time():
    counts, truth = counts_of(torch.zeros(400, 300))
    expected = truth["loads"].reshape(400, 300)
    failures = []

    def read():
        for _ in range(10):
            plane = counts.plane("x", "loads", PlaneView())
            if not np.array_equal(plane.values, expected):
                failures.append("differs")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_distances_to_the_nearest_tensor():
    x, y = torch.zeros(100), torch.zeros(100)
    ranges = [(t.data_ptr(), t.data_ptr() + 400) for t in (x, y)]
    layout = layout_of({"x": x, "y": y}, ranges)
    low, high = sorted([("x", x.data_ptr()), ("y", y.data_ptr())], key=lambda item: item[1])
    assert layout.nearest(low[1] - 4, 4) == (low[0], -1)
    assert layout.nearest(low[1] - 40, 4) == (low[0], -10)
    assert layout.nearest(high[1] + 400, 4) == (high[0], 1)
    assert layout.nearest(high[1] + 408, 4) == (high[0], 3)


def test_drawing_is_warmed_up_once_for_a_device(monkeypatch):
    from playground.engine import planes, planes_warm_up

    drawn = []
    draw = planes.plane
    monkeypatch.setattr(planes_warm_up, "_warm", set())
    monkeypatch.setattr(planes, "plane", lambda *args: drawn.append(args[2]) or draw(*args))
    planes_warm_up.warm_up(torch.device("cpu"))
    assert set(drawn) == {"owner", "first", "loads", "stores"}
    before = len(drawn)
    planes_warm_up.warm_up(torch.device("cpu"))
    assert len(drawn) == before
