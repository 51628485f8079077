"""The document of the tab in front, as one object that stays: what views draw from.

A window has a document for each open file and one set of views. A view is made once and listens to
a *stand-in*, which passes on the fields, verbs and signals of whichever document is in front, and
those of its parts (its sweep, its compiler, …). When another tab comes to the front the stand-in
changes over and tells every view to draw anew.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QMetaMethod, QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Callable

    from playground.ui.document import Document

LOOKING = ("want", "look_at")
"""By these verbs a view tells a part that somebody looks; they hold for whichever file is shown."""

OF_THE_MACHINE = ("telemetry", "experiments", "engine")
"""Parts that are about no file: those of the document that the window began with serve for all."""

_EVENTS = frozenset({
    "aboutToOpen", "changedOnDisk", "deletedOnDisk", "edited", "textReplaced", "driverFound",
    "exported", "sweepBegun", "countsSaved", "stopped", "idle", "started", "died", "reply",
    "engineStateChanged", "latencyMeasured", "deviceChanged", "stateChanged", "destroyed",
    "objectNameChanged",
})  # fmt: skip
"""Signals of something that happens to a file, or to the engine; all others tell of a state."""

_SAID: dict[str, Callable[[Any], tuple[object, ...]]] = {
    "pathChanged": lambda document: (document.path,),
    "dirtyChanged": lambda document: (document.dirty,),
    "launchSelected": lambda document: (document.launch_index,),
    "progressChanged": lambda document: document.progress,
    "targetChanged": lambda document: (document.target,),
    "cacheChanged": lambda document: (document.cache,),
    "indexChanged": lambda history: (history.index,),
}
"""What a signal that carries something says of the state as it is."""

_FIRST = ("opened", "pathChanged", "outlineChanged", "driverChanged")
"""Told before the others: with them views forget what was of another file."""

_TYPES: dict[str, type] = {"bool": bool, "int": int, "double": float, "QString": str}


class StandIn(QObject):
    """Passes on what its target is, and changes over to another one; see `stand_in`."""

    _signals: tuple[str, ...] = ()

    def __init__(self, target: QObject, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Past `__setattr__`, which hands every other field on.
        for name, value in (("_target", target), ("_parts", {}), ("_verbs", {}), ("_looks", {})):
            super().__setattr__(name, value)
        self._link(on=True)

    # ------------------------------------------------------------------------ passing on

    def __getattr__(self, name: str) -> Any:
        if name in self._parts:
            return self._parts[name]
        value = getattr(self._target, name)
        if isinstance(value, QObject):
            return value if name in OF_THE_MACHINE else self._part(name, value)
        if not inspect.ismethod(value):
            return value
        if name not in self._verbs:
            self._verbs[name] = self._verb(name, value)
        return self._verbs[name]

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._target, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._target, name)

    def _part(self, name: str, value: QObject) -> QObject:
        self._parts[name] = stand_in(value, self)
        return cast("QObject", self._parts[name])

    def _verb(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callable that reaches the target of the moment it is called at.

        Connected to a signal it takes as many of its arguments as the method does, as Qt sees to
        for the method itself.
        """
        kinds = [each.kind for each in inspect.signature(method).parameters.values()]
        most = (
            None if inspect.Parameter.VAR_POSITIONAL in kinds
            else sum(kind is not inspect.Parameter.KEYWORD_ONLY for kind in kinds)
        )  # fmt: skip
        looks = self._looks if name in LOOKING else None

        def verb(*arguments: object, **named: object) -> Any:
            given = arguments[:most]
            if looks is not None:
                looks[name, given[:-1]] = given[-1]
            return getattr(self._target, name)(*given, **named)

        return verb

    # --------------------------------------------------------------------- changing over

    def change_over(self, target: QObject) -> None:
        """Stand for `target` from now on; nobody is told yet."""
        if target is not self._target:
            for (verb, who), seen in self._looks.items():
                getattr(self._target, verb)(*who, type(seen)())  # nobody looks at that one
            self._link(on=False)
            super().__setattr__("_target", target)
            self._link(on=True)
            for (verb, who), seen in self._looks.items():
                getattr(target, verb)(*who, seen)
        for name, part in self._parts.items():
            part.change_over(getattr(target, name))

    def tell_all(self) -> None:
        """Say to all who listen what holds now: parts after the whole, as views expect it."""
        for name in sorted(self._signals, key=lambda name: name not in _FIRST):
            if name in _EVENTS:
                continue
            said = _SAID.get(name)
            if said is not None:
                getattr(self, name).emit(*said(self._target))
            elif not _carried(type(self._target), name):
                getattr(self, name).emit()
        for part in tuple(self._parts.values()):
            part.tell_all()

    def _link(self, *, on: bool) -> None:
        for name in self._signals:
            signal, own = getattr(self._target, name), getattr(self, name)
            if on:
                signal.connect(own)
            else:
                signal.disconnect(own)


def stand_in(target: QObject, parent: QObject | None = None) -> StandIn:
    """Return an object with the signals of `target`'s class that stands for `target`."""
    return _stand_in_class(type(target))(target, parent)


def front_of(document: Document, parent: QObject) -> tuple[Document, StandIn]:
    """Return what views take for their document, and the same as what it is: a stand-in."""
    made = stand_in(document, parent)
    return cast("Document", made), made


_classes: dict[type, type[StandIn]] = {}
_kinds: dict[tuple[type, str], tuple[type, ...]] = {}


def _stand_in_class(of: type[QObject]) -> type[StandIn]:
    known = _classes.get(of)
    if known is None:
        known = _classes[of] = _made_class(of)
    return known


def _made_class(of: type[QObject]) -> type[StandIn]:
    names = _signal_names(of)
    fields: dict[str, Any] = {name: Signal(*_carried(of, name)) for name in names}
    return cast("type[StandIn]", type(f"{of.__name__}StandIn", (StandIn,), {
        **fields, "_signals": tuple(names), "__doc__": f"Stands for a {of.__name__}.",
    }))  # fmt: skip


def _signal_names(of: type[QObject]) -> list[str]:
    """Return the signals that a class and those it is made of define in Python, oldest first."""
    return [
        name
        for each in reversed(of.__mro__)
        for name, value in vars(each).items()
        if isinstance(value, Signal) and name not in ("destroyed", "objectNameChanged")
    ]


def _carried(of: type[QObject], name: str) -> tuple[type, ...]:
    """Return the types of what a signal carries."""
    known = _kinds.get((of, name))
    if known is None:
        known = _kinds[of, name] = _read_carried(of, name)
    return known


def _read_carried(of: type[QObject], name: str) -> tuple[type, ...]:
    meta = of.staticMetaObject  # type: ignore[attr-defined]  # every QObject class has it
    for index in range(meta.methodCount()):
        method = meta.method(index)
        if (
            method.methodType() == QMetaMethod.MethodType.Signal
            and bytes(method.name().data()).decode() == name
        ):
            types = [bytes(each.data()).decode() for each in method.parameterTypes()]
            return tuple(_TYPES.get(each, object) for each in types)
    return ()
