"""The command `triton-playground`: the window, or one of the verbs that work without it."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playground.cli.examples import EXAMPLES
from playground.cli.files import bundled_or_given
from playground.cli.help_notes import verb_groups, window_notes
from playground.cli.help_page import HelpParser
from playground.cli.options import VERBS, parser_of, task_of, version
from playground.cli.outputs import (
    OutputError,
    drop_output,
    print_outcome,
    why_no_output,
    write_export,
    writing,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from playground.cli.process import Outcome
    from playground.model.finding import Stage
    from playground.ui.kernel_remote import RemotePlace


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
        drop_output()
        return 128 + signal.SIGPIPE if os.name != "nt" else 1
    except OutputError as error:
        drop_output()
        print(f"could not write the output: {error}", file=sys.stderr)
        return 1


# ------------------------------------------------------------------ the window


def window_parser() -> HelpParser:
    """Return the parser of what opens the window."""
    parser = HelpParser(
        "triton-playground",
        ("triton-playground [FILE ...] [OPTION ...]", "triton-playground VERB FILE [OPTION ...]"),
        "Open a Python file that launches Triton kernels, move its knobs and see what each does: "
        "in a window, or in the terminal where there is no display.",
        EXAMPLES[""],
        window_notes,
        before=verb_groups(VERBS),
    )
    add = parser.group("the window").add_argument
    add(
        "files", nargs="*", metavar="FILE",
        help="a Python file with Triton kernels, or the name of a bundled one (vector_add); each "
        "gets a tab, and without a display the first is worked on",
    )  # fmt: skip
    add(
        "--desktop", choices=("install", "remove"),
        help="write an entry with an icon into your desktop's menu (Linux), or take it away",
    )  # fmt: skip
    add = parser.group("an engine elsewhere").add_argument
    add(
        "--remote", metavar="HOST", default="",
        help="run the engine on another machine over SSH; it needs triton-playground, no display",
    )  # fmt: skip
    add(
        "--remote-python", metavar="PYTHON", default="python3",
        help="HOST's Python with triton-playground (default: python3)",
    )  # fmt: skip
    add(
        "--existing", metavar="FILE", default="",
        help="use a running Jupyter kernel, by its connection file (on HOST, with --remote)",
    )  # fmt: skip
    add = parser.group("without a display").add_argument
    add("--headless", action="store_true", help="work in the terminal although there is a display")
    add(
        "--output-dir", type=Path, default=Path(), metavar="DIR",
        help="where the tuned file and the picture go (default: here)",
    )  # fmt: skip
    parser.add_general(version())
    return parser


def _window(arguments: Sequence[str]) -> int:
    parser = window_parser()
    options = parser.parse_args(arguments)
    if options.desktop is not None:
        return _desktop(options.desktop)
    options.files = [bundled_or_given(file) for file in options.files]
    for file in options.files:
        if wrong := _no_file(file):
            parser.error(wrong)
    from playground.cli import display

    reason = "--headless was given" if options.headless else display.why_none()
    if not reason:
        from playground.ui.app import main as open_window

        return open_window(options.files, _place(options, parser))
    if not options.files:
        parser.error(f"no display ({reason}), so a FILE is needed to work on in the terminal")
    if not options.output_dir.is_dir():
        parser.error(f"there is no folder {options.output_dir}")
    from playground.cli import headless

    with writing():
        return headless.run(options.files[0], options.output_dir, reason)


def _desktop(wanted: str) -> int:
    from playground.cli import desktop

    try:
        files = desktop.install() if wanted == "install" else desktop.remove()
    except desktop.DesktopError as error:
        print(error, file=sys.stderr)
        return 1
    with writing():
        for path in files:
            print(f"{'wrote' if wanted == 'install' else 'removed'} {path}")
    return 0


def _place(options: argparse.Namespace, parser: argparse.ArgumentParser) -> RemotePlace | None:
    """Return where the engine is to run, None for this machine."""
    if not options.remote and not options.existing:
        return None
    from playground.ui.kernel_remote import PlaceError, RemotePlace

    place = RemotePlace(options.remote, options.existing, options.remote_python)
    try:
        place.launcher()
    except PlaceError as error:
        parser.error(str(error))
    return place


# ------------------------------------------------------------------ the verbs


def _verb(verb: str, arguments: Sequence[str]) -> int:
    parser = parser_of(verb)
    options = parser.parse_args(arguments)
    if verb == "doctor":
        from playground.cli import doctor, schema, text

        document = doctor.examine()
        failed = any(item["severity"] == "error" for item in schema.findings_of(document))
        with writing():
            print(
                json.dumps(document, indent=1) if options.json else text.render(document, "doctor")
            )
        return int(failed)
    if verb == "sweeps":
        from playground.cli import past_sweeps

        return past_sweeps.show(options, parser)
    if verb == "kernels":
        from playground.cli import kernels_verb

        return kernels_verb.show(options)
    if verb == "experiment":
        from playground.cli import experiment_verb

        return experiment_verb.run(options, parser)
    options.file = bundled_or_given(options.file)
    task = task_of(verb, options, parser)
    from playground.cli import coverage_files, process

    wanted = coverage_files.wanted_of(options) if verb == "coverage" else {}
    output = getattr(options, "output", None)
    if wrong := _no_file(options.file):
        outcome = _refused(verb, options.file, "engine", wrong)
    elif output is not None and (wrong := why_no_output(output, options)):
        outcome = _refused(verb, options.file, "export", wrong)
    elif wanted and (wrong := coverage_files.why_not(wanted, options)):
        outcome = _refused(verb, options.file, "coverage", wrong)
    elif wanted:
        outcome = coverage_files.run(task, options.timeout, wanted, options.theme)
    else:
        outcome = process.run_worker(task, options.timeout)
    status = outcome.status
    document = outcome.document
    if output is not None and document[verb] is not None:
        document, status = write_export(outcome, output, verb)
    with writing():
        if options.json:
            print(json.dumps(document, indent=1, allow_nan=False))
        else:
            print_outcome(verb, document, emitted=bool(task.emit))
    return status


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
        return f"{file} does not exist: give the path of a Python file, or a bundled kernel's name"
    if not path.is_file():
        return f"{file} is not a plain file: give the path of a Python file"
    try:
        path.open("rb").close()
    except OSError as error:
        return f"{file} cannot be read: {error.strerror}"
    return ""
