"""The package that a file's imports need: found, imported first, done without if it fails."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

from playground.engine import helper_modules, loading, missing_modules, packages, run_notes


@pytest.fixture(autouse=True)
def path_and_modules_as_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = dict(sys.modules)
    yield
    for name in set(sys.modules) - set(before):
        del sys.modules[name]


def put(folder: Path, name: str, text: str = "") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(path: Path, name: str | None = None):
    return loading.load_module(
        str(path), path.read_text(), name=name or loading.module_name(str(path))
    )


def test_a_file_is_the_module_of_its_package(tmp_path: Path) -> None:
    put(tmp_path, "lib_a/__init__.py", "from lib_a.ops.kernels import VALUE\nSTARTED = True\n")
    put(tmp_path, "lib_a/ops/__init__.py")
    put(tmp_path, "lib_a/sizes.py", "BLOCK = 64\n")
    text = "from ..sizes import BLOCK\nVALUE = BLOCK + 1\nNAME = __name__\n"
    kernels = put(tmp_path, "lib_a/ops/kernels.py", text)
    module = load(kernels)
    assert (module.VALUE, module.NAME) == (65, "lib_a.ops.kernels")
    # The package's start imports this very file: it is the same module, executed once.
    assert sys.modules["lib_a.ops.kernels"] is module
    assert sys.modules["lib_a"].VALUE == 65
    assert sys.modules[loading.module_name(str(kernels))] is module
    helper = tmp_path / "lib_a/sizes.py"
    assert str(helper) in helper_modules.user_files(str(kernels))
    helper.write_text("BLOCK = 32\n")
    assert load(kernels).VALUE == 33, "an edited helper of a parent package counts"


def test_the_editors_text_is_what_the_package_imports(tmp_path: Path) -> None:
    put(tmp_path, "lib_b/__init__.py", "from .kernels import VALUE\n")
    kernels = put(tmp_path, "lib_b/kernels.py", "VALUE = 'saved'\n")
    text = "from . import kernels\nVALUE = 'unsaved'\n"
    name = loading.module_name(str(kernels))
    loading.load_module(str(kernels), text, name=name)
    assert sys.modules["lib_b"].VALUE == "unsaved"


def test_a_script_of_a_package_runs_as_python_m_does(tmp_path: Path) -> None:
    put(tmp_path, "lib_c/__init__.py")
    put(tmp_path, "lib_c/sizes.py", "BLOCK = 16\n")
    script = put(tmp_path, "lib_c/run.py", "from .sizes import BLOCK\nNAME = __name__\n")
    module = load(script, "__main__")
    assert (module.NAME, module.BLOCK, module.__package__) == ("__main__", 16, "lib_c")


def test_a_package_whose_start_fails_is_done_without(tmp_path: Path) -> None:
    put(tmp_path, "lib_d/__init__.py", "import os\nraise RuntimeError('no cluster')\n")
    put(tmp_path, "lib_d/sizes.py", "BLOCK = 8\n")
    kernels = put(tmp_path, "lib_d/kernels.py", "from .sizes import BLOCK\n")
    with run_notes.taking(run_notes.RunNotes()) as notes:
        assert load(kernels).BLOCK == 8
    (told,) = notes.findings
    assert (told.severity, told.line) == ("warning", 2)
    assert told.file == str(tmp_path / "lib_d/__init__.py")
    assert "RuntimeError: no cluster" in told.message


def test_folders_without_a_start_are_packages_too(tmp_path: Path) -> None:
    put(tmp_path, "project/kernels/sizes.py", "BLOCK = 4\n")
    script = put(tmp_path, "project/tools/run.py", "from ..kernels.sizes import BLOCK\n")
    assert load(script, "__main__").BLOCK == 4
    put(tmp_path, "project/kernels/sizes.py", "BLOCK = 5\n")
    assert load(script, "__main__").BLOCK == 5
    assert packages.package_of(str(script), "import torch\n") is None


def test_a_package_is_not_started_for_a_file_that_does_not_need_it(tmp_path: Path) -> None:
    put(tmp_path, "lib_e/__init__.py", "raise RuntimeError\n")
    kernels = put(tmp_path, "lib_e/kernels.py", "import math\nVALUE = math.pi\n")
    assert load(kernels).VALUE > 3
    assert "lib_e" not in sys.modules


def test_another_package_of_the_same_name_is_put_back(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/lib_f/__init__.py", "WHICH = 'installed'\n")
    sys.path.insert(0, str(tmp_path / "elsewhere"))
    import lib_f

    put(tmp_path, "mine/lib_f/__init__.py", "WHICH = 'mine'\n")
    kernels = put(tmp_path, "mine/lib_f/kernels.py", "from . import WHICH\n")
    assert load(kernels).WHICH == "mine"
    assert lib_f.WHICH == "installed"


def test_the_project_of_a_script_is_looked_for_upward(tmp_path: Path) -> None:
    put(tmp_path, "project/setup.py")
    put(tmp_path, "project/src/lib_g/__init__.py", "VALUE = 3\n")
    put(tmp_path, "lib_h/__init__.py", "VALUE = 4\n")
    script = put(tmp_path, "project/tests/unit/test_g.py", "import lib_g\n")
    with run_notes.taking(run_notes.RunNotes()), missing_modules.stood_in_for():
        assert load(script).lib_g.VALUE == 3
        assert str(tmp_path / "project/src/lib_g/__init__.py") in helper_modules.user_files(
            str(script)
        )
    # Beyond the project's own folder nothing is looked for.
    assert packages.found_upward("lib_h", str(script.parent)) is None
    assert packages.found_upward("lib_g", str(script.parent)) == str(tmp_path / "project/src")


def test_a_file_of_torch_itself_finds_its_neighbours() -> None:
    path = Path(torch.__file__).parent / "sparse" / "not_saved.py"
    text = "from ._semi_structured_ops import fallback_dispatcher\nfrom .. import Tensor\n"
    module = loading.load_module(str(path), text, name=loading.module_name(str(path)))
    assert module.Tensor is torch.Tensor


def test_a_package_without_its_start_has_a_place(tmp_path: Path) -> None:
    put(tmp_path, "lib_i/__init__.py", "raise RuntimeError\n")
    put(tmp_path, "lib_i/sizes.py", "BLOCK = 1\n")
    load(put(tmp_path, "lib_i/kernels.py", "from . import sizes\n"))
    found = importlib.util.find_spec("lib_i")
    assert found is not None
    assert found.submodule_search_locations == [str(tmp_path / "lib_i")]
