"""A small product compiled to its end, so that the first real kernel does not pay for first uses.

LLVM builds its tables, modules are imported and ptxas is read from the disk when a process compiles
for the first time. None of that depends on what is compiled, and nothing of it is kept: Triton's
cache goes to a folder that is deleted again.
"""

from __future__ import annotations

import tempfile

import torch
from triton import knobs

from playground.engine.first_kernel import product
from playground.engine.triton_private import compiled, stub_driver


def compile_first(target: str) -> None:
    """Compile a small product for `target`; raises whatever Triton raises."""
    tensor = compiled.StandInTensor(torch.float16)
    arguments = {
        "a": tensor, "b": tensor, "out": compiled.StandInTensor(torch.float32), "steps": 4,
        "SIZE": 64,
    }  # fmt: skip
    stub_driver.activate_stub(target)
    with tempfile.TemporaryDirectory(prefix="pg-first-") as folder, knobs.cache.scope():
        knobs.cache.dir = folder
        # Through Triton alone: what its log says of this kernel is nobody's business.
        product.warmup(**arguments, grid=(1, 1, 1))
    product.device_caches.clear()
