"""Every message survives the way there, through JSON and binary buffers."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import Any, get_args

import numpy as np
import pytest

from playground.model.check import CheckResult
from playground.model.config import Config
from playground.protocol import VERSION, messages
from playground.protocol.codec import ProtocolError, decode_reply, decode_request, encode

CONFIG = Config((("BLOCK", 1024), ("FLAG", True), ("DT", "tl.float16"), ("maxnreg", None),
                 ("scale", 0.5)))  # fmt: skip


def example_of(kind: Any) -> Any:
    """Return some value of a type, every field filled in."""
    origin, arguments = typing.get_origin(kind), get_args(kind)
    if kind is Config:
        return CONFIG
    if kind is np.ndarray:
        return np.arange(6, dtype=np.int32).reshape(2, 3)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{field.name: example_of(hints[field.name])
                       for field in dataclasses.fields(kind)})  # fmt: skip
    if origin is typing.Literal:
        return arguments[-1]
    if origin in (typing.Union, types.UnionType):
        return example_of(next(item for item in arguments if item is not type(None)))
    if origin is tuple:
        items = [item for item in arguments if item is not Ellipsis]
        return tuple(example_of(item) for item in items)
    if origin is dict:
        return {"name": example_of(arguments[1])}
    return {int: 7, float: 0.25, str: "text", bool: True, bytes: b"x"}[kind]


def same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    if dataclasses.is_dataclass(left):
        return type(left) is type(right) and all(
            same(getattr(left, field.name), getattr(right, field.name))
            for field in dataclasses.fields(left)
        )
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) and type(left) is type(right)


def through(message: Any, decode: Any) -> Any:
    data, buffers = encode(message, 41)
    decoded, job = decode(json.loads(json.dumps(data)), buffers)
    assert job == 41
    return decoded


@pytest.mark.parametrize("kind", get_args(messages.Request), ids=lambda kind: kind.__name__)
def test_every_request(kind: type) -> None:
    message = example_of(kind)
    assert same(through(message, decode_request), message)


@pytest.mark.parametrize("kind", get_args(messages.Reply), ids=lambda kind: kind.__name__)
def test_every_reply(kind: type) -> None:
    message = example_of(kind)
    assert same(through(message, decode_reply), message)


def test_values_keep_their_types() -> None:
    request = messages.Replay(0, CONFIG, ("compile", "check"), 3, 20.0, "cold")
    values = through(request, decode_request).config.as_dict()
    assert values == CONFIG.as_dict()
    assert [type(value) for value in values.values()] == [int, bool, str, types.NoneType, float]


def test_arrays_travel_as_buffers_whatever_their_layout() -> None:
    values = np.arange(12, dtype=np.int32).reshape(3, 4)[:, ::2]
    flags = np.zeros((3, 2), np.uint8)
    plane = messages.Plane("x", "owner", messages.PlaneView(), 3, 2, values, flags, 3, 11)
    data, buffers = encode(plane, 1)
    assert [len(buffer) for buffer in buffers] == [24, 6]
    assert len(json.dumps(data)) < 1000
    got, _ = decode_reply(data, [memoryview(buffer) for buffer in buffers])
    assert np.array_equal(got.values, values)
    empty = dataclasses.replace(plane, values=values[:0], flags=flags[:0])
    assert through(empty, decode_reply).values.shape == (0, 2)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"version": VERSION + 1}, "speaks protocol"),
        ({"version": None}, "speaks protocol"),
        ({"kind": "Ready"}, "unknown message 'Ready'"),
        ({"kind": 3}, "unknown message"),
        ({"job": "1"}, "no job number"),
        ({"body": {"job": "x"}}, "Cancel"),
        ({"body": None}, "Cancel"),
    ],
)
def test_what_should_not_have_been_sent_is_refused(change: dict[str, Any], text: str) -> None:
    data, buffers = encode(messages.Cancel(5), 1)
    with pytest.raises(ProtocolError, match=text):
        decode_request({**data, **change}, buffers)


def test_a_lost_buffer_is_an_error() -> None:
    data, buffers = encode(example_of(messages.Plane), 1)
    with pytest.raises(ProtocolError, match="buffer"):
        decode_reply(data, buffers[:1])


def test_what_cannot_travel_says_so() -> None:
    cycle = messages.RunResult((), (), object(), 0.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="cannot travel"):
        encode(cycle, 1)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_lacks_arrive(value: float) -> None:
    result = CheckResult("wrong", "reference", "out", max_abs_error=value, tolerance=1e-6)
    data, buffers = encode(messages.Checked(1, CONFIG, result), 41)
    text = json.dumps(data, allow_nan=False)  # what Jupyter's own encoder would refuse or change
    decoded, _ = decode_reply(json.loads(text), buffers)
    assert isinstance(decoded, messages.Checked)
    arrived = decoded.result.max_abs_error
    assert isinstance(arrived, float)
    assert repr(arrived) == repr(value)
