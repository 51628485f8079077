"""What programs touch in each tensor, asked for once and kept while the coverage lasts."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.protocol import messages
from playground.protocol.messages import PlaneView, ProgramFootprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from playground.protocol.messages import Reply
    from playground.ui.document import Document

KEPT_BYTES = 64 << 20

Key = tuple[str, int, PlaneView]


class Footprints(QObject):
    """Answers the wishes of all maps: one question on its way, the newest wish of each map counts.

    Wishes are answered program by program, as the engine runs a program once for all its tensors.
    A map gets all replies of its wish at once; a program that could not be run leaves its out.
    """

    def __init__(self, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._kept: OrderedDict[Key, ProgramFootprint | None] = OrderedDict()
        self._bytes = 0
        self._wishes: dict[
            object, tuple[tuple[Key, ...], Callable[[list[ProgramFootprint]], None]]
        ] = {}
        self._asked: Key | None = None
        self._generation = 0
        document.coveredChanged.connect(self.forget)
        document.engineStateChanged.connect(self._on_engine)

    @property
    def idle(self) -> bool:
        """Whether every wish is answered."""
        return self._asked is None and not self._wishes

    def want(
        self, who: object, keys: Sequence[Key], take: Callable[[list[ProgramFootprint]], None]
    ) -> None:
        """Wish for footprints in place of an earlier wish of `who`; kept ones come at once."""
        self._wishes[who] = (tuple(keys), take)
        self._settle()
        self._ask_next()

    def drop(self, who: object) -> None:
        """Forget the wish of `who`."""
        self._wishes.pop(who, None)

    def forget(self) -> None:
        """Forget everything: it was of an older coverage."""
        self._generation += 1
        self._asked = None
        self._kept.clear()
        self._bytes = 0
        self._wishes.clear()

    def _settle(self) -> None:
        """Hand out what is complete."""
        for who, (keys, take) in list(self._wishes.items()):
            if all(key in self._kept for key in keys):
                del self._wishes[who]
                found = [self._kept[key] for key in keys]
                for key in keys:
                    self._kept.move_to_end(key)
                take([reply for reply in found if reply is not None])

    def _ask_next(self) -> None:
        coverage = self._document.coverage
        if self._asked is not None or coverage is None:
            return
        longest = max((len(keys) for keys, _ in self._wishes.values()), default=0)
        for place in range(longest):
            for keys, _ in self._wishes.values():
                if place < len(keys) and keys[place] not in self._kept:
                    self._send(keys[place], messages.GetProgram(
                        coverage.launch, coverage.config, *keys[place]
                    ))  # fmt: skip
                    return

    def _send(self, key: Key, request: messages.GetProgram) -> None:
        self._asked = key
        generation = self._generation

        def take(reply: Reply) -> None:
            if generation != self._generation or self._asked != key:
                return
            if isinstance(reply, ProgramFootprint):
                self._keep(key, reply)
            elif isinstance(reply, messages.Finished):
                self._asked = None
                if key not in self._kept:
                    self._keep(key, None)
                    self._document.set_findings("query", reply.findings)
                self._settle()
                self._ask_next()

        self._document.work.ask(request, "query", take)

    def _keep(self, key: Key, reply: ProgramFootprint | None) -> None:
        self._kept[key] = reply
        self._bytes += reply.touched.nbytes if reply is not None else 0
        if self._bytes <= KEPT_BYTES:
            return
        wished = {key for keys, _ in self._wishes.values() for key in keys}
        for old in list(self._kept):
            if self._bytes <= KEPT_BYTES:
                break
            if old not in wished:
                gone = self._kept.pop(old)
                self._bytes -= gone.touched.nbytes if gone is not None else 0

    def _on_engine(self, state: str) -> None:
        if state in ("dead", "restarting"):
            self.forget()
