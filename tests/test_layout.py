"""The shape of the project: top level, borders, where printing and private Triton may be."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOP_LEVEL = {"pyproject.toml", "README.md", "docs", "playground", "kernels", "assets", "tests"}
DOT_FILES = {".ci", ".pre-commit-config.yaml", ".gitignore"}

# `triton` itself and what its documentation shows users; everything else is Triton's own business.
PUBLIC_TRITON = {"language", "testing", "knobs", "tools", "profiler"}


def tracked_files() -> list[str]:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no git checkout: the list of the project's files is git's")
    result = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return result.stdout.splitlines()


def sources(*parts: str) -> list[Path]:
    return sorted((ROOT / "playground").joinpath(*parts).rglob("*.py"))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_top_level_is_exactly_what_it_should_be():
    top = {name.split("/")[0] for name in tracked_files()}
    assert top == TOP_LEVEL | DOT_FILES


def test_ci_script_calls_the_second_command():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "-m playground.bootstrap test" in script.read_text(encoding="utf-8")


def test_import_borders_hold():
    program = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run(
        [str(program), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_nothing_prints_outside_the_command_line():
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources()
        if path.parent.name != "cli" and path.name != "bootstrap.py"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert places == []


def private_triton(tree: ast.Module) -> list[int]:
    """Return the lines that reach into Triton: imports of, or attributes on, its inner modules."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "triton":
            names = [f"triton.{a.name}" for a in node.names if a.name in ("runtime", "compiler")]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
            if not re.match(r"triton\.(runtime|compiler|backends|_[a-zA-Z]\w*)\b", names[0]):
                continue
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "triton" and len(parts) > 1 and parts[1] not in PUBLIC_TRITON:
                lines.append(node.lineno)
    return sorted(set(lines))


def test_private_triton_is_touched_in_one_package_only():
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources()
        if "triton_private" not in path.parts
        for line in private_triton(parsed(path))
    ]
    assert places == []


def test_the_detector_of_private_triton_sees_what_it_should():
    text = """
import triton.language as tl
from triton.runtime.jit import JITFunction
import triton._C
x = triton.compiler.compile
y = triton.cdiv
"""
    assert private_triton(ast.parse(text)) == [3, 4, 5]


def test_the_package_imports_without_any_dependency():
    # The bootstrap runs before anything is installed.
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
        "import playground, playground.bootstrap, playground.cli.main, "
        "playground.cli.qt_libraries, playground.engine.machine; "
        "print(sorted({'torch', 'triton', 'numpy', 'PySide6', 'msgspec'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            code,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"


def test_no_file_of_the_readme_is_missing():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", readme)
    assert [link for link in links if not (ROOT / link).exists()] == []
