"""Slips that are copied from elsewhere: each is found on its line, with what to write."""

import pytest

from playground.engine.slips import name_of, slips_in

KERNEL = "import triton\nimport triton.language as tl\n\n@triton.jit\n"


def found(text):
    return [(name_of(item), item.line) for item in slips_in(text, "k.py")]


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("triton.runtime.driver.set_active_to_zeros()\n", "no-such-api", 1),
        ('import os\nos.environ["TRITON_CPU"] = "1"\n', "no-such-api", 2),
        (KERNEL + "def k(x, grid):\n    tl.store(x, 1)\n", "grid-parameter", 5),
        ("kernel[grid](x, y, grid=grid)\n", "grid-parameter", 1),
        (
            KERNEL
            + "def k(x, N, B: tl.constexpr):\n    tl.store(x, tl.program_id(0) % num_pid_n)\n",
            "undefined-tiles",
            6,
        ),
        (KERNEL + "def k(x):\n    tl.syncthreads()\n", "no-such-api", 6),
        ("c = [a, b]\n", None, None),
        (
            "import triton\n\n@triton.autotune(configs=[a, b], key=[])\n@triton.jit\n"
            "def k(x): pass\n",
            "autotune-without-key",
            3,
        ),
        ("@triton.autotune([a], [])\ndef k(x): pass\n", None, None),
        ('@triton.autotune([a, b], key=["n"])\ndef k(x): pass\n', None, None),
    ],
)
def test_a_slip_is_found_on_its_line(text, name, line):
    assert found(text) == ([] if name is None else [(name, line)])
    assert all(item.hint for item in slips_in(text, "k.py"))
