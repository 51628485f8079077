"""What recordings of tests/engine/recorded_kernels.py must hold, worked out by hand."""


def check_recordings(told):
    """Compare facts about recordings, made anywhere, with the lists."""
    # 100 elements in blocks of 32: program 3 has elements 96 to 99, in lanes 0 to 3.
    everything = list(range(32))
    assert told["tail"] == [
        [0, "load", "x", everything, 32, 0], [0, "store", "y", everything, 32, 0],
        [3, "load", "x", [96, 97, 98, 99], 32, 0], [3, "store", "y", [96, 97, 98, 99], 32, 0],
    ]  # fmt: skip
    assert told["tail_programs"] == [0, 3]
    assert told["tail_lanes"] == [0, 1, 2, 3]
    assert told["bytes"] == 4 * (32 + 4) * 2
    kinds = {kind for kind, _, _ in told["sites"]}
    assert kinds == {"load", "store"}
    (line,) = {line for _, line, _ in told["sites"]}
    columns = {kind: column for kind, _, column in told["sites"]}
    text = _source()[line - 1]
    assert text[columns["load"] :].startswith("tl.load")
    assert text[columns["store"] :].startswith("tl.store")
    assert told["shapes"] == [[32]] * 4

    # 5 rows of 7 columns, 10 apart, in tiles of 4 by 4; program 1 has row 4 alone.
    def row(r, columns):
        return [10 * r + c for c in columns]

    left = [e for r in range(4) for e in row(r, range(4))]
    right = [e for r in range(4) for e in row(r, range(4, 7))]
    assert told["tiles"] == [
        [0, "load", "a", left, 16, 0], [0, "load", "a", right, 16, 0],
        [0, "store", "out", [0, 1, 2, 3], 4, 0],
        [1, "load", "a", row(4, range(4)), 16, 0], [1, "load", "a", row(4, range(4, 7)), 16, 0],
        [1, "store", "out", [4], 4, 0],
    ]  # fmt: skip
    assert told["of_program"] == [[0, 1, 2], [3, 4, 5], []]
    assert told["cut"] == [False]
    assert told["atomics"] == [
        item for program in range(8) for item in (
            [program, "load", "x", [program], 1, 0], [program, "atomic", "counter", [0], 1, 0],
        )
    ]  # fmt: skip
    # 32 lanes over 20 elements: 12 outside, at the load as at the store.
    assert told["unmasked"] == [[32, 12], [32, 12]]
    assert told["many"] == [128, False, 2 * 64 * 1024]
    assert told["little"] == [True, True, True]


def _source():
    from pathlib import Path

    return Path(__file__).with_name("recorded_kernels.py").read_text().splitlines()
