"""The names of the modelled kernels, read from their file: Triton is not imported here."""

import re
from pathlib import Path

_TEXT = Path(__file__).with_name("modelled.py").read_text()
CASES = re.findall(r"@case\n\s*def (\w+)\(", _TEXT)
