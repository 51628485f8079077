"""The planted faults by name: how severe the finding is, and the line that it must name.

Read from the file's text, so that it can be had without importing Triton.
"""

import re
from pathlib import Path

_TEXT = Path(__file__).with_name("faulty.py").read_text()
CASES = dict(re.findall(r'^    "([^"]+)": \(\w+, "(\w+)"\),$', _TEXT, re.MULTILINE))


def line_of(name):
    """Return the 1-based line that ends in the name of the fault."""
    wanted = f"# FAULT {name}"
    (line,) = [n for n, text in enumerate(_TEXT.splitlines(), start=1) if text.endswith(wanted)]
    return line


def check(name, told):
    """Compare what was found of a fault and its twin with what must be."""
    hit = [item for item in told["bad"] if item[:2] == [CASES[name], line_of(name)]]
    assert hit, told["bad"]
    assert all(item[3] for item in hit)  # with a remedy
    assert not [item for item in told["good"] if item[0] == "error"], told["good"]
