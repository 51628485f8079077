"""The process that others are forked from: `python -m tests.warm.server SOCKET`.

An order is one message on a connection to the socket: the command line as Python would be called,
the environment, the folder, and the open files with the numbers that they are to have. Answered are
the number of the new process and, once it ended, its exit status.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import runpy
import selectors
import socket
import sys
import types
import warnings
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
MOST_FILES = 16
_ASIDE = 300
"""Numbers from here on are free for the files of an order until they get their own."""


def main() -> None:
    """Fork for each order until the standard input ends."""
    base = sys.path[1 + len(_python_path(os.environ)) :]  # the first is for `-m`
    gc.disable()  # nothing of all this is garbage
    _import_all()
    gc.enable()
    gc.collect()
    gc.freeze()
    order = _serve(sys.argv[1])
    if order is None:
        os._exit(0)  # nothing to tidy up, and libraries tell what they leave
    _become(order, base)


def _import_all() -> None:
    import torch

    import playground.cli.verbs
    import playground.engine.bench_worker
    import playground.engine.compile_orders
    import playground.engine.confirming
    import playground.engine.debug_worker
    import playground.engine.proving
    import playground.engine.quick_check
    import playground.engine.screening
    import playground.engine.session
    import playground.engine.trying
    import playground.engine.worker_file  # noqa: F401

    torch.testing.assert_close(torch.ones(1), torch.ones(1))  # imports half a second's worth


def _serve(path: str) -> dict[str, Any] | None:
    """Return None once there are no more orders, and the order in the process forked for it."""
    selector = selectors.DefaultSelector()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listening.bind(f"{path}.new")
    listening.listen(64)
    os.rename(f"{path}.new", path)  # whoever sees it may connect
    selector.register(listening, selectors.EVENT_READ, None)
    selector.register(0, selectors.EVENT_READ, None)
    running: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj == 0:
                return None
            if key.fileobj is listening:
                connection, _ = listening.accept()
                selector.register(connection, selectors.EVENT_READ, connection)
            elif key.fd in running:
                selector.unregister(key.fd)
                child, connection = running.pop(key.fd)
                _, status = os.waitpid(child, 0)
                _answer(connection, os.waitstatus_to_exitcode(status))
                connection.close()
                os.close(key.fd)
            else:
                connection = key.data
                selector.unregister(connection)
                message, files, _, _ = socket.recv_fds(connection, MOST_BYTES, MOST_FILES)
                if not message:
                    connection.close()
                    continue
                child = os.fork()
                if child == 0:
                    connection.close()
                    for watch, (_, other) in running.items():
                        os.close(watch)
                        other.close()
                    for waiting in [item.data for item in selector.get_map().values()]:
                        if isinstance(waiting, socket.socket):
                            waiting.close()
                    selector.close()
                    listening.close()
                    return {**json.loads(message), "received": files}
                for file in files:
                    os.close(file)
                watch = os.pidfd_open(child)
                running[watch] = (child, connection)
                selector.register(watch, selectors.EVENT_READ, None)
                _answer(connection, child)


def _answer(connection: socket.socket, number: int) -> None:
    try:
        connection.send(str(number).encode())
    except OSError:
        return  # whoever asked has ended


def _become(order: dict[str, Any], base: list[str]) -> None:
    """Make this process the one that was ordered, and run what that was called with."""
    if order["new_session"]:
        os.setsid()
    aside = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _ASIDE) for file in order["received"]]
    for file in order["received"]:
        os.close(file)
    for file, number in zip(aside, order["numbers"], strict=True):
        os.dup2(file, number)
        os.close(file)
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = os.fdopen(
        2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    rest = list(order["arguments"])
    if "-P" in rest:
        gc.unfreeze()  # the engine's own workers find kernels among all objects there are
    if order["start_children_warm"]:
        from tests.warm.starting import start_workers_warm

        start_workers_warm()
    _run(rest, base)


def _run(rest: list[str], base: list[str]) -> None:
    """Do what `python` does with its command line."""
    safe = False
    filters = [text for text in os.environ.get("PYTHONWARNINGS", "").split(",") if text]
    while rest[0] in ("-P", "-W"):
        if rest.pop(0) == "-P":
            safe = True
        else:
            filters.append(rest.pop(0))
    _set_filters(filters)
    first = os.getcwd() if rest[0] == "-m" else "" if rest[0] == "-c" else str(Path(rest[0]).parent)
    sys.path[:] = [*([] if safe else [first]), *_python_path(os.environ), *base]
    if rest[0] == "-m":
        sys.argv = rest[1:]
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return
    code = rest[1] if rest[0] == "-c" else Path(rest[0]).read_bytes()
    sys.argv = ["-c", *rest[2:]] if rest[0] == "-c" else rest
    main = types.ModuleType("__main__")
    if rest[0] != "-c":
        main.__file__ = rest[0]
    sys.modules["__main__"] = main
    exec(compile(code, "<string>" if rest[0] == "-c" else rest[0], "exec"), main.__dict__)


def _set_filters(texts: list[str]) -> None:
    import builtins

    for text in texts:
        action, _, name = text.partition("::")
        category = getattr(builtins, name) if name else Warning
        warnings.simplefilter(action, category)  # type: ignore[arg-type]


def _python_path(environment: Any) -> list[str]:
    return [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]


if __name__ == "__main__":
    main()
