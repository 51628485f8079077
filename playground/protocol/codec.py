"""Messages to and from JSON plus binary buffers.

The JSON part travels as a comm message's `data`, every numpy array as one of its `buffers`.
"""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING, get_args

import msgspec
import numpy as np

from playground.protocol import VERSION, messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.protocol.messages import Reply, Request

Json = dict[str, object]

_ODD_NUMBER = "not finite"


class ProtocolError(ValueError):
    """A message the other end should not have sent: unknown kind, other version, wrong field."""


def _classes(union: types.UnionType) -> dict[str, type]:
    return {cls.__name__: cls for cls in get_args(union)}


_REQUESTS = _classes(messages.Request)
_REPLIES = _classes(messages.Reply)


def encode(message: Request | Reply, job: int, file: int = 0) -> tuple[Json, list[bytes]]:
    """Return the JSON data and the buffers of `message`, which belongs to `job`.

    `file` is the number of the open file that a request is about.
    """
    buffers: list[bytes] = []

    def pack(value: object) -> object:
        if isinstance(value, np.ndarray):
            buffers.append(np.ascontiguousarray(value).tobytes())
            return {
                "buffer": len(buffers) - 1,
                "dtype": value.dtype.str,
                "shape": list(value.shape),
            }
        if isinstance(value, np.generic):
            return value.item()
        for plain in (str, int, float):  # a subclass, such as torch's version
            if isinstance(value, plain):
                return plain(value)
        raise TypeError(f"{type(value).__name__} cannot travel in a message")

    body = _mark_odd_numbers(msgspec.to_builtins(message, enc_hook=pack))
    data = {"version": VERSION, "kind": type(message).__name__, "job": job, "body": body}
    return {**data, "file": file} if file else data, buffers


def file_of(data: Json) -> int:
    """Return the number of the file that the request in `data` is about."""
    file = data.get("file", 0)
    if not isinstance(file, int) or isinstance(file, bool) or file < 0:
        raise ProtocolError(f"{data.get('kind')} is about file {file!r}, which is no number of one")
    return file


def decode_request(data: Json, buffers: Sequence[bytes | memoryview]) -> tuple[Request, int]:
    """Return the request in `data` and its job; raises `ProtocolError`."""
    message, job = _decode(data, buffers, _REQUESTS)
    return message, job  # type: ignore[return-value]  # _decode made one of Request's own classes


def decode_reply(data: Json, buffers: Sequence[bytes | memoryview]) -> tuple[Reply, int]:
    """Return the reply in `data` and the job it belongs to; raises `ProtocolError`."""
    message, job = _decode(data, buffers, _REPLIES)
    return message, job  # type: ignore[return-value]  # _decode made one of Reply's own classes


def _decode(
    data: Json, buffers: Sequence[bytes | memoryview], classes: dict[str, type]
) -> tuple[object, int]:
    version, kind, job = data.get("version"), data.get("kind"), data.get("job")
    if version != VERSION:
        raise ProtocolError(
            f"the other process speaks protocol {version}, this one {VERSION}: restart it"
        )
    if not isinstance(kind, str) or kind not in classes:
        raise ProtocolError(f"unknown message {kind!r}")
    if not isinstance(job, int):
        raise ProtocolError(f"{kind} carries no job number")

    def unpack(expected: type, value: object) -> object:
        if expected is np.ndarray:
            place = msgspec.convert(value, _BufferPlace)
            if not 0 <= place.buffer < len(buffers):
                raise ProtocolError(f"{kind} names buffer {place.buffer} of {len(buffers)}")
            return np.frombuffer(buffers[place.buffer], np.dtype(place.dtype)).reshape(place.shape)
        raise ProtocolError(f"{kind} holds a {expected.__name__}, which cannot travel")

    try:
        body = _restore_odd_numbers(data.get("body"))
        return msgspec.convert(body, classes[kind], dec_hook=unpack), job
    except (msgspec.ValidationError, ValueError, TypeError) as error:
        raise ProtocolError(f"{kind}: {error}") from error


def _mark_odd_numbers(value: object) -> object:
    """Replace infinities and NaN, which JSON has no word for, by marks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else {_ODD_NUMBER: str(value)}
    if isinstance(value, dict):
        return {key: _mark_odd_numbers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mark_odd_numbers(item) for item in value]
    return value


def _restore_odd_numbers(value: object) -> object:
    """Put the numbers back that `_mark_odd_numbers` marked."""
    if isinstance(value, dict):
        if value.keys() == {_ODD_NUMBER}:
            return float(value[_ODD_NUMBER])
        return {key: _restore_odd_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_restore_odd_numbers(item) for item in value]
    return value


class _BufferPlace(msgspec.Struct):
    buffer: int
    dtype: str
    shape: tuple[int, ...]
