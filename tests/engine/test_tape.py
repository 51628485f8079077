"""What a reference computes, recorded without the making of its inputs."""

from __future__ import annotations

import torch

from playground.engine.tape import record


def names(tape) -> list[str]:
    return [step.call._schema.name.removeprefix("aten::") for step in tape.steps]


def test_inputs_are_kept_and_only_what_is_computed_is_done_again():
    def reference():
        x = torch.randn(8, 16)
        y = torch.empty(16, 8).normal_()
        return torch.relu(x @ y)

    tape = record(reference)
    assert names(tape) == ["mm", "relu"]
    tape.play()
    assert not tape.in_own_precision


def test_double_precision_is_left_out():
    tape = record(lambda: torch.softmax(torch.randn(4, 9).double(), dim=1).float())
    assert tape.in_own_precision
    assert names(tape) == ["_softmax", "_to_copy"]
    seen = []
    tape.steps[0] = type(tape.steps[0])(
        lambda x, *rest: seen.append(x.dtype) or torch.ops.aten._softmax(x, *rest),
        *[getattr(tape.steps[0], name) for name in ("leaves", "layout", "results")],
    )
    tape.play()
    assert seen == [torch.float32]


def test_tensors_made_before_are_inputs_and_changes_in_place_are_steps():
    x = torch.ones(5)

    def run():
        y = x * 2
        y += x
        return y.sum()

    tape = record(run)
    assert names(tape) == ["mul", "add_", "sum"]
    tape.play()
    assert torch.equal(x, torch.ones(5))
