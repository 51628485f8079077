"""The guides are true: commands are run or understood, menus and keys are those of the table."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest

from playground.cli.main import window_parser
from playground.cli.options import VERBS, parser_of
from playground.ui.action_spec import MENU_TITLES
from playground.ui.actions import ACTIONS
from tests.cli.command import KERNELS, ROOT, environment

GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
TASKS = [path for path in GUIDES if path.stem != "README"]
BLOCK = re.compile(r"^```bash( checked)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"`(\w+) > ([^`]+)`(?: \(((?:Ctrl|Alt|Shift|F\d)[^)]*)\))?")


def commands(path, *, checked):
    """Return the command lines of a guide: those to be run, or those to be understood."""
    return [
        line for only, text in BLOCK.findall(path.read_text()) if bool(only) == checked
        for line in text.splitlines() if line.strip()
    ]  # fmt: skip


def test_there_is_a_guide_for_each_task():
    listed = re.findall(r"\]\((\w+)\.md\)", (ROOT / "docs" / "guides" / "README.md").read_text())
    assert sorted(listed) == sorted(path.stem for path in TASKS)
    assert {"open", "coverage", "tune", "compare", "export", "remote", "cluster"} <= set(listed)


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.stem)
def test_every_command_is_understood(path):
    lines = [*commands(path, checked=True), *commands(path, checked=False)]
    assert lines
    for line in lines:
        program, *words = shlex.split(line)
        if program == "python":
            continue
        assert program == "triton-playground", line
        parser = parser_of(words.pop(0)) if words[0] in VERBS else window_parser()
        parser.parse_args(words)  # ends the test where an option is none


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_menus_and_keys_are_those_of_the_program(path):
    titles = {title.replace("&", ""): name for name, title in MENU_TITLES.items()}
    entries = {(s.menu, s.text.replace("&", "")): s for s in ACTIONS}
    for menu, text, keys in ENTRY.findall(path.read_text()):
        spec = entries[titles[menu], text]
        assert not keys or spec.keys == keys, (text, spec.keys)


@pytest.mark.parametrize(
    "path", [path for path in TASKS if commands(path, checked=False)], ids=lambda path: path.stem
)
def test_following_the_guide_works(path, tmp_path):
    for name in ("vector_add.py", "softmax.py"):
        shutil.copy(KERNELS / name, tmp_path)
    for line in commands(path, checked=False):
        program, *words = shlex.split(line)
        own = [] if program == "python" else ["-P", "-m", "playground"]
        done = subprocess.run(
            [sys.executable, *own, *words], cwd=tmp_path, env=environment(), capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
