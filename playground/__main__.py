"""`python -m playground` is the same as `triton-playground`."""

from __future__ import annotations

import sys

from playground.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
