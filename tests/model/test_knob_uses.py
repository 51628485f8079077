"""How a knob steps follows from what the kernel's text uses it for."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.model.knob_uses import uses_in
from playground.model.knobs import KnobError, constexpr_knob, step, validate

KERNEL = """
@triton.jit
def k(x_ptr, n, BLOCK: tl.constexpr, HALF: tl.constexpr, STEPS: tl.constexpr, ROUNDS: tl.constexpr,
      STAGES: tl.constexpr, CAUSAL: tl.constexpr, ALSO: tl.constexpr, MODE: tl.constexpr,
      GROUP: tl.constexpr, SHAPE: tl.constexpr, TILE: tl.constexpr):
    length = HALF * 2
    offsets = tl.arange(0, BLOCK) + tl.arange(0, length)[:, None]
    tile = tl.load(tl.make_block_ptr(x_ptr, shape=(n,), strides=(1,), offsets=(0,),
                                     block_shape=(SHAPE,), order=(0,)))
    for start in tl.range(0, n, BLOCK, num_stages=STAGES):
        for step in tl.static_range(STEPS):
            for turn in range(ROUNDS):
                offsets += start
    if CAUSAL and not ALSO:
        offsets += GROUP
        offsets = helper(offsets, CAUSAL)
    if MODE == 2:
        offsets += 1
    for first in range(0, n, TILE):
        offsets += tl.zeros((TILE,), tl.int32)
"""
USES = {
    "BLOCK": "block", "HALF": "block", "SHAPE": "block", "TILE": "block", "STAGES": "stages",
    "STEPS": "count", "ROUNDS": "count", "CAUSAL": "flag", "ALSO": "flag",
}  # fmt: skip


def test_uses_are_read_from_the_text() -> None:
    found = uses_in(KERNEL)
    assert {name: found.get(name) for name in USES} == USES
    assert not {"MODE", "GROUP"} & set(found)  # their values alone tell


def test_text_that_is_no_kernel_tells_nothing() -> None:
    assert uses_in("def k(:") == {}
    assert uses_in("x = 1") == {}


@pytest.mark.parametrize(
    ("use", "value", "kind", "up"),
    [
        ("block", 64, "pow2", 128), ("block", 1, "pow2", 2), ("stages", 2, "int", 3),
        ("stages", 4, "int", 5), ("count", 4, "int", 5), ("count", 2, "int", 3),
        ("count", 256, "pow2", 512), ("flag", 1, "bool", True), ("flag", 0, "bool", True),
        ("flag", 8, "pow2", 16), (None, 2, "pow2", 4), (None, 1, "int", 2),
    ],
)  # fmt: skip
def test_how_a_knob_steps(use, value, kind, up) -> None:
    knob = constexpr_knob("NAME", value, use)
    assert knob.kind == kind
    assert step(knob, value, 1) == up
    assert validate(knob, value) == value


def test_stages_and_rounds_take_what_is_no_power_of_two_and_nothing_below_one() -> None:
    for use in ("stages", "count"):
        knob = constexpr_knob("NAME", 2, use)
        assert validate(knob, 3) == 3
        with pytest.raises(KnobError):
            validate(knob, 0)
    with pytest.raises(KnobError):
        validate(constexpr_knob("NAME", 64, "block"), 96)


BUNDLED = {
    "layer_norm.py": {"STAGES": "stages"},
    "dot_pipeline.py": {"STAGES": "stages"},
    "matmul.py": {"BLOCK_M": "block", "BLOCK_K": "block"},
    "flash_attention.py": {"CAUSAL": "flag"},
}


@pytest.mark.parametrize("name", BUNDLED)
def test_the_bundled_kernels(name: str) -> None:
    import ast

    text = (Path(__file__).parents[2] / "kernels" / name).read_text()
    told = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            told.update(uses_in(ast.get_source_segment(text, node) or ""))
    assert {key: told.get(key) for key in BUNDLED[name]} == BUNDLED[name]
