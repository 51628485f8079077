"""Ctrl-C and a job's message: an interrupt ends what the job does, and never its answer.

ipykernel lets interrupts in before it hands a message on, and gives up the message that one hits
on its way: whoever asked would wait forever.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Interrupts:
    """Holds interrupts back until a job is ready for them, and again once it has ended.

    Parameters
    ----------
    kernel
        The IPython kernel; other messages of its are interrupted as ever.
    is_job
        Tells of a comm's id whether jobs come on it.
    """

    def __init__(self, kernel: Any, is_job: Callable[[str], bool]) -> None:
        self._kernel = kernel
        self._is_job = is_job
        self._let_in_by_kernel = kernel.pre_handler_hook
        self._came = False
        kernel.pre_handler_hook = self._before_message

    def _before_message(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # no signal reaches any other
        parent = self._kernel.get_parent("shell")
        if self._is_job(parent.get("content", {}).get("comm_id", "")):
            self._came = False
            self._kernel.saved_sigint_handler = signal.signal(signal.SIGINT, self._hold)
        else:
            self._let_in_by_kernel()

    def _hold(self, _number: int, _frame: object) -> None:
        self._came = True

    def let_in(self) -> None:
        """Let interrupts reach the job from here on; raises KeyboardInterrupt if one has come."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._came:
            raise KeyboardInterrupt

    def keep_out(self) -> None:
        """Let no more in: one would only lose the answer. The kernel puts its own handler back."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
