"""Figures of the panels beyond one launch: sweeps, comparisons, debugger, advisor and the rest."""

from __future__ import annotations

from playground.model.figure import Figure

PANEL_FIGURES: dict[str, Figure] = {
    "slower": Figure(
        "Slower than the best",
        "How much longer this config takes than the best right one of the sweep.",
        "median time / median time of the best − 1",
    ),
    "place": Figure(
        "Place",
        "Rank by time. Configs that no measured difference tells apart share a place, and the one "
        "with the fewest warps, stages and shared memory leads it.",
        "tied: the joint 95 % interval holds 1, or within 2 %",
    ),
    "programs_per_sm": Figure(
        "Programs a multiprocessor",
        "How many programs of the launch one multiprocessor holds at once; registers, shared "
        "memory and threads each allow so many, and the least counts.",
        "min over registers, shared memory, warps, slots of ⌊room / need of a program⌋",
    ),
    "unwritten": Figure(
        "Unwritten elements",
        "Elements of the stored tensors that no program wrote under this config.",
        "elements − elements with a store",
    ),
    "relative": Figure(
        "Relative time",
        "Time over that of one config on the same GPU: times of different GPUs are not ranked "
        "against each other.",
        "median time / median time of the pinned config there",
    ),
    "at": Figure("At", "Seconds from the start of the sweep to this row."),
    "importance": Figure(
        "Importance of a knob",
        "The share of the variance of log time that the knob explains alone, corrected for its "
        "number of values. What knobs do only together counts for none.",
        "ε² = (SS between values − (values − 1)·MS within) / SS total",
    ),
    "geometric_mean": Figure(
        "Loss over all sizes",
        "What a config loses against each problem size's own best: the mean over sizes, and the "
        "worst of them.",
        "geometric mean and maximum of time / best time at that size",
    ),
    "order_kept": Figure(
        "Order kept",
        "How far two sweeps agree on which config is faster.",
        "pairs of configs in the same order / all pairs",
    ),
    "ratio": Figure(
        "Ratio of two timings",
        "How the two compare, timed in turns in random order; below 1 the first is faster. It is "
        "faster or slower when the whole interval lies beyond 0.5 %, the same within 1 %.",
        "median of log(time A / time B) of each round, with its bootstrap 95 % interval",
    ),
    "rounds": Figure(
        "Rounds", "How often the two were timed one after the other, in random order."
    ),
    "samples": Figure(
        "Samples", "Single times of the kernel that the statistics come from, warm-up left out."
    ),
    "gain": Figure(
        "Expected gain",
        "How many times as fast the launch should be once the cause is gone, by the formula beside "
        "it; “measured” when it was tried and timed in turns.",
        "time now / time without the cause",
    ),
    "ceiling": Figure(
        "Ceiling",
        "The most that this GPU reaches: measured here by kernels that do nothing else, or the "
        "data sheet's figure where it says expected.",
    ),
    "l2": Figure("L2 cache", "Bytes of the GPU's second-level cache, shared by all its parts."),
    "multiprocessors": Figure(
        "Multiprocessors",
        "The GPU's processors (SMs; compute units at AMD): programs are handed out to them.",
    ),
    "programs": Figure(
        "Programs", "Instances of the kernel that the launch starts.", "grid x · grid y · grid z"
    ),
    "alignment": Figure(
        "Alignment",
        "The largest power of two, up to 16, that divides the tensor's address: what Triton may "
        "count on to load many bytes at once.",
        "gcd(address, 16) bytes",
    ),
    "strides": Figure(
        "Strides", "How many elements further the next one along each axis lies in memory."
    ),
    "storage": Figure(
        "Storage", "Bytes of the memory that the tensor is a view of, and on which device it is."
    ),
    "differ": Figure(
        "Elements that differ",
        "Elements further from what is expected than the tolerance allows; NaN equals NaN only "
        "where both have it.",
        "|result − expected| > tolerance",
    ),
    "tolerance": Figure(
        "Allowed error",
        "How far a right result may be off: it grows with the number format's precision, the "
        "length of the sums, and the size of the values.",
    ),
    "not_finite": Figure(
        "NaN and infinite", "Elements that are no numbers, or beyond the format's range."
    ),
    "lanes": Figure("Lanes", "Elements of the block in which the operation made such a value."),
    "over_fastest": Figure(
        "Over the fastest",
        "Time of this case over the fastest of its row.",
        "time / least time",
    ),
    "times_faster": Figure(
        "Times faster", "How many times as fast the second way is as the first.",
        "time of the first / time of the second",
    ),
    "tuned_over_frozen": Figure(
        "Tuned over frozen",
        "What choosing a config for this size alone gains over the one config kept for all sizes; "
        "1 is nothing.",
        "tuned time / frozen time",
    ),
    "share_of_library": Figure(
        "Share of the library",
        "Speed of the Triton kernel as a share of the CUDA library's at the same work.",
        "library's time / Triton's time",
    ),
    "share_of_copy": Figure(
        "Share of copy bandwidth",
        "Bandwidth as a share of what a plain copy reaches on this GPU.",
        "bandwidth / copy ceiling",
    ),
    "allocated": Figure("Allocated", "Bytes of GPU memory that the operation made."),
    "copies": Figure("Copies", "Copies of the tensor's data that the operation made."),
    "sm_clock": Figure(
        "SM clock", "At what rate the multiprocessors run, in MHz; times fall and rise with it."
    ),
    "memory_clock": Figure("Memory clock", "At what rate the GPU's memory runs, in MHz."),
    "power": Figure("Power", "What the GPU draws now, in watts; near its limit clocks fall."),
    "temperature": Figure("Temperature", "Of the GPU's chip, in °C; when hot, clocks fall."),
    "utilisation": Figure(
        "Utilisation", "Share of the last moments in which some kernel ran on the GPU, however "
        "few of its multiprocessors it used.",
    ),
    "instructions": Figure(
        "Instructions",
        "Machine instructions that the source line became, by class: tensor core, floating point, "
        "integer, memory by width, shared and local memory, control, barriers.",
        "counted once each in the kernel's code, however often they run",
    ),
    "over_arithmetic": Figure(
        "Over arithmetic",
        "By how much the line's integer instructions, which are addresses and masks, outnumber the "
        "arithmetic of the whole kernel.",
        "max(integer instructions of the line − arithmetic of the kernel, 0)",
    ),
    "executions": Figure(
        "Executions", "How often the access was made, by all programs and rounds of loops."
    ),
    "accesses": Figure(
        "Loads and stores",
        "How often elements of the tensor are loaded or stored, of all programs together; least "
        "and most tell of the single element.",
        "Σ lanes that a mask lets through",
    ),
    "least_bytes": Figure(
        "The least",
        "What has to be moved at least: of an access the fewest 32-byte sectors that could hold "
        "what its requests ask for, of a launch each byte once.",
    ),
    "elements": Figure("Elements", "How many elements the tensor has.", "product of its shape"),
    "memory_used": Figure("Memory in use", "GPU memory that all programs hold together."),
}  # fmt: skip

