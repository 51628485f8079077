"""Launches of the batched interpreter: Triton's language bound to its builder, and the batches.

A launch starts as one batch of all its programs. What a batch puts off is run again until nothing
is left; each program's accesses are told once, in batches of whatever size.
"""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from playground.engine.triton_private.batched_descriptors import BatchedDescriptors
from playground.engine.triton_private.batched_nodes import Batch, NeedsExactError
from playground.engine.triton_private.batched_reductions import BatchedReductions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from playground.engine.triton_private.batched_memory import BatchObserver
    from playground.engine.triton_private.interpreter_arithmetic import Arithmetic
    from playground.engine.triton_private.interpreter_formats import Array
    from playground.engine.triton_private.interpreter_reductions import Reductions

_MOST_BATCHES = 20_000
"""Above it, programs have so little in common that running them one by one is no slower."""


class BatchedInterpreter:
    """Runs the programs of interpreted launches together, telling an observer what they access.

    Parameters
    ----------
    interpreter
        The module `triton.runtime.interpreter`, put right by `interpreter.install`.
    arithmetic, reductions
        Those installed in it.

    Make it while no launch runs: what Triton's language is then is what the batches call.
    """

    def __init__(self, interpreter: Any, arithmetic: Arithmetic, reductions: Reductions) -> None:
        self._interpreter = interpreter
        self._reductions = reductions
        self._language: Any = interpreter.tl
        made = type("Builder", (BatchedDescriptors, interpreter.InterpreterBuilder), {})
        self._builder: Any = made(interpreter)
        self._builder.arithmetic = arithmetic
        self._semantic = type(interpreter.interpreter_semantic)(self._builder)
        self._changes = self._learn()

    def run(
        self, kernel: Callable[..., Any], arguments: Mapping[str, Any],
        grid: tuple[int, int, int], programs: Array, observer: BatchObserver,
    ) -> None:  # fmt: skip
        """Run `programs` (linear ids, ascending) of a launch; Triton's own patches are in place.

        Raises
        ------
        NeedsExactError
            What the observer was told is incomplete: the launch must be run program by program.
        """
        builder = self._builder
        builder.observer = observer
        waiting: deque[tuple[Array, int]] = deque([(programs, 0)])
        batches = 0
        with self._bound():
            while waiting:
                batches += 1
                if batches > _MOST_BATCHES:
                    raise NeedsExactError("the programs have too little in common")
                chosen, skip = waiting.popleft()
                builder.batch = Batch(chosen, grid, skip, lambda *put_off: waiting.append(put_off))
                kernel(**arguments)
        builder.batch = Batch(np.zeros(1, dtype=np.int64), (1, 1, 1), 0, lambda *_: None)

    @contextlib.contextmanager
    def _bound(self) -> Iterator[None]:
        """Have Triton's language call this builder inside the context."""
        missing = object()
        before = [(owner, name, vars(owner).get(name, missing)) for owner, name, _ in self._changes]
        semantic = self._interpreter.interpreter_semantic
        exact = semantic.builder
        semantic.builder = self._builder  # kernels' assignments were bound to this one
        try:
            for owner, name, value in self._changes:
                setattr(owner, name, value)
            yield
        finally:
            semantic.builder = exact
            for owner, name, value in before:
                if value is missing:
                    delattr(owner, name)
                else:
                    setattr(owner, name, value)

    def _learn(self) -> list[tuple[Any, str, Any]]:
        """Return what is bound to what while a batch runs."""
        language, core = self._language, self._language.core
        changes: list[tuple[Any, str, Any]] = [
            (owner, name, self._call(member))
            for owner in (language, core, language.tensor, language.math,
                          core.tensor_descriptor_base)
            for name, member in self._builtins(owner)
        ]  # fmt: skip
        reductions = BatchedReductions(self._interpreter, self._builder, self._reductions)
        for owner in (language, core):
            changes.append((owner, "reduce", reductions.reduce))
            changes.append((owner, "associative_scan", reductions.scan))
            for hint in ("multiple_of", "max_contiguous", "max_constancy"):
                changes.append((owner, hint, lambda tensor, *_, **__: tensor))
        tensor = language.tensor
        # Functions, not methods: the class binds them to the tensor.
        changes.append((tensor, "__bool__", lambda of: self._truth(of)))
        changes.append((tensor, "__index__", lambda of: self._number(of)))
        changes.append((tensor, "__repr__", _refuse_text))
        changes.append((tensor, "__str__", _refuse_text))
        changes.append((tensor, "T", property(self._transposed)))
        return changes

    def _builtins(self, owner: Any) -> Iterator[tuple[str, Any]]:
        for name in dir(owner):
            member = getattr(owner, name, None)
            if self._language.core.is_builtin(member):
                yield name, member

    def _call(self, member: Any) -> Callable[..., Any]:
        semantic = self._semantic

        def call(*args: Any, **named: Any) -> Any:
            named["_semantic"] = semantic
            return member(*args, **named)

        return call

    # What Python asks of a tensor ------------------------------------------------------------

    def _truth(self, tensor: Any) -> bool:
        node = self._builder.node(tensor.handle)
        if np.prod(node.shape, dtype=np.int64) != 1:
            return True  # as the exact interpreter takes a block
        return bool(self._builder.batch.decide(node))

    def _number(self, tensor: Any) -> int:
        return int(self._builder.batch.decide(self._builder.node(tensor.handle)))

    def _transposed(self, tensor: Any) -> Any:
        node = self._builder.node(tensor.handle)
        order = list(range(len(node.shape)))[::-1]
        turned = self._builder.create_trans(node, order)
        type_ = self._language.block_type(tensor.dtype, list(turned.shape))
        return self._language.core.tensor(turned, type_)


def _refuse_text(_tensor: Any) -> str:
    raise NeedsExactError("the kernel makes a text of a value")
