"""Problem sizes as people write and read them."""

from __future__ import annotations

import pytest

from playground.model.problem_sizes import SizeError, around, parse_size, size_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096), ("4_096", 4096), ("4 096", 4096), ("2**14", 16384), ("2^14", 16384),
        ("1<<20", 1 << 20), ("16k", 16384), ("1.5K", 1536), ("4M", 4 << 20), ("1 Gi", 1 << 30),
        ("3*512", 1536),
    ],
)  # fmt: skip
def test_sizes_are_read_as_people_write_them(text: str, value: int) -> None:
    assert parse_size(text) == value


@pytest.mark.parametrize("text", ["", "many", "0", "-4", "2**99", "1.0001k", "1e9", "2**41"])
def test_what_is_no_size_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(SizeError, match=r"write 4096|from 1 to 2\^40"):
        parse_size(text)


def test_large_powers_are_written_as_such() -> None:
    assert [size_text(v) for v in (1000, 4096, 65536, 131071, 1 << 27)] == [
        "1000", "4096", "65536", "131071", "2^27",
    ]  # fmt: skip
    assert [size_text(v, 1 << 20) for v in (512, 4096)] == ["512", "2^12"]


def test_the_range_round_a_size_holds_it() -> None:
    for value in (1, 5, 512, 98432, 1 << 24):
        low, high = around(value)
        assert 1 <= low <= value <= high
        assert low & (low - 1) == 0
        assert high & (high - 1) == 0
