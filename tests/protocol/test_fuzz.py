"""A message is understood or refused by a `ProtocolError`, whatever it holds."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.protocol import messages
from playground.protocol.codec import ProtocolError, decode_reply, decode_request, encode
from tests.fuzzed import damaged, examples, json_values
from tests.protocol.test_codec import example_of

CLASSES = (*get_args(messages.Request), *get_args(messages.Reply))
ENCODED = [encode(example_of(each), 7) for each in CLASSES]


@examples(100)
@given(st.data())
def test_a_damaged_message_is_refused_in_words_or_whole(data: st.DataObject) -> None:
    body, buffers = data.draw(st.sampled_from(ENCODED))
    body = data.draw(damaged(body))
    if data.draw(st.booleans()):
        buffers = data.draw(st.lists(st.binary(max_size=40), max_size=2))
    for decode in (decode_request, decode_reply):
        try:
            message, job = decode(body if isinstance(body, dict) else {}, buffers)
        except ProtocolError:
            continue
        assert isinstance(message, CLASSES)
        assert isinstance(job, int)


@examples(40)
@given(st.dictionaries(st.sampled_from(["version", "kind", "job", "body", "x"]), json_values))
def test_anything_else_is_refused(body: dict[str, object]) -> None:
    for decode in (decode_request, decode_reply):
        with pytest.raises(ProtocolError, match=r"."):
            decode({**body, "kind": body.get("job")}, [])
