"""What an exported file looks like, and what its check holds it to."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.child_environment import child_environment
from tests.engine.style_table import STYLES
from tests.engine.test_export import AUTOTUNED, HELPER, check, exported

EXPORTS = (
    "export_package/main.py", "export_name_clash/main.py", "export_hard_coded_cuda.py",
    "export_tuner_out_of_sight.py", "export_registry.py",
)  # fmt: skip


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> dict[str, dict[str, str]]:
    """Export the styles of this part in one process."""
    folder = tmp_path_factory.mktemp("texts")
    code = f"""
import json, pathlib
from playground.engine.session import Session
from tests.engine.style_table import STYLES, read_style
play, found = Session(), {{}}
for name in {EXPORTS!r}:
    style = read_style(STYLES / name)
    play.load(style.path)
    play.run(style.driver)
    made = play.export(style.launch, **style.replay)
    found[name] = {{"text": made.text, "findings": [f.message for f in made.findings]}}
play.close()
pathlib.Path("texts.json").write_text(json.dumps(found))
"""
    subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, timeout=200, capture_output=True,
        env=child_environment(interpret=True, HOME=str(folder), TRITON_DEFAULT_FP_FUSION="1"),
    )  # fmt: skip
    found: dict[str, dict[str, str]] = json.loads((folder / "texts.json").read_text())
    return found


@pytest.mark.parametrize("name", EXPORTS)
def test_an_exported_file_is_tidy(texts, tmp_path, name):
    text = texts[name]["text"]
    assert texts[name]["findings"] == []
    compile(text, name, "exec")
    assert str(STYLES.parents[2]) not in text
    assert "playground." not in text
    ruff = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))
    path = tmp_path / "tuned.py"
    path.write_text(text)
    done = subprocess.run(
        [ruff, "check", "--isolated", "--select", "F401,F811,F821,E9", str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_helpers_keep_their_comments_and_lose_what_nobody_uses(texts):
    text = texts["export_package/main.py"]["text"]
    assert "# Multiplies by a factor.\n@triton.jit\ndef scaled(" in text
    assert "# From inner/maths.py." in text
    assert "BLOCK = 32\n" in text  # where it enters: a constant of another module
    assert "FACTOR = 7" not in text
    assert "from .inner" not in text
    assert "def launcher(x, y):\n    out =" in text


def test_modules_with_equal_names_are_told_apart(texts):
    text = texts["export_name_clash/main.py"]["text"]
    assert "BLOCK = 128\n" in text
    assert "rows_BLOCK = 32\n" in text
    assert "def rows_kernel(" in text
    assert "tl_" not in text  # two ways to import triton.language are one
    assert "def _compare(" not in text  # the file's own name wins, the check needs none


def test_a_files_own_benchmark_is_not_part_of_it(texts):
    text = texts["export_hard_coded_cuda.py"]["text"]
    assert "benchmark.run" not in text
    assert "perf_report" not in text
    assert "    result = added(x, y)\n" in text  # in the main block now


def test_of_two_tuners_the_launched_one_is_frozen_with_its_hook(texts):
    text = texts["export_tuner_out_of_sight.py"]["text"]
    assert 'triton.Config({"BLOCK": 64}, num_warps=8, num_stages=3' in text
    assert "pre_hook=clear" in text
    assert "configs((512, 1024))" in text


def test_a_kept_autotuner_tries_the_frozen_config_first(run_engine, tmp_path):
    path, text, _, _ = exported(
        run_engine, tmp_path, 'FOLDER / "tuneme.py"',
        files={"helper.py": HELPER, "tuneme.py": AUTOTUNED}, knobs={"B": 32},
        options={"keep_autotune": True},
    )  # fmt: skip
    configs = text[text.index("configs=[") : text.index("key=")]
    assert [configs.index(f'"B": {b}') for b in (32,)] < [configs.index("'B': 64")]
    code, out, err = check(path)
    assert (code, "correct against samples" in out) == (0, True), out + err


def test_the_check_fails_when_the_launch_is_not_the_tuned_one(run_engine, tmp_path):
    path, text, _, _ = exported(
        run_engine, tmp_path, 'KERNELS / "vector_add.py"', knobs={"BLOCK_SIZE": 512}
    )
    path.write_text(text.replace("BLOCK_SIZE=512", "BLOCK_SIZE=256"))
    code, out, err = check(path)
    assert (code, out.strip(), err) == (
        1, "wrong: add_kernel was launched with BLOCK_SIZE=256, not the tuned 512", ""
    )  # fmt: skip


@pytest.mark.parametrize("chosen", ["0", "", "1", None])
def test_a_check_says_what_keeps_the_interpreter_off(texts, tmp_path, chosen):
    path = tmp_path / "tuned.py"
    path.write_text(texts["export_hard_coded_cuda.py"]["text"])
    environment = child_environment(interpret=False, checkout=False)
    if chosen is not None:
        environment["TRITON_INTERPRET"] = chosen
    done = subprocess.run(
        [sys.executable, str(path), "--check"], env=environment, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    if chosen in ("1", None):
        assert done.returncode == 0, done.stdout + done.stderr
    else:
        assert (done.returncode, done.stdout) == (
            2,
            "not judged: no GPU here: unset TRITON_INTERPRET or set it to 1 to check in the "
            "interpreter\n",
        )
