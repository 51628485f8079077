"""A recorded computation of torch's: what a `reference` does with its inputs, without making them.

A file's `reference` draws its inputs, and often computes in double precision to be right. Neither
is what a kernel competes with. So its operations are recorded once; those that only make tensors
(random, filled, counted) are kept as their results, and casts to float64 are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_unflatten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class _Step:
    """One operation: places among all values for tensors, the rest as it was."""

    call: Callable[..., Any]
    leaves: tuple[Any, ...]
    layout: Any
    results: tuple[int | None, ...]


@dataclass(frozen=True)
class _Place:
    number: int


@dataclass(eq=False)
class Tape:
    """Operations recorded, to be done again on the same inputs.

    `in_own_precision` tells that casts to float64 were left out.
    """

    steps: list[_Step] = field(default_factory=list)
    inputs: dict[int, torch.Tensor] = field(default_factory=dict)
    in_own_precision: bool = False

    def play(self) -> None:
        """Do every operation once more."""
        values: dict[int, Any] = dict(self.inputs)
        for step in self.steps:
            leaves = [
                values[item.number] if isinstance(item, _Place) else item for item in step.leaves
            ]
            args, kwargs = tree_unflatten(leaves, step.layout)
            if _changes_nothing(step.call, args, kwargs):
                values[step.results[0] or 0] = args[0]
                continue
            outputs, _ = tree_flatten(step.call(*args, **kwargs))
            for number, output in zip(step.results, outputs, strict=True):
                if number is not None:
                    values[number] = output


class _Recorder(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.tape = Tape()
        self._numbers: dict[int, int] = {}
        self._alive: list[torch.Tensor] = []
        self._kept: list[torch.Tensor] = []  # so that no identity is handed out twice
        self._computed: set[int] = set()

    def __torch_dispatch__(
        self, func: Any, types: Iterable[type], args: Any = (), kwargs: Any = None
    ) -> Any:
        outputs = func(*args, **(kwargs or {}))
        leaves, layout = tree_flatten((args, kwargs or {}))
        flat, _ = tree_flatten(outputs)
        widens = _widens(func, kwargs or {})
        if widens or func is torch.ops.aten.detach.default:
            # The value itself stands for its float64 copy, and for its copy without a gradient.
            source = next(leaf for leaf in leaves if isinstance(leaf, torch.Tensor))
            number = self._numbers.get(id(source))
            self._numbers[id(flat[0])] = self._number(source) if number is None else number
            self._kept.append(flat[0])
            self.tape.in_own_precision = self.tape.in_own_precision or widens
            return outputs
        made = not any(isinstance(leaf, torch.Tensor) for leaf in leaves) or all(
            self._is_filling(func, leaf) for leaf in leaves if isinstance(leaf, torch.Tensor)
        )
        if made:
            for item in flat:
                if isinstance(item, torch.Tensor):
                    self._number(item)
            return outputs
        places = tuple(
            _Place(self._known(leaf)) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves
        )
        results = tuple(
            self._number(item) if isinstance(item, torch.Tensor) else None for item in flat
        )
        self._computed.update(number for number in results if number is not None)
        self.tape.steps.append(_Step(func, places, layout, results))
        return outputs

    def _is_filling(self, func: Any, tensor: torch.Tensor) -> bool:
        # `empty(...).normal_()` makes an input in two operations.
        known = self._numbers.get(id(tensor))
        return known is not None and known not in self._computed and func._schema.is_mutable

    def _known(self, tensor: torch.Tensor) -> int:
        number = self._numbers.get(id(tensor))
        if number is None:  # made before the recording began
            number = self._number(tensor)
        if number not in self._computed:
            self.tape.inputs[number] = self._alive[number]
        return number

    def _number(self, tensor: torch.Tensor) -> int:
        number = self._numbers.get(id(tensor))
        if number is None:
            number = len(self._alive)
            self._numbers[id(tensor)] = number
            self._alive.append(tensor)
        return number


def _widens(func: Any, kwargs: dict[str, Any]) -> bool:
    return func is torch.ops.aten._to_copy.default and kwargs.get("dtype") == torch.float64


def _changes_nothing(func: Any, args: Any, kwargs: dict[str, Any]) -> bool:
    # A cast back from float64, when the cast to it was left out.
    return (
        func is torch.ops.aten._to_copy.default
        and set(kwargs) == {"dtype"}
        and args[0].dtype == kwargs["dtype"]
    )


def record(run: Callable[[], object]) -> Tape:
    """Run `run` once and return what it computed as a tape."""
    recorder = _Recorder()
    with torch.no_grad(), recorder:
        run()
    return recorder.tape
