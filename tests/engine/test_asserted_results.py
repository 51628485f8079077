"""Plain assertions that judge a launch are noted; those about sizes and inputs are not."""

import ast
import textwrap

import pytest

from playground.engine import host_watch
from playground.engine.own_checks import OwnChecks

START = """
import torch
class K:
    def __getitem__(self, grid):
        return lambda out, *rest: (out.fill_(2.0), start())
k = K()
x, out, n = torch.ones(4), torch.empty(4), 4
def run(x):
    out = torch.empty_like(x)
    k[(1,)](out, x)
    return out
"""


def counted(code):
    tree = ast.parse(START + textwrap.dedent(code))
    host_watch.watch(tree, "asserted.py")
    checks = OwnChecks()
    namespace = {"start": checks.start}
    host_watch.attach(namespace)
    with checks.listening():
        exec(compile(ast.fix_missing_locations(tree), "asserted.py", "exec"), namespace)
    return checks.made


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("k[(1,)](out, x, n)\nassert out.sum().item() == 2 * n", 1),
        ("k[(1,)](out, x, n)\ntotal = out.sum().item()\nassert total == 8, 'no'", 1),
        ("y = run(x)\nerror = (y - 2).abs().max()\nassert error < 1e-3", 1),
        ("y = run(x)\nassert (y == x + 1).all()\nassert (y > 1).all()", 2),
        ("def main():\n    y = run(x)\n    if n:\n        assert y.max() == 2\nmain()", 1),
        ("y = run(x)\nassert torch.allclose(y, x + 1)", 1),
        ("y = run(x)\nassert y.shape == x.shape and y.numel() == n", 0),
        ("y = run(x)\nassert not y.isnan().any()", 0),
        ("y = run(x)\nz = torch.ones(3)\nassert z.sum() == 3", 0),
        ("assert out.shape == x.shape\nassert x.sum() == 4\nk[(1,)](out, x)", 0),
    ],
)
def test_assertions_about_a_result_count(code, made):
    assert counted(code) == made


def test_an_assertion_that_fails_fails_as_written():
    with pytest.raises(AssertionError, match="too many"):
        counted("y = run(x)\nassert y.sum() == 3, 'too many'")
