"""Kernels crippled by one cause each, and what makes their tuned twins of them.

Each file of `kernels` is a crippled one; `twin` holds the replacements that tune it. `small` are
problem sizes for the interpreter; the driver's own are for a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Case:
    """A crippled kernel: its file's name, the cause planted, and how its twin differs."""

    name: str
    cause: str
    twin: tuple[tuple[str, str], ...]
    small: dict[str, int] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The crippled file."""
        return FOLDER / f"{self.name}.py"

    def text(self) -> str:
        """Return the crippled file's text."""
        return self.path.read_text()

    def twin_text(self) -> str:
        """Return the tuned twin's text."""
        text = self.text()
        for old, new in self.twin:
            if old not in text:
                raise ValueError(f"{self.name} has no {old!r}")
            text = text.replace(old, new)
        return text


CASES = (
    Case("column_walk", "uncoalesced", (("BLOCK_M=1024, BLOCK_N=1)", "BLOCK_M=4, BLOCK_N=512)"),),
         {"m": 1024, "n": 512}),
    Case("masked_tiles", "masked-off", (("BLOCK_N=1024", "BLOCK_N=128"),), {"m": 512}),
    Case("narrow_tile", "uncoalesced", (("BLOCK_M=1024, BLOCK_N=2)", "BLOCK_M=4, BLOCK_N=2048)"),),
         {"m": 1024, "n": 1024}),
    Case("cyclic_offsets", "uncoalesced",
         (("tl.arange(0, BLOCK) * tl.num_programs(0) + pid", "pid * BLOCK + tl.arange(0, BLOCK)"),),
         {"n": 1 << 17}),
    Case("masked_rows", "masked-off", (("BLOCK=8192, num_warps=4", "BLOCK=512, num_warps=4"),),
         {"m": 256}),
    Case("row_table", "missing-hint",
         (("x_ptr + start + columns",
           "tl.max_contiguous(tl.multiple_of(x_ptr + start + columns, 16), 8)"),),
         {"rows": 128}),
    Case("unspecialised_stride", "missing-hint", (('(do_not_specialize=["stride"])', ""),),
         {"rows": 128}),
    Case("atomic_for_store", "atomic-store",
         (("tl.atomic_add(", "tl.store("),), {"n": 1 << 17}),
    Case("atomic_order", "atomic-order",
         (("tl.sum(x, 0))", 'tl.sum(x, 0), sem="relaxed")'),), {"m": 1024, "n": 2048}),
    Case("atomic_contention", "atomic-contention",
         (("BLOCK=128, num_warps=1", "BLOCK=8192, num_warps=8"),), {"n": 1 << 18}),
    Case("tiny_tiles", "small-tiles",
         (("BLOCK_M=16, BLOCK_N=16, BLOCK_K=64, num_warps=4",
           "BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, num_warps=8"),),
         {"m": 512, "n": 512, "k": 512}),
    Case("short_steps", "small-tiles",
         (("BLOCK_M=64, BLOCK_N=32, BLOCK_K=16, num_warps=4",
           "BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, num_warps=8"),),
         {"m": 1024, "n": 1024, "k": 512}),
    Case("one_stage", "stages",
         (("BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_warps=8, num_stages=1",
           "BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, num_warps=8, num_stages=3"),),
         {"m": 1024, "n": 2048, "k": 512}),
    Case("upcast", "upcast",
         (("        a = a.to(tl.float32)\n        b = b.to(tl.float32)\n", ""),
          (', input_precision="tf32"', ""),
          ("BLOCK_M=128, BLOCK_N=128, BLOCK_K=32", "BLOCK_M=128, BLOCK_N=256, BLOCK_K=64")),
         {"m": 1024, "n": 2048, "k": 256}),
    Case("exact", "ieee",
         (('input_precision="ieee"', 'input_precision="tf32"'),
          ("BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_warps=8",
           "BLOCK_M=128, BLOCK_N=128, BLOCK_K=32, num_warps=8")),
         {"m": 1024, "n": 2048, "k": 256}),
    Case("spilled_tile", "spills",
         (("BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, num_warps=4",
           "BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, num_warps=8"),),
         {"m": 1024, "n": 2048, "k": 256}),
    Case("tail", "tail", (("n=3072", "n=2816"),), {"k": 256}),
    Case("sum_of_products", "no-dot",
         (("tl.sum(a[:, :, None] * b[None, :, :], axis=1, dtype=tl.float32)", "tl.dot(a, b)"),),
         {"count": 64}),
    Case("few_chunks", "few-programs", (("CHUNK=1 << 20", "CHUNK=4096"),), {"n": 1 << 22}),
    Case("few_rows", "few-programs", (("ROWS=1024", "ROWS=2"),), {"m": 4096}),
    Case("few_persistent", "few-programs", (("PROGRAMS=32", "PROGRAMS=1024"),), {"n": 1 << 22}),
    Case("tiny_blocks", "small-programs", (("BLOCK=32, num_warps=1", "BLOCK=1024, num_warps=4"),),
         {"n": 1 << 17}),
    Case("small_halves", "small-programs", (("BLOCK=64, num_warps=1", "BLOCK=2048, num_warps=4"),),
         {"n": 1 << 18}),
    Case("idle_threads", "idle-threads", (("BLOCK=128, num_warps=32", "BLOCK=1024, num_warps=4"),),
         {"n": 1 << 17}),
    Case("idle_bytes", "idle-threads", (("BLOCK=64, num_warps=8", "BLOCK=2048, num_warps=4"),),
         {"n": 1 << 17}),
    Case("many_warps", "idle-threads", (("num_warps=16", "num_warps=1"),), {"m": 2048}),
    Case("short_row_steps", "idle-threads", (("BLOCK=64", "BLOCK=4096"),),
         {"m": 256, "n": 4096}),
    Case("spilled_rows", "spills", (("num_warps=2", "num_warps=32"),), {"m": 16}),
    Case("spilled_norm", "spills", ((", maxnreg=32", ""), ("num_warps=8", "num_warps=16")),
         {"m": 16}),
    Case("run_time_divisors", "divisor", (("n, B, C, D, BLOCK",
          "n, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr, BLOCK"),), {"a": 4}),
    Case("doubles", "float64", ((".to(tl.float64)", ""),), {"n": 1 << 16}),
    Case("barriers", "barrier",
         (("        tl.debug_barrier()\n", ""), ("BLOCK=1024", "BLOCK=2048")), {"n": 1 << 16}),
    Case("left_print", "print",
         (('        if left < 0:\n            tl.device_print("left", left)\n', ""),),
         {"m": 1024, "n": 2048, "k": 256}),
)  # fmt: skip
