"""The process that measures experiments, apart from the engine whose kernels would disturb it.

`python -m playground.experiments.worker FD` answers names of experiments on the inherited socket
FD with their results; a failure is answered with its words. When the engine goes, it goes.
"""

from __future__ import annotations

import pickle
import signal
import sys
from multiprocessing.connection import Connection


def main() -> None:
    """Answer orders until the engine closes its end of the socket."""
    connection = Connection(int(sys.argv[1]))
    # The terminal's Ctrl-C is for the engine, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            name = pickle.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        connection.send_bytes(pickle.dumps(_answer(name)))


def _answer(name: str) -> object:
    try:
        from playground.engine import machine

        machine.prepare_environment()
        from playground.experiments import measuring

        return measuring.run(name)
    except Exception as error:  # the edge of a job: every failure is told with its words
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
