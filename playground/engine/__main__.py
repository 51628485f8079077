"""The engine's process: `python -m playground.engine -f CONNECTION_FILE` is an IPython kernel."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys

from playground.engine import machine, memory_limit


def main() -> None:
    """Set the environment that Triton reads when imported, then run the kernel until it ends."""
    # The kernel redirects descriptor 2 into a pipe of its own; a crash report must not end there.
    report = os.fdopen(os.dup(2), "w")
    faulthandler.enable(report)
    machine.prepare_environment()
    memory_limit.apply()
    # A program started in the background of a shell script inherits SIGINT ignored; the window's
    # interrupt has to work there too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # ipykernel imports debugpy where it is installed, which would greet the user with a warning.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    from playground.engine.kernel import run_kernel

    run_kernel(sys.argv[1:])


if __name__ == "__main__":
    main()
