"""The wheel carries kernels and assets, and runs from an environment of its own."""

import json
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.child_environment import child_environment

pytest.importorskip("hatchling", reason="hatchling builds the wheel; the extra `test` has it")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    return folder


def test_wheel_and_source_distribution_carry_everything(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for kind in ("kernels", "assets"):
        files = [path for path in (ROOT / kind).rglob("*") if path.is_file()]
        wanted = {
            f"playground/_data/{path.relative_to(ROOT).as_posix()}"
            for path in files
            if "__pycache__" not in path.parts
        }
        assert wanted <= names
    assert not any(name.startswith("tests/") for name in names)
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "kernels/vector_add.py", "tests/conftest.py"} <= packed


def test_installed_wheel_runs_its_own_kernel(built, tmp_path):
    (wheel,) = built.glob("*.whl")
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python")]
    subprocess.run(
        [
            *pip,
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-index",
            str(wheel),
        ],
        check=True,
    )
    (packages,) = (venv / "lib").glob("python*/site-packages")
    # torch and the rest come from the environment of the tests, the project only from the wheel:
    # a folder named in a .pth file is searched, but its own .pth files are not read.
    (packages / "rest.pth").write_text(sysconfig.get_path("purelib") + "\n")
    kernel = packages / "playground" / "_data" / "kernels" / "vector_add.py"
    found = subprocess.run(
        [str(venv / "bin" / "triton-playground"), "launches", str(kernel), "--json"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env=child_environment(checkout=False),
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    (launch,) = json.loads(found.stdout)["launches"]
    assert launch["kernel"] == "add_kernel"
    assert launch["file"] == str(kernel)
