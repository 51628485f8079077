"""The options of each verb, as they stand in its help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playground.model.sweep_plan import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.cli.help_page import HelpParser


def add_run(add: Callable[..., object]) -> None:
    """Add what says which launch of the file is meant."""
    add("--driver", metavar="CODE", help="what to run after the file, for example 'main(4096)' "
        "(default: example(), else __main__, else what fits)")  # fmt: skip
    add("--launch", type=int, default=0, metavar="N", help="which launch, as `launches` numbers "
        "them (default 0)")  # fmt: skip
    add(
        "--set", action="append", default=[], metavar="NAME=VALUE",
        help="a knob or a problem size; may be given several times; 2**20 is a number",
    )  # fmt: skip
    add("--benchmarks", action="store_true", help="let the file's own benchmarks run as well")
    add("--tuning", action="store_true", help="let the file's autotuners time their configs")


def add_own(verb: str, add: Callable[..., object], parser: HelpParser) -> None:
    """Add what one verb alone has."""
    if verb == "compile":
        _add_compile(add)
    elif verb == "bench":
        _add_bench(add, parser)
    elif verb == "coverage":
        _add_coverage(add)
    elif verb == "advise":
        add(
            "--try", dest="attempt", action="store_true",
            help="check everything that is offered to try, and time it in turns with what is there",
        )  # fmt: skip
        add("--cache", choices=("cold", "warm"), default="cold",
            help="state of the L2 cache (default: cold)")  # fmt: skip
    elif verb == "debug":
        _add_debug(add)
    elif verb == "sweep":
        _add_sweep(add)
    elif verb == "export":
        _add_export(add)


def _add_compile(add: Callable[..., object]) -> None:
    add(
        "--emit", action="append", default=[], metavar="STAGE",
        help="print a stage's text (ttir, ttgir, llir, ptx, sass, amdgcn; or all), or what "
        "each pass changed (passes; llvm-passes: LLVM's as well)",
    )  # fmt: skip
    add("--lines", action="store_true", help="what each source line became in the machine code")
    add("--all-targets", action="store_true", help="compile for every known target at once")
    add(
        "--diff", metavar="SET",
        help="compare with another config ('BLOCK=64 num_warps=8'); --emit prints the stage's "
        "differences then",
    )  # fmt: skip
    add("--diff-target", metavar="TARGET", help="compare with another target")


def _add_bench(add: Callable[..., object], parser: HelpParser) -> None:
    add("--budget", type=float, default=200.0, metavar="MS",
        help="measuring time in ms (default 200)")  # fmt: skip
    cache = parser.group("options of bench").add_mutually_exclusive_group()
    cache.add_argument(
        "--cache", choices=("cold", "warm"), default="cold",
        help="state of the L2 cache (default: cold)",
    )  # fmt: skip
    for mode, text in (("cold", "evict the L2 before each sample"), ("warm", "leave it")):
        cache.add_argument(f"--{mode}", dest="cache", action="store_const", const=mode, help=text)
    add(
        "--source", choices=("cupti", "proton", "graph", "events"),
        help="the clock: kernel records by torch's profiler or by Proton, a CUDA graph, or "
        "event pairs (default: the best there is)",
    )  # fmt: skip
    add(
        "--vs", dest="against", metavar="WHAT",
        help="compare, in random turns, with a config (BLOCK=64,num_warps=8), reference, "
        "other.py:LAUNCH or an expression of torch's",
    )  # fmt: skip
    add(
        "--curve", action="append", default=[],
        metavar="NAME[,NAME...]=LOW:HIGH[:COUNT][:SPACING]",
        help="time over problem sizes, several names at one value; SPACING is log, linear, "
        "pow2 or ragged; may be given twice",
    )  # fmt: skip
    add("--roofline", action="store_true", help="the GPU's ceilings, and how near they are")
    add("--host", action="store_true", help="what a launch costs the host, in ms")
    add("--energy", action="store_true", help="joules a launch (runs for a second)")
    add("--ncu", action="store_true", help="run Nsight Compute on exactly this launch")


def _add_export(add: Callable[..., object]) -> None:
    add(
        "--dispatch", action="store_true",
        help="write a table of configs by size from several --sweep, one a size",
    )  # fmt: skip
    add(
        "--keep-autotune", action="store_true",
        help="leave the kernel's autotuner its configs, this one first",
    )  # fmt: skip
    add(
        "--sweep", dest="past", action="append", type=int, default=[], metavar="N",
        help="freeze the best config of a past sweep; several (one a size) with --best",
    )  # fmt: skip
    add(
        "--best", type=int, metavar="K",
        help="let @triton.autotune choose between the best K of each --sweep",
    )  # fmt: skip


def _add_sweep(add: Callable[..., object]) -> None:
    add(
        "--space", "--values", dest="values", action="append", default=[],
        metavar="NAME=V1,LOW..HIGH",
        help="values of a knob: 16,64 or 16..256:pow2 or 1..5; knobs not named keep their value",
    )  # fmt: skip
    add(
        "--where", action="append", default=[], metavar="EXPR",
        help="a condition over knobs and problem sizes, such as 'BLOCK_M * BLOCK_N <= 32768'",
    )  # fmt: skip
    add(
        "--strategy", choices=STRATEGIES, default="auto",
        help="which configs to try (auto: all up to 500, else by TPE)",
    )  # fmt: skip
    add("--most", type=int, metavar="N", help="try no more than so many configs")
    add(
        "--sizes", action="append", default=[], metavar="NAME=N,NAME=N",
        help="sweep at these problem sizes; given several times, the best for all is told as well",
    )  # fmt: skip
    add("--budget", dest="total", type=float, metavar="SECONDS", help="end after so long")
    add("--resume", action="store_true", help="go on with the last sweep of the same launch")
    add(
        "--gpus", type=int, metavar="N",
        help="time on so many GPUs at once, one worker each; with --cluster: so many engines",
    )  # fmt: skip
    add(
        "--share", action="store_true",
        help="let several workers use one GPU (their times disturb each other), or interpret",
    )  # fmt: skip
    add(
        "--cluster", default="", metavar="PROFILE",
        help="workers on the engines of an ipyparallel cluster: a profile of IPython's, or local",
    )  # fmt: skip


def _add_debug(add: Callable[..., object]) -> None:
    add(
        "--program", metavar="P",
        help="which program: its linear id, or x,y,z in the grid (default 0; --prints and --hunt "
        "look at all when it is left out)",
    )  # fmt: skip
    add("--mode", choices=("gpu", "interpreter"), help="where it runs (default: GPU if any)")
    add(
        "--break", dest="breakpoints", action="append", default=[], metavar="LINE[ if EXPR]",
        help="tell the values at every stop there; may be given several times",
    )  # fmt: skip
    add(
        "--watch", dest="watches", action="append", default=[], metavar="EXPR",
        help="tell an expression over the values (NumPy arrays) at every stop",
    )  # fmt: skip
    add("--trace", action="store_true", help="tell every line that runs, with what it changed")
    add(
        "--do", dest="commands", action="append", default=[], metavar="COMMANDS",
        help="step by a script: go; step; next; out; round; until 60; break 20 if k == 2; "
        "watch x.max(); print acc[0]",
    )  # fmt: skip
    add("--prints", action="store_true", help="what tl.device_print prints, by program")
    add("--hunt", action="store_true", help="where NaN and infinities of the result come from")
    add(
        "--compare", choices=("reference", "captured", "interpreter"),
        help="compare the result element by element; the first difference is located",
    )  # fmt: skip


def add_sweeps(parser: HelpParser) -> None:
    """Add which past sweeps, and in what form."""
    own = parser.group("options of sweeps")
    own.add_argument("numbers", nargs="*", type=int, metavar="N", help="which sweep to show")
    form = own.add_mutually_exclusive_group()
    form.add_argument(
        "--compare", action="store_true",
        help="two sweeps side by side: what got faster or slower, winner against winner",
    )  # fmt: skip
    form.add_argument("--t4", action="store_true", help="print one sweep's results as T4 JSON")
    form.add_argument(
        "--table", metavar="SIZE",
        help="print the best config of each sweep by this problem size, as inference servers "
        "read it",
    )  # fmt: skip


def _add_coverage(add: Callable[..., object]) -> None:
    add(
        "--schedule", action="store_true",
        help="where and when each program ran: multiprocessors, waves, tail (needs an NVIDIA GPU)",
    )  # fmt: skip
    add(
        "--reuse", action="store_true",
        help="bytes an L2 of the target's size would fetch, from the order of accesses",
    )  # fmt: skip
    add(
        "--steps", metavar="PROGRAM",
        help="each access of one program in order; its linear id, or x,y,z in the grid",
    )  # fmt: skip
    add(
        "--sample", type=int, metavar="N",
        help="without a GPU, count N programs spread over the grid instead of all",
    )  # fmt: skip


def add_coverage_files(add: Callable[..., object]) -> None:
    """Add the files that a count is drawn or written into."""
    add("--png", type=Path, metavar="FILE", help="draw every tensor's tile map, with legends")
    add("--svg", type=Path, metavar="FILE", help="the same as a drawing that stays sharp")
    add(
        "--npz", type=Path, metavar="FILE",
        help="counts, owner, first and last program of every element, for numpy.load; with "
        "--schedule also the programs' times",
    )  # fmt: skip
    add("--theme", choices=("light", "dark"), default="light",
        help="colours of the pictures (default: light)")  # fmt: skip
    add("--force", action="store_true", help="replace files that this program did not write")
