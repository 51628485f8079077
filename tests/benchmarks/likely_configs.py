"""Configs that have been among the best on an H200, by kernel: what `--likely` times."""

from __future__ import annotations

from typing import Any

Configs = tuple[dict[str, Any], ...]


def _tiles(*rows: tuple[int, int, int, int, int], **more: Any) -> Configs:
    names = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "num_warps", "num_stages")
    return tuple({**dict(zip(names, row, strict=True)), **more} for row in rows)


def _blocks(*rows: tuple[int, int, int, int]) -> Configs:
    names = ("BLOCK_M", "BLOCK_N", "num_warps", "num_stages")
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


MATMUL = _tiles(
    (128, 256, 64, 8, 4), (128, 256, 64, 8, 3), (128, 128, 64, 4, 3), (128, 128, 64, 4, 4),
    (128, 256, 128, 8, 2), GROUP_M=8,
) + _tiles((128, 256, 64, 8, 4), GROUP_M=16)  # fmt: skip
EIGHT_BITS = _tiles(
    (128, 256, 128, 8, 3), (128, 256, 128, 8, 4), (128, 256, 64, 8, 4), (128, 128, 128, 4, 4),
    GROUP_M=8,
)  # fmt: skip
GROUPED = _tiles(
    (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 8, 4), (128, 128, 64, 4, 3)
)
SPLIT_K = (
    _tiles((64, 64, 64, 4, 4), SPLIT_K=8) + _tiles((64, 64, 64, 4, 4), SPLIT_K=16)
    + _tiles((64, 64, 128, 4, 3), SPLIT_K=8) + _tiles((128, 128, 64, 8, 4), SPLIT_K=32)
    + _tiles((64, 128, 128, 4, 3), SPLIT_K=16)
)  # fmt: skip
FORWARD = _blocks(
    (128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 8, 2), (64, 64, 4, 3), (64, 128, 4, 2)
)
COLUMNS = _blocks((32, 128, 8, 2), (64, 128, 8, 2), (32, 64, 4, 3), (64, 64, 8, 2), (64, 64, 4, 2))
ROWS = _blocks((128, 64, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3), (128, 32, 8, 3))
GRADIENTS: Configs = ({"STAGES": 1, "num_warps": 8}, {"STAGES": 1, "num_warps": 16})
PARTIAL_SUMS: Configs = tuple(
    {"BLOCK_ROWS": rows, "BLOCK_COLUMNS": columns, "num_warps": warps}
    for rows, columns, warps in ((512, 16, 8), (512, 8, 4), (512, 8, 8), (128, 16, 4))
)
STENCIL_3D: Configs = tuple(
    {"BLOCK_Y": y, "BLOCK_X": x, "PLANES": planes, "num_warps": warps}
    for y, x, planes, warps in (
        (4, 128, 8, 4), (4, 128, 16, 4), (4, 256, 8, 8), (8, 64, 8, 4), (8, 128, 8, 8),
    )
)  # fmt: skip
GELU: Configs = tuple(
    {"BLOCK_SIZE": block, "num_warps": warps}
    for block, warps in ((512, 4), (1024, 4), (1024, 8), (2048, 8))
)
WARPS: Configs = ({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16})
