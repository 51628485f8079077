"""Bytes before and after, per storage; uninitialised memory shows as NaN."""

from __future__ import annotations

import pytest
import torch

from playground.engine.arguments import flat_bytes, storage_key, tensor_info, view_on
from playground.engine.poisoning import poisoned_memory
from playground.engine.replay import WorkingSet
from playground.engine.snapshot import Snapshot, SnapshotPool, same_bytes


def test_overlapping_views_share_one_copy_and_overlap_again() -> None:
    base = torch.arange(40.0)
    arguments = {"left": base[:32], "right": base[8:].reshape(4, 8), "n": 3}
    snapshot = SnapshotPool().before(arguments)
    assert len(snapshot.images) == 1
    working = WorkingSet(snapshot)
    left, right = working.view(arguments["left"]), working.view(arguments["right"])
    working.restore()
    assert left.tolist() == base[:32].tolist()
    assert right.stride() == (8, 1)
    left[8] = -1.0
    assert right[0, 0] == -1.0
    assert base[8] == 8.0
    working.restore()
    assert right[0, 0] == 8.0


def test_a_tuned_launch_starts_from_what_there_was_before_it_was_tuned() -> None:
    x, out = torch.arange(8.0), torch.full((8,), float("nan"))
    arguments = {"x": x, "out": out}
    pool = SnapshotPool()
    untuned = pool.before(arguments)
    out.copy_(x * 2)  # every config that tuning tries writes the same
    snapshot = pool.before(arguments)
    out.copy_(x * 2)
    pool.after(snapshot, "kernel", arguments, untuned)
    assert snapshot.written == ("out",)
    assert snapshot.before(out).isnan().all()
    result = snapshot.result(out)
    assert result is not None
    assert result.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]
    assert snapshot.result(x) is None


def test_a_launch_that_adds_up_is_not_confused_by_its_tuning() -> None:
    total = torch.zeros(4)
    arguments = {"total": total}
    pool = SnapshotPool()
    untuned = pool.before(arguments)
    total += 5  # five trials
    snapshot = pool.before(arguments)
    total += 1
    pool.after(snapshot, "kernel", arguments, untuned)
    assert snapshot.before(total).tolist() == [5.0] * 4


@pytest.mark.parametrize("offset", [0, 1, 2, 8, 13])
def test_a_copy_is_as_aligned_as_the_original(offset: int) -> None:
    memory = torch.zeros(64 + offset * 4, dtype=torch.uint8)
    tensor = torch.frombuffer(bytearray(256), dtype=torch.float32)[offset:]
    snapshot = SnapshotPool().before({"x": tensor})
    working = WorkingSet(snapshot)
    for other in (working, WorkingSet(snapshot)):
        assert other.view(tensor).data_ptr() % 512 == tensor.data_ptr() % 512
    assert memory.numel()


def test_what_a_launch_changed() -> None:
    x, o, untouched = torch.zeros(8), torch.zeros(8), torch.zeros(4)
    both = torch.zeros(10)
    arguments = {"x": x, "o": o, "first": both[:5], "second": both[5:], "u": untouched}
    pool = SnapshotPool()
    snapshot = pool.before(arguments)
    o[3] = -0.0  # equal as a number, other bytes
    both[7] = float("nan")
    pool.after(snapshot, "kernel", arguments)
    assert snapshot.written == ("o", "second")
    result = snapshot.result(o)
    assert result is not None
    assert torch.signbit(result[3])
    assert snapshot.result(x) is None
    # The same launch again changes nothing, but it is known where it writes.
    again = pool.before(arguments)
    pool.after(again, "kernel", arguments)
    assert again.written == ("o", "second")
    assert again.result(both[5:]) is not None
    # Storages that did not change share one copy.
    key = storage_key(x)
    assert key is not None
    assert again.images[key].saved is snapshot.images[key].saved


def test_bytes_are_compared_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.engine.snapshot._CHUNK_BYTES", 16)
    left = torch.arange(101, dtype=torch.uint8)
    right = left.clone()
    assert same_bytes(left, right)
    right[100] += 1
    assert not same_bytes(left, right)
    assert not same_bytes(left, left[:100])


def test_addresses_of_live_tensors_are_noticed_and_numbers_are_not() -> None:
    target = torch.ones(8)
    pointers = torch.tensor([target.data_ptr() + 8, 5])
    snapshot = SnapshotPool().before({"p": pointers})
    assert snapshot.in_place
    assert storage_key(target) in snapshot.images
    assert not SnapshotPool().before({"p": torch.tensor([1, 1 << 40])}).in_place
    working = WorkingSet(snapshot)
    target.fill_(5.0)
    assert working.view(pointers) is pointers
    working.restore()
    assert target.tolist() == [1.0] * 8
    target.zero_()
    working.put_back()
    assert target.tolist() == [5.0] * 8
    working.put_back()
    assert target.tolist() == [5.0] * 8


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.float8_e4m3fn]
)
def test_fresh_memory_is_nan(dtype: torch.dtype) -> None:
    source = torch.zeros(3, 4, dtype=torch.float32)
    with poisoned_memory():
        made = [
            torch.empty(5, dtype=dtype),
            torch.empty_like(source, dtype=dtype),
            source.new_empty((2, 2), dtype=dtype),
            torch.empty_strided((2, 2), (2, 1), dtype=dtype),
        ]
        kept = [torch.zeros(3), torch.ones(2), torch.empty(0), torch.empty(3, device="meta")]
    assert all(tensor.float().isnan().all() for tensor in made)
    assert kept[0].tolist() == [0.0] * 3
    assert torch.empty(64).isnan().all().item() in (True, False)  # as ever outside


def test_fresh_integers_hold_a_pattern_and_booleans_stay_legal() -> None:
    with poisoned_memory():
        integers = torch.empty(4, dtype=torch.int32)
        flags = torch.empty(4, dtype=torch.bool)
    assert integers.tolist() == [0x7F7F7F7F] * 4
    assert set(flags.view(torch.uint8).tolist()) <= {0, 1} or flags.numel() == 4


def test_views_on_bytes_and_facts_of_a_tensor() -> None:
    tensor = torch.arange(24, dtype=torch.int16).reshape(4, 6)[1:, ::2]
    copy = flat_bytes(tensor).clone()
    assert view_on(copy, tensor).tolist() == tensor.tolist()
    numbers: dict[tuple[str, int], int] = {}
    info = tensor_info(tensor, numbers)
    assert (info.shape, info.strides, info.dtype) == ((3, 3), (6, 2), "int16")
    assert (info.storage_offset, info.storage_nbytes, info.storage) == (6, 48, 0)
    assert info.alignment == 4  # twelve bytes into an aligned storage
    assert tensor_info(torch.zeros(2), numbers).storage == 1
    assert Snapshot().nbytes == 0
