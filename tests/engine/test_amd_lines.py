"""Lines of AMD's assembly, read a second time: off the line table that its assembler made of it.

The text has no addresses and no disassembler is at hand, so order stands for them: the places of
the instructions, first to last, are those of the rows of the table by address.
"""

import ast
import itertools
import re
from pathlib import Path

import pytest

from playground.engine import source_lines
from tests.engine import line_tables
from tests.engine.cases_compile.engine import CompileEngine

KERNELS = Path(__file__).parents[2] / "kernels"
INSTRUCTION = re.compile(r"\t[a-z]\w+(\s|$)")


@pytest.fixture(scope="module")
def engine():
    engine = CompileEngine()
    path = KERNELS / "vector_add.py"
    engine.run(path=str(path), text=path.read_text(), driver="example()")
    engine.compile(target="hip:gfx942")  # the worker starts here: it outlasts the tests
    yield engine
    engine.close()


def in_order(places):
    """Return the places with repetitions taken out, by the file's own name."""
    named = [(Path(file).name, line) for file, line in places]
    return [place for place, _ in itertools.groupby(named)]


@pytest.mark.parametrize("name", ["vector_add", "softmax", "matmul"])
@pytest.mark.parametrize("target", ["hip:gfx942", "hip:gfx1100"])
def test_places_are_those_of_the_assemblers_line_table(engine, name, target):
    path = KERNELS / f"{name}.py"
    engine.run(path=str(path), text=path.read_text(), driver="example()")
    asm = engine.compile(target=target, asm=["amdgcn", "hsaco"])["asm"]
    table = line_tables.chains(line_tables.sections(ast.literal_eval(asm["hsaco"]))[".debug_line"])
    chains = source_lines.chains_for("amdgcn", asm["amdgcn"])
    told = [
        chain[0]
        for text, chain in zip(asm["amdgcn"].splitlines(), chains, strict=True)
        if chain and INSTRUCTION.match(text)
    ]
    assert len(told) > 20
    assert in_order(told) == in_order(places[0] for _, places in table)
