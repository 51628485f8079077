"""The IPython kernel that the engine is: its sockets, the console's namespace, the start."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from ipykernel.iostream import IOPubThread
from ipykernel.kernelapp import IPKernelApp
from traitlets.config import Config

from playground.engine.server import EngineServer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class EngineKernelApp(IPKernelApp):
    """`IPKernelApp` without its listening TCP port.

    The stock app has its output thread listen on 127.0.0.1 for output of forked children, on any
    transport; nothing of this app may be reachable over TCP.
    """

    def init_iopub(self, context: Any) -> None:
        """Bind the output socket and start its thread, without the pipe for forked children."""
        import zmq

        self.iopub_socket = context.socket(zmq.XPUB)
        self.iopub_socket.linger = 1000
        # The default would drop messages once a thousand wait, and a reply may be among them.
        self.iopub_socket.sndhwm = 0
        self.iopub_port = self._bind_socket(self.iopub_socket, self.iopub_port)  # type: ignore[no-untyped-call]
        self.configure_tornado_logger()  # type: ignore[no-untyped-call]
        self.iopub_thread = IOPubThread(self.iopub_socket, pipe=False, session=self.session)  # type: ignore[no-untyped-call]
        self.iopub_thread.start()  # type: ignore[no-untyped-call]
        self.iopub_socket = self.iopub_thread.background_socket


class ConsoleNamespace:
    """What the console sees: `play`, and the globals of the module that was run last."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._session: Any = None
        self._pushed: set[str] = set()
        shell.events.register("post_run_cell", self._keep_play)

    def set_session(self, session: Any) -> None:
        """Make `play` the session."""
        self._session = session
        self._shell.push({"play": session}, interactive=False)

    def show_module(self, names: Mapping[str, Any]) -> None:
        """Put a module's globals in the namespace, in place of those of the module before.

        What the user bound in the console under a name of the old module goes with it; `play`
        always stays the session.
        """
        namespace = self._shell.user_ns
        for name in self._pushed - set(names):
            namespace.pop(name, None)
        shown = {
            name: value
            for name, value in names.items()
            if not (name.startswith("__") and name.endswith("__")) and name not in _RESERVED
        }
        self._pushed = set(shown)
        self._shell.push(shown, interactive=True)
        self._shell.push({"play": self._session}, interactive=False)

    def _keep_play(self, _result: object) -> None:
        # `%reset` empties the namespace; the session it would take with it is the window's too.
        if self._session is not None:
            self._shell.user_ns.setdefault("play", self._session)


_RESERVED = {"play", "In", "Out", "get_ipython", "exit", "quit", "open", "_", "__", "___"}


def kernel_config() -> Config:
    """Return the kernel's settings: quiet start, short banner, no history file."""
    config = Config()
    config.InteractiveShell.banner1 = ""
    config.InteractiveShell.banner2 = ""
    # The console's history lives as long as its kernel; the user's own IPython history is theirs.
    config.HistoryManager.hist_file = ":memory:"
    config.IPKernelApp.log_level = "ERROR"
    return config


def run_kernel(arguments: Sequence[str]) -> None:
    """Run the kernel until it is shut down; torch and triton are imported once it answers."""
    app = EngineKernelApp.instance(config=kernel_config())
    app.initialize(list(arguments))  # type: ignore[no-untyped-call]
    # ipykernel makes this on first use, which must not be the control thread's: a window that asks
    # for a subshell at once would get no answer.
    _ = app.shell_channel_thread.manager
    logging.getLogger("Comm").setLevel(logging.ERROR)
    shell: Any = app.shell
    shell.ask_exit = _explain_exit
    namespace = ConsoleNamespace(shell)
    server = EngineServer(app.kernel, namespace)
    server.register()
    shell.events.register("post_execute", server.end_forked)
    shell.events.register("post_execute", lambda: server.tidying.end(littered=True))

    def start_session() -> None:
        # In the main thread, so that CUDA's context and signal handlers belong to it.
        server.start_session(make_session)

    from tornado.ioloop import IOLoop

    IOLoop.current().add_callback(start_session)
    try:
        app.start()  # type: ignore[no-untyped-call]
    finally:
        server.close()
        _end_stray_threads()


def _explain_exit() -> None:
    # The stock one ends the kernel, and with it what the window shows.
    sys.stdout.write("The console stays as long as its window; restart the engine to start over.\n")


def make_session() -> Any:
    """Return a session on what this machine has."""
    from playground.engine.session import Session

    return Session()


def _end_stray_threads() -> None:
    # A thread of the user's that never ends would keep the process for ever.
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(timeout=0.5)
            if thread.is_alive():
                sys.stdout.flush()
                os._exit(0)
