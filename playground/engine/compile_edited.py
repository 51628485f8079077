"""Compiling a launch of the last run from an edited text, beside everything else the engine does.

The compile workers hold the text that ran. An edited one is for a worker of its own, and for a
thread of its own: neither the console nor a job waits while the user only pauses in typing. The
launch is the last run's; its kernel and its arguments are found again in the new text by name.
"""

from __future__ import annotations

import ast
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playground.engine.compile_messages import KernelRef
from playground.engine.compiling import Compiler
from playground.engine.job import Later
from playground.model.source_tree import tree_of
from playground.protocol import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playground.engine.capture import CapturedLaunch
    from playground.engine.compile_messages import Order, Spec
    from playground.engine.hosting import Hosted
    from playground.engine.job import Job
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.device import DeviceInfo


class KernelGoneError(LookupError):
    """The edited text has no such kernel any more, or it takes arguments nobody has given."""


class EditedCompiler(Compiler):
    """Compiles launches of a run from another text than the one that ran."""

    def __init__(self, device: DeviceInfo) -> None:
        super().__init__(device, self._prepared)
        self.worker_limit = 1
        self._lock = threading.Lock()
        self._made: Hosted | None = None
        self._path = ""
        self._texts = ("", "")

    def later(self, session: Session, request: messages.CompileEdited, job: Job) -> Later:
        """Return the rest of a request as work for a thread; what needs the session is done here.

        Raises
        ------
        LookupError
            The last run has no such launch.
        """
        launch = session.launches[request.launch]
        made = session.hosted(launch, request.config)
        path, ran, driver, sizes = session.path, session.text, session.driver, dict(session.sizes)
        rebound = dict(session.changes.globals)

        def work() -> messages.Edited:
            job.check()
            with self._lock:
                # Another pause has come meanwhile, and asks for a newer text.
                job.check()
                if self._used_text != request.text or self._path != path:
                    self.use(path, request.text, driver, sizes, rebound)
                self._made, self._path, self._texts = made, path, (ran, request.text)
                return self._edited(launch, request, job)

        return Later(work)

    def _edited(
        self, launch: CapturedLaunch, request: messages.CompileEdited, job: Job
    ) -> messages.Edited:
        wanted = (request.config, self._named(request.target))
        try:
            outcome = self._each(launch, (wanted,), job, _ignore)[wanted]
        except KernelGoneError:
            return messages.Edited(request.text, None)
        # What cannot be executed alone says nothing about the text: the next run will tell.
        findings = () if outcome.undecided else outcome.findings
        return messages.Edited(request.text, outcome.report, findings)

    @property
    def _used_text(self) -> str:
        return self._use.text if self._use is not None else ""

    def _prepared(self, _launch: CapturedLaunch, _config: Config) -> Hosted:
        if self._made is None:
            raise RuntimeError("nothing is being compiled")
        return self._made

    def _order(self, launch: CapturedLaunch, made: Hosted, target: str) -> Order:
        return moved(super()._order(launch, made, target), self._path, *self._texts)


def _ignore(*_wanted: object) -> None:
    """Take note of nothing."""


def moved(order: Order, path: str, ran: str, text: str) -> Order:
    """Return an order with its functions and arguments as an edited text has them.

    Parameters
    ----------
    order
        The order as the text that ran has it.
    path
        The file that was edited.
    ran, text
        Its text when it ran, and its text now.

    Raises
    ------
    KernelGoneError
        A function is gone, or it has a parameter that no argument is for.
    SyntaxError
        The text is no Python.
    """
    before, now = _functions(ran), _functions(text)

    def reference(old: KernelRef) -> KernelRef:
        if old.file != path:
            return old
        return replace(old, line=_again(old, before, now).lineno)

    def spec(old: Spec) -> Spec:
        return tuple(
            reference(item) if isinstance(item, KernelRef)
            else spec(item) if isinstance(item, tuple) else item
            for item in old
        )  # fmt: skip

    arguments = tuple((name, spec(value)) for name, value in order.arguments)
    if order.kernel.file == path:
        arguments = _fitted(arguments, _again(order.kernel, before, now))
    return replace(order, kernel=reference(order.kernel), arguments=arguments, called=None)


def _fitted(
    arguments: tuple[tuple[str, Spec], ...], kernel: ast.FunctionDef
) -> tuple[tuple[str, Spec], ...]:
    """Return the arguments for the parameters that the kernel has now."""
    taken = kernel.args
    names = [item.arg for item in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
    plain = [*taken.posonlyargs, *taken.args]
    optional = {item.arg for item in plain[len(plain) - len(taken.defaults) :]}
    optional |= {
        item.arg
        for item, default in zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
        if default is not None
    }
    given = dict(arguments)
    unknown = [name for name in names if name not in given]
    left = [name for name, _ in arguments if name not in names]
    if len(unknown) == len(left):
        given.update(zip(unknown, (given[name] for name in left), strict=True))  # renamed
    elif any(name not in optional for name in unknown):
        raise KernelGoneError(f"nothing is given for {', '.join(unknown)}")
    return tuple((name, given[name]) for name in names if name in given)


def _again(
    old: KernelRef,
    before: dict[str, list[ast.FunctionDef]],
    now: dict[str, list[ast.FunctionDef]],
) -> ast.FunctionDef:
    """Return the function in the text as it is now: of several of one name, the same in order."""
    lines = [node.lineno for node in before.get(old.qualname, ())]
    found = now.get(old.qualname, [])
    place = lines.index(old.line) if old.line in lines else 0
    if place >= len(found):
        raise KernelGoneError(f"{old.qualname} is not in the text any more")
    return found[place]


def _functions(text: str) -> dict[str, list[ast.FunctionDef]]:
    found: dict[str, list[ast.FunctionDef]] = {}
    for name, node in _named(tree_of(text), ""):
        found.setdefault(name, []).append(node)
    return found


def _named(node: Any, prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions with their qualified names, in the order of the text."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield prefix + child.name, child
            yield from _named(child, f"{prefix}{child.name}.<locals>.")
        elif isinstance(child, ast.ClassDef):
            yield from _named(child, f"{prefix}{child.name}.")
        else:
            yield from _named(child, prefix)
