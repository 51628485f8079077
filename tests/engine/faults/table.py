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


# What reads, changes and writes back without an atomic is a race of its load with its store: when
# all programs happen to store the same values, that is told at the load, one line above.
LINES_ABOVE = {"histogram without atomics": (0, 1)}


def check(name, told):
    """Compare what was found of a fault and its twin with what must be."""
    lines = [line_of(name) - above for above in LINES_ABOVE.get(name, (0,))]
    hit = [item for item in told["bad"] if item[0] == CASES[name] and item[1] in lines]
    assert hit, told["bad"]
    assert all(item[3] for item in hit)  # with a remedy
    assert not [item for item in told["good"] if item[0] == "error"], told["good"]
