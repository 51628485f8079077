"""The Qt client of the engine's kernel: qtconsole's, with a control channel and a quick end.

Importing it imports qtconsole and jupyter_client; the window does so after its first paint.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from jupyter_client.client import KernelClient
from jupyter_client.threaded import IOLoopThread
from qtconsole.client import QtKernelClient, QtZMQSocketChannel
from traitlets import Type

if TYPE_CHECKING:
    from tornado.ioloop import IOLoop


class _LoopThread(IOLoopThread):
    """The sockets' thread; the stock one looks only once a second whether it should end."""

    _wake: asyncio.Event | None = None

    async def _async_run(self) -> None:
        self._wake = asyncio.Event()
        if not self._exiting:
            await self._wake.wait()

    def stop(self) -> None:
        """End the thread and join it."""
        self._exiting = True
        loop: IOLoop | None = self.ioloop
        if loop is not None:
            loop.add_callback(self._wake_up)
        self.join()
        self.close()
        self.ioloop = None

    def _wake_up(self) -> None:
        if self._wake is not None:
            self._wake.set()


class EngineClient(QtKernelClient):  # type: ignore[misc]  # qtconsole ships no types
    """A kernel client whose channels all emit Qt signals, the control channel too."""

    control_channel_class = Type(QtZMQSocketChannel)

    def start_channels(self) -> None:
        """Start all channels but the heartbeat: the process itself is watched."""
        self.ioloop_thread = _LoopThread()
        self.ioloop_thread.start()
        self.shell_channel._inspect = self._check_kernel_info_reply
        KernelClient.start_channels(
            self, shell=True, iopub=True, stdin=True, hb=False, control=True
        )
        self.started_channels.emit()

    def end(self) -> None:
        """Close all channels and the sockets' thread; may be called from any thread."""
        self.stop_channels()
        self.context.destroy(linger=0)
