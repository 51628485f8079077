"""A process with a session in it: one JSON request a line in, one JSON answer a line out.

Run as `python -m tests.engine.cases_compile.child`, with TRITON_INTERPRET set by whoever starts it.
"""

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what the files under test print is no answer
    from playground.engine.session import Session

    session = Session()
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = getattr(Requests(session), request.pop("do"))(**request)
            except Exception as error:
                answer = {"error": type(error).__name__, "traceback": traceback.format_exc()}
                answer["message"] = str(error)
            answers.write(json.dumps(answer, default=repr) + "\n")
    finally:
        session.close()


class Requests:
    def __init__(self, session):
        self.session = session

    def run(self, path, text, driver, sizes=None):
        self.session.load(path, text)
        result = self.session.run(driver, sizes)
        return {
            "launches": [
                {"kernel": launch.info.kernel, "config": launch.info.config.as_dict()}
                for launch in self.session.launches
            ],
            "findings": [finding.text() for finding in result.findings],
        }

    def compile(self, launch=0, knobs=None, target=None, asm=()):
        from playground.model.config import validated

        captured = self.session.launches[launch]
        config = None
        if knobs:
            config = validated(captured.info.config.updated(knobs), captured.info.knobs)
        started = time.perf_counter()
        outcome = self.session.compiler.compile(captured, config, target)
        took_ms = 1e3 * (time.perf_counter() - started)
        report = outcome.report
        return {
            "report": None if report is None else dataclasses.asdict(report),
            "findings": [dataclasses.asdict(finding) for finding in outcome.findings],
            "asm": {stage: str(outcome.asm[stage]) for stage in asm},
            "took_ms": took_ms,
            "unusable": outcome.unusable,
            "stages": list(outcome.stages),
            "workers": self.session.compiler.workers,
        }

    def compile_many(self, knobs, launch=0, target=None):
        captured = self.session.launches[launch]
        configs = [captured.info.config.updated(item) for item in knobs]
        seen = []
        outcomes = self.session.compiler.compile_many(
            captured, configs, target, None, lambda config, _: seen.append(config.label())
        )
        return {
            "compiled": sum(outcome.report is not None for outcome in outcomes.values()),
            "unusable": [outcomes[config].unusable for config in configs],
            "seen": seen,
            "workers": self.session.compiler.workers,
        }

    def ir(self, stage, launch=0, target=None):
        captured = self.session.launches[launch]
        found = self.session.compiler.ir(captured, None, stage, target)
        return {"text": found.text, "lines": found.lines}

    def code(self, launch=0, target=None, knobs=None):
        return dataclasses.asdict(self.session.code(launch, target=target, **(knobs or {})))

    def usage(self, launch=0, target=None, knobs=None):
        """Return the report, and what NVIDIA's own tool says of the same cubin."""
        from playground.engine.triton_private.compiled import tool

        outcome = self.session.compile(launch, target=target, **(knobs or {}))
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(outcome.asm["cubin"])
            file.flush()
            told = subprocess.run(
                [tool("cuobjdump"), "-res-usage", file.name], capture_output=True, text=True,
                check=True,
            ).stdout  # fmt: skip
        return {"report": dataclasses.asdict(outcome.report), "told": told}

    def passes(self, launch=0, target=None, llvm=False, knobs=None):
        made = self.session.passes(launch, target=target, llvm=llvm, **(knobs or {}))
        cache = Path(os.environ["TRITON_CACHE_DIR"])
        entries = len(list(cache.iterdir())) if cache.is_dir() else 0
        return {**dataclasses.asdict(made), "cache_entries": entries}

    def _variant(self, launch, knobs=None, target="cuda:90", before_edit=False):
        from playground.model.compilations import Variant

        config = self.session.launches[launch].info.config.updated(knobs or {})
        return Variant(config, target, before_edit)

    def compare(self, left, right, launch=0):
        sides = [self._variant(launch, **side) for side in (left, right)]
        return dataclasses.asdict(self.session.compare_compilations(launch, *sides))

    def stage_diff(self, left, right, stage, launch=0):
        sides = [self._variant(launch, **side) for side in (left, right)]
        return dataclasses.asdict(self.session.stage_diff(launch, *sides, stage))

    def beside(self, stage, target):
        """Return, by request about compiled code, whether it is read beside the thread of jobs."""
        from playground.engine.job import Job, Later
        from playground.engine.server_jobs import JOBS
        from playground.protocol import messages

        config = self.session.launches[0].info.config
        side = self._variant(0, target=target)
        found = {}
        for request in (
            messages.GetIr(0, config, stage, target),
            messages.GetCode(0, config, target),
            messages.CompareCompilations(0, side, side),
            messages.GetStageDiff(0, side, side, stage),
        ):
            made = JOBS[type(request)](self.session, request, Job())
            reply = made.work() if isinstance(made, Later) else None
            found[type(request).__name__] = type(reply).__name__
        return found

    def compile_all(self, targets, launch=0, knobs=None):
        from playground.engine.job import Job

        seen = []
        job = Job(lambda reply: seen.append((reply.fit.target, reply.done, reply.total)))
        fits = self.session.compile_all(launch, None, targets, job, **(knobs or {}))
        return {"fits": [dataclasses.asdict(item) for item in fits], "seen": seen}

    def forget(self, sidecars=False):
        """Drop what the engine holds of compilations; the next answer comes from Triton's cache.

        Without the sidecars that cache is as if the engine itself had compiled.
        """
        if sidecars:
            for path in Path(os.environ["TRITON_CACHE_DIR"]).glob("*/playground-*.json"):
                path.unlink()
        self.session._compiler_is_current = False
        return {}


if __name__ == "__main__":
    main()
