"""A question to the engine of which only the newest counts, asked as the config changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.model.finding import Finding
    from playground.protocol.messages import Reply, Request
    from playground.ui.document import Document


class NewestQuestion(QObject):
    """At most one question on its way and one waiting; a newer one replaces the waiting one.

    Replies go to `take`; `ended` gets the findings the question ended with, none where it was
    answered, once nothing newer waits; `last` is the question that both belong to.
    """

    def __init__(
        self,
        document: Document,
        take: Callable[[Reply], None],
        ended: Callable[[tuple[Finding, ...]], None],
        *,
        kind: str = "query",
    ) -> None:
        super().__init__(document)
        self._document = document
        self._take, self._ended, self._kind = take, ended, kind
        self._asked: Request | None = None
        self._waiting: Request | None = None
        self._given_up = False
        self.last: Request | None = None
        self._job = 0
        document.engineStateChanged.connect(self._on_engine)

    @property
    def running(self) -> bool:
        """Whether an answer is on its way."""
        return self._asked is not None

    @property
    def newest(self) -> Request | None:
        """The last question that is not answered yet."""
        return self._waiting or self._asked

    def ask(self, request: Request) -> None:
        """Ask; one that is on its way already gives way to this one."""
        if request == self.newest:
            return
        if self._asked is None:
            self._send(request)
            return
        if request == self._asked and not self._given_up:
            self._waiting = None
            return
        # One that was given up for another one is asked again when it is wanted again.
        self._waiting = request
        self._give_up()

    def cancel(self) -> None:
        """Stop asking."""
        self._waiting = None
        if self._asked is not None:
            self._give_up()

    def _give_up(self) -> None:
        self._given_up = True
        self._document.work.cancel_job(self._job)

    def _send(self, request: Request) -> None:
        self._asked = self.last = request
        self._given_up = False
        self._job = self._document.work.ask(request, self._kind, self._on_reply)

    def _on_reply(self, reply: Reply) -> None:
        if not isinstance(reply, messages.Finished):
            self._take(reply)
            return
        asked, self._asked = self._asked, None
        if self._waiting == asked and not reply.cancelled:
            self._waiting = None  # it was answered before it could be given up
        if self._waiting is not None:
            request, self._waiting = self._waiting, None
            self._send(request)
            return
        self._ended(reply.findings)

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting"):
            asked, self._asked, self._waiting = self._asked, None, None
            if asked is not None:
                self._ended(())
