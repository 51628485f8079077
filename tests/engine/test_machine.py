"""What Triton finds in the environment, with and without a GPU."""

import pytest

from playground.engine import machine


@pytest.fixture
def bare(monkeypatch):
    for name in ("TRITON_INTERPRET", "TRITON_DEFAULT_FP_FUSION"):
        monkeypatch.setenv(name, "")  # so that what the test sets is taken back
        monkeypatch.delenv(name)
    return monkeypatch


def test_without_a_gpu_the_interpreter_is_chosen(bare):
    bare.delitem(machine.sys.modules, "triton", raising=False)
    bare.setattr(machine, "has_nvidia_gpu", lambda: False)
    machine.prepare_environment()
    assert machine.os.environ["TRITON_INTERPRET"] == "1"
    assert machine.os.environ["TRITON_DEFAULT_FP_FUSION"] == "1"


def test_it_is_not_chosen_once_triton_is_imported(bare):
    bare.setitem(machine.sys.modules, "triton", machine)
    bare.setattr(machine, "has_nvidia_gpu", lambda: False)
    machine.prepare_environment()
    assert "TRITON_INTERPRET" not in machine.os.environ
    assert machine.os.environ["TRITON_DEFAULT_FP_FUSION"] == "1"


def test_with_a_gpu_it_is_not(bare):
    bare.setattr(machine, "has_nvidia_gpu", lambda: True)
    machine.prepare_environment()
    assert "TRITON_INTERPRET" not in machine.os.environ
    assert not machine.interpret_wanted()


@pytest.mark.parametrize(("value", "wanted"), [("0", False), ("1", True), ("on", True)])
def test_the_users_choice_stands(bare, value, wanted):
    bare.setattr(machine, "has_nvidia_gpu", lambda: not wanted)
    bare.setenv("TRITON_INTERPRET", value)
    bare.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    machine.prepare_environment()
    assert machine.interpret_wanted() is wanted
    assert machine.os.environ["TRITON_INTERPRET"] == value
    assert machine.os.environ["TRITON_DEFAULT_FP_FUSION"] == "0"


def test_compile_workers_are_never_interpreted(bare):
    bare.setenv("TRITON_INTERPRET", "1")
    environment = machine.compile_environment()
    assert "TRITON_INTERPRET" not in environment
    assert environment["TRITON_DEFAULT_FP_FUSION"] == "1"


@pytest.mark.parametrize("error", ["OutOfMemoryError", "AcceleratorError"])
def test_a_full_gpu_costs_the_copy_rate_only(monkeypatch, error):
    import torch

    from playground.engine import ceilings

    def full(index):
        raise getattr(torch, error)("CUDA error: out of memory")

    monkeypatch.setattr(ceilings, "copy_gbps", full)
    notes: list[str] = []
    assert machine._copy_gbps(0, notes) is None
    assert "the GPU's memory is full" in notes[0]


def test_another_error_of_the_gpu_is_not_taken_for_a_full_one(monkeypatch):
    import torch

    from playground.engine import ceilings

    def broken(index):
        raise torch.AcceleratorError("CUDA error: unspecified launch failure")

    monkeypatch.setattr(ceilings, "copy_gbps", broken)
    with pytest.raises(torch.AcceleratorError, match="unspecified"):
        machine._copy_gbps(0, [])
