"""The experiments there are: the rule of thumb, how it is judged, and how its figures are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.model import experiment_rules as rules
from playground.model.experiment import Figures, Plot, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.experiment import ExperimentResult


@dataclass(frozen=True)
class Experiment:
    """One rule of thumb.

    `claim` is the rule as people tell it, `how` what is measured, and `judged` the rule by which
    the figures become a verdict. `version` grows when figures of an older run no longer fit.
    """

    name: str
    title: str
    claim: str
    how: str
    judged: str
    judge: Callable[[Figures], Verdict]
    plot: Plot
    version: int = 1


EXPERIMENTS: tuple[Experiment, ...] = (
    Experiment(
        "compile-time", "First call and cached call",
        "The first call compiles and is slow; every later one is cached and costs next to nothing.",
        "Time of the host for one launch of four bundled kernels: with an empty cache, with the "
        "compiled kernel on disk, and with it in memory.",
        "Holds where the first call takes at least 100 times as long as a cached one.",
        rules.compile_time, Plot("case", "first over cached", logarithmic=True, level=100,
                                 level_name="100 times"),
    ),
    Experiment(
        "block-size", "BLOCK_SIZE 128 or 256",
        "For elementwise kernels a BLOCK_SIZE of 128 or 256 is best.",
        "Kernel time of the bundled vector add, four warps a program, at blocks of 64 to 8192 "
        "elements and four lengths, cold L2.",
        "Holds at a length where the faster of 128 and 256 is within 2 % of the fastest block.",
        rules.block_size, Plot("BLOCK_SIZE", "over the fastest", "case", logarithmic=True,
                               level=1.02, level_name="2 % more"),
    ),
    Experiment(
        "grid-size", "4 to 8 programs a multiprocessor",
        "A grid of 4 to 8 times the number of multiprocessors is best.",
        "Kernel time of the bundled grid-stride kernel with 1 to 64 programs a multiprocessor, at "
        "three lengths, cold L2.",
        "Holds at a length where the fastest of 4 to 8 is within 2 % of the fastest of all.",
        rules.grid_size, Plot("programs a multiprocessor", "over the fastest", "case",
                              logarithmic=True, level=1.02, level_name="2 % more"),
    ),
    Experiment(
        "hints", "Hints: from 60 % to 90 % of the bandwidth",
        "tl.multiple_of and tl.max_contiguous lift a strided copy from 60 % to 90 % of the "
        "bandwidth.",
        "Kernel time of the bundled strided copy, whose stride the compiler knows nothing of, "
        "without and with the hints, against a device copy.",
        "Holds where it is at 75 % of the copy or less without, and at 85 % or more with them.",
        rules.hints, Plot("case", "with hints (% of copy)", level=100, level_name="device copy"),
    ),
    Experiment(
        "persistent", "Persistent kernels on small work",
        "A persistent kernel is 2 to 3 times as fast on small work.",
        "The bundled matmul against its persistent form, each at the best of the same tiles; and "
        "many small products in one persistent launch against a launch each, as Python makes them.",
        "Holds where the persistent kernel is at least 2 times as fast.",
        rules.persistent, Plot("case", "times faster", level=2, level_name="2 times"),
    ),
    Experiment(
        "tma", "TMA: 40 % faster transposes",
        "Through tensor descriptors (TMA) a transpose is 40 % faster than by pointers.",
        "Kernel time of the two bundled transposes, each at its best of the same tiles.",
        "Holds where descriptors are at least 1.4 times as fast.",
        rules.tma, Plot("case", "times faster", level=1.4, level_name="1.4 times"),
    ),
    Experiment(
        "num-stages", "num_stages 3 or 4",
        "num_stages of 3 or 4 is best; with more the kernel gets slower again.",
        "Kernel time of the bundled matmul at 4096 in bf16 with two tiles, and of the bundled row "
        "dots, at as many stages as shared memory holds.",
        "Holds where 3 or 4 is within 2 % of the fastest, and every deeper one that fits is over "
        "2 % slower.",
        rules.num_stages, Plot("num_stages", "over the fastest", "case", level=1.02,
                               level_name="2 % more"),
    ),
    Experiment(
        "libraries", "90 % of the CUDA libraries",
        "A Triton kernel reaches 90 % of the speed of CUDA's libraries.",
        "Kernel times of bundled kernels, each at the best of a few configs, and of what torch "
        "calls for the same (cuBLAS, its own kernels, flash attention), in turns.",
        "Holds where the library's time is at least 0.9 of ours.",
        rules.libraries, Plot("case", "share of the library", level=0.9, level_name="0.9"),
    ),
    Experiment(
        "zero-copy", "torch tensors without a copy",
        "Triton works on torch's tensors where they lie: nothing is copied.",
        "A kernel stores the address it was given; the launch is watched for copies and "
        "allocations, on tensors of three sizes and on a view.",
        "Holds where the address is the tensor's own and nothing is copied or allocated.",
        rules.zero_copy, Plot("case", "host time (us)"),
    ),
    Experiment(
        "fixed-config", "Freezing the tuned config",
        "Once tuned, a frozen config saves the tuner's time at run time.",
        "The bundled autotuned kernel against the same kernel with its best config given: the "
        "first call of a process, compiling included, and the host's time for a later one.",
        "Holds where the tuner takes at least 1.1 times as long.",
        rules.fixed_config, Plot("case", "tuned over frozen", logarithmic=True, level=1.1,
                                 level_name="1.1 times"),
    ),
)  # fmt: skip


def named(name: str) -> Experiment:
    """Return an experiment by its name; raises `KeyError` where there is none of that name."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    raise KeyError(name)


def verdict(result: ExperimentResult) -> Verdict:
    """Return what the figures of a run say of its rule of thumb."""
    experiment = named(result.name)
    if result.version != experiment.version:
        return Verdict("not measured", "these figures are of an older form of the experiment")
    return experiment.judge(result.figures)
