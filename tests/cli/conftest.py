"""The command line as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.command import environment
from tests.warm.starting import run_warm


@dataclass
class Called:
    """What one call of the command left."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        return json.loads(self.out)  # fails unless standard output is exactly one document


def command(*arguments: object) -> list[str]:
    """Return the command line of the program."""
    return [sys.executable, "-P", "-m", "playground", *map(str, arguments)]


def caller(folder, places):
    """Return a function that calls the command in a folder, its processes forked from warm ones.

    What they keep of their own goes into the folder `places`.
    """

    def run(*arguments: object, timeout: float = 200, cwd: Path = folder) -> Called:
        done = run_warm(
            command(*arguments), places, stdin=None, limit_s=timeout, cwd=cwd, env=environment()
        )
        return Called(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def call(tmp_path, tmp_path_factory, warm_processes):
    """Call the command in a folder of its own; how it starts is what `call_afresh` proves."""
    return caller(tmp_path, tmp_path_factory.mktemp("call"))


@pytest.fixture
def call_afresh(tmp_path):
    """Call the command in a folder of its own, as a user does: every process starts anew."""

    def run(*arguments: object, timeout: float = 200, cwd: Path = tmp_path) -> Called:
        done = subprocess.run(
            command(*arguments), capture_output=True, text=True, cwd=cwd, env=environment(),
            timeout=timeout, check=False,
        )  # fmt: skip
        return Called(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def kernel_file(tmp_path):
    """Write a kernel file: a kernel that adds one, and the driver code given."""

    def write(driver: str, name: str = "plus_one.py") -> Path:
        path = tmp_path / name
        path.write_text(PLUS_ONE + driver, encoding="utf-8")
        return path

    return write


PLUS_ONE = """\
import os, signal, sys
import torch
import triton
import triton.language as tl


@triton.jit
def plus_one(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + 1, mask=mask)


def run(n=100):
    x = torch.zeros(n, device="cuda" if torch.cuda.is_available() else "cpu")
    out = torch.empty_like(x)
    plus_one[(triton.cdiv(n, 32),)](x, out, n, BLOCK=32)
    return out


"""
