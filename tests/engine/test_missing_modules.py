"""Modules that are not installed: stood in for where the user's file imports them, and said."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from playground.engine import drivers, loading, missing_modules, run_notes
from playground.engine.stand_in_modules import NotInstalledError


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def load(text: str):
        path = tmp_path / "kernels.py"
        with run_notes.taking(run_notes.RunNotes()) as notes, missing_modules.stood_in_for():
            module = loading.load_module(str(path), text, name=loading.module_name(str(path)))
        return module, notes

    yield load
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_missing_module_can_be_named_and_not_used(load) -> None:
    module, notes = load(
        "import not_there\n"
        "from not_there.deep.down import thing, Base\n"
        "def f(x: not_there.Tensor[int] | None): return isinstance(x, not_there.Kind)\n"
        "class Mine(Base): pass\n"
        "def use(): return thing(1)\n"
        "def test(): return bool(thing)\n"
        "def make(): return Mine()\n"
    )
    (told,) = notes.findings
    assert (told.severity, told.line) == ("warning", 1)
    assert told.message == "not_there is not installed: the file goes on until it is really used"
    assert told.hint == "install it into this environment: pip install not_there"
    assert not module.f(3)
    for use in (module.use, module.test, module.make):
        with pytest.raises(NotInstalledError, match=r"not_there.deep.down.\w+ is used here"):
            use()
    assert not any(name.startswith("not_there") for name in sys.modules)


def hide(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Make modules seem not installed: another package may have brought them along."""
    find = PathFinder.find_spec

    def find_others(fullname: str, path=None, target=None):
        return None if fullname.split(".")[0] in names else find(fullname, path, target)

    monkeypatch.setattr(PathFinder, "find_spec", find_others)
    for module in [module for module in sys.modules if module.split(".")[0] in names]:
        monkeypatch.delitem(sys.modules, module)


def test_what_only_shows_does_nothing(load, monkeypatch) -> None:
    hide(monkeypatch, "matplotlib", "pandas", "tqdm", "tabulate", "beartype")
    module, notes = load(
        "import matplotlib.pyplot as plt, pandas as pd\n"
        "from tqdm import tqdm, trange\n"
        "from tabulate import tabulate\n"
        "from beartype import beartype\n"
        "figure, axes = plt.subplots()\n"
        "axes[0].plot([1], [2]).set(label='x')\n"
        "pd.DataFrame({'a': [1]}).to_csv('x.csv')\n"
        "with plt.style.context('dark'): plt.show()\n"
        "SUM = sum(tqdm([1, 2], desc='x')) + sum(trange(4))\n"
        "TEXT = f'{tabulate([[1]])}'\n"
        "@beartype\n"
        "def f(): return 5\n"
    )
    assert (module.SUM, module.TEXT, module.f()) == (9, "", 5)
    assert {finding.severity for finding in notes.findings} == {"info"}


def test_guarded_imports_and_questions_get_the_truth(load) -> None:
    module, notes = load(
        "import contextlib, importlib.util, importlib\n"
        "try:\n    import not_there\n    HAS = True\n"
        "except ImportError:\n    HAS = False\n"
        "with contextlib.suppress(ImportError):\n    import nor_this\n    HAS = True\n"
        "FOUND = importlib.util.find_spec('not_there') is not None\n"
        "try:\n    importlib.import_module('not_there')\n"
        "except Exception:\n    ASKED = False\n"
    )
    assert (module.HAS, module.FOUND, module.ASKED) == (False, False, False)
    assert notes.findings == []
    assert notes.skipped[0][0] == "has no module not_there (line 3)"


def test_the_standard_library_and_others_imports_are_left_alone(load) -> None:
    with pytest.raises(ModuleNotFoundError):
        load("import xml.nothing_like_it\n")
    with pytest.raises(ModuleNotFoundError), missing_modules.stood_in_for():
        import not_there_at_all  # noqa: F401  # this file is no user's


def test_a_test_file_runs_without_pytest(load, monkeypatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pytest"]:
        monkeypatch.delitem(sys.modules, name)
    real = PathFinder.find_spec

    def find_spec(name, path=None, target=None):
        return None if name.partition(".")[0] == "pytest" else real(name, path, target)

    monkeypatch.setattr(PathFinder, "find_spec", find_spec)
    module, notes = load(
        "import pytest\n"
        "pytestmark = pytest.mark.gpu\n"
        "@pytest.fixture(params=[3, 4])\n"
        "def factor(request):\n    yield request.param\n"
        "@pytest.mark.parametrize('n', [5, 6])\n"
        "@pytest.mark.parametrize('a, b', [(1, 2), pytest.param(7, 8)])\n"
        "def test_it(n, a, b, factor):\n    return (n, a, b, factor)\n"
        "def test_skips():\n    pytest.skip('no')\n"
    )
    assert notes.findings == []
    assert type(module.pytest).__name__ == "StandInModule"
    assert drivers.run_driver("test_it()", vars(module)) == (5, 1, 2, 3)
    with pytest.raises(BaseException, match="no") as caught:
        module.test_skips()
    assert drivers.is_skip(caught.value)
