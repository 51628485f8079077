"""Messages kept in a file, for a process that is started to look at them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from playground.protocol import codec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from playground.protocol.messages import Reply


def save_replies(path: str | Path, replies: Sequence[Reply]) -> None:
    """Write replies to a file; raises `OSError` where that cannot be."""
    arrays: dict[str, np.ndarray] = {}
    heads = []
    for number, reply in enumerate(replies):
        data, buffers = codec.encode(reply, number)
        heads.append({"data": data, "buffers": len(buffers)})
        for place, buffer in enumerate(buffers):
            arrays[f"{number}.{place}"] = np.frombuffer(buffer, np.uint8)
    with open(path, "wb") as file:
        np.savez(file, heads=np.array(json.dumps(heads)), **arrays)  # type: ignore[arg-type]


def load_replies(path: str | Path) -> tuple[Reply, ...]:
    """Return the replies of a file; raises `OSError` or `ProtocolError`."""
    with np.load(path, allow_pickle=False) as held:
        heads = json.loads(str(held["heads"]))
        return tuple(
            codec.decode_reply(
                head["data"],
                [held[f"{number}.{place}"].tobytes() for place in range(head["buffers"])],
            )[0]
            for number, head in enumerate(heads)
        )
