"""A test's own fixtures are written into the call that an exported file makes."""

import ast
import textwrap

import pytest

from playground.engine.export_fixtures import with_fixtures

TEXT = """
import pytest

@pytest.fixture
def dev():
    return "cuda"

@pytest.fixture()
def opened(dev):
    yield [dev]

@pytest.mark.parametrize("n", [1, 2])
def test_one(n, dev, half=0.5):
    return n, dev, half

def test_two(opened, tmp_path):
    return opened

def test_none(n=3):
    return n
"""


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("test_one(n=1)", "test_one(n=1, dev=dev.__wrapped__())"),
        ("test_one(n=1, dev='cpu')", "test_one(n=1, dev='cpu')"),
        (
            "test_two()",
            "import pathlib, tempfile\n"
            "test_two(opened=next(opened.__wrapped__(dev=dev.__wrapped__())), "
            "tmp_path=pathlib.Path(tempfile.mkdtemp()))",
        ),
        ("test_none()", "test_none()"),
        ("test_one(1, 'cpu')", "test_one(1, 'cpu')"),
        ("other(3)", "other(3)"),
        ("", ""),
    ],
)
def test_what_pytest_would_pass_is_written_out(code, written):
    assert with_fixtures(code, ast.parse(textwrap.dedent(TEXT))) == written


def test_what_is_written_runs():
    namespace: dict = {}
    exec(TEXT, namespace)
    tree = ast.parse(TEXT)
    assert eval(with_fixtures("test_one(n=2)", tree), namespace) == (2, "cuda", 0.5)
    exec(with_fixtures("test_two()", tree).replace("test_two(", "two = test_two("), namespace)
    assert namespace["two"] == ["cuda"]
