"""What `--curve` takes: a range of one problem size, or of several that move together."""

from types import SimpleNamespace

import pytest

from playground.cli import timing
from playground.cli.task import Task
from playground.cli.work import RefusedError

WORK = SimpleNamespace(task=Task("bench", file="k.py"))


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("size=2**12:2**14:pow2", "size", (4096, 8192, 16384)),
        ("m,n,k=512:2048:pow2", "m = n = k", (512, 1024, 2048)),
        ("m, n=1:3:3:linear", "m = n", (1, 2, 3)),
        ("n=100:300:2", "n", (100, 300)),
    ],
)
def test_a_range(text, name, values):
    found = timing._axis(WORK, text)
    assert (found.name, found.values) == (name, values)


@pytest.mark.parametrize("text", ["m", "m=1", "m,=1:2", "m=a:b", "m=9:3"])
def test_what_is_none_is_refused_with_the_form(text):
    with pytest.raises(RefusedError) as told:
        timing._axis(WORK, text)
    assert "m,n,k=512:8192" in told.value.finding.hint
