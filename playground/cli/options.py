"""The verbs, their options, and the task that they ask for."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import playground
from playground.cli.schema import TEXTS
from playground.cli.task import Task
from playground.model.sweep_plan import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)

VERBS = {
    "launches": "list what the driver launches: kernel, grid, arguments, knobs",
    "bench": "check one config and measure its time",
    "replay": "run one launch once under a config, for a profiler to look at",
    "compile": "compile one config: registers, spills, shared memory, every stage",
    "coverage": "count which elements are loaded and stored; look at its programs one by one",
    "advise": "say what an expert would change: five points in order, each with its evidence",
    "debug": "run or step through one program; prints, NaN, differences element by element",
    "sweep": "try many configs and rank them",
    "sweeps": "list past sweeps, show them again, or print them for other programs",
    "export": "write the tuned kernel as a .py that runs alone",
    "experiment": "measure a rule of thumb on this GPU, or show what was measured before",
    "report": "write all that is known of one launch as one HTML file",
    "reproducer": "write a minimal script of one launch, for a bug report to Triton",
    "doctor": "say what works on this machine, and what to do about the rest",
}


_EPILOGS = {
    "debug": """\
examples:
  what program (1, 2) writes and prints, alone
    triton-playground debug kernels/matmul.py --program 1,2
  the accumulator in every round of the loop
    triton-playground debug kernels/matmul.py --break 61 --watch 'total.max()'
  the line that made the first NaN, and where the result differs from the reference
    triton-playground debug kernels/softmax.py --hunt --compare reference
""",
    "coverage": """\
examples:
  what a grouped order saves: bytes that the L2 would fetch, with and without it
    triton-playground coverage kernels/matmul.py --set GROUP_M=8 --reuse
    triton-playground coverage kernels/matmul.py --set GROUP_M=1 --reuse
  which element belongs to which program, as a picture and as numbers
    triton-playground coverage kernels/matmul.py --png tiles.png --npz counts.npz
  where time goes: waves, tail, idle multiprocessors (on a machine with an NVIDIA GPU)
    triton-playground coverage kernels/matmul.py --set m=4096 --schedule
""",
}


def parser_of(verb: str) -> argparse.ArgumentParser:
    """Return the parser of a verb's options."""
    parser = argparse.ArgumentParser(
        f"triton-playground {verb}",
        description=VERBS[verb] + ".",
        epilog=_EPILOGS.get(verb),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=version())
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    if verb == "doctor":
        return parser
    if verb == "sweeps":
        _add_sweeps(parser)
        return parser
    if verb == "experiment":
        from playground.cli import experiment_verb

        experiment_verb.add_options(parser)
        return parser
    add = parser.add_argument
    add("file", metavar="FILE", help="a Python file that launches Triton kernels")
    add("--driver", metavar="CODE", help="what to run after the file, for example 'main(4096)'")
    add("--benchmarks", action="store_true", help="let the file's own benchmarks run as well")
    add("--tuning", action="store_true", help="let the file's autotuners time their configs")
    add("--launch", type=int, default=0, metavar="N", help="which launch (default 0)")
    add(
        "--set", action="append", default=[], metavar="NAME=VALUE",
        help="a knob or a problem size; may be given several times",
    )  # fmt: skip
    add("--target", metavar="TARGET", help="what to compile for: cuda:90, hip:gfx942, …")
    add("--timeout", type=float, metavar="SECONDS", help="give up after this long")
    if verb == "compile":
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
    if verb == "bench":
        add("--budget", type=float, default=200.0, metavar="MS", help="measuring time (200 ms)")
        cache = parser.add_mutually_exclusive_group()
        cache.add_argument(
            "--cache", choices=("cold", "warm"), default="cold", help="state of the L2 cache"
        )
        for mode, text in (("cold", "evict the L2 before each sample"), ("warm", "leave it")):
            cache.add_argument(
                f"--{mode}", dest="cache", action="store_const", const=mode, help=text
            )
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
        add("--host", action="store_true", help="what a launch costs the host")
        add("--energy", action="store_true", help="joules a launch (runs for a second)")
        add("--ncu", action="store_true", help="run Nsight Compute on exactly this launch")
    if verb == "coverage":
        _add_coverage(add)
    if verb == "advise":
        add(
            "--try", dest="attempt", action="store_true",
            help="check everything that is offered to try, and time it in turns with what is there",
        )  # fmt: skip
        add("--cache", choices=("cold", "warm"), default="cold", help="state of the L2 cache")
    if verb == "debug":
        _add_debug(add)
    if verb == "sweep":
        _add_sweep(add)
    if verb in TEXTS:
        add("-o", "--output", type=Path, metavar="FILE", help="where to write it (else: print)")
        add("--force", action="store_true", help="replace a file that this program did not write")
    if verb == "export":
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
    return parser


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


