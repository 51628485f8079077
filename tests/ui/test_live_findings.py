"""What reading a text alone finds: names that nothing defines, and little else."""

import textwrap
from pathlib import Path

import pytest

from playground.model.resources import kernels_dir
from playground.ui.editor.live_findings import live_findings

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n"
KERNEL = (
    HEAD
    + """
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, tl.exp(x))
"""
)


def found(text):
    return [
        (finding.severity, finding.line, finding.column, finding.message, finding.hint)
        for finding in live_findings(textwrap.dedent(text), "/home/me/case.py")
    ]


def test_a_sound_kernel_has_none():
    assert found(KERNEL) == []


@pytest.mark.parametrize("path", sorted(Path(kernels_dir()).glob("*.py")), ids=lambda p: p.stem)
def test_the_bundled_kernels_have_none(path):
    assert live_findings(path.read_text(), str(path)) == ()


def test_an_undefined_name_is_told_with_what_was_meant():
    text = KERNEL.replace("offsets < n", "offset < n")
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "offset < n" in each)
    column = text.splitlines()[line - 1].index("offset < n")
    assert found(text) == [
        ("error", line, column, "offset is not defined", "did you mean offsets?")
    ]


def test_a_missing_import_is_told_with_the_line_to_write():
    assert found("x = np.zeros(3)\n") == [
        ("error", 1, 4, "np is not defined", "write `import numpy as np` at the top")
    ]


def test_a_name_that_the_language_lacks():
    text = KERNEL.replace("tl.exp(x)", "tl.expp(x)")
    ((severity, _, column, message, hint),) = found(text)
    assert (severity, message) == ("error", "there is no tl.expp in this triton")
    assert hint == "did you mean tl.exp?"
    assert column == "    tl.store(x_ptr + offsets, ".__len__()


def test_a_name_that_is_asked_for_first_may_be_missing():
    text = HEAD + 'if hasattr(tl, "newer"):\n    f = tl.newer\n'
    assert found(text) == []


def test_columns_count_letters_not_bytes():
    ((_, line, column, message, _),) = found('größe = "äöü", wert\n')
    assert (line, column, message) == (1, 15, "wert is not defined")


def test_what_is_only_unused_or_unusual_is_not_told():
    assert found("import os\n\n\ndef f():\n    y = 1\n    return f''\n") == []
    assert found("from torch import *\nx = zeros(3)\n") == []


def test_what_fails_when_it_is_compiled():
    ((severity, line, _, message, _),) = found("return 3\n")
    assert (severity, line) == ("error", 1)
    assert "return" in message


def test_text_that_is_no_python_is_left_to_the_outline():
    assert found("def f(:\n") == []
