"""A process with a session in it: one JSON request a line in, one JSON answer a line out.

Run as `python -m tests.engine.cases_compile.child`, with TRITON_INTERPRET set by whoever starts it.
"""

import dataclasses
import json
import os
import sys
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
