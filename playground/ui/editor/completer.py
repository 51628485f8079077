"""A small process that answers completion requests by jedi, so that the window never waits.

It reads requests as JSON lines from standard input, and writes an answer line for each to standard
output. jedi reads source text and stubs; it does not execute the user's file.
"""

from __future__ import annotations

import json
import sys
from typing import Any

MAX_NAMES = 300


def complete(request: dict[str, Any]) -> list[dict[str, str]]:
    """Return names and types of what can stand at `line` (1-based) and `column` of `text`."""
    import jedi

    project = jedi.Project(path=request["folder"] or ".", load_unsafe_extensions=False)
    # This process is expendable, so jedi may look at compiled modules in it; its default is yet
    # another process.
    script = jedi.Script(
        request["text"], path=request["path"] or None, project=project,
        environment=jedi.InterpreterEnvironment(),
    )  # fmt: skip
    found = script.complete(request["line"], request["column"])
    typed_underscore = request["word"].startswith("_")
    return [
        {"name": item.name, "type": item.type}
        for item in found[:MAX_NAMES]
        if typed_underscore or not item.name.startswith("_")
    ]


def main() -> int:
    """Answer until standard input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            names = complete(request)
            answer: dict[str, Any] = {"id": request["id"], "names": names}
        # jedi raises many kinds of errors on half-typed code; each means "nothing to offer here".
        except Exception as error:
            answer = {"id": request["id"], "names": [], "error": repr(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
