"""Requests and sectors of single accesses, against hand arithmetic."""

import numpy as np
import pytest

from playground.engine.access_sites import sample_of
from playground.engine.warp_requests import requests_of
from tests.engine.coverage_parts import in_child
from tests.engine.site_facts import check_sites

START = 1 << 20  # as aligned as a tensor of its own


def requests(offsets, element_size=4, num_warps=4, active=None, start=START):
    """Return (requests, sectors, least) of a block of element offsets."""
    offsets = np.asarray(offsets)
    keep = np.ones(offsets.shape, bool) if active is None else np.asarray(active)
    lane = np.flatnonzero(keep.reshape(-1))
    addresses = start + offsets.reshape(-1)[lane] * element_size
    found = requests_of(addresses.astype(np.uint64), lane, offsets.shape, element_size, num_warps)
    return found.requests, found.sectors, found.sectors_least


def test_neighbours_in_fp32_fill_their_sectors():
    # 1024 elements: each of 128 threads takes 4, so a request is 32 * 16 bytes: 16 sectors.
    assert requests(np.arange(1024)) == (8, 128, 128)


def test_a_small_block_gives_each_thread_one_element():
    # 128 elements on 128 threads: a request is 32 * 4 bytes: 4 sectors.
    assert requests(np.arange(128)) == (4, 16, 16)


@pytest.mark.parametrize(("stride", "efficiency"), [(2, 1 / 2), (4, 1 / 4), (8, 1 / 8),
                                                    (1000, 1 / 8)])  # fmt: skip
def test_strides_waste_what_lies_between(stride, efficiency):
    _, sectors, least = requests(np.arange(1024) * stride)
    assert least / sectors == efficiency


def test_halves_apart_waste_more():
    # Each 2-byte element has a sector of its own: 2 of 32 bytes are used.
    _, sectors, least = requests(np.arange(1024) * 16, element_size=2)
    assert (sectors, least) == (1024, 1024 * 2 // 32)


def test_an_unaligned_start_costs_one_sector_a_request():
    # 128 bytes from byte 4 on: five sectors for four sectors' worth, in each of four requests.
    assert requests(np.arange(128) + 1) == (4, 20, 16)


def test_an_unaligned_start_narrows_what_a_thread_takes():
    # From byte 4 on no thread can take 16 bytes: 1024 elements are 32 requests of 128 bytes.
    assert requests(np.arange(1024) + 1) == (32, 32 * 5, 32 * 4)
    # From byte 8 on it takes 8: 16 requests of 256 bytes.
    assert requests(np.arange(1024) + 2) == (16, 16 * 9, 16 * 8)


def test_rows_of_a_tile_are_read_along_the_rows():
    rows, columns = np.arange(64)[:, None], np.arange(64)[None, :]
    # fp16, 64 columns: 8 threads of 16 bytes a row, 4 rows a request; 4 sectors a row.
    assert requests(rows * 4096 + columns, element_size=2) == (16, 64 * 4, 64 * 4)


def test_a_transposed_tile_is_read_along_its_columns():
    rows, columns = np.arange(64)[:, None], np.arange(64)[None, :]
    assert requests(rows + columns * 4096, element_size=2) == (16, 64 * 4, 64 * 4)


def test_a_tile_whose_elements_are_apart_both_ways():
    rows, columns = np.arange(32)[:, None], np.arange(32)[None, :]
    # 4-byte elements 64 bytes apart: a sector each, 32 * 4 bytes' worth a request.
    assert requests(rows * 4096 + columns * 16) == (32, 1024, 32 * 4)


def test_narrow_rows_share_a_request():
    # Rows of 8 fp32 (32 bytes), 4096 apart: on 128 threads a tile of 64 rows gives 4 to each.
    rows, columns = np.arange(64)[:, None], np.arange(8)[None, :]
    assert requests(rows * 4096 + columns) == (4, 64, 64)


def test_a_scalar_is_one_sector():
    assert requests(np.array(5)) == (1, 1, 1)
    assert requests(np.array([5]), element_size=8) == (1, 1, 1)


def test_the_same_element_for_all_lanes_is_one_sector():
    assert requests(np.zeros(128, int)) == (4, 4, 4)


def test_lanes_switched_off_ask_for_nothing():
    keep = np.arange(1024) < 100
    # 100 fp32 are 400 bytes in the first request: 12.5 sectors.
    assert requests(np.arange(1024), active=keep) == (1, 13, 13)
    assert requests(np.arange(1024), active=np.zeros(1024, bool)) == (0, 0, 0)
    # Every second lane off: every sector is touched all the same.
    assert requests(np.arange(1024), active=np.arange(1024) % 2 == 0) == (8, 128, 64)


def test_a_gather_takes_a_sector_an_element():
    scattered = np.random.default_rng(1).permutation(1024) * 64
    assert requests(scattered) == (32, 1024, 32 * 4)


def test_a_sample_has_both_ends():
    assert sample_of(5) == [0, 1, 2, 3, 4]
    chosen = sample_of(1000)
    assert len(chosen) == 64
    assert (chosen[0], chosen[-1]) == (0, 999)
    assert max(np.diff(chosen)) <= 17
    assert sample_of(0) == []


def test_sites_of_bundled_kernels(tmp_path):
    check_sites(
        in_child(
            "from tests.engine import site_facts\nanswer = site_facts.facts()",
            interpret=True,
            tmp_path=tmp_path,
        )
    )
