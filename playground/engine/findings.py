"""Exceptions turned into findings: where in the user's file, what it means, what to do."""

from __future__ import annotations

import os
import re
import traceback
from typing import TYPE_CHECKING, Any

from playground.engine import device_asserts, memory_limit, slips
from playground.engine.compile_wording import plain_message
from playground.engine.source_text import lines_of
from playground.model.finding import Finding, Stage
from playground.model.outline import syntax_finding

if TYPE_CHECKING:
    from collections.abc import Collection


class FatalError(Exception):
    """The process can no longer be used: its CUDA context is poisoned.

    The cause is the error that said so. Only a new process helps.
    """


class EndlessKernelError(FatalError):
    """A kernel did not end, and the process that waits for it can only be ended."""


class NotCountedError(RuntimeError):
    """What a launch loads and stores cannot be counted; the message says why.

    Everything else can be done with such a launch.
    """


_STICKY = (
    "illegal memory access",
    "unspecified launch failure",
    "misaligned address",
    "device-side assert",
    "illegal instruction",
    "an illegal address",
    "launch timed out",
    "uncorrectable ECC",
)


def is_fatal(error: BaseException | None) -> bool:
    """Tell whether `error` leaves this process's CUDA context unusable."""
    while error is not None:
        if isinstance(error, FatalError):
            return True
        text = str(error)
        if any(words in text for words in _STICKY) and _from_cuda(error, text):
            return True
        error = error.__cause__ or error.__context__
    return False


def _from_cuda(error: BaseException, text: str) -> bool:
    return "CUDA" in text or "cuda" in text or type(error).__name__ == "AcceleratorError"


def finding_from_exception(
    error: BaseException, stage: Stage, *, user_files: Collection[str] = ()
) -> Finding:
    """Return `error` as a finding with a place in the user's files and a remedy where one is known.

    Parameters
    ----------
    stage
        What was being done; errors whose kind is known say better what they are.
    user_files
        The user's files; the traceback in `detail` is cut to their frames.
    """
    user_files = [os.path.abspath(file) for file in user_files]  # as frames name them
    if isinstance(error, FatalError) and error.__cause__ is not None:
        error = error.__cause__
    cause = root_cause(error)
    if isinstance(error, KeyboardInterrupt):
        return Finding(
            "warning", stage, "interrupted", "the engine is alive with all it holds",
            detail=cut_traceback(error, user_files), **_place(error, user_files),
        )  # fmt: skip
    if isinstance(error, SyntaxError):
        return _syntax(error, user_files)
    compile_error = _named(error, "CompilationError")
    if compile_error is not None:
        return _compilation(compile_error, user_files)
    place = _place(error, user_files)
    detail = cut_traceback(error, user_files)
    message = _message(cause if type(error).__name__ == "InterpreterError" else error)
    if isinstance(error, EndlessKernelError):
        return Finding(
            "error",
            "runtime",
            str(error),
            "look for a loop whose condition no program makes false, or one that waits for another "
            "program; the engine is restarted, and its GPU memory is free again",
        )
    if is_fatal(error) and "device-side assert" in message:
        return _asserted(user_files, message, detail, place)
    if is_fatal(error):
        return Finding(
            "error", "runtime", message.splitlines()[0],
            "a program touched memory outside its tensors: check the masks of loads and stores; "
            "the engine must be restarted, the file is kept",
            detail=detail, **place,
        )  # fmt: skip
    resources = _named(error, "OutOfResources")
    if resources is not None:
        return Finding(
            "error", "resources", _resources_message(resources),
            "smaller blocks or fewer num_stages need less", detail=detail, **place,
        )  # fmt: skip
    if refused := memory_limit.refusal(cause):
        return Finding(
            "error", stage, refused,
            "take a smaller problem size; the engine is alive with all it holds "
            "(PLAYGROUND_MEMORY_LIMIT_MB sets another limit)", detail=detail, **place,
        )  # fmt: skip
    if _named(error, "NotCountedError") is not None:
        return Finding(
            "info", stage, str(error),
            "it is compiled, checked and timed all the same; bandwidth needs the bytes of a kernel "
            "in Triton", **place,
        )  # fmt: skip
    not_timed = _named(error, "NotTimedError")
    if not_timed is not None:
        # A question that has no answer here: nothing is wrong with the file.
        return Finding("warning", stage, str(not_timed), getattr(not_timed, "hint", ""), **place)
    workers = _named(error, "WorkersError")
    if workers is not None:
        return Finding("error", stage, str(workers), getattr(workers, "hint", ""))
    hint = slips.hint_for(error, cause)
    if isinstance(cause, SyntaxError):
        # The interpreter cuts the kernel's text at the last line that starts with `def`.
        return Finding(
            "error", stage,
            "the interpreter cut the kernel's source in the wrong place "
            f"({cause.msg if cause.msg else cause})",
            "a line of the docstring or of a nested text starts with `def `: reword it; "
            "the compiler does not mind", detail=detail, **place,
        )  # fmt: skip
    if type(error).__name__ == "InterpreterError":
        # Raised by the kernel's own lines: what the compiler would refuse, for the most part.
        stage = "compile"
        at = place.get("file", ""), place.get("line", 0)
        if isinstance(cause, AssertionError) and not device_asserts.asserts_by_itself(*at):
            # Triton's own, which the compiler makes as well: told in the same words.
            message = plain_message(str(cause), "AssertionError", "")
        elif isinstance(cause, AssertionError):
            at_run_time = device_asserts.is_one(*at)
            kind = "tl.device_assert" if at_run_time else "static assertion"
            message = f"{kind} failed: {cause}".removesuffix(": ")
            hint = "the kernel itself rules this config out"
            if at_run_time:
                stage, hint = "runtime", "some element of a block breaks what the kernel asserts"
    return Finding("error", stage, message, hint, detail=detail, **place)


