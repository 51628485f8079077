import textwrap

import pytest

from playground.engine.bundle import Bundle
from playground.engine.bundle_text import BundleText
from playground.engine.edits import shifted
from playground.engine.user_modules import Symbol, UserModules


@pytest.fixture
def bundled(tmp_path):
    """Return a function that writes files and bundles what `roots` of the first need."""

    def bundle(files, roots):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"))
        main = tmp_path / next(iter(files))
        modules = UserModules(str(main), {})
        made = Bundle(modules)
        made.need_names(roots)
        made.complete()
        written = BundleText(made)
        return f"{written.imports}\n\n{written.body}\n"

    return bundle


def test_only_what_is_used_is_kept_with_its_comments(bundled):
    out = bundled(
        {
            "main.py": """
            import math, os
            import json
            # lost

            # why
            def a():
                return math.pi
            c = 1
            """
        },
        ["a"],
    )
    assert out == "import math\n\n# why\ndef a():\n    return math.pi\n"


def test_a_local_variable_keeps_nothing_of_the_same_name(bundled):
    text = "x = make_a_million()\ndef f(n):\n    x = n + 1\n    return [x for y in n]\n"
    assert "make_a_million" not in bundled({"main.py": text}, ["f"])


HELPERS = {
    "pkg/__init__.py": "from .ops import twice\n",
    "pkg/ops.py": """
    import numpy as np
    from . import deep
    FACTOR = 2


    def twice(x):
        return np.asarray(x) * FACTOR + deep.shift()
    """,
    "pkg/deep.py": "FACTOR = 5\n\n\ndef shift():\n    return FACTOR\n",
    "stars.py": "from pkg import twice as doubled\nLIMIT = 9\n",
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("import pkg.ops as u\nFACTOR = 3\ndef f():\n    return u.twice(FACTOR)\n", 11),
        ("import pkg.ops\nFACTOR = 3\ndef f():\n    return pkg.ops.twice(FACTOR)\n", 11),
        ("from pkg import twice\ndef f():\n    return twice(1)\n", 7),
        ("from pkg import twice as t\ndef f(twice=4):\n    return t(twice)\n", 13),
        ("from stars import *\ndef f():\n    return doubled(LIMIT)\n", 23),
        ("def f():\n    from pkg.ops import twice as t\n    return t(2)\n", 9),
        ("def f():\n    import stars\n    return f'{stars.LIMIT}'\n", "9"),
        ("import pkg.deep as d\ndef f():\n    return getattr(d, 'shift')()\n", 5),
        ("try:\n    from pkg.ops import twice\nexcept ImportError:\n    twice = None\n"
         "def f():\n    return twice(1)\n", 7),
    ],
)  # fmt: skip
def test_helpers_come_along_under_names_that_do_not_clash(bundled, text, value):
    out = bundled({"main.py": text, **HELPERS}, ["f"])
    assert "import pkg" not in out
    assert "stars" not in out.replace("# From stars.py.", "")
    namespace = {}
    exec(compile(out, "main", "exec"), namespace)
    assert namespace["f"]() == value


def test_what_changes_or_registers_with_something_kept_is_kept(bundled):
    out = bundled(
        {
            "main.py": """
            import os
            import torch
            os.environ["A_SETTING"] = "1"
            import sys
            sys.path.insert(0, "/nowhere")
            TABLE = {}
            OTHER = {}


            def register(function):
                TABLE[function.__name__] = function
                return function


            @register
            def one():
                return 1


            TABLE["two"] = 2
            OTHER["three"] = 3
            print("hello")


            def f():
                return TABLE
            """
        },
        ["f"],
    )
    assert [part in out for part in ("A_SETTING", "def one", '"two"')] == [True] * 3
    assert not [part for part in ("OTHER", "nowhere", "hello", "torch") if part in out]


def test_moving_statements_leaves_their_strings_alone():
    text = 'x = """a\n  b\n"""\nif x:\n    y = 1'
    assert shifted(text, 4) == '    x = """a\n  b\n"""\n    if x:\n        y = 1'
    assert shifted(shifted(text, 4), -4) == text


def test_modules_may_import_each_other_in_a_circle(tmp_path):
    (tmp_path / "one.py").write_text("from two import *\nfrom two import lost\nA = 1\n")
    (tmp_path / "two.py").write_text("from one import *\nfrom one import lost\nB = 2\n")
    modules = UserModules(str(tmp_path / "one.py"), {})
    one, two = str(tmp_path / "one.py"), str(tmp_path / "two.py")
    assert modules.member(one, "B") == Symbol(two, "B")
    assert modules.member(two, "A") == Symbol(one, "A")
    assert isinstance(modules.member(one, "lost"), Symbol)  # wherever: the search ends
    assert modules.member(one, "nowhere") is None
    assert {"A", "B"} <= set(modules.public_names(one))
