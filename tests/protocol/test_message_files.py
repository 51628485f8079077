"""Messages kept in a file."""

import numpy as np
import pytest

from playground.protocol.codec import ProtocolError
from playground.protocol.message_files import load_replies, save_replies
from playground.protocol.messages import Plane, PlaneView, Progress


def test_replies_come_back_with_their_arrays(tmp_path):
    values = np.arange(6, dtype=np.int32).reshape(2, 3)
    plane = Plane("x", "owner", PlaneView(), 2, 3, values, np.ones((2, 3), np.uint8), 6, 5)
    save_replies(tmp_path / "held", (Progress("half", 0.5), plane, Progress("all")))
    first, second, third = load_replies(tmp_path / "held")
    assert (first, third) == (Progress("half", 0.5), Progress("all"))
    assert second.tensor == "x"
    assert second.values.tolist() == values.tolist()
    assert second.values.dtype == np.int32
    assert second.flags.dtype == np.uint8


def test_a_file_of_another_version_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("playground.protocol.codec.VERSION", -1)
    save_replies(tmp_path / "held", (Progress("half", 0.5),))
    monkeypatch.undo()
    with pytest.raises(ProtocolError, match="restart it"):
        load_replies(tmp_path / "held")
