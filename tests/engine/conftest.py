"""A process with the engine in it: Triton decides when it is imported how kernels run."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.child_environment import child_environment
from tests.warm.starting import run_warm

ROOT = Path(__file__).parents[2]

collect_ignore = ["styles"]  # files that tests run, some of which hold tests of their own

PRELUDE = """
import json, sys
from pathlib import Path
FOLDER = Path(sys.argv[1])
KERNELS = Path(sys.argv[2]) / "kernels"

def write(name, text):
    import textwrap
    path = FOLDER / name
    path.write_text(textwrap.dedent(text))
    return str(path)

def answer(value):
    print("ANSWER" + json.dumps(value))
"""


class RunEngine(Protocol):
    def __call__(
        self, code: str, *, interpret: bool = True, stdin: str | None = None, fresh: bool = False,
        true_workers: bool = False,
    ) -> dict[str, Any]: ...  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def _warm(warm_processes: None) -> None:
    """Let every test here find the processes that its own are forked from."""


@pytest.fixture
def run_engine(tmp_path: Path, warm_processes: None) -> RunEngine:
    """Return a function that runs code in a process of its own and returns what it answered.

    The code sees `FOLDER` (an empty folder), `KERNELS`, `write(name, text)` and `answer(value)`,
    whose value travels as JSON. In a `fresh` process nothing of the engine is imported yet; with
    `true_workers` the engine's workers start anew, as its own child processes.
    """
    return runner_in(tmp_path)


@pytest.fixture
def run_starting_engine(run_engine: RunEngine) -> RunEngine:
    """Return `run_engine` for what is about the workers' processes: they start anew."""
    return functools.partial(run_engine, true_workers=True)


@pytest.fixture(scope="module")
def run_engine_once(tmp_path_factory: pytest.TempPathFactory, warm_processes: None) -> RunEngine:
    """Return `run_engine` for what several tests of a module look at."""
    return runner_in(tmp_path_factory.mktemp("engine"))


def runner_in(tmp_path: Path) -> RunEngine:
    """Return what `run_engine` is, its files in a folder."""

    def run(
        code: str, *, interpret: bool = True, stdin: str | None = None, fresh: bool = False,
        true_workers: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        script = tmp_path / "_run.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        environment = child_environment(interpret=interpret, TRITON_DEFAULT_FP_FUSION="1")
        command = [
            sys.executable, "-W", "error::RuntimeWarning", str(script), str(work), str(ROOT),
        ]  # fmt: skip
        if fresh:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=200, check=False,
                input=stdin,
            )  # fmt: skip
        else:
            done = run_warm(
                command, tmp_path, stdin=stdin, limit_s=200, env=environment,
                start_children_warm=not true_workers,
            )  # fmt: skip
        answers = [line for line in done.stdout.splitlines() if line.startswith("ANSWER")]
        if done.returncode or not answers:
            raise AssertionError(
                f"the process ended with {done.returncode}:\n{done.stderr[-4000:]}"
            )
        value: dict[str, Any] = json.loads(answers[-1].removeprefix("ANSWER"))
        return value

    return run
