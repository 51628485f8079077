"""Having Triton write down its module before every pass of the compiler.

`MLIR_ENABLE_DUMP` makes every pass manager print to standard error, and `LLVM_IR_ENABLE_DUMP` has
LLVM do so after each of its own passes. (`MLIR_DUMP_PATH` is no way around that: its first value
holds as long as the process lives, and the file stays incomplete until then.) Standard error goes
into a file meanwhile, another one for each stage. Checked against triton 3.6 and 3.9.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from triton import knobs
from triton.runtime.cache import FileCacheManager

from playground.engine.passes import read_passes
from playground.engine.triton_private import stage_watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.stages_reached import Reached
    from playground.model.compilations import Pass

_VARIABLES = ("MLIR_ENABLE_DUMP", "MLIR_DUMP_PATH", "LLVM_IR_ENABLE_DUMP")


class Dumps:
    """What the compiler writes down of its passes.

    Parameters
    ----------
    kind
        `mlir` for Triton's own passes, `llvm` for LLVM's as well, empty for nothing at all.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._stages: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="pg-passes-") if kind else None

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Have what is compiled meanwhile written down.

        It is compiled into a cache of its own: nothing there is found compiled already, and nothing
        of it is ever found by a compilation that was not to be written down. What the compiler says
        on standard error besides is lost.
        """
        if self._folder is None:
            yield
            return
        before = {name: os.environ.get(name) for name in _VARIABLES}
        with contextlib.ExitStack() as stack:
            stack.enter_context(knobs.cache.scope())
            knobs.cache.dir = str(Path(self._folder.name, "cache"))
            knobs.cache.manager_class = FileCacheManager
            stack.callback(_set_environment, before)
            _set_environment(
                {
                    "MLIR_ENABLE_DUMP": "1", "MLIR_DUMP_PATH": None,
                    "LLVM_IR_ENABLE_DUMP": "1" if self._kind == "llvm" else None,
                }
            )  # fmt: skip
            stack.callback(_standard_error_to, os.dup(2))
            stack.enter_context(stage_watch.watching(self._begins))
            yield

    def _begins(self, reached: Reached) -> None:
        self._stages.append(reached.stage)
        _standard_error_to(os.open(self._file(reached.stage), os.O_WRONLY | os.O_CREAT))

    def _file(self, stage: str) -> Path:
        return Path(self._folder.name if self._folder is not None else "", f"{stage}.dump")

    def read(self, failed_stage: str = "") -> tuple[Pass, ...]:
        """Return the passes of the stages begun, in order, and delete what they wrote.

        `failed_stage` is the one in which the compilation ended, if it did not come through.
        """
        if self._folder is None:
            return ()
        texts = [
            (stage, self._file(stage).read_text(encoding="utf-8", errors="replace"))
            for stage in self._stages
        ]
        self._folder.cleanup()
        return read_passes(texts, failed_stage)


def _set_environment(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _standard_error_to(number: int) -> None:
    os.dup2(number, 2)
    os.close(number)