PANEL_ALIASES = {
    "programs/sm": "programs_per_sm", "unwritten": "unwritten",
    "geometric mean": "geometric_mean", "worst case": "geometric_mean",
    "order kept": "order_kept", "samples": "samples", "rounds": "rounds",
    "matters": "importance", "importance": "importance", "ε²": "importance",
    "sms": "multiprocessors", "first call": "host_cost", "from disk": "host_cost",
    "over the fastest": "over_fastest", "times faster": "times_faster",
    "tuned over frozen": "tuned_over_frozen", "share of the library": "share_of_library",
    "of copy": "share_of_copy", "first over cached": "host_cost", "sm clock": "sm_clock",
    "memory clock": "memory_clock", "expected, not measured": "gain", "tolerance": "tolerance",
}  # fmt: skip
"""Words that stand for one of these wherever they are."""

HEADINGS = {
    "slower": "slower", "place": "place", "at": "at", "relative": "relative", "l2": "l2",
    "rate": "ceiling", "programs": "programs", "alignment": "alignment", "strides": "strides",
    "storage": "storage", "differ": "differ", "allowed": "tolerance", "nan": "not_finite",
    "infinite": "not_finite", "lanes": "lanes", "time": "median", "tuned": "median",
    "frozen": "median", "triton": "median", "library": "median", "plain": "median",
    "persistent": "median", "pointers": "median", "descriptors": "median",
    "without": "share_of_copy", "with hints": "share_of_copy", "cached": "host_cost",
    "allocated": "allocated", "copies": "copies", "host time": "host_cost", "power": "power",
    "temperature": "temperature", "busy": "utilisation", "load": "utilisation",
    "utilisation": "utilisation", "memory": "memory_used", "largest error": "max_error",
    "ratio": "ratio", "gain": "gain", "before": "median", "after": "median",
    "change": "ratio", "instr.": "instructions", "control": "instructions",
    "integer": "instructions", "other": "instructions", "wide": "instructions",
    "narrow": "instructions", "tensor": "instructions", "fp": "instructions",
    "async": "instructions", "local": "instructions", "barrier": "instructions",
    "over arithmetic": "over_arithmetic", "efficiency": "efficiency", "re-read": "reread",
    "executions": "executions", "least": "least_bytes", "bytes": "bytes_requested",
    "elements": "elements", "shape": "elements", "loads": "accesses", "stores": "accesses",
    "loads, least": "accesses", "loads, most": "accesses", "stores, least": "accesses",
    "stores, most": "accesses", "sample": "samples",
}  # fmt: skip
"""Headings of columns that alone are too short a word to look for in a sentence."""
