"""Arguments of every kind: in words, copied, looked into."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from playground.engine.arguments import (
    describe,
    knob_value,
    numbers_in,
    replace_tensors,
    tensors_in,
    text_of,
)
from playground.engine.pointed import AddressBook, in_use_on_cpu
from playground.engine.replay import WorkingSet
from playground.engine.snapshot import SnapshotPool


class Vector(NamedTuple):
    data: torch.Tensor
    size: int
    scale: float | None


def said(value: object, *, constexpr: bool = False) -> tuple[str, str]:
    argument = describe("a", value, constexpr=constexpr, numbers={})
    return argument.kind, argument.text


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (torch.zeros(2, 3, dtype=torch.bfloat16), "tensor", "bfloat16[2, 3]"),
        (torch.tensor(1.0), "tensor", "float32[]"),
        (torch.empty(0, 4), "tensor", "float32[0, 4]"),
        (torch.zeros(3).to(torch.float8_e5m2), "tensor", "float8_e5m2[3]"),
        (torch.zeros(4, dtype=torch.bool), "tensor", "bool[4]"),
        (triton.reinterpret(torch.zeros(8, dtype=torch.int8), tl.float8e5), "tensor",
         "int8[8] as fp8e5"),
        (TensorDescriptor.from_tensor(torch.zeros(8, 16), [4, 16]), "descriptor",
         "descriptor of float32[8, 16] in blocks of [4, 16]"),
        (Vector(torch.zeros(5), 5, None), "other", "Vector(data=float32[5], size=5, scale=None)"),
        ((torch.zeros(2), (1, 2.5)), "other", "(float32[2], (1, 2.5))"),
        ((7,), "other", "(7,)"),
        (1, "int", "1"),
        (1 << 40, "int", "1099511627776"),
        (True, "bool", "True"),
        (0.1, "float", "0.1"),
        (None, "none", "None"),
    ],
)  # fmt: skip
def test_an_argument_in_words(value, kind, text) -> None:
    assert said(value) == (kind, text)


def test_a_constexpr_in_words() -> None:
    assert said(tl.constexpr(64), constexpr=True) == ("constexpr", "64")
    assert said(tl.float16, constexpr=True) == ("constexpr", "tl.float16")
    assert said(torch.float16, constexpr=True) == ("constexpr", "torch.float16")
    assert said("gelu", constexpr=True) == ("constexpr", "gelu")
    assert said((16, tl.constexpr(32)), constexpr=True) == ("constexpr", "(16, 32)")
    assert knob_value(np.int64(128), None) == 128
    assert len(text_of("x" * 500)) == 500
    assert len(said("x" * 500)[1]) == 60


def test_the_tensor_within_a_tuple_is_told_of_and_storages_are_numbered() -> None:
    numbers: dict[tuple[str, int], int] = {}
    base = torch.arange(10.0)
    alone = describe("v", Vector(base[2:], 8, 1.0), constexpr=False, numbers=numbers)
    assert alone.tensor is not None
    assert (alone.tensor.shape, alone.tensor.storage_offset, alone.tensor.storage) == ((8,), 2, 0)
    pair = describe("p", (torch.zeros(2), base), constexpr=False, numbers=numbers)
    assert pair.tensor is None
    assert describe("b", base[:1], constexpr=False, numbers=numbers).tensor.storage == 0  # type: ignore[union-attr]
    assert len(numbers) == 2


def test_tensors_and_numbers_are_found_and_replaced_wherever_they_are() -> None:
    x, y, z = torch.zeros(1), torch.ones(16, 16), torch.zeros(4, dtype=torch.int8)
    value = (Vector(x, 1, None), [TensorDescriptor.from_tensor(y, [8, 16])],
             triton.reinterpret(z, tl.float8e5), True, 5)  # fmt: skip
    assert [id(t) for t in tensors_in(value)] == [id(x), id(y), id(z)]
    assert list(numbers_in(value)) == [1, 5]
    copied = replace_tensors(value, lambda tensor: tensor + 1)
    assert isinstance(copied[0], Vector)
    assert copied[0].data.item() == 1.0
    assert copied[1][0].base[0, 0] == 2.0
    assert copied[2].base.tolist() == [1] * 4
    assert copied[3:] == (True, 5)


def test_addresses_are_found_in_tables_of_tables_and_in_plain_numbers() -> None:
    data = torch.arange(4.0)
    inner = torch.tensor([data.data_ptr()])
    outer = torch.tensor([[0, inner.data_ptr()], [3, 1 << 45]])
    for value in (outer, outer.t(), (outer.data_ptr(), None), outer.view(torch.uint64)):
        snapshot = SnapshotPool().before({"table": value})
        assert snapshot.in_place
        live = {image.live.data_ptr() for image in snapshot.images.values()}
        assert {data.data_ptr(), inner.data_ptr(), outer.data_ptr()} <= live
        working = WorkingSet(snapshot)
        data.fill_(9.0)
        working.restore()
        assert data.tolist() == [0.0, 1.0, 2.0, 3.0]
        working.put_back()
        assert data.tolist() == [9.0] * 4
        data.copy_(torch.arange(4.0))


def test_numbers_that_point_nowhere_cost_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    monkeypatch.setattr(
        "playground.engine.pointed.tensors_at", lambda found: searched.append(found) or ()
    )
    book = AddressBook()
    table = torch.tensor([1 << 40, 1 << 33, 12])
    assert book.pointed_to({"t": table, "seed": 1 << 62}, lambda tensor: None) == []
    assert searched == [[]]
    assert in_use_on_cpu([1 << 40, table.data_ptr()]) == [table.data_ptr()]


def test_a_table_is_read_anew_when_it_changes() -> None:
    first, second = torch.zeros(3), torch.zeros(5)
    table = torch.tensor([first.data_ptr()])
    pool = SnapshotPool()
    assert len(pool.before({"t": table}).images) == 2
    assert len(pool.before({"t": table}).images) == 2
    table[0] = second.data_ptr()
    sizes = [image.live.numel() for image in pool.before({"t": table}).images.values()]
    assert sizes == [8, 20]


def test_views_with_stride_zero_and_empty_storages_are_kept_as_they_are() -> None:
    row = torch.arange(3.0).expand(4, 3)
    empty = torch.empty(0)
    pool = SnapshotPool()
    snapshot = pool.before({"row": row, "empty": empty, "none": None})
    working = WorkingSet(snapshot)
    assert working.view(row).stride() == (0, 1)
    assert working.view(empty) is empty
    row[0] = 7.0
    pool.after(snapshot, "kernel", {"row": row, "empty": empty})
    assert snapshot.written == ("row",)
    left = snapshot.result(row)
    assert left is not None
    assert left.tolist() == [[7.0] * 3] * 4
