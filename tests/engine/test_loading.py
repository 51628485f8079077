"""What runs is the editor's text, under the file's real path."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

import pytest

from playground.engine import drivers, helper_modules, loading


@pytest.fixture(autouse=True)
def path_and_modules_as_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def load(path: Path, text: str, name: str | None = None):
    return loading.load_module(str(path), text, name=name or loading.module_name(str(path)))


def test_the_text_runs_and_not_the_file(tmp_path: Path) -> None:
    import inspect

    path = tmp_path / "kernel.py"
    path.write_text("def f():\n    return 1\n")
    module = load(path, "# moved\ndef f():\n    return 2\n")
    assert module.f() == 2
    assert module.__file__ == str(path)
    assert inspect.getsource(module.f) == "def f():\n    return 2\n"
    linecache.checkcache()
    assert inspect.getsourcelines(module.f)[1] == 2


def test_classes_can_be_pickled_and_dataclasses_made(tmp_path: Path) -> None:
    import pickle

    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Point:\n    x: int = 3\n"
    )
    module = load(tmp_path / "points.py", text)
    assert pickle.loads(pickle.dumps(module.Point(4))) == module.Point(4)


def test_a_script_runs_as_main_and_main_comes_back(tmp_path: Path) -> None:
    before = sys.modules["__main__"]
    text = (
        "import sys\nsame = sys.modules['__main__'].__dict__ is globals()\n"
        "arguments = list(sys.argv)\nif __name__ == '__main__':\n    ran = True\n"
    )
    path = tmp_path / "script.py"
    with loading.script_arguments(str(path)):
        module = load(path, text, "__main__")
    assert module.ran
    assert module.same
    assert module.arguments == [str(path)]
    assert sys.modules["__main__"] is before


def test_edited_helpers_count_on_the_next_run(tmp_path: Path) -> None:
    helper = tmp_path / "helper_of_test.py"
    text = "from helper_of_test import VALUE\n"
    helper.write_text("VALUE = 1\n")
    assert load(tmp_path / "k.py", text).VALUE == 1
    helper.write_text("VALUE = 2\n")  # within the same second, and as long
    assert load(tmp_path / "k.py", text).VALUE == 2
    assert str(helper) in helper_modules.user_files(str(tmp_path / "k.py"))


def test_a_name_is_stable_and_tells_paths_apart() -> None:
    assert loading.module_name("/a/k.py") == loading.module_name("/a/k.py")
    assert loading.module_name("/a/k.py") != loading.module_name("/b/k.py")
    assert loading.module_name("/a/ker-nel 1.py").isidentifier()


def test_sizes_go_into_the_call_of_example() -> None:
    assert drivers.with_sizes("example()", {"n": 5}) == "example(n=5)"
    assert drivers.with_sizes("example(n=3, dtype=f)", {"n": 5}) == "example(dtype=f, n=5)"
    assert drivers.with_sizes("other(n=3)", {"n": 5}) == "other(n=3)"
    assert drivers.with_sizes("", {"n": 5}) == ""


def test_a_driver_is_statements_with_a_value_at_the_end() -> None:
    namespace = {"example": lambda n: n + 1, "reference": lambda n: n + 2}
    assert drivers.run_driver("a = 4\nexample(a)", namespace) == 5
    assert namespace["a"] == 4
    assert drivers.run_driver("b = example(1)", namespace) is None
    assert drivers.reference_code("example(a)", namespace) == "reference(a)"
    assert drivers.reference_code("b = example(1)", namespace) == "reference(1)"
    assert drivers.reference_code("other(1)", namespace) is None
    assert drivers.reference_code("example(1)", {}) is None
    taking = {**namespace, "reference": lambda n: n}
    assert drivers.reference_code("example(n=5, BLOCK=2)", taking) == "reference(n=5)"
    anything = {**namespace, "reference": lambda n, **more: n}
    assert drivers.reference_code("example(n=5, BLOCK=2)", anything) == "reference(n=5, BLOCK=2)"


def test_kernels_and_line_numbers_are_left_alone(tmp_path: Path) -> None:
    text = (
        "def jit(f): return f\n@jit\ndef kernel(x, B):\n    B = B\n    x[B](B)\n\n"
        "def host(B):\n    raise ValueError('line 8')\n    kernel[(1,)](0, B)\n"
    )
    module = load(tmp_path / "lines.py", text)
    assert module.kernel.__code__.co_consts == (None,)
    with pytest.raises(ValueError, match="line 8") as caught:
        module.host(1)
    assert caught.traceback[-1].lineno + 1 == 8


BUFFER = """
from playground.engine.session import Session

TEXT = '''
import torch, triton, triton.language as tl
@triton.jit
def plus(x_ptr, o_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o_ptr + i, tl.load(x_ptr + i) + AMOUNT)
def example():
    x, o = torch.zeros(16), torch.empty(16)
    plus[(1,)](x, o, B=16)
    return o
'''
path = write("k.py", TEXT.replace("AMOUNT", "1"))
play = Session()
play.load(path, "# unsaved" + TEXT.replace("AMOUNT", "2"))
play.run()
first = play.result.tolist()
play.load(path)
play.run()
answer({"buffer": first, "saved": play.result.tolist(), "line": play.launches[0].info.line})
"""


def test_an_interpreted_kernel_is_the_buffers(run_engine) -> None:
    got = run_engine(BUFFER)
    assert got["buffer"] == [2.0] * 16
    assert got["saved"] == [1.0] * 16
    assert got["line"] == 4


COMPILED = """
from playground.engine import loading
from playground.engine.triton_private import stub_driver, wrappers
stub_driver.activate_stub("cuda:90")
TEXT = '''
import triton, triton.language as tl
@triton.jit
def plus(o_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o_ptr + i, AMOUNT)
'''
path = write("k.py", TEXT.replace("AMOUNT", "111"))
module = loading.load_module(path, TEXT.replace("AMOUNT", "222"), name=loading.module_name(path))
import triton
from triton.compiler import ASTSource
source = ASTSource(module.plus, {"o_ptr": "*i32", "B": "constexpr"}, {(1,): 16})
compiled = triton.compile(source, target=wrappers.parse_target("cuda:90"))
ttir = compiled.asm["ttir"]
answer({"buffer": "222" in ttir, "saved": "111" in ttir, "path": path in ttir or "k.py" in ttir})
"""


def test_a_compiled_kernel_is_the_buffers(run_engine) -> None:
    assert run_engine(COMPILED, interpret=False) == {"buffer": True, "saved": False, "path": True}
