"""What a child process finds: this checkout first, or not at all, and all that was there before."""

import os

import pytest

from tests.child_environment import ROOT, child_environment


@pytest.fixture
def inherited(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/opt/gpu/site", str(ROOT), "/opt/more"]))
    monkeypatch.setenv("TRITON_INTERPRET", "1")


def paths(environment):
    return environment["PYTHONPATH"].split(os.pathsep)


def test_the_checkout_comes_first_and_the_rest_stays(inherited):
    assert paths(child_environment()) == [str(ROOT), "/opt/gpu/site", "/opt/more"]


def test_without_the_checkout_the_rest_stays(inherited):
    assert paths(child_environment(checkout=False)) == ["/opt/gpu/site", "/opt/more"]


def test_no_path_is_no_variable(monkeypatch):
    # An empty one would stand for the folder the process starts in.
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert "PYTHONPATH" not in child_environment(checkout=False)
    assert paths(child_environment()) == [str(ROOT)]


def test_the_interpreter_is_chosen_or_left(inherited):
    assert child_environment()["TRITON_INTERPRET"] == "1"
    assert "TRITON_INTERPRET" not in child_environment(interpret=False)
    assert child_environment(interpret=True, PYTHONWARNINGS="ignore")["PYTHONWARNINGS"] == "ignore"
