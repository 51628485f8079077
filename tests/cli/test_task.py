"""What people type after `--set` and `--values`, and how it travels to the worker."""

import pytest

from playground.cli.task import Task, typed_value, whole_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1024", 1024),
        ("1_000", 1000),
        ("0x40", 64),
        ("2**20", 1048576),
        ("1<<20", 1048576),
        ("-3", -3),
        ("0.5", 0.5),
        ("true", True),
        ("False", False),
        ("none", None),
        ("tl.float16", "tl.float16"),
        ("relu", "relu"),
    ],
)
def test_values_are_what_they_look_like(text, value):
    result = typed_value(text)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize("text", ["12.5", "many", "true"])
def test_a_problem_size_is_a_whole_number(text):
    with pytest.raises(ValueError, match="size is a problem size"):
        whole_number("size", text)


def test_a_task_survives_the_trip():
    task = Task(
        "sweep",
        "a.py",
        "main()",
        2,
        {"n": "5"},
        "cuda:80",
        ("ptx",),
        values={"B": "1, 2"},
        where=("B < 2",),
        sizes=("m=1",),
        budget_ms=10.0,
    )
    assert Task.from_json(task.to_json()) == task
