"""What a kernel's model says of every element, beside what was counted."""

import numpy as np
import torch

from playground.engine.coverage import count
from tests.engine.coverage_parts import captured, prepared
from tests.engine.models.modelled import CASES


class Model:
    """Counters of every element, filled from a list of accesses."""

    def __init__(self, tensors):
        self.shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
        self.sizes = {name: tensor.element_size() for name, tensor in tensors.items()}
        self.loads = {name: np.zeros(shape, np.int64) for name, shape in self.shapes.items()}
        self.stores = {name: np.zeros(shape, np.int64) for name, shape in self.shapes.items()}
        self.owner = {name: np.full(shape, -1) for name, shape in self.shapes.items()}
        self.loader = {name: np.full(shape, -1) for name, shape in self.shapes.items()}
        self.first = {name: np.full(shape, 1 << 40) for name, shape in self.shapes.items()}
        self.lanes = {}

    def touch(self, kind, tensor, index, program):
        """Take one access: index arrays, one an axis."""
        at = tuple(np.asarray(axis) for axis in index)
        self.lanes[kind, tensor] = self.lanes.get((kind, tensor), 0) + at[0].size
        if kind != "store":
            np.add.at(self.loads[tensor], at, 1)
            np.maximum.at(self.loader[tensor], at, program)
        if kind != "load":
            np.add.at(self.stores[tensor], at, 1)
            np.maximum.at(self.owner[tensor], at, program)
            np.minimum.at(self.first[tensor], at, program)

    def folded(self, strides):
        """Add up elements that are the same memory: axes with stride 0."""
        for name, steps in strides.items():
            for axis, step in enumerate(steps):
                if step == 0 and self.shapes[name][axis] > 1:
                    for counters, join in (
                        (self.loads, np.sum), (self.stores, np.sum), (self.loader, np.max),
                        (self.owner, np.max),
                    ):  # fmt: skip
                        whole = join(counters[name], axis=axis, keepdims=True)
                        counters[name] = np.broadcast_to(whole, self.shapes[name])


def tensors_of(arguments):
    """Return the tensors among a launch's arguments; a descriptor stands for its base."""
    named = {}
    for name, value in arguments.items():
        tensor = getattr(value, "base", value) if not isinstance(value, torch.Tensor) else value
        if isinstance(tensor, torch.Tensor):
            named[name] = tensor
    return named


def differences(name):
    """Return in words what was counted otherwise than the model of a case says."""
    from playground.engine.counter_layout import on_tensor

    call, describe = CASES[name]()
    ready = prepared(captured(call)[-1])
    counts = count(ready)
    counts.know_loaders(ready)
    tensors = tensors_of(ready.arguments)
    model = Model(tensors)
    describe(model.touch)
    model.folded({key: tensor.stride() for key, tensor in tensors.items()})
    wrong = []

    def compare(what, found, expected):
        if not np.array_equal(found, expected):
            wrong.append(f"{what}: {np.count_nonzero(found != expected)} elements")

    for view in counts.layout.tensors:

        def seen(cells, view=view):
            return on_tensor(cells, view).cpu().numpy()

        key = view.name
        compare(f"loads of {key}", seen(counts.cells.loads), model.loads[key])
        compare(f"stores of {key}", seen(counts.cells.stores), model.stores[key])
        compare(f"owner of {key}", seen(counts.cells.storer_last) - 1, model.owner[key])
        compare(f"last loader of {key}", seen(counts.cells.loader_last) - 1, model.loader[key])
    summary = counts.summary()
    lanes, requested = {}, 0
    for site in summary.sites:
        (tensor,) = site.tensors
        lanes[site.kind, tensor] = lanes.get((site.kind, tensor), 0) + site.active
        requested += site.bytes_requested * (2 if site.kind == "atomic" else 1)
    if lanes != model.lanes:
        wrong.append(f"active lanes of sites: {lanes} for {model.lanes}")
    if requested != summary.bytes_requested:
        wrong.append(f"bytes of sites: {requested} for {summary.bytes_requested}")
    expected = sum(
        amount * model.sizes[tensor] * (2 if kind == "atomic" else 1)
        for (kind, tensor), amount in model.lanes.items()
    )
    if summary.bytes_requested != expected:
        wrong.append(f"bytes requested: {summary.bytes_requested} for {expected}")
    if summary.out_of_bounds or summary.hazards:
        wrong.append(f"accused: {summary.out_of_bounds} {summary.hazards}")
    return wrong
