"""Processes that have the engine imported already: a test's own is forked from one, in no time.

Importing torch, triton and the engine takes two seconds, and some hundred tests each want a process
of their own. What a fork can't give is a test of the import itself; those ask for a fresh process.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

from tests.child_environment import child_environment

ROOT = Path(__file__).parents[2]


class WarmEngine:
    """A process to fork from, in which kernels are interpreted or compiled."""

    def __init__(self, *, interpret: bool) -> None:
        self._environment = child_environment(interpret=interpret, TRITON_DEFAULT_FP_FUSION="1")
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "error::RuntimeWarning", "-m", "tests.engine.warm"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self._environment,
            cwd=ROOT, start_new_session=True,
        )  # fmt: skip

    def run(
        self, script: Path, arguments: list[str], stdin: str | None, limit_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a script as `python script arguments` would, and return how it ended."""
        with tempfile.TemporaryDirectory(prefix="pg-warm-") as name:
            folder = Path(name)
            (folder / "0").write_text(stdin or "")
            environment = {
                key: value for key, value in child_environment().items()
                if key not in ("TRITON_INTERPRET", "TRITON_DEFAULT_FP_FUSION")
            }  # fmt: skip
            order = {
                "folder": name, "argv": [str(script), *arguments], "environment": environment,
            }  # fmt: skip
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            if not select.select([self._process.stdout], [], [], limit_s)[0]:
                self.close()
                self._process = self._start()
                raise TimeoutError(f"not done after {limit_s} s")
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"the warm process ended with {self._process.wait()}")
            out, err = ((folder / number).read_text(errors="replace") for number in "12")
        return subprocess.CompletedProcess(order["argv"], json.loads(line), out, err)

    def close(self) -> None:
        """End the process, and a test's own that still runs."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


def _serve() -> None:
    import playground.engine.session  # noqa: F401 - with torch and triton

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        child = os.fork()
        if child == 0:
            answers.close()
            _become(order)
            return
        _, status = os.waitpid(child, 0)
        answers.write(json.dumps(os.waitstatus_to_exitcode(status)) + "\n")
        answers.flush()


def _become(order: dict[str, Any]) -> None:
    """Make this process the one that was asked for, and run its script."""
    folder, argv = Path(order["folder"]), order["argv"]
    modes = {0: os.O_RDONLY, 1: os.O_WRONLY | os.O_CREAT, 2: os.O_WRONLY | os.O_CREAT}
    for number, mode in modes.items():
        file = os.open(folder / str(number), mode, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, "r" if number == 0 else "w", closefd=False) for number in range(3)
    )
    for name in [name for name in os.environ if name not in order["environment"]]:
        if name not in ("TRITON_INTERPRET", "TRITON_DEFAULT_FP_FUSION"):
            del os.environ[name]
    os.environ.update(order["environment"])
    sys.argv = argv
    sys.path[0] = str(Path(argv[0]).parent)
    main = types.ModuleType("__main__")
    main.__file__ = argv[0]
    sys.modules["__main__"] = main
    exec(compile(Path(argv[0]).read_bytes(), argv[0], "exec"), main.__dict__)  # the script itself


if __name__ == "__main__":
    _serve()
