"""Keeps an engine running on this machine for a window elsewhere, for as long as that listens.

`python -m playground.engine.remote` reads one line of JSON from standard input: `folder`, which is
made and taken away again, and `connection`, the kernel's connection file. When standard input ends,
as it does when the SSH connection breaks, the engine and its workers end too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

READY = "playground engine started"


def main() -> int:
    """Start the engine, wait for the end of it or of standard input, leave nothing behind."""
    order = json.loads(sys.stdin.readline())
    with contextlib.suppress(PermissionError):  # it leads a session already
        os.setpgid(0, 0)
    folder = Path(order["folder"])
    # Others may not look into it, and one that is there already is not ours.
    folder.mkdir(mode=0o700)
    status = 1
    try:
        connection = folder / "connection.json"
        connection.touch(mode=0o600)
        connection.write_text(json.dumps(order["connection"]), encoding="utf-8")
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "playground.engine", "-f", str(connection)],
            stdin=subprocess.DEVNULL, stdout=sys.stderr, env=_environment(),
        )  # fmt: skip
        sys.stdout.write(f"{READY}\n")
        sys.stdout.flush()
        threading.Thread(target=_end_with_input, args=(child,), daemon=True).start()
        status = child.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.flush()
    if os.getpgid(0) == os.getpid():
        # Compile workers share the group, and none may stay behind; this ends us as well.
        os.killpg(0, signal.SIGKILL)
    return status if status >= 0 else 128 - status


def _end_with_input(child: subprocess.Popen[bytes]) -> None:
    sys.stdin.read()
    child.kill()


def _environment() -> dict[str, str]:
    """Return the environment in which the engine finds this package, also from a checkout."""
    environment = dict(os.environ)
    root = str(Path(__file__).resolve().parents[2])
    if os.path.basename(root) not in ("site-packages", "dist-packages"):
        paths = [root, environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return environment


if __name__ == "__main__":
    raise SystemExit(main())
