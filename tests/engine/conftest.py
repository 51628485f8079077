"""A process with the engine in it: Triton decides when it is imported how kernels run."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.child_environment import child_environment
from tests.engine.warm import WarmEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        self, code: str, *, interpret: bool = True, stdin: str | None = None, fresh: bool = False
    ) -> dict[str, Any]: ...


@pytest.fixture(scope="session")
def warm_engines() -> Iterator[dict[bool, WarmEngine]]:
    """The processes that those of tests are forked from, by whether kernels are interpreted."""
    engines = {interpret: WarmEngine(interpret=interpret) for interpret in (True, False)}
    yield engines
    for engine in engines.values():
        engine.close()


@pytest.fixture
def run_engine(tmp_path: Path, warm_engines: dict[bool, WarmEngine]) -> RunEngine:
    """Return a function that runs code in a process of its own and returns what it answered.

    The code sees `FOLDER` (an empty folder), `KERNELS`, `write(name, text)` and `answer(value)`,
    whose value travels as JSON. In a `fresh` process nothing of the engine is imported yet.
    """
    return runner_in(tmp_path, warm_engines)


@pytest.fixture(scope="module")
def run_engine_once(
    tmp_path_factory: pytest.TempPathFactory, warm_engines: dict[bool, WarmEngine]
) -> RunEngine:
    """Return `run_engine` for what several tests of a module look at."""
    return runner_in(tmp_path_factory.mktemp("engine"), warm_engines)


def runner_in(tmp_path: Path, warm_engines: dict[bool, WarmEngine]) -> RunEngine:
    """Return what `run_engine` is, its files in a folder."""

    def run(
        code: str, *, interpret: bool = True, stdin: str | None = None, fresh: bool = False
    ) -> dict[str, Any]:
        script = tmp_path / "_run.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        if fresh:
            environment = child_environment(interpret=interpret, TRITON_DEFAULT_FP_FUSION="1")
            done = subprocess.run(
                [sys.executable, "-W", "error::RuntimeWarning", str(script), str(work), str(ROOT)],
                env=environment, capture_output=True, text=True, timeout=200, check=False,
                input=stdin,
            )  # fmt: skip
        else:
            done = warm_engines[interpret].run(script, [str(work), str(ROOT)], stdin, 200)
        answers = [line for line in done.stdout.splitlines() if line.startswith("ANSWER")]
        if done.returncode or not answers:
            raise AssertionError(
                f"the process ended with {done.returncode}:\n{done.stderr[-4000:]}"
            )
        value: dict[str, Any] = json.loads(answers[-1].removeprefix("ANSWER"))
        return value

    return run
