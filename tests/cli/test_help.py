"""`--help` is worth reading: short lines, examples that work as written, what stands where."""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from playground.cli.examples import EXAMPLES
from playground.cli.files import bundled_or_given
from playground.cli.help_notes import GROUPS, WITHOUT_GPU
from playground.cli.help_page import wrapped_command
from playground.cli.main import main, window_parser
from playground.cli.options import VERBS, parser_of, task_of
from playground.model.bundled import bundled_kernels
from tests.cli.command import ROOT, environment

PAGES = ["", *VERBS]
README = (ROOT / "README.md").read_text()


def page_of(verb):
    return (parser_of(verb) if verb else window_parser()).format_help()


def parsed(words):
    verb = words[0] if words and words[0] in VERBS else ""
    parser = parser_of(verb) if verb else window_parser()
    return parser, verb, parser.parse_args(words[1:] if verb else words)


@pytest.mark.parametrize("verb", PAGES)
def test_a_page_begins_with_what_is_typed_and_what_it_does(verb):
    page = page_of(verb)
    blocks = page.split("\n\n")
    assert blocks[0].startswith(f"usage: triton-playground {verb}".rstrip())
    assert blocks[1].rstrip().endswith(".")
    assert len(blocks[1]) < 200
    order = ["\nexamples:\n", "\ngeneral:\n", "\nexit status:\n"]
    assert [page.count(title) for title in order] == [1, 1, 1]
    assert sorted(order, key=page.index) == order
    if verb:
        assert "\nwithout a GPU:\n" in page


@pytest.mark.parametrize("columns", [40, 81, 300])
def test_pages_are_as_wide_as_the_terminal_and_never_too_wide(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    room = min(max(columns - 1, 60), 100)
    for verb in PAGES:
        for line in page_of(verb).splitlines():
            # A word alone (a value, a path, an option with its form) is never cut in two.
            alone = len(line.split()) <= 2 or line.lstrip().startswith(("-", "triton-", "usage"))
            assert len(line) <= room or alone or "/" in line, (verb, line)


@pytest.mark.parametrize("width", [50, 79, 100])
def test_a_command_in_several_lines_is_the_same_to_a_shell(width):
    for example in (each for page in EXAMPLES.values() for each in page):
        text = wrapped_command(example.command, width, 4)
        assert shlex.split(text.replace("\\\n", " ")) == shlex.split(example.command)


def test_every_example_is_understood():
    assert set(EXAMPLES) == set(PAGES)
    for page, examples in EXAMPLES.items():
        assert examples
        for command in (example.command for example in examples):
            words = shlex.split(command)
            if words[0] == "python":
                continue
            words = words[words.index("triton-playground") + 1 :]
            parser, verb, options = parsed(words)
            assert verb == page or not page, command
            if getattr(options, "file", None):
                assert bundled_or_given(options.file) != options.file
                if verb:
                    task_of(verb, options, parser)


def test_cheap_examples_work_as_written(tmp_path):
    commands = [e.command for page in EXAMPLES.values() for e in page if e.cheap]
    own = {**environment(), "XDG_DATA_HOME": str(tmp_path)}

    def run(command):
        return command, subprocess.run(
            [sys.executable, "-P", "-m", "playground", *shlex.split(command)[1:]], cwd=tmp_path,
            env=own, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    with ThreadPoolExecutor(2) as pool:
        for command, done in pool.map(run, commands):
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert (tmp_path / "tuned.py").exists()


def test_every_verb_is_listed_once_and_says_what_it_does_without_a_gpu():
    grouped = [verb for _, names in GROUPS for verb in names]
    assert sorted(grouped) == sorted(VERBS)
    assert set(WITHOUT_GPU) == set(VERBS)


def test_places_are_those_of_this_machine(monkeypatch, tmp_path):
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_CACHE_DIR", "/elsewhere/compiled")
    page = page_of("")
    assert f"{tmp_path}/window.ini" in page
    assert f"{tmp_path}/state" in page
    assert "/elsewhere/compiled" in page


def test_a_bundled_kernel_goes_by_its_name_unless_such_a_file_is_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bundled_or_given("matmul") == str(ROOT / "kernels" / "matmul.py")
    assert bundled_or_given("matmul.py") == str(ROOT / "kernels" / "matmul.py")
    assert bundled_or_given("kernels/matmul.py") == "kernels/matmul.py"
    assert bundled_or_given("nosuch") == "nosuch"
    (tmp_path / "matmul.py").write_text("")
    assert bundled_or_given("matmul.py") == "matmul.py"


def test_kernels_are_listed_with_what_they_teach(capsys):
    assert main(["kernels", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [kernel.name for kernel in bundled_kernels()]
    assert all(row["teaches"] and row["mark"] for row in rows)
    assert main(["kernels", "fp8"]) == 0
    assert "matmul_fp8" in capsys.readouterr().out
    assert main(["kernels", "nosuchword"]) == 1


def test_the_readme_has_every_verb_and_no_option_that_is_none():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", README, re.MULTILINE))
    assert set(VERBS) <= set(rows)
    for verb in VERBS:
        page = page_of(verb)
        for option in re.findall(r"--[a-z][a-z0-9-]+", rows[verb]):
            assert option in page, (verb, option)


def test_the_readmes_commands_are_understood():
    section = README[README.index("## The command line") : README.index("## How it is built")]
    lines = re.findall(r"^triton-playground .*$", section, re.MULTILINE)
    commands = [line for line in lines if not re.search(r"\[|FILE|VERB", line)]
    assert len(commands) > 10
    for line in commands:
        parsed(shlex.split(re.sub(r"\s[>#].*$", "", line))[1:])
