"""The cache that is followed by atoms, against one that is followed line by line."""

import random
import time
from collections import OrderedDict

import numpy as np
import pytest

from playground.engine.lru import atoms_of, in_turns, missed_lines
from playground.engine.outline import Outline, runs_of


def outline_of(accesses, program=None):
    """Return the outline of accesses given as sets of lines."""
    shapes, numbers = [], {}
    line, shape = [], []
    for lines in accesses:
        lowest = min(lines, default=0)
        key = tuple(sorted(item - lowest for item in lines))
        if key not in numbers:
            numbers[key] = len(shapes)
            shapes.append(runs_of(np.array(key, dtype=np.int64)))
        line.append(lowest)
        shape.append(numbers[key])
    count = len(accesses)
    program = np.zeros(count, np.int64) if program is None else np.array(program)
    return Outline(
        program, np.array(line, np.int64), np.array(shape, np.int64), np.array(line) * 128,
        np.array([128 * len(lines) for lines in accesses]), tuple(shapes),
        int(program.max(initial=0)) + 1,
    )  # fmt: skip


def by_lines(accesses, order, cache_lines):
    """Follow an LRU cache line by line; return the misses of each access.

    Within one access, lines that always come together come one after the other.
    """
    together = {}
    for number, lines in enumerate(accesses):
        for line in lines:
            together.setdefault(line, set()).add(number)
    lowest = {}
    for line in sorted(together):
        lowest.setdefault(frozenset(together[line]), line)
    cache, missed = OrderedDict(), [0] * len(accesses)
    for number in order:
        for line in sorted(
            accesses[number], key=lambda line: (lowest[frozenset(together[line])], line)
        ):
            if line in cache:
                cache.move_to_end(line)
                continue
            missed[number] += 1
            cache[line] = True
            if len(cache) > cache_lines:
                cache.popitem(last=False)
    return missed


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("cache_lines", [1, 5, 12, 40])
def test_random_accesses_miss_as_a_cache_of_lines_does(seed, cache_lines):
    chance = random.Random(seed)
    tiles = [
        {chance.randrange(60) for _ in range(chance.randrange(1, 6))}
        | set(range(start := chance.randrange(60), start + chance.randrange(9)))
        for _ in range(10)
    ]
    accesses = [chance.choice(tiles) for _ in range(80)]
    order = list(range(80))
    chance.shuffle(order)
    atoms = atoms_of(outline_of(accesses))
    assert atoms.grain == 1
    assert atoms.distinct_lines == len(set().union(*accesses))
    missed = missed_lines(atoms, np.array(order), cache_lines)
    assert missed.tolist() == by_lines(accesses, order, cache_lines)


def test_a_tile_larger_than_the_cache_is_never_kept():
    atoms = atoms_of(outline_of([set(range(10))] * 3))
    assert missed_lines(atoms, np.arange(3), 9).tolist() == [10, 10, 10]
    assert missed_lines(atoms, np.arange(3), 10).tolist() == [10, 0, 0]


def test_a_part_that_was_put_out_takes_the_rest_with_it():
    # Five lines, then one more: the first of the five goes, and walking over them again puts each
    # next one out just before it is asked for.
    accesses = [set(range(5)), {9}, set(range(5))]
    atoms = atoms_of(outline_of(accesses))
    assert missed_lines(atoms, np.arange(3), 5).tolist() == [5, 1, 5]
    assert by_lines(accesses, range(3), 5) == [5, 1, 5]


def test_accesses_without_lanes_touch_nothing():
    atoms = atoms_of(outline_of([{1, 2}, set(), {2}]))
    assert missed_lines(atoms, np.arange(3), 4).tolist() == [2, 0, 0]


def test_too_many_pieces_are_taken_together_and_said():
    accesses = [{4 * item, 4 * item + 2} for item in range(64)]
    atoms = atoms_of(outline_of(accesses), most_pieces=64)
    assert atoms.grain == 4
    assert atoms.distinct_lines == 256
    assert missed_lines(atoms, np.arange(64), 8).sum() == 256
    assert atoms_of(outline_of(accesses)).distinct_lines == 128


