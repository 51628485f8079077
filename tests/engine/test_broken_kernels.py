"""Broken kernels: each file of `broken_kernels/` says where and with what words it is refused.

A file's first lines are its row: `#: key = value`, which together are TOML. `line` and `column` are
those of the finding (no column: the compiler does not tell one); `message`, `hint` and `detail`
hold parts of its texts; `file` is where it is, if not here; `stages` are those that the compilation
must have come through; `target` and `triton` say what it is for; `dies` that the compiler ends its
process over it.
"""

from pathlib import Path

import pytest

from tests.engine.cases_compile.engine import CompileEngine, error_of
from tests.engine.style_table import Style, header_of, runs

BROKEN = Path(__file__).parent / "broken_kernels"
FILES = sorted(BROKEN.glob("*.py"))
KEYS = {
    "kind",
    "line",
    "column",
    "message",
    "hint",
    "detail",
    "stages",
    "target",
    "triton",
    "file",
    "dies",
}


def rows():
    for path in FILES:
        row = header_of(path)
        if row is None:
            continue  # a module that a broken kernel uses
        wanted = runs(Style(path, row["kind"], triton=row.get("triton", "")))
        skip = pytest.mark.skipif(not wanted, reason=f"triton {row.get('triton')}")
        yield pytest.param(path, row, id=path.stem, marks=skip)


@pytest.fixture(scope="module")
def lasting():
    engine = CompileEngine()
    path = BROKEN / "relu.py"
    engine.run(path=str(path), text=path.read_text(), driver="example()")
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


@pytest.fixture
def engine(lasting, row):
    if not row.get("dies"):
        yield lasting
        return
    engine = CompileEngine()
    yield engine
    engine.close()


@pytest.mark.parametrize(("path", "row"), list(rows()))
def test_a_broken_kernel_is_refused_on_its_line_with_what_to_write(engine, path, row):
    assert set(row) <= KEYS
    engine.run(path=str(path), text=path.read_text(), driver="example()")
    answer = engine.compile(target=row.get("target"))
    finding = error_of(answer)
    assert finding["file"] == str(path.with_name(row.get("file", path.name)))
    assert (finding["line"], finding["column"]) == (row["line"], row.get("column"))
    for key in ("message", "hint", "detail"):
        for part in row.get(key, ()):
            assert part in finding[key], (key, part)
    assert row["hint"], "every broken kernel has a remedy"
    assert finding["hint"]
    if "stages" in row:
        assert answer["stages"] == row["stages"]
        assert all(len(text) > 100 for text in engine.compile(
            target=row.get("target"), asm=row["stages"]
        )["asm"].values())  # fmt: skip
    assert answer["unusable"] == finding["message"].partition("\n")[0]


def test_there_is_one_for_each_kind_of_failure():
    kinds = [row["kind"] for path in FILES if (row := header_of(path)) is not None]
    assert len(kinds) == len(set(kinds)) >= 25
