"""Running rows of the table: processes that run files, and one that proves what they export."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from tests.child_environment import child_environment
from tests.engine.style_table import STYLES, Facts, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
_FILE_LIMIT_S = 150.0
_PROOF_LIMIT_S = 100.0
_OUTPUT_SHOWN = 3000
_NO_PROVER: dict[str, Any] = {"rc": None, "output": "the proving process ended"}


def run_styles(
    styles: Sequence[Style], folder: Path, *, interpret: bool, workers: int
) -> dict[str, Facts]:
    """Run every style and prove what it exports; return the facts by name.

    Parameters
    ----------
    folder
        An empty folder for everything that is written.
    interpret
        Run kernels in the interpreter, else on the GPU.
    workers
        How many files run at once.
    """
    waiting: queue.SimpleQueue[Style | None] = queue.SimpleQueue()
    for style in styles:
        waiting.put(style)
    facts: dict[str, Facts] = {}
    proofs: dict[str, Future[dict[str, Any]]] = {}
    prover = _Prover(folder, interpret=interpret, most=workers)

    def work(number: int) -> None:
        runner = _Runner(folder / f"runner{number}", interpret=interpret)
        try:
            while (style := waiting.get()) is not None:
                found = runner.facts(style)
                facts[style.name] = found
                if found.get("export"):
                    proofs[style.name] = prover.prove(style.name, found["export"])
        finally:
            runner.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        waiting.put(None)
        thread.start()
    for thread in threads:
        thread.join()
    prover.finish()
    for name, proof in proofs.items():
        facts[name]["proof"] = proof.result()
    return facts


def names_asked_for(request: pytest.FixtureRequest) -> list[str]:
    """Return the `name` parameters of the tests of this module that pytest was asked to run."""
    return list(
        dict.fromkeys(
            item.callspec.params["name"]
            for item in request.session.items
            if isinstance(item, pytest.Function)
            and item.module is request.module
            and hasattr(item, "callspec")
        )
    )


def workers_for(styles: Sequence[Style], most: int) -> int:
    """Return how many processes are worth their start of some seconds each."""
    return max(1, min(most, -(-len(styles) // 6)))


def environment(*, interpret: bool, checkout: bool) -> dict[str, str]:
    """Return the environment of a process that runs kernels, with or without this project."""
    return child_environment(interpret=interpret, checkout=checkout, TRITON_DEFAULT_FP_FUSION="1")


def fresh_check(exported: dict[str, Any], folder: Path) -> tuple[int, str]:
    """Run an exported file's check as a user would: a process of its own in an empty folder."""
    folder.mkdir()
    (folder / exported["name"]).write_text(exported["text"], encoding="utf-8")
    values = child_environment(interpret=False, checkout=False, PYTHONWARNINGS="ignore")
    done = subprocess.run(
        [sys.executable, exported["name"], "--check"], cwd=folder, env=values, timeout=200,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


class _Runner:
    """One process that runs styles in turn; when a file ends it, the next file gets a new one."""

    def __init__(self, folder: Path, *, interpret: bool) -> None:
        self._folder = folder
        self._interpret = interpret
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: IO[bytes] | None = None
        self._log = folder.with_suffix(".log")

    def facts(self, style: Style) -> Facts:
        """Return what came of a style, or that its process died of it."""
        process, answers = self._started()
        if process.stdin is None:
            raise RuntimeError("a runner without input")
        place = self._log.stat().st_size
        process.stdin.write(f"{style.path.relative_to(STYLES)}\n".encode())
        process.stdin.flush()
        # Line by line and unbuffered beyond: nothing is left inside the stream for select to miss.
        ready, _, _ = select.select([answers], [], [], _FILE_LIMIT_S)
        line = answers.readline() if ready else b""
        if line:
            found: Facts = json.loads(line)
            return found
        if not ready:
            process.kill()
        code = process.wait(timeout=20)
        why = f"no answer within {_FILE_LIMIT_S:.0f} s" if not ready else f"it ended with {code}"
        self.close()
        printed = self._log.read_bytes()[place:][-_OUTPUT_SHOWN:].decode(errors="replace")
        return {"died": f"{why}:\n{printed}"}

    def _started(self) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
        if self._process is None or self._answers is None:
            self._folder.mkdir(exist_ok=True)
            reading, writing = os.pipe()
            values = environment(interpret=self._interpret, checkout=True)
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    [
                        sys.executable, "-W", "error::RuntimeWarning", "-m",
                        "tests.engine.style_run", str(writing),
                    ],
                    stdin=subprocess.PIPE, stdout=log, stderr=log, env=values,
                    cwd=self._folder, pass_fds=[writing],
                )  # fmt: skip
            os.close(writing)
            self._answers = os.fdopen(reading, "rb")
        return self._process, self._answers

    def close(self) -> None:
        """Let the process end, if it runs."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            try:
                self._process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._answers is not None:
            self._answers.close()
        self._process = self._answers = None


class _Prover:
    """The process that forks for each exported file."""

    def __init__(self, folder: Path, *, interpret: bool, most: int) -> None:
        self._folder = folder / "exported"
        self._folder.mkdir()
        self._futures: dict[str, Future[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._ended = False
        values = environment(interpret=interpret, checkout=False)
        # Numerical libraries must have no threads of their own when the process forks.
        values.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("style_proof.py")), str(most)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=values, cwd=self._folder,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def prove(self, name: str, exported: dict[str, Any]) -> Future[dict[str, Any]]:
        """Order the check of an exported file in a folder of its own."""
        folder = self._folder / name
        folder.mkdir()
        file = folder / exported["name"]
        file.write_text(exported["text"], encoding="utf-8")
        order = {
            "id": name, "file": str(file), "folder": str(folder),
            "output": str(folder.with_suffix(".out")), "limit_s": _PROOF_LIMIT_S,
        }  # fmt: skip
        future: Future[dict[str, Any]] = Future()
        with self._lock:
            self._futures[name] = future
            if self._ended or self._process.stdin is None:
                future.set_result(_NO_PROVER)
                return future
            # Where the process has just ended, the reader answers for all.
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(order).encode() + b"\n")
                self._process.stdin.flush()
        return future

    def finish(self) -> None:
        """Wait for all answers and end the process."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        self._reader.join()
        self._process.wait()

    def _read(self) -> None:
        if self._process.stdout is None:
            return
        with self._process.stdout as answers:
            for line in answers:
                answer = json.loads(line)
                with self._lock:
                    self._futures[answer["id"]].set_result(answer)
        with self._lock:
            self._ended = True
            for future in self._futures.values():
                if not future.done():
                    future.set_result(_NO_PROVER)
