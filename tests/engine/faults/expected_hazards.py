"""Hazards of some planted faults, worked out by hand: elements, programs, lines."""

from tests.engine.faults.table import line_of


def check_hazards(told):
    """Compare the hazards of `looked_at.HAZARDOUS`, counted anywhere, with what they must be."""
    # Blocks of 256: the first element of a block reads the last one of the block before it.
    (stencil,) = told["in-place stencil"]
    here = line_of("in-place stencil")
    assert stencil == {
        "kind": "read and write", "tensor": "x", "elements": 3, "first": [255], "programs": [1, 0],
        "places": [["load", here], ["load", here + 1], ["store", here + 2]], "ordered": False,
    }  # fmt: skip
    # Four programs load, add and store the same element.
    here = line_of("missing atomic")
    differ, read = told["missing atomic"]
    assert (differ["kind"], differ["elements"], differ["programs"]) == ("writes differ", 1, [0, 3])
    assert differ["places"] == [["store", here]]
    assert (read["kind"], read["elements"]) == ("read and write", 1)
    assert read["places"] == [["load", here], ["store", here]]
    # Programs 0 and 1 share slot 0, programs 2 and 3 slot 1.
    (shared,) = told["two programs share a partial sum"]
    assert (shared["kind"], shared["elements"]) == ("writes differ", 2)
    assert (shared["first"], shared["programs"]) == ([0], [0, 1])
    (stale,) = told["stale scratch"]
    assert (stale["kind"], stale["elements"]) == ("unwritten read", 1000)
    assert (stale["first"], stale["programs"]) == ([0], [0])
    assert stale["places"] == [["load", line_of("stale scratch")]]
    # The reset is a plain store to what atomics update: equal values, and an order in question.
    kinds = {item["kind"]: item for item in told["every program resets the counter"]}
    assert set(kinds) == {"writes agree", "plain and atomic"}
    assert kinds["plain and atomic"]["ordered"]
    assert ["store", line_of("every program resets the counter")] in (
        kinds["plain and atomic"]["places"]
    )
    # The last 50 of 1000 elements are read and never stored.
    (half,) = told["scratch half written"]
    assert (half["kind"], half["elements"], half["first"]) == ("unwritten read", 50, [950])
    assert half["programs"] == [3]
    # Tiles of 256, 128 apart: elements 128 to 1023 belong to two each.
    (overlap,) = told["overlapping tiles"]
    assert (overlap["kind"], overlap["elements"]) == ("writes differ", 1024 - 128)
    assert (overlap["first"], overlap["programs"]) == ([128], [0, 1])
