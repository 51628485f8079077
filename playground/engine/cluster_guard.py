"""`python -m playground.engine.cluster_guard FILE [FOLDER]`: stops a cluster whose starter died.

Its standard input is a pipe held by the process that started the cluster for a sweep. `done` comes
out of it when that process has stopped the cluster itself; nothing at all when it was killed.
"""

from __future__ import annotations

import logging
import shutil
import sys


def main() -> None:
    """Wait for the starter's end; stop what it has left."""
    if sys.stdin.buffer.read() == b"done":
        return
    import ipyparallel

    try:
        ipyparallel.Cluster.from_file(
            sys.argv[1], parent=None, log_level=logging.ERROR
        ).stop_cluster_sync()
    except FileNotFoundError:  # stopped by somebody else
        return
    finally:
        if len(sys.argv) > 2 and sys.argv[2]:
            shutil.rmtree(sys.argv[2], ignore_errors=True)


if __name__ == "__main__":
    main()
