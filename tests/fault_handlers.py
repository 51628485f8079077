"""Which statements handle each fault of the README's table, and where they stand.

A handler is a module, the function in it, and words that only one line of the function holds. Where
the row says that nothing is seen, it is what keeps it so.
"""

from __future__ import annotations

import ast
import importlib.util
from dataclasses import dataclass
from pathlib import Path

_UI, _ENGINE = "playground.ui", "playground.engine"


@dataclass(frozen=True)
class Handler:
    """A statement that deals with a fault."""

    module: str
    function: str
    words: str

    def line(self) -> int:
        """Return the line of the innermost statement that holds the words."""
        spec = importlib.util.find_spec(self.module)
        if spec is None or spec.origin is None:
            raise LookupError(f"{self.module} is not there")
        text = Path(spec.origin).read_text(encoding="utf-8")
        lines = text.splitlines()
        found = set()
        for function in ast.walk(ast.parse(text)):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            if function.name != self.function:
                continue
            for number in range(function.lineno, (function.end_lineno or 0) + 1):
                if self.words in lines[number - 1]:
                    found.add(_statement_at(function, number))
        if len(found) != 1:
            raise LookupError(f"{self.module}.{self.function} has {len(found)} of {self.words!r}")
        return found.pop()


def _statement_at(function: ast.AST, line: int) -> int:
    inner = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(inner)


def _ui(module: str, function: str, words: str) -> Handler:
    return Handler(f"{_UI}.{module}", function, words)


def _engine(module: str, function: str, words: str) -> Handler:
    return Handler(f"{_ENGINE}.{module}", function, words)


_COMES_BACK = _ui("engine_process", "_after_death", "self._launch_later()")
_WARNS = _ui("memory", "_offer", "self._window.area.notices.ask(")
_CHANGED = _ui("document_text", "_on_changed_on_disk", "reload it, or save to put")
_INTERRUPTS = _ui("kernel_process", "interrupt", "os.kill(self.pid, signal.SIGINT)")

