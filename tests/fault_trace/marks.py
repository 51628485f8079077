"""A plugin for pytest: writes between the handlers which test they ran in, and what came of it."""

from __future__ import annotations

import os

import pytest


def _write(*words: str) -> None:
    handle = os.open(os.environ["FAULT_HITS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, ("\t".join(words) + "\n").encode())
    finally:
        os.close(handle)


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note that a test begins: what runs until the next one ran in it."""
    _write("test", nodeid.partition("[")[0])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what came of it."""
    if report.when == "call" or report.outcome != "passed":
        _write("outcome", report.nodeid.partition("[")[0], report.outcome)
