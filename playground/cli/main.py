"""The command `triton-playground`: the window, or one of the verbs that work without it."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import playground
from playground.cli.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playground.cli.process import Outcome
    from playground.cli.schema import Json
    from playground.model.finding import Stage

VERBS = {
    "launches": "list what the driver launches: kernel, grid, arguments, knobs",
    "bench": "check one config and measure its time",
    "replay": "run one launch once under a config, for a profiler to look at",
    "compile": "compile one config: registers, spills, shared memory, every stage",
    "coverage": "count which elements are loaded and stored, and how often",
    "sweep": "try many configs and rank them",
    "export": "write the tuned kernel as a .py that runs alone",
    "doctor": "say what works on this machine, and what to do about the rest",
}

_EXAMPLES = """\
examples:
  triton-playground kernels/vector_add.py
  triton-playground bench kernels/vector_add.py --set size=2**20 --set BLOCK_SIZE=512
  triton-playground compile kernels/matmul.py --target cuda:80 --emit ptx
  triton-playground sweep kernels/softmax.py --values num_warps=2,4,8 --json

exit status: 0; 1 if an error was found; 2 if the command line asks for what is not there;
130 if interrupted
"""


class OutputError(Exception):
    """Standard output does not take what is written; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given and given[0] in VERBS:
            return _verb(given[0], given[1:])
        return _window(given)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has had enough (`| head`); nor may Python's own last flush fail.
        _drop_output()
        return 128 + signal.SIGPIPE if os.name != "nt" else 1
    except OutputError as error:
        _drop_output()
        print(f"could not write the output: {error}", file=sys.stderr)
        return 1


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror) from error


# ------------------------------------------------------------------ the window


def _window(arguments: Sequence[str]) -> int:
    verbs = "\n".join(f"  {name:<10} {text}" for name, text in VERBS.items())
    parser = argparse.ArgumentParser(
        "triton-playground",
        usage="triton-playground [FILE] | triton-playground VERB FILE [OPTION ...]",
        description="Open FILE in the window; without a display do the same work in the terminal.",
        epilog=f"verbs, each with --help:\n{verbs}\n\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="a Python file with Triton kernels")
    parser.add_argument(
        "--headless", action="store_true", help="work in the terminal although there is a display"
    )
    parser.add_argument(
        "--output-dir",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where the tuned file and the picture go when there is no window (default: here)",
    )
    parser.add_argument("--version", action="version", version=_version())
    options = parser.parse_args(arguments)
    if options.file is not None and (wrong := _no_file(options.file)):
        parser.error(wrong)
    from playground.cli import display

    reason = "--headless was given" if options.headless else display.why_none()
    if not reason:
        from playground.ui.app import main as open_window

        return open_window(options.file)
    if options.file is None:
        parser.error(f"no display ({reason}), so a FILE is needed to work on in the terminal")
    if not options.output_dir.is_dir():
        parser.error(f"there is no folder {options.output_dir}")
    from playground.cli import headless

    with _writing():
        return headless.run(options.file, options.output_dir, reason)


# ------------------------------------------------------------------ the verbs


def _verb(verb: str, arguments: Sequence[str]) -> int:
    parser = _parser(verb)
    options = parser.parse_args(arguments)
    if verb == "doctor":
        from playground.cli import doctor, schema, text

        document = doctor.examine()
        failed = any(item["severity"] == "error" for item in schema.findings_of(document))
        with _writing():
            print(
                json.dumps(document, indent=1) if options.json else text.render(document, "doctor")
            )
        return int(failed)
    task = _task(verb, options, parser)
    from playground.cli import process

    output = getattr(options, "output", None)
    if wrong := _no_file(options.file):
        outcome = _refused(verb, options.file, "engine", wrong)
    elif output is not None and (wrong := _no_output(output, options)):
        outcome = _refused(verb, options.file, "export", wrong)
    else:
        outcome = process.run_worker(task, options.timeout)
    status = outcome.status
    document = outcome.document
    if output is not None and document["export"] is not None:
        document, status = _write_export(outcome, output)
    with _writing():
        if options.json:
            print(json.dumps(document, indent=1, allow_nan=False))
        else:
            _print(verb, document, emitted=bool(task.emit))
    return status


def _parser(verb: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(f"triton-playground {verb}", description=VERBS[verb] + ".")
    parser.add_argument("--version", action="version", version=_version())
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    if verb == "doctor":
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
            help="print a stage's text (ttir, ttgir, llir, ptx, sass, amdgcn; or all)",
        )  # fmt: skip
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
            "--vs", dest="against", metavar="WHAT",
            help="compare, in random turns, with a config (BLOCK=64,num_warps=8), reference, "
            "other.py:LAUNCH or an expression of torch's",
        )  # fmt: skip
        add(
            "--curve", action="append", default=[], metavar="NAME=LOW:HIGH[:COUNT][:SPACING]",
            help="time over problem sizes; SPACING is log, linear, pow2 or ragged; may be given "
            "twice",
        )  # fmt: skip
        add("--roofline", action="store_true", help="the GPU's ceilings, and how near they are")
        add("--host", action="store_true", help="what a launch costs the host")
        add("--energy", action="store_true", help="joules a launch (runs for a second)")
        add("--ncu", action="store_true", help="run Nsight Compute on exactly this launch")
    if verb == "sweep":
        add(
            "--values", action="append", default=[], metavar="NAME=V1,V2",
            help="values of a knob; knobs not named keep their value",
        )  # fmt: skip
    if verb == "export":
        add("-o", "--output", type=Path, metavar="FILE", help="where to write it (else: print)")
        add("--force", action="store_true", help="replace a file that was not exported before")
        add(
            "--keep-autotune", action="store_true",
            help="leave the kernel's autotuner its configs, this one first",
        )  # fmt: skip
    return parser