HANDLERS: dict[str, tuple[Handler, ...]] = {
    "the driver calls `os._exit`": (
        _engine("drivers", "end", "raise SystemExit(status)"),
        _engine("running", "_execute", "return _ended(session, stop)"),
    ),
    "C code ends the process": (
        _ui("kernel_process", "death", "exited with status"),
        _ui("engine_work", "_plan_rerun", "was not run again because running it"),
        _COMES_BACK,
    ),
    "a segmentation fault": (
        _ui("kernel_process", "death", "was ended by"),
        _COMES_BACK,
    ),
    "the engine is killed": (
        _ui("engine_work", "_plan_rerun", "with the knobs as they stood"),
        _ui("engine_work", "_on_engine_ready", "self.run(self._last_run)"),
        _COMES_BACK,
    ),
    "a config ends the engine": (_ui("engine_work", "_plan_rerun", "are back to what it"),),
    "the engine is restarted by hand": (
        _ui("engine_work", "plan_restart", "with the knobs as they stood"),
    ),
    "a driver eats all memory": (
        _engine("memory_limit", "refusal", "this wants more memory than"),
    ),
    "illegal memory access, sticky CUDA error": (
        _engine("findings", "finding_from_exception", "message.splitlines()[0]"),
        _ui("engine_work", "_recover", "self._engine.restart()"),
    ),
    "a device assertion fails": (
        _engine("findings", "_asserted", "message = f\"tl.device_assert failed"),
    ),
    "GPU memory runs out": (_engine("slips", "hint_for", "return hint"),),
    "a kernel never ends, GPU": (
        _engine("job_watch", "_watch", "end(EndlessKernelError("),
        _engine("server", "_give_up", "self._finish(self._failed(error, request)"),
    ),
    "a kernel never ends, no GPU": (
        _engine("triton_private.interpreter_checks", "_look_up", "self.stopped_by = error"),
        _engine("job_watch", "_watch", "self._send(job, signal.SIGINT)"),
    ),
    "a driver never ends": (
        _engine("findings", "finding_from_exception", '"warning", stage, "interrupted"'),
        _ui("engine_work", "cancel", "self._engine.interrupt()"),
        _INTERRUPTS,
    ),
    "code that no interrupt reaches": (_ui("engine_work", "_look_for_rest", "_NOT_INTERRUPTED"),),
    "compiling hangs": (_engine("compile_pool", "_end_overdue", "compile_crashes.overdue("),),
    "LLVM or ptxas crashes": (_engine("compile_pool", "_take_answer", "compile_crashes.died("),),
    "a config of a sweep hangs or dies": (
        _engine("bench_line", "_try", "still running after"),
        _engine("bench_line", "_try", "its process died"),
    ),
    "a driver prints 100 MB": (
        _ui("console_widget", "_clipped", "characters of output not shown"),
    ),
    "it forks, starts threads, changes folder, Qt, matplotlib's backend, streams, signals, or "
    "patches Triton, torch or builtins": (
        _engine("server", "end_forked", "os._exit(0)"),
        _engine("process_state", "kept", "os.chdir(folder)"),
        _engine("triton_private.patches", "return_modules", "sys.modules[name] = module"),
    ),
    "its threads never end": (_ui("kernel_process", "end", "_kill_group(self.pid)"),),
    "it closes descriptor 1": (Handler("ipykernel.iostream", "write", "self._buffers["),),
    "it calls `sys.exit`": (_engine("running", "_execute", "return _ended(session, stop)"),),
    "it asks for `input()`": (_engine("slips", "hint_for", "return hint"),),
    "console: `input()`": (
        Handler("qtconsole.frontend_widget", "_handle_input_request", "self._readline("),
    ),
    "console: `%reset`": (
        _engine("kernel", "_keep_play", 'setdefault("play", self._session)'),
    ),
    "console: `exit()`": (_engine("kernel", "_explain_exit", "The console stays as long"),),
    "console: `!kill`": (_COMES_BACK,),
    "an interrupt while the engine starts": (
        _ui("engine_process", "interrupt", "return  # one that is still starting"),
    ),
    "an interrupt meets a job's message": (_engine("interrupts", "let_in", "raise KeyboardInte"),),
    "console: an endless loop": (_INTERRUPTS,),
    "the window's comms are taken away": (
        _ui("engine_process", "_take_comms", "findings=(LOST,)"),
    ),
    "a cleaner removes the sockets": (
        _ui("kernel_process", "start_kernel", "folder.mkdir(mode=0o700"),
    ),
    "a message without the session's key": (
        Handler("jupyter_client.session", "deserialize", "Invalid Signature"),
    ),
    "the window crashes or is killed": (_WARNS,),
    "the X server is lost": (_ui("unsaved", "keep_now", "write_state(self._place, now"),),
    "sockets that a crash left": (_ui("socket_folder", "_remove_left_over", "shutil.rmtree("),),
    "the file changes on disk": (
        _CHANGED,
        _ui("editor_area", "_on_changed_on_disk", "self.notices.ask("),
    ),
    "it changes just before a save": (_ui("document_file", "write", "raise ChangedMeanwhile("),),
    "the file is deleted or moved": (
        _ui("document_text", "_on_deleted_on_disk", "save to write the text shown here again"),
    ),
    "two windows on one file": (_ui("memory", "_on_opened", "is open in another window too"),),
    "disk full, read-only folder or file: saving": (
        _ui("document_text", "save", "the text is still here"),
        _ui("files", "_replace", "os.unlink(temporary)"),
        _ui("files", "_replace", 'raise PermissionError(0, "the file is read-only")'),
    ),
    "the same: unsaved text": (_ui("unsaved", "keep_now", "the disk may have room again"),),
    "the same: export": (_ui("file_verbs", "write_export", 'Finding("error", "export"'),),
    "the same: store of sweeps": (
        _engine("sweep_record", "_write", "self._broken = True"),
        _engine("sweep_record", "record_for", "nothing is kept: {error}"),
        _engine("sweep_store", "__init__", "raise StoreError("),
    ),
    "the same: log, settings": (_ui("log_file", "_not_written", "return"),),
    "the store is damaged or newer": (
        _engine("sweep_store", "_set_aside", "was set aside as"),
        _engine("sweep_store", "_why_unusable", "it is of version"),
        _engine("sweep_store", "_why_unusable", 'return f"it is damaged ({answer})"'),
    ),
    "settings are damaged or newer": (
        _ui("settings", "_made_usable", "this program knows"),
        _ui("settings", "_made_usable", "damaged |="),
        _ui("state_files", "set_aside", "shutil.copyfile(path, aside)"),
    ),
    "kept state is damaged or newer": (
        _ui("state_files", "read_state", "it is of version"),
        _ui("state_files", "read_state", "it is damaged"),
    ),
    "state that names code": (
        _ui("document_text", "resume", "self._moved = dict(moved)"),
    ),
    "files of random bytes, odd encodings, BOM, tabs, deep nesting, 100,000 lines": (
        _ui("files", "read_text_file", "as text: {error}"),
        _ui("files", "read_text_file", "would write it differently"),
        _ui("document_text", "open_file", "Finding("),
    ),
    "characters that the editor cannot keep": (
        _ui("document_text", "_not_kept", "the editor cannot keep the character"),
    ),
    "damaged messages, impossible knob values": (
        Handler("playground.protocol.codec", "_decode", 'ProtocolError(f"{kind}: {error}")'),
        Handler("playground.protocol.codec", "_decode", "unknown message"),
        Handler("playground.model.knobs", "validate", "is a whole number, not"),
    ),
    "the clock goes back": (
        _engine("sweep_store", "_now", "max(time.time(), self._last_s"),
    ),
    "anything, in random order": (
        _ui("engine_work", "_on_replay_step", 'current = getattr(reply, "revision"'),
    ),
}  # fmt: skip
"""By the first column of the table."""
