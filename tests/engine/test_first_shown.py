"""Where an element stands for the first time in a tensor whose windows overlap."""

import numpy as np
import pytest
import torch

from playground.engine.counter_layout import TensorView, distinct_elements, first_shown

CPU = torch.device("cpu")


def view_of(shape, strides):
    return TensorView("x", shape, strides, 0, 0, "float32", 4)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((5, 3), (1, 1)),
        ((7, 7, 3, 3), (9, 1, 9, 1)),
        ((4, 2, 3), (2, 0, 1)),
        ((2, 2), (3, 2)),  # looks as if it did, and does not
        ((1, 6), (1, 1)),
        ((3, 1, 2), (1, 5, 1)),
    ],
)
def test_each_element_is_first_shown_once(shape, strides):
    view = view_of(shape, strides)
    cells = distinct_elements(torch.arange(500), view).reshape(-1).numpy()
    once = first_shown(view, CPU)
    first = np.ones(cells.shape, bool) if once is None else once.reshape(-1).numpy()
    assert sorted(np.unique(cells, return_index=True)[1]) == np.flatnonzero(first).tolist()


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((4, 8), (8, 1)),
        ((8, 4), (1, 8)),
        ((4, 8), (0, 1)),
        ((4, 3), (10, 2)),
        ((), ()),
        ((1,), (0,)),
    ],
)
def test_a_tensor_without_overlap_needs_none(shape, strides):
    assert first_shown(view_of(shape, strides), CPU) is None
