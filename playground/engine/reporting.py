"""A report of a launch: everything the engine can find out of it, as one HTML file."""

from __future__ import annotations

import datetime
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import playground
from playground.engine.findings import finding_from_exception, is_fatal
from playground.engine.job import CancelledError, Job
from playground.engine.source_text import read_source
from playground.model.report import KernelReport, ReportPicture
from playground.model.report_html import render
from playground.protocol.messages import Exported

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.engine.session import Session
    from playground.model.compiling import CompileReport
    from playground.model.config import Config
    from playground.model.finding import Finding, Stage

T = TypeVar("T")

BUDGET_MS = 200.0
MOST_PROGRAMS = 4096
"""Without a GPU a launch of more programs is counted by a sample of so many spread over it."""


def report(session: Session, launch: int, config: Config, job: Job | None = None) -> Exported:
    """Return the report of a launch under a config.

    What was measured before under this config is used; a part that fails is told in its place, and
    its finding is among those of the answer.
    """
    return _Gathering(session, launch, config, job or Job()).made()


def private_folders(session: Session) -> tuple[str, ...]:
    """Return the folders of this machine that what leaves it must not name."""
    own = (os.path.dirname(session.path), os.getcwd(), tempfile.gettempdir(), sys.prefix)
    roots = (str(Path(playground.__file__).parents[1]), str(Path.home()), sys.base_prefix)
    return tuple(dict.fromkeys((*own, *roots, *filter(None, sys.path))))


class _Gathering:
    """The parts of one report, each tried once."""

    def __init__(self, session: Session, launch: int, config: Config, job: Job) -> None:
        self._session, self._index, self._config, self._job = session, launch, config, job
        self._findings: list[Finding] = []
        self._missing: list[tuple[str, str]] = []

    def made(self) -> Exported:
        """Return the report, each part of it tried."""
        session, index, config, job = self._session, self._index, self._config, self._job
        launch = session.launches[index].info
        compiled = self._try("compiler", "compile", self._compiled)
        checked = self._try("check", "check", lambda: session.judge(index, config, job))
        if checked is not None:
            self._findings += checked.findings
        sample = MOST_PROGRAMS if self._counts_slowly(launch.programs) else None
        coverage = self._try(
            "coverage", "coverage",
            lambda: session.coverage(index, config, job=job, sample=sample),
        )  # fmt: skip
        measured = self._try(
            "time", "timing", lambda: session.bench(index, config, budget_ms=BUDGET_MS, job=job)
        )
        code = None
        if compiled is not None:
            code = self._try("code", "compile", lambda: session.code(index, config, job=job))
        counts = session.kept.counts_to_show((index, config))
        pictures: tuple[ReportPicture, ...] = ()
        if counts is not None:
            from playground.engine.report_pictures import pictures_of

            pictures = self._try("pictures", "coverage", lambda: pictures_of(counts)) or ()
        name = os.path.basename(session.path)
        own = os.path.abspath(launch.file) == session.path
        made = KernelReport(
            file=name if own else os.path.basename(launch.file),
            source=session.text if own else read_source(launch.file),
            launch=launch,
            config=config,
            device=session.device,
            made=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
            playground=playground.__version__,
            check=checked.result if checked is not None else None,
            measurement=measured,
            compiled=compiled,
            code=code,
            coverage=coverage,
            pictures=pictures,
            findings=tuple(dict.fromkeys((*session.findings, *self._findings))),
            missing=tuple(self._missing),
            private=private_folders(session),
            driver=session.driver.code if session.driver is not None else "",
        )
        suggested = f"{Path(name).stem or 'kernel'}_{launch.kernel}_report.html"
        return Exported(render(made), suggested, tuple(self._findings))

    def _compiled(self) -> CompileReport | None:
        outcome = self._session.compile(self._index, self._config, job=self._job)
        self._findings += outcome.findings
        if outcome.report is None:
            self._missing.append(("compiler", "It does not compile for this target."))
        return outcome.report

    def _counts_slowly(self, programs: int) -> bool:
        key = (self._index, self._config)
        known = key in self._session.kept.counts
        return not known and self._session.device.mode != "gpu" and programs > MOST_PROGRAMS

    def _try(self, part: str, stage: Stage, step: Callable[[], T]) -> T | None:
        """Return what `step` returns; None where it fails, which is told in the part's place."""
        self._job.check()
        try:
            return step()
        except CancelledError:
            raise
        # The edge of a job: whatever one part fails with, the other parts are still worth having.
        except Exception as error:
            if is_fatal(error):
                raise
            found = finding_from_exception(error, stage, user_files=[self._session.path])
            self._findings.append(found)
            self._missing.append((part, found.message))
            return None
