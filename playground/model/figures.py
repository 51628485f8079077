"""What every figure means: its definition and formula, in one table for tips, reports and help."""

from __future__ import annotations

import re

from playground.model.figure import Figure
from playground.model.panel_figures import HEADINGS, PANEL_ALIASES, PANEL_FIGURES

FIGURES: dict[str, Figure] = {
    "median": Figure(
        "Median time",
        "The middle of all samples of the kernel's time on the GPU, from the hardware's own "
        "records where there are any. Launch gaps and host time are not in it.",
        "half of the samples are shorter, half are longer",
    ),
    "interval": Figure(
        "95 % interval",
        "Where the true median lies with 95 % probability, from the order of the samples alone: no "
        "shape of their distribution is assumed.",
        "order statistics around n/2 ± 0.98·√n",
    ),
    "spread": Figure(
        "Spread",
        "How far the middle half of the samples is apart, as a share of the median.",
        "(75 % quantile − 25 % quantile) / median",
    ),
    "noise_floor": Figure(
        "Noise floor",
        "How far this config differs from itself when it is timed twice on this machine. A "
        "difference below it means nothing.",
        "|log(median A / median A')| of the same config, timed in random turns",
    ),
    "bandwidth": Figure(
        "Bandwidth",
        "Distinct bytes that the launch reads and writes, per second. The bytes are counted in the "
        "launch itself, each element once a direction.",
        "(bytes read once + bytes written once) / median time",
    ),
    "copy_ceiling": Figure(
        "Copy ceiling",
        "What a plain copy in this GPU's memory reaches, measured here: bytes read plus written.",
        "2 · bytes copied / time",
    ),
    "tflops": Figure(
        "TFLOP/s",
        "Operations of all tl.dot of the launch per second; a product and a sum count as two.",
        "Σ 2·M·N·K / median time",
    ),
    "intensity": Figure(
        "Arithmetic intensity",
        "Operations for each distinct byte. Below the ridge of the roofline memory is the limit, "
        "above it arithmetic.",
        "FLOPs / distinct bytes",
    ),
    "bytes_requested": Figure(
        "Bytes asked for",
        "Bytes of every lane that a mask lets through, of every load and store, of all programs.",
        "Σ active lanes · element size",
    ),
    "bytes_unique": Figure(
        "Distinct bytes",
        "The same, but each element of a tensor once a direction: what memory has to move at "
        "least.",
        "elements read · size + elements written · size",
    ),
    "efficiency": Figure(
        "Sector efficiency",
        "How much of the 32-byte sectors that warp-sized requests touch was asked for.",
        "fewest sectors that could hold it / sectors touched",
    ),
    "reread": Figure(
        "Read again",
        "How often each byte is asked for on average. What caches catch of it costs little.",
        "bytes asked for / distinct bytes",
    ),
    "masked_off": Figure(
        "Masked off",
        "Lanes of the access that the mask switches off: work for nothing.",
        "1 − active lanes / lanes",
    ),
    "registers": Figure(
        "Registers",
        "Registers of each thread, as the assembler gave them out. More of them, fewer programs at "
        "once.",
    ),
    "spills": Figure(
        "Spills",
        "Bytes of a thread that did not fit into registers and go through local memory.",
    ),
    "shared": Figure(
        "Shared memory",
        "Bytes of shared memory that one program holds: buffers of pipelined loads and of layout "
        "changes.",
        "dynamic + static",
    ),
    "occupancy": Figure(
        "Occupancy",
        "Warps that a multiprocessor can hold at once, of those it has room for; the limiter is "
        "the resource that runs out first. Theoretical: from registers, shared memory and threads.",
        "programs a multiprocessor · warps a program / most warps",
    ),
    "waves": Figure(
        "Waves",
        "How often the grid fills the GPU. The last wave is seldom full: that is the tail.",
        "programs of the grid / (programs a multiprocessor · multiprocessors)",
    ),
    "tail": Figure(
        "Tail",
        "From the first multiprocessor that runs dry to the end of the launch.",
        "end of the launch − first time at which a multiprocessor has nothing left",
    ),
    "idle": Figure(
        "Idle share",
        "Share of the multiprocessors' time in which they ran no program of the launch.",
        "1 − Σ busy time / (multiprocessors · duration)",
    ),
    "fetched": Figure(
        "Fetched by the L2",
        "Bytes that an LRU cache of the L2's size would fetch for this order of programs: an "
        "estimate that compares orders, not a measurement.",
    ),
    "max_error": Figure(
        "Max error",
        "The largest difference between the result and what it is held against. The tolerance "
        "grows with the number format and the length of the sums.",
        "max |result − expected|",
    ),
    "energy": Figure(
        "Energy",
        "Joules of one launch, from the GPU's own counter over about a second of launches.",
        "(energy after − energy before) / launches",
    ),
    "host_cost": Figure(
        "Host cost",
        "What the launching program pays on the CPU: the first call compiles, a cold start finds "
        "the compiled kernel on disk, a cached call only launches.",
    ),
    "roof_share": Figure(
        "Share of the roof",
        "How near the launch comes to the least time that its bytes and operations allow on this "
        "GPU.",
        "max(bytes / copy ceiling, FLOPs / product ceiling) / median time",
    ),
    "compile_time": Figure(
        "Compile time",
        "Wall time of the compiler's stages, from the source to the machine's code.",
    ),
    **PANEL_FIGURES,
}
"""By the name that views use (`median`, `bandwidth`, …)."""

_ALIASES = {
    "median": "median", "95 %": "interval", "interval": "interval", "noise": "noise_floor",
    "gb/s": "bandwidth", "tl.dot": "tflops", "products": "tflops", "shared": "shared",
    "spill": "spills", "spilled": "spills", "register": "registers", "wave": "waves",
    "idle": "idle", "fetched": "fetched", "l2 reuse": "fetched", "error": "max_error",
    "joules": "energy", "sector": "efficiency", "sectors": "efficiency", "reread": "reread",
    "masked": "masked_off", "distinct": "bytes_unique", "unique": "bytes_unique",
    "asked for": "bytes_requested", "roof": "roof_share", "flop/byte": "intensity",
    "intensity": "intensity", "compile time": "compile_time", "compiled in": "compile_time",
    "host": "host_cost", **PANEL_ALIASES,
}  # fmt: skip


def figure_in(text: str) -> Figure | None:
    """Return the figure that a text is about: that whose longest name stands in it; or None.

    A text that is the heading of a column, its unit in brackets, is looked up as that first.
    """
    text = text.lower()
    heading = HEADINGS.get(re.sub(r"\s*\([^)]*\)$", "", text).strip())
    if heading is not None:
        return FIGURES[heading]
    names = _ALIASES | {figure.title.lower(): name for name, figure in FIGURES.items()}
    found = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    return FIGURES[names[max(found, key=len)]] if found else None
