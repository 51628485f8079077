"""A written driver taken apart and put together again with other values."""

from __future__ import annotations

import ast

import pytest

from playground.model.driver_draft import Draft, reshaped

CODE = """# Written by the app for add (line 3).
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)

n = 64

x = torch.randn(32, n, device=device)  # loaded
# its shape could not be read from the file: check it
y = torch.randn(1000, device=device)
ids = torch.randint(0, 8, (n,), dtype=torch.int32, device=device)  # indices
starts = torch.linspace(0, 63, 9, device=device).to(torch.int32)  # ascending offsets
keep = torch.rand(n, device=device) > 0.5
scale = torch.rand(n, dtype=torch.float16, device=device) + 0.5

add(x, y, ids, causal=False)
x, y"""


def test_tensors_are_read_as_they_were_written() -> None:
    found = {name: (t.role, t.texts, t.dtype) for name, t in Draft(CODE).tensors().items()}
    assert found == {
        "x": ("float", ("32", "n"), ""),
        "y": ("float", ("1000",), ""),
        "ids": ("index", ("n",), "torch.int32"),
        "starts": ("offsets", ("9",), ""),
        "keep": ("bool", ("n",), ""),
        "scale": ("float", ("n",), "torch.float16"),
    }


def test_what_nothing_tells_is_known_by_its_comment() -> None:
    draft = Draft(CODE)
    assert [name for name in draft.made if draft.is_untold(name)] == ["y"]


@pytest.mark.parametrize("name", ["x", "y", "ids", "starts", "keep", "scale"])
def test_a_tensor_put_back_is_made_the_same_way(name: str) -> None:
    draft = Draft(CODE)
    again = draft.with_tensor(name, draft.tensor(name), "again")
    before, after = draft.made[name].value, again.made[name].value
    assert ast.unparse(before) == ast.unparse(after)


def test_another_tensor_takes_its_line_and_the_comment_above_it() -> None:
    draft = Draft(CODE)
    changed = draft.with_tensor("y", reshaped(draft.tensor("y"), 2), "changed to fit")
    assert "y = torch.randn(64, 64, device=device)  # changed to fit" in changed.lines
    assert not any("could not be read" in line for line in changed.lines)
    assert len(changed.lines) == len(draft.lines) - 1


@pytest.mark.parametrize(
    ("texts", "rank", "wanted"),
    [
        (("1000",), 4, ("2", "4", "64", "64")),
        (("8", "n"), 3, ("2", "8", "n")),
        (("2", "8", "n"), 2, ("8", "n")),
        (("2", "8", "n"), 1, ("n",)),
    ],
)
def test_other_ranks_keep_the_last_dimensions(texts, rank, wanted) -> None:
    tensor = Draft(f"x = torch.randn({', '.join(texts)}, device=device)").tensor("x")
    assert reshaped(tensor, rank).texts == wanted


def test_arguments_are_replaced_where_they_stand_and_added_as_they_have_to_be() -> None:
    draft = Draft(CODE)
    assert "add(x, y, 3, causal=False)" in draft.with_argument(2, "ids", "3").lines
    assert "add(x, y, ids, causal=True)" in draft.with_argument(None, "causal", "True").lines
    added = draft.with_argument(4, "bias", "None").lines
    assert "add(x, y, ids, causal=False, bias=None)" in added
    positional = Draft("Function.apply(x, y)").with_argument(2, "eps", "0.5")
    assert positional.code == "Function.apply(x, y, 0.5)"


def test_a_call_over_several_lines_keeps_what_follows() -> None:
    names = ", ".join(f"argument_{at}" for at in range(12))
    draft = Draft(f"launch(\n    {names}\n)\nargument_0")
    changed = draft.with_argument(0, "a", "7")
    assert ast.unparse(ast.parse(changed.code).body[0]).startswith("launch(7, argument_1")
    assert changed.lines[-1] == "argument_0"
