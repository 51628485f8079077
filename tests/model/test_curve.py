import csv
import io

import pytest

from playground.model.curve import (
    Axis,
    AxisError,
    Curve,
    CurveRow,
    axis,
    names_of,
    spread,
    tied,
    timed_row,
)


def test_axes_hold_both_ends_and_each_size_once():
    assert axis("n", 10, 50, 5, "linear").values == (10, 20, 30, 40, 50)
    assert axis("n", 1, 1000, 4, "log").values == (1, 10, 100, 1000)
    assert axis("n", 5, 5, 3, "log").values == (5,)
    assert axis("n", 100, 5000, 0, "powers of two").values == (128, 256, 512, 1024, 2048, 4096)
    assert axis("n", 250, 600, 0, "ragged").values == (255, 256, 257, 511, 512, 513)
    assert axis("n", 1, 2, 9, "linear").values == (1, 2)


@pytest.mark.parametrize(
    ("low", "high", "count", "spacing", "said"),
    [
        (10, 5, 3, "log", "larger"),
        (0, 5, 3, "log", "at least 1"),
        (5, 7, 3, "powers of two", "no power"),
        (1, 100000, 5000, "linear", "too many"),
        (1, 10, 1, "linear", "two sizes"),
    ],
)
def test_a_range_that_is_no_axis_says_why(low, high, count, spacing, said):
    with pytest.raises(AxisError, match=said):
        axis("n", low, high, count, spacing)


@pytest.mark.parametrize("typed", ["m,n,k", "m = n = k", "m=n=k", "m, n,k"])
def test_sizes_that_move_together_are_one_axis(typed):
    found = axis(typed, 512, 2048, 0, "powers of two")
    assert found == Axis("m = n = k", (512, 1024, 2048))
    assert found.names == ("m", "n", "k")
    assert names_of("size") == ("size",)
    assert tied(["m", "m", "n"]) == "m = n"
    assert spread((("m = n", 64), ("k", 8))) == {"m": 64, "n": 64, "k": 8}


def test_each_tied_size_has_its_column():
    row = CurveRow((("m = n", 64), ("k", 8)), "ours", 1.0, 0.9, 1.1, 10)
    axes = (Axis("m = n", (64,)), Axis("k", (8,)))
    text = Curve(0, "mm", axes, ("ours",), (row,), "cold").as_csv()
    (read,) = csv.DictReader(io.StringIO(text))
    assert (read["m"], read["n"], read["k"], read["line"]) == ("64", "64", "8", "ours")


def curve() -> Curve:
    size = (("n", 1000),)
    ours = timed_row(size, "ours", (0.002,) * 9, "cupti", 12_000, 4_000_000)
    torch = timed_row(size, "torch", (0.003,) * 9, "cupti", None, None)
    failed = CurveRow((("n", 2000),), "ours", reason="out of memory")
    return Curve(0, "add", (Axis("n", (1000, 2000)),), ("ours", "torch"), (ours, torch, failed),
                 "cold")  # fmt: skip


def test_rows_in_every_quantity():
    found = curve()
    ours, torch, failed = found.rows
    assert ours.value("GB/s") == pytest.approx(6.0)
    assert ours.value("TFLOP/s") == pytest.approx(2.0)
    assert ours.value("speed-up", torch) == pytest.approx(1.5)
    assert failed.value("ms") is None
    assert found.quantities() == ("ms", "GB/s", "TFLOP/s", "speed-up")
    assert found.of_line("ours") == (ours, failed)
    assert found.row("torch", (("n", 1000),)) is torch


def test_the_csv_has_every_row_and_reason():
    lines = curve().as_csv().splitlines()
    assert lines[0].startswith("n,line,median_ms")
    assert lines[1].startswith("1000,ours,0.002,")
    assert lines[3].endswith("out of memory")