def _add_sweeps(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("numbers", nargs="*", type=int, metavar="N", help="which sweep to show")
    form = parser.add_mutually_exclusive_group()
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
    add("--png", type=Path, metavar="FILE", help="draw every tensor's tile map, with legends")
    add("--svg", type=Path, metavar="FILE", help="the same as a drawing that stays sharp")
    add(
        "--npz", type=Path, metavar="FILE",
        help="counts, owner, first and last program of every element, for numpy.load; with "
        "--schedule also the programs' times",
    )  # fmt: skip
    add("--theme", choices=("light", "dark"), default="light", help="colours of the pictures")
    add("--force", action="store_true", help="replace files that this program did not write")


def task_of(verb: str, options: argparse.Namespace, parser: argparse.ArgumentParser) -> Task:
    """Return what the options ask for; what cannot be ends the program with status 2."""
    from playground.model.targets import TargetError, parse_target

    try:
        target, diff_target = (
            None if given is None else parse_target(given).name
            for given in (options.target, getattr(options, "diff_target", None))
        )
    except TargetError as error:
        parser.error(str(error))
    if options.timeout is not None and not 0 < options.timeout < math.inf:
        parser.error("--timeout is a number of seconds above 0")
    budget_ms = getattr(options, "budget", 200.0)
    if not 0 < budget_ms < math.inf:
        parser.error("--budget is a number of milliseconds above 0")
    sample = getattr(options, "sample", None)
    if sample is not None and sample < 1:
        parser.error("--sample is a number of programs, 1 or more")
    return Task(
        verb=verb,
        file=options.file,
        driver=options.driver,
        benchmarks=options.benchmarks,
        tuning=options.tuning,
        launch=options.launch,
        settings=dict(_pair(text, "--set", parser) for text in options.set),
        target=target,
        emit=tuple(getattr(options, "emit", ())),
        lines=getattr(options, "lines", False),
        all_targets=getattr(options, "all_targets", False),
        diff=getattr(options, "diff", None),
        diff_target=diff_target,
        values=dict(_pair(text, "--space", parser) for text in getattr(options, "values", ())),
        where=tuple(getattr(options, "where", ())),
        strategy=getattr(options, "strategy", "auto"),
        most=_above_zero(getattr(options, "most", None), "--most", parser),
        sizes=tuple(getattr(options, "sizes", ())),
        total_s=_above_zero(getattr(options, "total", None), "--budget", parser),
        resume=getattr(options, "resume", False),
        gpus=_above_zero(getattr(options, "gpus", None), "--gpus", parser),
        share=getattr(options, "share", False),
        cluster=getattr(options, "cluster", ""),
        budget_ms=budget_ms,
        cache=getattr(options, "cache", "cold"),
        source=getattr(options, "source", None),
        progress=sys.stderr.isatty(),
        against=getattr(options, "against", None),
        curve=tuple(getattr(options, "curve", ())),
        roofline=getattr(options, "roofline", False),
        host=getattr(options, "host", False),
        energy=getattr(options, "energy", False),
        ncu=getattr(options, "ncu", False),
        keep_autotune=getattr(options, "keep_autotune", False),
        dispatch=getattr(options, "dispatch", False),
        past=tuple(getattr(options, "past", ())),
        best=_above_zero(getattr(options, "best", None), "--best", parser),
        attempt=getattr(options, "attempt", False),
        program=getattr(options, "program", None),
        mode=getattr(options, "mode", None),
        breakpoints=tuple(getattr(options, "breakpoints", ())),
        watches=tuple(getattr(options, "watches", ())),
        trace=getattr(options, "trace", False),
        commands=tuple(getattr(options, "commands", ())),
        prints=getattr(options, "prints", False),
        hunt=getattr(options, "hunt", False),
        compare=getattr(options, "compare", None),
        schedule=getattr(options, "schedule", False),
        reuse=getattr(options, "reuse", False),
        steps=getattr(options, "steps", None),
        sample=sample,
    )


def _above_zero(
    value: Number | None, option: str, parser: argparse.ArgumentParser
) -> Number | None:
    if value is not None and not 0 < value < math.inf:
        parser.error(f"{option} is a number above 0")
    return value


def _pair(text: str, option: str, parser: argparse.ArgumentParser) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        parser.error(f"{option} takes NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def version() -> str:
    """Return the program's name and version."""
    return f"triton-playground {playground.__version__}"
