"""What the steps of tests/engine/stepping_kernels.py must be, worked out by hand."""


def check_steps(told):
    """Compare the steps told, made anywhere, with the lists."""
    # Program 1 of a (2, 2) grid is (1, 0): rows 2 and 3 of a (4 × 6), columns 0 and 1 of b (6 × 4).
    # The tiles are 2 × 4 and 4 × 2; of the second step along K two of four are masked off.
    rows = [12, 13, 14, 15, 18, 19, 20, 21]
    columns = [4 * k + n for k in range(4) for n in range(2)]
    assert told["product"] == [
        ["load", "a", rows], ["load", "b", columns],
        ["load", "a", [16, 17, 22, 23]], ["load", "b", [16, 17, 20, 21]],
        ["store", "c", [8, 9, 12, 13]],
    ]  # fmt: skip
    assert told["sites"] == [-1, -1, -1, -1, 1]
    # Two arguments on one memory: the first is named; an empty step has its site's tensor.
    assert told["one storage"] == [
        ["load", "x", [0, 1, 2]], ["store", "", []], ["store", "x", [0, 1, 2]],
    ]  # fmt: skip
    # The load goes past the view x (four elements): y has all six, so y it is.
    assert told["named first"][0] == ["load", "y", [2, 3, 4, 5, 6, 7]]
    assert told["named first"][2] == ["store", "y", [0, 1, 2, 3, 4, 5]]
    # One int32 loaded from a tensor of bytes covers four of its elements.
    assert told["words"] == [["load", "bytes_ptr", list(range(8))], ["store", "out", [0, 1]]]
    assert told["cut"] == [True, 1]