def _task(verb: str, options: argparse.Namespace, parser: argparse.ArgumentParser) -> Task:
    from playground.model.targets import TargetError, parse_target

    target = options.target
    if target is not None:
        try:
            target = parse_target(target).name
        except TargetError as error:
            parser.error(str(error))
    if options.timeout is not None and not 0 < options.timeout < math.inf:
        parser.error("--timeout is a number of seconds above 0")
    budget_ms = getattr(options, "budget", 200.0)
    if not 0 < budget_ms < math.inf:
        parser.error("--budget is a number of milliseconds above 0")
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
        values={
            name: tuple(item.strip() for item in given.split(","))
            for name, given in (
                _pair(text, "--values", parser) for text in getattr(options, "values", ())
            )
        },
        budget_ms=budget_ms,
        cache=getattr(options, "cache", "cold"),
        progress=sys.stderr.isatty(),
        against=getattr(options, "against", None),
        curve=tuple(getattr(options, "curve", ())),
        roofline=getattr(options, "roofline", False),
        host=getattr(options, "host", False),
        energy=getattr(options, "energy", False),
        ncu=getattr(options, "ncu", False),
        keep_autotune=getattr(options, "keep_autotune", False),
    )


def _pair(text: str, option: str, parser: argparse.ArgumentParser) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        parser.error(f"{option} takes NAME=VALUE, not {text!r}")
    return name.strip(), value.strip()


def _refused(verb: str, file: str, stage: Stage, wrong: str) -> Outcome:
    from playground.cli import process, schema
    from playground.model.finding import Finding

    document = schema.document(verb, file)
    document["findings"] = [schema.finding(Finding("error", stage, wrong))]
    return process.Outcome(document, 2)


def _no_file(file: str) -> str:
    """Return why `file` is none that can be read, or an empty string."""
    path = Path(file)
    if path.is_dir():
        return f"{file} is a folder, not a file: give the path of a Python file"
    if not path.exists():
        return f"{file} does not exist: give the path of a Python file"
    if not path.is_file():
        return f"{file} is not a plain file: give the path of a Python file"
    try:
        path.open("rb").close()
    except OSError as error:
        return f"{file} cannot be read: {error.strerror}"
    return ""


def _version() -> str:
    return f"triton-playground {playground.__version__}"


def _no_output(output: Path, options: argparse.Namespace) -> str:
    """Return why the export may not go to `output`, or an empty string; asked before the work."""
    from playground.cli import files

    if output.is_dir():
        return f"{output} is a folder; give the name of a file in it"
    if not output.parent.is_dir():
        return f"there is no folder {output.parent} to write {output.name} into"
    if output.exists() and output.resolve() == Path(options.file).resolve():
        return f"{output} is the file itself; give another name"
    if output.exists() and not options.force and not files.is_own_export(output):
        return f"{output} exists and was not exported by this program; --force replaces it"
    return ""


def _write_export(outcome: Outcome, output: Path) -> tuple[Json, int]:
    from playground.cli import schema
    from playground.model.finding import Finding

    document = outcome.document
    try:
        output.write_text(schema.export_of(document)["text"], encoding="utf-8")
    except OSError as error:
        failure = Finding("error", "export", f"could not write {output}: {error.strerror}")
        findings = [*schema.findings_of(document), schema.finding(failure)]
        return {**document, "findings": findings, "export": None}, 1
    schema.set_export_path(document, str(output))
    return document, outcome.status


def _print(verb: str, document: Json, *, emitted: bool) -> None:
    """Print what people read: the result on standard output, all about it on standard error."""
    from playground.cli import schema, text

    device = text.device_line(document)
    if device:
        print(device, file=sys.stderr)
    payload = schema.PAYLOADS[verb]
    report = text.render(document, payload)
    if report:
        # With --emit the text of the stages is the result, so that it can be redirected.
        print(report, file=sys.stderr if emitted else sys.stdout)
    ir = schema.ir_of(document)
    for stage, content in ir.items():
        if len(ir) > 1:
            print(f"======== {stage}")
        print(content.rstrip("\n"))
    sys.stdout.flush()
    found = text.findings(document)
    if found:
        print(found, file=sys.stderr)
