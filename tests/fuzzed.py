"""Strategies that several tests feed to parts which must cope with anything."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

_TIMES = float(os.environ.get("FUZZ_TIMES") or 1)


def examples(count: int) -> settings:
    """Return settings for `count` examples, or a multiple: `python -m tests.benchmarks.fuzz`."""
    return settings(
        max_examples=max(1, round(count * _TIMES)), deadline=None, database=None, print_blob=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )  # fmt: skip


_PIECES = (
    "\ufeff", "\0", "\r", "\r\n", "\n", "\t", "    ", "\f", "\u2028", "\u2029", "\u00a0", "\ud800",
    "\U0001f600", "# -*- coding: latin-1 -*-", "@triton.jit\n", "def k(x, B: tl.constexpr):\n",
    "class C:\n", "'''", '"""', "\\\n", "(", ")", "[", "{", ":", "k[(1,)](x, B=16)\n", "lambda: ",
    "if __name__ == '__main__':\n", "f'{x!r:{y}}'", "async ", "match x:\n", "return", "\u00b5",
)  # fmt: skip

texts = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=8)), max_size=40).map("".join)
"""Texts made of what parsers trip over."""


def mutated(text: str) -> st.SearchStrategy[str]:
    """Return `text` with pieces cut out, doubled and put in."""

    @st.composite
    def change(draw: st.DrawFn) -> str:
        now = text
        for _ in range(draw(st.integers(1, 6))):
            start = draw(st.integers(0, len(now)))
            end = min(start + draw(st.integers(0, 60)), len(now))
            kept = draw(st.sampled_from(("", now[start:end] * 2)))
            now = now[:start] + kept + draw(st.sampled_from(("", *_PIECES))) + now[end:]
        return now

    return change()


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def damaged(draw: st.DrawFn, value: object) -> object:
    """Return a JSON value with one place in it put to something else, or taken out."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)))
        if not draw(st.integers(0, 5)):
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: draw(damaged(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], draw(damaged(value[place])), *value[place + 1 :]]
    return draw(json_values)
