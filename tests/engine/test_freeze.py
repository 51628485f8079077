import ast
import textwrap

import pytest

from playground.engine import freeze, source_slice


def frozen(text, kernel, values, *, changed=None, parameters=(), call_line=None, autotuned=()):
    text = textwrap.dedent(text)
    edits, left = freeze.freeze(
        ast.parse(text),
        kernel,
        parameters,
        values,
        frozenset(changed or values),
        call_line,
        autotuned,
    )
    assert left == []
    return freeze.apply(text, edits)


def test_a_keyword_is_replaced_and_options_are_added():
    out = frozen("k[grid](x, n, BLOCK=1024)\n", "k", {"BLOCK": 256, "num_warps": 8})
    assert out == "k[grid](x, n, BLOCK=256, num_warps=8)\n"


def test_a_positional_constexpr_is_replaced():
    out = frozen("k[(1,)](x, 64)\n", "k", {"B": 32}, parameters=("x_ptr", "B"))
    assert out == "k[(1,)](x, 32)\n"


def test_a_name_is_frozen_where_it_is_bound_so_the_grid_follows():
    out = frozen(
        """
        def f(x, n):
            block = 1024
            grid = (cdiv(n, block),)
            k[grid](x, n, BLOCK=block)
        """,
        "k",
        {"BLOCK": 256},
    )
    assert "block = 256" in out
    assert "BLOCK=block" in out


def test_a_parameter_is_frozen_at_the_start_of_its_function():
    out = frozen(
        '''
        def f(x, n, block=64):
            """Say what it does."""
            k[(cdiv(n, block),)](x, n, BLOCK=block)
        ''',
        "k",
        {"BLOCK": 256},
    )
    namespace = {"cdiv": lambda a, b: -(-a // b)}
    seen = []

    class Kernel:
        def __getitem__(self, grid):
            return lambda *args, **kwargs: seen.append((grid, kwargs["BLOCK"]))

    namespace["k"] = Kernel()
    exec(compile(out, "f", "exec"), namespace)
    namespace["f"](None, 1024)
    assert seen == [((4,), 256)]


def test_an_expression_that_gives_the_same_value_stays():
    text = "k[grid](x, n, BLOCK=triton.next_power_of_2(n), num_warps=4)\n"
    out = frozen(text, "k", {"BLOCK": 1024, "num_warps": 8}, changed={"num_warps"})
    assert out == text.replace("num_warps=4", "num_warps=8")


def test_an_autotuned_kernel_keeps_one_config_and_the_rest_of_its_decorator():
    out = frozen(
        """
        @triton.autotune(
            configs=[triton.Config({"B": 64}), triton.Config({"B": 128}, num_warps=8)],
            key=["n"],
            reset_to_zero=["s"],
        )
        @triton.jit
        def k(x, s, n, B: tl.constexpr):
            pass
        """,
        "k",
        {"B": 32, "num_warps": 2, "num_stages": 1, "maxnreg": None},
        autotuned=("B", "num_warps", "num_stages", "maxnreg"),
    )
    assert 'configs=[triton.Config({"B": 32}, num_warps=2, num_stages=1)],' in out
    assert 'reset_to_zero=["s"]' in out


def test_only_the_launch_at_the_given_line_is_frozen():
    text = "k[g](x, B=1)\nk[g](y, B=1)\n"
    out = frozen(text, "k", {"B": 4}, call_line=2)
    assert out == "k[g](x, B=1)\nk[g](y, B=4)\n"


def test_columns_count_bytes_so_text_before_an_edit_may_be_any_script():
    out = frozen('print("größe", k[g](x, B=1))\n', "k", {"B": 4})
    assert out == 'print("größe", k[g](x, B=4))\n'


@pytest.mark.parametrize(
    ("roots", "expected"),
    [({"a"}, ["import math", "# why\ndef a():\n    return math.pi"]), ({"c"}, ["c = 1"])],
)
def test_a_slice_keeps_what_is_used_with_its_comments(roots, expected):
    text = "import math, os\n# lost\n\n# why\ndef a():\n    return math.pi\nc = 1\n"
    tree, lines = ast.parse(text), text.splitlines()
    kept = source_slice.needed(source_slice.segments(tree, lines), roots)
    texts = [
        ast.unparse(part.node)
        if source_slice.is_trimmed(part, tree)
        else "\n".join(lines[part.first_line - 1 : part.last_line])
        for part in kept
    ]
    assert texts == expected


def test_what_the_launch_passes_itself_stays_out_of_the_autotuners_config():
    out = frozen(
        """
        @triton.autotune(configs=CONFIGS, key=[])
        @triton.jit
        def k(x, B: tl.constexpr, S: tl.constexpr):
            pass

        k[grid](x, S=3)
        """,
        "k",
        {"B": 32, "S": 5},
        autotuned=("B",),
    )
    assert 'configs=[triton.Config({"B": 32})]' in out
    assert "k[grid](x, S=5)" in out


def test_an_added_option_follows_the_way_the_launch_is_written():
    text = """
    k[grid](
        x,
        B=1,
    )
    """
    out = frozen(text, "k", {"B": 4, "num_warps": 8})
    assert "    B=4,\n    num_warps=8,\n)" in out
