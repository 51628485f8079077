"""What a verb prints and writes: the result, what is said about it, and the tuned file."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from playground.cli.process import Outcome
    from playground.cli.schema import Json


class OutputError(Exception):
    """Standard output does not take what is written; the message says why."""


def drop_output() -> None:
    """Send what is still written to standard output nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Tell an output that takes nothing apart from other failures."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror) from error


def why_no_output(output: Path, options: argparse.Namespace) -> str:
    """Return why the export may not go to `output`, or an empty string; asked before the work."""
    from playground.cli import files

    if output.is_dir():
        return f"{output} is a folder; give the name of a file in it"
    if not output.parent.is_dir():
        return f"there is no folder {output.parent} to write {output.name} into"
    if output.exists() and output.resolve() == Path(options.file).resolve():
        return f"{output} is the file itself; give another name"
    if output.exists() and not options.force and not files.is_own_export(output):
        return f"{output} exists and was not written by this program; --force replaces it"
    return ""


def write_export(outcome: Outcome, output: Path, verb: str) -> tuple[Json, int]:
    """Write the tuned file or the report; return the document and the exit status."""
    from playground.cli import schema
    from playground.model.finding import Finding

    document = outcome.document
    try:
        output.write_text(schema.export_of(document, verb)["text"], encoding="utf-8")
    except OSError as error:
        failure = Finding("error", "export", f"could not write {output}: {error.strerror}")
        findings = [*schema.findings_of(document), schema.finding(failure)]
        return {**document, "findings": findings, verb: None}, 1
    schema.set_export_path(document, str(output), verb)
    return document, outcome.status


def print_outcome(verb: str, document: Json, *, emitted: bool) -> None:
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
    if emitted and document[payload]:
        print(text.emitted(document))
    sys.stdout.flush()
    found = text.findings(document)
    if found:
        print(found, file=sys.stderr)
