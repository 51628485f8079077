"""Random sizes, dtypes and seeds for every bundled kernel, the same at every run.

`draws` gives calls of `example` and `reference`; sizes are drawn between bounds and rounded down to
a multiple where the kernel asks for one. Both sides of a comparison get other random inputs by
`SEEDED`, which shifts the seed that the files set.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

FLOATS = ("torch.float16", "torch.bfloat16", "torch.float32")
LIMITS = {"torch.float16": 2e-2, "torch.bfloat16": 6e-2, "torch.float32": 1e-3}

MOST_ELEMENTS = 1 << 23
"""64 MB in double precision; a run holds a few such tensors."""
UNSCALED = ("batch", "heads", "seed")

SEEDED = """
import torch
if not hasattr(torch, "plain_generator"):
    torch.plain_generator = torch.Generator

class Seeded(torch.plain_generator):
    def manual_seed(self, seed):
        return super().manual_seed(seed + {seed})

torch.Generator = Seeded
"""


@dataclass(frozen=True)
class Ragged:
    """Bounds of each size in the interpreter; on a GPU the upper ones are `scale` times higher."""

    sizes: dict[str, tuple[int, int]]
    multiples: dict[str, int] = field(default_factory=dict)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    limit: float = 1e-3
    scale: int = 16


PRODUCT = {"m": (1, 150), "n": (1, 150), "k": (1, 150)}
TYPES = {"dtype": FLOATS}

KERNELS: dict[str, Ragged] = {
    "autotuned": Ragged({"n_rows": (1, 9), "n_cols": (1, 900)}),
    "debugging": Ragged({"n": (1, 3000)}, scale=1000),
    "dot_pipeline": Ragged({"n_rows": (1, 20), "n_cols": (1, 1500)}, choices=TYPES),
    "dropout": Ragged({"n": (1, 6000), "seed": (0, 2**20)}, scale=1000),
    "flash_attention": Ragged(
        {"batch": (1, 2), "heads": (1, 3), "length": (1, 150)},
        choices={**TYPES, "head": ("16", "32"), "causal": ("True", "False")}, scale=4,
    ),
    "gather_scatter": Ragged({"n_rows": (1, 50), "n_cols": (1, 600), "n_indices": (1, 60)}),
    "grid_stride": Ragged({"n": (1, 9000)}, scale=1000),
    "grouped_gemm": Ragged({"m": (4, 90), "n": (4, 90), "k": (4, 90)}, limit=2e-2),
    "heuristics": Ragged({"n_rows": (1, 20), "n_cols": (1, 900)}),
    "layer_norm": Ragged({"n_rows": (1, 20), "n_cols": (2, 400)}, choices=TYPES),
    "matmul": Ragged(PRODUCT, choices=TYPES, scale=8),
    "matmul_descriptors": Ragged(
        {"m": (1, 150), "n": (8, 150), "k": (8, 150)}, {"n": 8, "k": 8},
        {"dtype": FLOATS[:2]}, scale=8,
    ),
    "matmul_fp8": Ragged(PRODUCT, limit=1e-3, scale=8),
    "matmul_int8": Ragged(PRODUCT, limit=0.0, scale=8),
    "matmul_persistent": Ragged(PRODUCT, choices=TYPES, scale=8),
    "reduction": Ragged({"n": (1, 20_000)}, scale=1000),
    "rms_norm": Ragged({"n_rows": (1, 9), "n_cols": (1, 2500)}, choices=TYPES),
    "scan": Ragged({"n_rows": (1, 9), "n_cols": (1, 1300)}),
    "softmax": Ragged({"n_rows": (1, 20), "n_cols": (1, 1500)}),
    "split_k": Ragged({"m": (1, 90), "n": (1, 90), "k": (1, 700)}, choices=TYPES, scale=8),
    "stencil_2d": Ragged({"height": (1, 60), "width": (1, 200)}),
    "stencil_3d": Ragged({"depth": (1, 9), "height": (1, 20), "width": (1, 100)}, scale=8),
    "strided_copy": Ragged({"n_rows": (1, 9), "n_cols": (1, 1500), "stride": (1, 2000)}, limit=0.0),
    "transpose": Ragged({"m": (4, 150), "n": (4, 150)}, {"m": 4, "n": 4}, limit=0.0),
    "vector_add": Ragged({"size": (1, 5000)}, limit=0.0, scale=1000),
}  # fmt: skip


def elements(sizes: dict[str, int]) -> int:
    """Return about how many elements the largest tensor has, those of a reference included."""
    known = {name: value for name, value in sizes.items() if name != "seed"}
    length = known.get("length", 0)
    if length:  # the reference holds all scores, and scores of gradients
        return 4 * known["batch"] * known["heads"] * length**2
    return math.prod(sorted(known.values())[-2:])


def count_of(name: str) -> int:
    """Return how many draws hold every dtype of a kernel: two at least."""
    return max(2, len(KERNELS[name].choices.get("dtype", ())))


def draws(name: str, count: int, *, on_gpu: bool = False) -> list[tuple[str, float]]:
    """Return calls' arguments for a kernel, with the limit of each, relative and absolute.

    Options go round at paces of their own: six draws hold every pair of their values. On a GPU no
    draw has more than `MOST_ELEMENTS`, so that it runs beside whoever else uses that.
    """
    ragged, source = KERNELS[name], random.Random(name)
    found = []
    for turn in range(count):
        sizes = {}
        for size, (low, high) in ragged.sizes.items():
            most = high * ragged.scale if on_gpu and size not in UNSCALED else high
            sizes[size] = source.randint(low, most)
        while elements(sizes) > MOST_ELEMENTS:
            largest = max(sizes.keys() - {"seed"}, key=lambda size: sizes[size])
            sizes[largest] //= 2
        arguments = {}
        for size, value in sizes.items():
            step = ragged.multiples.get(size, 1)
            arguments[size] = str(max(value // step * step, ragged.sizes[size][0]))
        paces = {"dtype": 1, "causal": 1, "head": 3}
        for option, values in ragged.choices.items():
            arguments[option] = values[turn // paces[option] % len(values)]
        dtype = arguments.get("dtype", "")
        limit = LIMITS.get(dtype, ragged.limit)
        if on_gpu and dtype == "torch.float32":
            # tl.dot rounds the factors to tf32 (10 bits) there, and errors add up like the terms.
            limit = max(2e-2, 5 * 2**-10 * math.sqrt(int(arguments.get("k", 64))))
        if on_gpu and name == "matmul_fp8":
            limit = 0.1  # Hopper adds products of 8-bit floats with some 13 bits
        if limit and name == "split_k":
            limit = max(limit, 1e-2)  # its sums are long, and of what it was given
        found.append((", ".join(f"{key}={value}" for key, value in arguments.items()), limit))
    return found
