"""Code by source line, against the line table of the same cubin and against NVIDIA's cuobjdump."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from playground.engine import server_compiler, server_jobs, source_lines
from playground.engine.triton_private.compiled import tool
from playground.protocol import messages
from tests.engine import line_tables
from tests.engine.cases_compile.engine import CompileEngine

KERNELS = Path(__file__).parents[2] / "kernels"
NAMES = ("vector_add", "softmax", "matmul")
CALL = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\w+ )?\s*CALL\S*.*`\((\S+)\)")
INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?\w+ )?\s*([A-Z]\w*)")


@pytest.fixture(scope="module")
def engine():
    engine = CompileEngine()
    _open(engine, "vector_add")
    engine.compile()  # the worker starts here: it outlasts the tests that share it
    yield engine
    engine.close()


@pytest.fixture(scope="module", params=NAMES)
def kernel(engine, request):
    return _open(engine, request.param)


def _open(engine, name):
    path = KERNELS / f"{name}.py"
    engine.run(path=str(path), text=path.read_text(), driver="example()")
    return str(path)


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "cuda:100"])
def test_lines_and_counts_are_those_of_the_line_table(engine, kernel, target, tmp_path):
    code = engine.code(target=target)
    asm = engine.compile(target=target, asm=["sass", "cubin", "ptx", "ttgir"])["asm"]
    cubin = ast.literal_eval(asm["cubin"])
    chains = source_lines.chains_for("sass", asm["sass"])
    found = [
        (int(match[1], 16), match[2], chain)
        for text, chain in zip(asm["sass"].splitlines(), chains, strict=True)
        if (match := INSTRUCTION.match(text))
    ]
    addresses = [address for address, _, _ in found]
    true = line_tables.true_chains(cubin, asm["ptx"], addresses)
    untold = line_tables.untold(cubin, asm["ptx"], addresses)
    text = enumerate(Path(kernel).read_text().splitlines(), 1)
    dot = next((number for number, line in text if "tl.dot(" in line), 0)
    for at, (_, opcode, _) in enumerate(found):
        if opcode == "HGMMA" and untold[at]:
            true[at] = ((kernel, dot),)
    # The line table gives what fills up the code's end the place of the last instruction.
    filled = _filling([opcode for _, opcode, _ in found])
    assert filled >= 2
    true[-filled:] = [()] * filled
    assert [chain for _, _, chain in found] == true

    # A subroutine that the assembler added counts for the line that calls it as well.
    functions = line_tables.functions(cubin)
    callers = [
        (functions[match[2]], {line for file, line in chain if file == kernel})
        for text, chain in zip(asm["sass"].splitlines(), chains, strict=True)
        if (match := CALL.match(text))
    ]
    by_line, elsewhere, barriers = Counter(), 0, Counter()
    for (address, opcode, _), places in zip(found, true, strict=True):
        lines = {line for file, line in places if file == kernel}
        for (begin, end), calling in callers:
            lines |= calling if begin <= address < end else set()
        by_line.update(lines)
        elsewhere += not lines
        barriers.update(lines if opcode == "BAR" else ())
    assert {item["line"]: _instructions(item) for item in code["lines"]} == by_line
    assert {item["line"]: item["barriers"] for item in code["lines"] if item["barriers"]} == (
        barriers
    )
    assert code["elsewhere"] == elsewhere
    total = sum(count for _, count in code["total"])
    assert total == len(found)

    path = tmp_path / "kernel.cubin"
    path.write_bytes(cubin)
    printed = subprocess.run(
        [tool("cuobjdump"), "-sass", str(path)], capture_output=True, text=True, check=True
    ).stdout
    assert total == len(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/ +.*;", printed, re.MULTILINE))
    assert code["notes"] == []
    assert dict(code["total"]).get("other", 0) == _padding(asm["sass"])
    conversions = asm["ttgir"].count("= ttg.convert_layout")
    assert sum(item["conversions"] for item in code["lines"]) == conversions


def test_the_window_asks_for_it():
    assert server_compiler.JOBS[messages.GetCode] is server_jobs.JOBS[messages.GetCode]
    assert server_jobs.STAGES[messages.GetCode] == "compile"


def test_compiled_code_is_taken_apart_beside_the_thread_of_jobs(engine, kernel):
    assert engine.beside(stage="sass", target="cuda:90") == {
        "GetIr": "Ir",
        "GetCode": "Code",
        "CompareCompilations": "ComparedCompilations",
        "GetStageDiff": "StageDiff",
    }


def test_a_config_that_does_not_compile_says_so(engine):
    path = KERNELS / "vector_add.py"
    text = path.read_text().replace("tl.store(out_ptr + offsets, x + y", "tl.store(out_ptr, x + y")
    engine.run(path=str(path), text=text, driver="example()")
    answer = engine.ask("code", target="cuda:90")
    assert answer["error"] == "StageError"
    assert "no machine code" in answer["message"]


def _instructions(item):
    return sum(count for _, count in item["counts"])


def _filling(opcodes):
    """Return how many instructions stand at the end of the code: NOPs and the branch before."""
    count = next(at for at, opcode in enumerate(reversed(opcodes)) if opcode != "NOP")
    return count + (opcodes[-1 - count] == "BRA")


def _padding(sass):
    return len(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(NOP\b|@!U?PT )", sass, re.MULTILINE))
