"""The README's table of faults: every row names a test that exists and reaches what it says.

The words in back quotes of the second column are those that the program writes where it handles the
fault. They stand in its source once, and the row's test asserts them, so the branch was taken.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.fault_handlers import HANDLERS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows() -> list[tuple[str, str, str]]:
    section = README.split("## What it survives\n", 1)[1].split("\n## ", 1)[0]
    found = []
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 4 and cells[0] not in ("fault", "---"):
            found.append((cells[0].strip("| "), cells[1], cells[3].strip("| ")))
    return found


ROWS = rows()
SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "playground").rglob("*.py")
)


def whole(text: str) -> str:
    """Join what Python joins: adjacent strings, and lines within brackets."""
    return re.sub(r'"\s*\n\s*f?"', "", text)


def test_the_table_has_every_kind_of_fault():
    assert len(ROWS) >= 50
    section = README.split("## What it survives\n", 1)[1].split("\n## ", 1)[0]
    assert len(ROWS) == len(re.findall(r"^\| ", section, re.MULTILINE)) - 2


@pytest.mark.parametrize(("fault", "seen", "tests"), ROWS, ids=[row[0][:50] for row in ROWS])
def test_a_row_is_true(fault: str, seen: str, tests: str):
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", tests)
    assert named, f"{fault}: no test"
    texts = []
    for file, name in named:
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        defined = {
            node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
        }
        assert name in defined, f"{fault}: {file} has no {name}"
        texts.append(whole(text))
    for words in re.findall(r"`([^`]+)`", seen):
        assert words in whole(SOURCES), f"{fault}: nothing in the program says {words!r}"
        assert any(words in text for text in texts), f"{fault}: no test asserts {words!r}"


def test_every_row_names_the_statements_that_handle_it():
    """That they run is shown by `python -m tests.benchmarks.fault_branches`."""
    assert list(HANDLERS) == [fault for fault, _, _ in ROWS]
    for fault, handlers in HANDLERS.items():
        assert handlers, fault
        for handler in handlers:
            assert handler.line() > 0, fault
