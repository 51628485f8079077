"""A small process that answers what the editor asks about names, so that the window never waits.

It reads requests as JSON lines from standard input, and writes an answer line for each to standard
output. jedi reads source text and stubs; it does not execute the user's file. What only Triton
itself can tell of its language is asked once of a process that imports Triton alone.

A request has `id`, `kind`, `text`, `path`, `folder`, `line` (1-based) and `column`; its answer has
`id` and `kind`, and by kind

- `complete`: `names`, a list of `name` and `type` of what can stand there;
- `item`: `description` of the completion numbered `number` of the request before;
- `describe`: `description` of the name at the place, or null;
- `call`: `description` of what is called around the place, `number` and `keyword` of the argument;
- `define`: `place` where the name is defined, or null.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from functools import cached_property
from pathlib import Path
from typing import Any

from playground.ui.editor.describing import called, definition, describe

MAX_NAMES = 300
LANGUAGE_WAIT_S = 20.0


class Reader:
    """Reads one text at a time; `language` starts to be read when the reader is made."""

    def __init__(self) -> None:
        self._completions: list[Any] = []
        self._own = ("", "")
        root = str(Path(__file__).resolve().parents[3])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        self._asked = subprocess.Popen(
            [sys.executable, "-P", "-m", "playground.engine.language_reference"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip

    @cached_property
    def language(self) -> dict[str, dict[str, str]]:
        """Triton's functions by full name; nothing where triton cannot be imported."""
        try:
            text, _ = self._asked.communicate(timeout=LANGUAGE_WAIT_S)
            found: dict[str, dict[str, str]] = json.loads(text or b"{}")
        except (subprocess.TimeoutExpired, ValueError):
            self.close()
            return {}
        return found

    def close(self) -> None:
        """End the question to Triton, should it still run."""
        if self._asked.poll() is None:
            self._asked.kill()
        self._asked.communicate()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, without its `id` and `kind`."""
        kind = request.get("kind", "complete")
        if kind == "item":
            found = self._completions[request["number"]]
            return {"description": describe(found, self.language, self._own)}
        script = self._script(request)
        line, column = request["line"], request["column"]
        if kind == "complete":
            return {"names": self._complete(script, request)}
        if kind == "define":
            return {"place": definition(script, line, column)}
        if kind == "call":
            call = called(script, request["text"], line, column)
            if call is None:
                return {"description": None}
            name, number, keyword = call
            description = describe(name, self.language, self._own)
            return {"description": description, "number": number, "keyword": keyword}
        names = script.goto(line, column, follow_imports=True) or script.help(line, column)
        return {"description": describe(names[0], self.language, self._own) if names else None}

    def _script(self, request: dict[str, Any]) -> Any:
        import jedi

        self._own = (request["path"], request["text"])
        project = jedi.Project(path=request["folder"] or ".", load_unsafe_extensions=False)
        # This process is expendable, so jedi may look at compiled modules in it; its default is yet
        # another process.
        return jedi.Script(
            request["text"], path=request["path"] or None, project=project,
            environment=jedi.InterpreterEnvironment(),
        )  # fmt: skip

    def _complete(self, script: Any, request: dict[str, Any]) -> list[dict[str, str]]:
        """Return names and types of what can stand at the place."""
        found = script.complete(request["line"], request["column"])[:MAX_NAMES]
        typed_underscore = request["word"].startswith("_")
        self._completions = [
            item for item in found if typed_underscore or not item.name.startswith("_")
        ]
        return [{"name": item.name, "type": item.type} for item in self._completions]


def main() -> int:
    """Answer until standard input ends; of requests of one kind that wait, the newest alone."""
    reader = Reader()
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_take_in, args=(waiting,), daemon=True).start()
    at_end = False
    while not at_end:
        newest: dict[str, dict[str, Any]] = {}
        for line in _drained(waiting):
            at_end = at_end or not line
            request = json.loads(line) if line else None
            if request is not None:
                kind = request.setdefault("kind", "complete")
                newest.pop(kind, None)
                newest[kind] = request
        for kind, request in newest.items():
            answer: dict[str, Any] = {"id": request["id"], "kind": kind}
            try:
                answer |= reader.answer(request)
            # jedi raises many kinds of errors on half-typed code; each means "nothing to offer".
            except Exception as error:
                answer["error"] = repr(error)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()
    reader.close()
    return 0


def _take_in(waiting: queue.SimpleQueue[str]) -> None:
    """Put every line of standard input into the queue; an empty one is its end."""
    for line in sys.stdin:
        waiting.put(line)
    waiting.put("")


def _drained(waiting: queue.SimpleQueue[str]) -> list[str]:
    """Return all that waits, at least one line."""
    lines = [waiting.get()]
    while not waiting.empty():
        lines.append(waiting.get())
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