def _asserted(
    user_files: Collection[str], message: str, detail: str, place: dict[str, Any]
) -> Finding:
    """Return the finding for an assertion that failed on the GPU, which tells no place."""
    found = device_asserts.assertions(user_files)
    if len(found) == 1:
        file, line, text = found[0]
        message = f"tl.device_assert failed: {text}".removesuffix(": ")
        place = {"file": file, "line": line}
        hint = "some element of a block breaks what the kernel asserts"
    else:
        lines = ", ".join(str(line) for _, line, _ in found)
        message = message.splitlines()[0]
        hint = (
            f"one of tl.device_assert on lines {lines}: the console shows which" if found
            else "torch asserts it of an index or a label: the console shows the text"
        )  # fmt: skip
    hint += "; the engine must be restarted, the file is kept"
    return Finding("error", "runtime", message, hint, detail=detail, **place)


def root_cause(error: BaseException) -> BaseException:
    """Return the first exception of a chain of causes."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def cut_traceback(error: BaseException, user_files: Collection[str]) -> str:
    """Return the traceback with the user's frames only; all frames when none is the user's."""
    parts: list[str] = []
    chain: list[BaseException] = []
    walk: BaseException | None = error
    while walk is not None:
        chain.append(walk)
        walk = walk.__cause__
    for item in reversed(chain):
        frames = [
            frame
            for frame in traceback.extract_tb(item.__traceback__)
            if _is_user(frame.filename, user_files)
        ]
        if frames:
            parts.append("Traceback (your frames):\n" + "".join(traceback.format_list(frames)))
        text = "".join(traceback.format_exception_only(item))
        if not parts or text not in parts[-1]:
            parts.append(text)
    if not any(part.startswith("Traceback") for part in parts):
        parts.insert(0, "".join(traceback.format_tb(error.__traceback__)))
    return "".join(parts).rstrip()


def _place(error: BaseException, user_files: Collection[str]) -> dict[str, Any]:
    walk: BaseException | None = error
    found: dict[str, Any] = {}
    while walk is not None:
        for frame in traceback.extract_tb(walk.__traceback__):
            if frame.filename in user_files:
                found = {"file": frame.filename, "line": frame.lineno}
        # A kernel's own error is raised inside the interpreter; its cause has the kernel's line.
        walk = walk.__cause__
    return found


def _is_user(filename: str, user_files: Collection[str]) -> bool:
    return filename in user_files or filename == "<driver>" or filename.startswith("<ipython")


def _message(error: BaseException) -> str:
    text = str(error).strip()
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def _named(error: BaseException, name: str) -> BaseException | None:
    walk: BaseException | None = error
    while walk is not None:
        if any(cls.__name__ == name for cls in type(walk).__mro__):
            return walk
        walk = walk.__cause__
    return None


def _syntax(error: SyntaxError, user_files: Collection[str]) -> Finding:
    path = error.filename or next(iter(user_files), "")
    return syntax_finding(error, path)


def _compilation(error: Any, user_files: Collection[str]) -> Finding:
    line, column, file = _compilation_place(error, user_files)
    text = str(error.error_message or "").strip()
    cause = root_cause(error)
    if not text and cause is not error:
        text = _message(cause)
    if type(error).__name__ == "CompileTimeAssertionFailure":
        message = f"static assertion failed: {text}" if text else "static assertion failed"
        hint = "the kernel itself rules this config out"
    else:
        message = text or str(error).strip().splitlines()[-1]
        hint = slips.hint_for(error, cause)
    return Finding(
        "error", "compile", message, hint, file=file, line=line, column=column, detail=str(error)
    )


def _compilation_place(
    error: Any, user_files: Collection[str]
) -> tuple[int | None, int | None, str | None]:
    # Triton counts lines from the kernel's `def`; the innermost error of a chain names the place in
    # the helper that failed, the outermost the place in the kernel, which is the user's entry.
    inner = error
    while getattr(inner.__cause__, "node", None) is not None:
        inner = inner.__cause__
    line, column = getattr(inner.node, "lineno", None), getattr(inner.node, "col_offset", None)
    source = getattr(inner, "src", None)
    if line is None or not isinstance(source, str):
        return None, None, next(iter(user_files), None)
    for path in user_files:
        start = _line_of(source, path)
        if start is not None:
            return start + line - 1, column, path
    return None, None, next(iter(user_files), None)


def _line_of(source: str, path: str) -> int | None:
    """Return the line of `path` at which the text `source` starts, indentation aside."""
    import linecache

    lines = [line.strip() for line in linecache.getlines(path)]
    wanted = [line.strip() for line in lines_of(source.strip())]
    for start in range(len(lines) - len(wanted) + 1):
        if lines[start] == wanted[0] and lines[start : start + len(wanted)] == wanted:
            return start + 1
    return None


def _resources_message(error: Any) -> str:
    numbers = re.findall(r"\d+", f"{getattr(error, 'required', '')} {getattr(error, 'limit', '')}")
    name = getattr(error, "name", "a resource")
    if len(numbers) == 2:
        unit = " bytes" if "memory" in str(name) else ""
        return f"out of {name}: {numbers[0]}{unit} needed, {numbers[1]} allowed"
    return _message(error)
