"""A file's tests come before drivers that are written for it, however they reach a kernel."""

import textwrap

import pytest

from playground.model.outline import outline

FUNCTION = """
import functools, pytest, torch, triton, triton.language as tl

@triton.jit
def scores(Q, K, V, O, N, D: tl.constexpr, B: tl.constexpr, stride):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    q = Q.load([rows, 0])
    for start in range(0, N, B):
        q += K.load([start, 0]) * V.load([start, 0])
    O.store([rows, 0], q)

class _attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, scale):
        Z, H, N, D = q.shape
        o = torch.empty_like(q)
        scores[(Z * H,)](made(q, D), made(k, D), made(v, D), made(o, D), N, D=D, B=16, stride=1)
        return o
"""


def offered(text):
    return [
        (each.kind, each.code) for each in outline(FUNCTION + textwrap.dedent(text), "x.py").drivers
    ]


@pytest.mark.parametrize(
    "alias",
    [
        "attention = _attention.apply",
        "attention: object = _attention.apply",
        "run = _attention.apply\nattention = run",
        "attention = functools.partial(_attention.apply, torch.ones(1))",
    ],
)
def test_a_test_reaches_its_kernel_through_another_name_of_the_launcher(alias):
    found = offered(f"{alias}\ndef test_op(Z=1, H=2):\n    attention(Z, H, 3, 0.5)\n")
    assert found[0] == ("function", "test_op()")
    assert [kind for kind, _ in found].count("generated") == 1


def test_cases_of_a_test_that_reaches_its_kernel_so():
    found = offered(
        """
        attention = _attention.apply
        @pytest.mark.parametrize("Z, H", [(1, 2), (3, 4)])
        @pytest.mark.parametrize("causal", [True, False])
        def test_op(Z, H, causal, device="cuda"):
            attention(Z, H, causal, 0.5)
        """
    )
    assert found[0] == ("function", "test_op(Z=1, H=2, causal=True)")


def test_a_name_of_something_else_reaches_nothing():
    found = offered("other = torch.relu\ndef test_op():\n    other(torch.ones(2))\n")
    assert [kind for kind, _ in found] == ["generated"]


def test_a_fixture_of_the_file_and_two_marks():
    found = offered(
        """
        @pytest.fixture
        def dev():
            return "cuda"
        @pytest.mark.parametrize("n", [17, 128, 1000])
        @pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
        def test_scores(n, dtype, dev):
            _attention.apply(torch.randn(n, device=dev, dtype=dtype), 1, 2, 0.5)
        """
    )
    assert found[0] == ("function", "test_scores(n=17, dtype=torch.float32)")


def test_keys_and_values_are_as_large_as_the_queries():
    ((kind, code),) = offered("attention = _attention.apply")
    assert kind == "generated"
    shapes = {
        line.split(" = ")[0]: line.partition("(")[2].partition(", device")[0]
        for line in code.splitlines()
        if "torch.randn(" in line
    }
    assert shapes == dict.fromkeys("qkv", "Z, H, N, D")
