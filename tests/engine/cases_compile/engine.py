"""A session in a process of its own, for tests that compile."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from tests.child_environment import child_environment
from tests.warm.starting import WarmPopen

ROOT = Path(__file__).parents[3]
HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n"


class CompileEngine:
    """Sends requests to `child.py`; a request that raised there fails the test.

    Triton's cache is its own: whether something is compiled or found, and what is known of how it
    was compiled, must not depend on the tests that ran before. With `true_workers` its compile
    workers start anew, as processes of its own.
    """

    def __init__(self, *, interpret: bool = True, true_workers: bool = False) -> None:
        self._cache = tempfile.TemporaryDirectory(prefix="pg-triton-")
        environment = child_environment(
            interpret=interpret, PYTHONWARNINGS="ignore", TRITON_CACHE_DIR=self._cache.name
        )
        self._process = WarmPopen(
            [sys.executable, "-m", "tests.engine.cases_compile.child"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT,
            start_children_warm=not true_workers,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        self._process.stdin.write(json.dumps({"do": do, **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the engine ended with {self._process.wait()}"
        return json.loads(line)

    def __getattr__(self, do: str):
        def request(**values: Any) -> dict[str, Any]:
            answer = self.ask(do, **values)
            assert "error" not in answer, answer["traceback"]
            return answer

        return request

    def open(self, folder: Path, body: str, driver: str = "example()", **sizes: int):
        """Write a kernel file made of the usual imports and `body`, and run its driver."""
        path = folder / "case.py"
        text = HEAD + textwrap.dedent(body)
        path.write_text(text)
        return self.run(path=str(path), text=text, driver=driver, sizes=sizes)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
        self._cache.cleanup()


def line_of(body: str, part: str) -> int:
    """Return the line of the file that `open` writes on which `part` stands."""
    lines = (HEAD + textwrap.dedent(body)).splitlines()
    return next(number for number, line in enumerate(lines, 1) if part in line)


def error_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the only error finding of a compile answer."""
    errors = [item for item in answer["findings"] if item["severity"] == "error"]
    assert len(errors) == 1, answer["findings"]
    return errors[0]
