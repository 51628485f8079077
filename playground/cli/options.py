"""The verbs, their options, and the task that they ask for."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import playground
from playground.cli.examples import EXAMPLES
from playground.cli.help_notes import verb_notes
from playground.cli.help_page import HelpParser
from playground.cli.schema import TEXTS
from playground.cli.task import Task
from playground.cli.verb_options import add_coverage_files, add_own, add_run, add_sweeps

if TYPE_CHECKING:
    import argparse

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
    "kernels": "list the bundled kernels: what each teaches, and whether it runs here",
    "doctor": "say what works on this machine, and what to do about the rest",
}
FILELESS = {
    "sweeps": "[N ...] ",
    "experiment": "[NAME ...] ",
    "kernels": "[WORD ...] ",
    "doctor": "",
}
"""Verbs that take no kernel file, with what they take instead."""


RUN, OUTPUT, LIMITS = "what is run", "output", "compiling and time limit"
"""Groups of options that several verbs have; a verb's own stand before them."""


def parser_of(verb: str) -> HelpParser:
    """Return the parser of a verb's options."""
    has_file = verb not in FILELESS
    parser = HelpParser(
        f"triton-playground {verb}",
        (f"triton-playground {verb} {'FILE ' if has_file else FILELESS[verb]}[OPTION ...]",),
        VERBS[verb][:1].upper() + VERBS[verb][1:] + ".",
        EXAMPLES.get(verb, ()),
        lambda: verb_notes(verb),
    )
    own = parser.group(f"options of {verb}").add_argument
    if verb == "sweeps":
        add_sweeps(parser)
    elif verb == "kernels":
        from playground.cli import kernels_verb

        kernels_verb.add_options(parser)
    elif verb == "experiment":
        from playground.cli import experiment_verb

        experiment_verb.add_options(parser)
    elif has_file:
        add_own(verb, own, parser)
        parser.group(RUN).add_argument(
            "file", metavar="FILE",
            help="a Python file that launches Triton kernels, or the name of a bundled one: "
            "vector_add, softmax, matmul, … (`triton-playground kernels` lists them)",
        )  # fmt: skip
        add_run(parser.group(RUN).add_argument)
        limits = parser.group(LIMITS).add_argument
        limits("--target", metavar="TARGET",
               help="what to compile for: cuda:90, hip:gfx942, … (default: the GPU in the machine, "
               "else cuda:90)")  # fmt: skip
        limits("--timeout", type=float, metavar="SECONDS", help="give up after this long "
               "(default: never)")  # fmt: skip
    output = parser.group(OUTPUT).add_argument
    output("--json", action="store_true", help="print one JSON document")
    if verb == "coverage":
        add_coverage_files(output)
    if verb in TEXTS:
        output("-o", "--output", type=Path, metavar="FILE",
               help="where to write it (default: print it)")  # fmt: skip
        output("--force", action="store_true",
               help="replace a file that this program did not write")  # fmt: skip
    parser.add_general(version())
    return parser


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
