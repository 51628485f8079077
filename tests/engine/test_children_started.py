"""Which lines of a file start processes, and what function those call."""

import ast

import pytest

from playground.engine.children_started import starts


@pytest.mark.parametrize(
    ("text", "line", "function"),
    [
        ("import subprocess\nsubprocess.check_call(['x'])", 2, ""),
        ("from subprocess import Popen as start\nstart('x')", 2, ""),
        ("import os\nos.system('x')", 2, ""),
        ("import os\nif os.fork():\n    pass", 2, ""),
        ("import torch.multiprocessing as mp\ndef f(r): ...\nmp.spawn(f, nprocs=2)", 3, "f"),
        ("import torch\ndef work(r): ...\ntorch.multiprocessing.spawn(work)", 3, "work"),
        (
            "import torch.multiprocessing\ndef work(r): ...\ntorch.multiprocessing.spawn(work)",
            3, "work",
        ),
        ("from torch import multiprocessing as m\ndef work(r): ...\nm.spawn(work)", 3, "work"),
        ("import multiprocessing as mp\ndef f(): ...\nmp.Process(target=f).start()", 3, "f"),
        (
            "import multiprocessing\ndef f(): ...\n"
            "multiprocessing.get_context('spawn').Process(target=f).start()",
            3, "f",
        ),
        (
            "from multiprocessing import Pool\ndef f(x): ...\nwith Pool() as p:\n    p.map(f, [1])",
            3, "f",
        ),
        (
            "from concurrent.futures import ProcessPoolExecutor\ndef f(x): ...\n"
            "with ProcessPoolExecutor() as pool:\n    pool.submit(f, 1)",
            3, "f",
        ),
    ],
)  # fmt: skip
def test_a_start_is_found_with_what_it_calls(text, line, function):
    (start,) = starts(ast.parse(text))
    assert (start.line, start.function) == (line, function)


@pytest.mark.parametrize(
    "text",
    [
        "import runner\nrunner.run('x')",
        "def run(x): ...\nrun(1)",
        "import os\nos.path.join('a', 'b')",
        "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(print)",
        "import multiprocessing\nmultiprocessing.cpu_count()",
    ],
)
def test_other_calls_start_nothing(text):
    assert starts(ast.parse(text)) == []


def test_a_long_call_is_told_by_its_name():
    (start,) = starts(ast.parse(f"import subprocess\nsubprocess.run({['x' * 30] * 4})"))
    assert start.text == "subprocess.run(…)"
