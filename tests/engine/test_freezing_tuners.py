import ast
import textwrap

import pytest
import triton

from playground.engine import freezing_tuners
from playground.engine.edits import apply

CHOSEN = triton.Config({"B": 32})


def frozen(text, values, *, chosen=CHOSEN, keep=False, kernel=None, namespace=None):
    text = textwrap.dedent(text)
    definition = freezing_tuners.Definition(ast.parse(text), "k", 0)
    edits = freezing_tuners.freeze_tuner(
        definition, kernel, chosen, values, namespace or {}, keep=keep
    )
    return apply(text, edits)


AUTOTUNED = """
@triton.autotune(
    configs=[triton.Config({"B": 64}), triton.Config({"B": 128}, num_warps=8)],
    key=["n"],
    prune_configs_by={"early_config_prune": prune},
    reset_to_zero=["s"],
)
@triton.jit
def k(x, s, n, B: tl.constexpr):
    pass
"""


def test_an_autotuned_kernel_keeps_one_config_and_what_still_matters_of_its_decorator():
    values = {"B": 32, "num_warps": 2, "num_stages": 1, "maxnreg": None}
    out = frozen(AUTOTUNED, values)
    assert 'configs=[triton.Config({"B": 32}, num_warps=2, num_stages=1)],' in out
    assert 'reset_to_zero=["s"]' in out
    assert "prune" not in out


def test_a_kept_autotuner_tries_the_frozen_config_first_and_each_once():
    out = frozen(AUTOTUNED, {"B": 64, "num_warps": 4}, keep=True)
    configs = ast.unparse(ast.parse(out).body[0].decorator_list[0].keywords[0].value)
    assert configs == (
        "[triton.Config({'B': 64}, num_warps=4), triton.Config({'B': 128}, num_warps=8)]"
    )
    assert "prune_configs_by" in out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "k = triton.autotune(configs=get(), key=[])(triton.heuristics(H)(triton.jit(k)))\n",
            'k = triton.autotune(configs=[triton.Config({"B": 32})], key=[])'
            "(triton.heuristics(H)(triton.jit(k)))\n",
        ),
        (
            "tuned = autotune([Config({}) for b in (1, 2)], [])\n@tuned\n@jit\ndef k(B): pass\n",
            'tuned = autotune([triton.Config({"B": 32})], [])\n@tuned\n@jit\ndef k(B): pass\n',
        ),
    ],
)
def test_tuners_applied_by_calls_and_configs_made_by_code(text, expected):
    assert frozen(text, {"B": 32}) == expected


def test_of_two_tuners_around_one_kernel_the_one_launched_is_frozen():
    text = """
    @triton.jit
    def k(x, B: tl.constexpr):
        pass
    small = triton.autotune(configs=SMALL, key=[])(k)
    large = triton.autotune(configs=LARGE, key=[])(k)
    """
    launched = object()
    out = frozen(text, {"B": 32}, kernel=launched, namespace={"large": launched, "small": 1})
    assert "configs=SMALL" in out
    assert "LARGE" not in out


def test_a_hook_of_the_config_stays():
    def hook(arguments):
        return None

    chosen = triton.Config({"B": 64}, pre_hook=hook)
    out = frozen(AUTOTUNED, {"B": 32}, chosen=chosen, namespace={"set_block": hook})
    assert 'triton.Config({"B": 32}, pre_hook=set_block)' in out


def test_a_heuristic_that_the_user_overrode_gives_the_users_value():
    text = "@triton.heuristics({'B': pick, 'E': even})\n@triton.jit\ndef k(x, B, E): pass\n"
    definition = freezing_tuners.Definition(ast.parse(text), "k", 0)
    edits, written = freezing_tuners.freeze_heuristics(definition, {"B": 32})
    assert written == {"B"}
    assert "{'B': lambda args: 32, 'E': even}" in apply(text, edits)
