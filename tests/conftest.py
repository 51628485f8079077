"""Every test: its own home, no display, no GPU test without a GPU, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.engine.machine import has_nvidia_gpu
from tests.child_environment import child_environment

# Before Qt, Jupyter or Triton are imported, here and in the processes that tests start. The name of
# the folder is short: it holds sockets, whose paths may have about 100 characters.
_HOME = Path(tempfile.mkdtemp(prefix="pg-"))
_FOLDERS = {
    "HOME": "home",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "state",
    "XDG_CACHE_HOME": "cache",
    "XDG_RUNTIME_DIR": "run",
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter",
    "JUPYTER_DATA_DIR": "jdata",
    "JUPYTER_RUNTIME_DIR": "jrun",
    "TRITON_CACHE_DIR": "triton",
}
for _variable, _folder in _FOLDERS.items():
    (_HOME / _folder).mkdir(mode=0o700)
    os.environ[_variable] = str(_HOME / _folder)
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A run in the background of a script inherits SIGINT ignored, and so would every process that tests
# start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure() -> None:
    shutil.rmtree(_HOME, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_gpu = pytest.mark.skip(reason="no NVIDIA GPU answers here")
    no_xvfb = pytest.mark.skip(reason="Xvfb is not installed (apt-get install xvfb xauth)")
    for item in items:
        if item.get_closest_marker("gpu") and not has_nvidia_gpu():
            item.add_marker(no_gpu)
        if item.get_closest_marker("xvfb") and not shutil.which("Xvfb"):
            item.add_marker(no_xvfb)


@pytest.fixture(scope="session")
def warm_processes() -> Iterator[None]:
    """Have the processes that others are forked from, in this and every process started here."""
    from tests.warm.starting import SOCKETS, WarmProcess

    started = {
        interpret: WarmProcess(
            _HOME, child_environment(interpret=interpret, TRITON_DEFAULT_FP_FUSION="1"),
            interpret=interpret,
        )
        for interpret in SOCKETS
    }  # fmt: skip
    for interpret, process in started.items():
        os.environ[SOCKETS[interpret]] = process.socket
        process.wait_until_ready()
    yield
    for process in started.values():
        process.close()


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest):
    """Fail a test that leaves a thread, a process, a running timer or a top-level widget."""
    # Set up first among the fixtures of the test, so torn down last; what wider fixtures own was
    # there before. Qt is only looked at where the test asked for it.
    from tests.leftovers import Leftovers

    qt = bool({"qapp", "qtbot"} & set(request.fixturenames))
    state = Leftovers.before(qt=qt)
    yield
    left = state.found()
    if left:
        state.end_processes()
        pytest.fail("the test left behind:\n  " + "\n  ".join(left), pytrace=False)