def test_programs_take_turns_and_the_next_takes_an_ended_one_s_place():
    # Lengths 3, 1, 2, 2, two at a time: program 2 begins when 1 has ended, 3 when 0 or 2 has.
    program = np.array([0, 0, 0, 1, 2, 2, 3, 3])
    assert in_turns(program, 4, 2).tolist() == [0, 3, 1, 4, 2, 5, 6, 7]
    assert in_turns(program, 4, 1).tolist() == list(range(8))
    assert in_turns(program, 4, 99).tolist() == [0, 3, 4, 6, 1, 5, 7, 2]
    # Program 1 touches nothing.
    assert in_turns(np.array([0, 0, 2]), 3, 2).tolist() == [0, 2, 1]


def tiled_product(tiles_m, tiles_n, steps, order):
    """Return the outline of a tiled product: a program loads its row of A and column of B.

    Tiles of A and B have 128 lines, in rows far apart as in a matrix; a tile of C 256.
    """
    tall = runs_of(np.arange(128, dtype=np.int64) * 64)
    wide = runs_of(np.sort(np.concatenate([np.arange(64) * 64, np.arange(64) * 64 + 1])))
    block = runs_of(np.sort(np.concatenate([np.arange(128) * 64, np.arange(128) * 64 + 1])))
    b, c = 1 << 20, 2 << 20
    program, line, shape = [], [], []
    for number in range(tiles_m * tiles_n):
        row, column = order(number)
        for step in range(steps):
            line += [row * 128 * 64 + step, b + step * 64 * 64 + 2 * column]
            shape += [0, 1]
        line.append(c + row * 128 * 64 + 2 * column)
        shape.append(2)
        program += [number] * (2 * steps + 1)
    count = len(program)
    return Outline(
        np.array(program), np.array(line), np.array(shape), np.array(line) * 128,
        np.full(count, 128 * 128), (tall, wide, block), tiles_m * tiles_n,
    )  # fmt: skip


def grouped(tiles_m, tiles_n, group):
    """Return the order of the tutorial's product: columns within groups of rows."""

    def place(number):
        first = number // (group * tiles_n) * group
        rows = min(tiles_m - first, group)
        within = number % (group * tiles_n)
        return first + within % rows, within // rows

    return place


def test_grouped_order_fetches_what_arithmetic_says():
    # 16 × 16 tiles, 4 steps; 16 programs at a time. Row by row these 16 load one row of A and all
    # of B: with a cache that cannot hold B until the next row, 4·128·(1 + 16) lines a wave. In
    # groups of four rows they load four rows and four columns: 4·128·(4 + 4).
    tiles, steps, at_once = 16, 4, 16
    stored = tiles * tiles * 256
    row_by_row = tiled_product(tiles, tiles, steps, grouped(tiles, tiles, 1))
    in_groups = tiled_product(tiles, tiles, steps, grouped(tiles, tiles, 4))
    cache_lines = (
        9000  # a wave in groups, its rows of A and its stores fit; B (8192 lines) does not
    )
    found = []
    for outline in (row_by_row, in_groups):
        atoms = atoms_of(outline)
        turns = in_turns(outline.program, outline.programs, at_once)
        found.append(int(missed_lines(atoms, turns, cache_lines).sum()))
    waves = tiles * tiles // at_once
    assert found[0] == waves * steps * 128 * (1 + 16) + stored
    # The four rows of A stay for the four waves of a group; B's columns are new in each.
    assert found[1] == waves // 4 * steps * 128 * (4 + 4 * 4) + stored


def test_a_product_of_4096_cubed_is_followed_in_a_moment():
    outline = tiled_product(32, 32, 64, grouped(32, 32, 8))
    assert len(outline) == 1024 * 129
    start = time.process_time()
    atoms = atoms_of(outline)
    turns = in_turns(outline.program, outline.programs, 132)
    missed = missed_lines(atoms, turns, (60 << 20) // 128)
    assert time.process_time() - start < 3
    assert atoms.distinct_lines == (2 * 32 * 64 * 128) + 1024 * 256
    assert missed.sum() >= atoms.distinct_lines
