"""Files, names and state of any kind: opened or refused in words, and never changed on the way."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playground.model.remembered import RememberedFile
from playground.model.resources import kernels_dir
from playground.ui.document import Document
from playground.ui.editor.live_findings import live_findings
from playground.ui.file_memory import FileMemory
from playground.ui.files import FileProblem, read_text_file, write_text_file
from playground.ui.settings import Settings
from playground.ui.state_files import read_state, write_state
from tests.fuzzed import damaged, examples, json_values, mutated, texts
from tests.ui.windows import open_window

KERNEL = (kernels_dir() / "vector_add.py").read_text()
CODINGS = (
    b"", b"\xef\xbb\xbf", b"\xff\xfe",
    *(b"# coding: " + name + b"\n" for name in (b"latin-1", b"cp1252", b"no-such", b"utf-16")),
)  # fmt: skip


@examples(50)
@given(
    st.sampled_from(CODINGS),
    st.one_of(st.binary(max_size=300), texts.map(lambda t: t.encode("utf-8", "surrogatepass"))),
)
@example(b"", b"x = 1\r\ny = 2\n")
@example(b"", b"\r\r\n")
def test_any_bytes_are_read_and_saved_whole_or_refused(
    tmp_path: Path, coding: bytes, rest: bytes
) -> None:
    path = tmp_path / "any.py"
    path.write_bytes(coding + rest)
    try:
        file = read_text_file(str(path))
    except FileProblem:
        assert path.read_bytes() == coding + rest
        return
    write_text_file(str(path), file)
    assert read_text_file(str(path)) == file
    if b"\r" not in rest:
        assert path.read_bytes() == coding + rest


@examples(25)
@given(st.one_of(texts, mutated(KERNEL)))
@example("(" * 3000)
@example("x = 1\n" * 2000)
def test_any_text_is_looked_over(text: str) -> None:
    for finding in live_findings(text, "any.py"):
        assert finding.message


@examples(10)
@given(content=st.one_of(texts, mutated(KERNEL)))
@example(content="# a comment\n" * 100_000)
@example(content="(" * 9000)
def test_any_text_is_opened_edited_and_saved(
    document: Document, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "any.py"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    if not document.open_file(str(path)):
        assert document.findings
        return
    text = document.text
    document.set_text(text + "# more\n")
    document.run()  # refused for its syntax, or sent to an engine that is no more than a script
    if document.save():
        assert read_text_file(str(path)).text == text + "# more\n"
    document.work.cancel()


@pytest.mark.parametrize("text", ["\ufeff\ufeffx = 1\n", "x = 1\n# a \u2029 b\n", "\ufdd0\n"])
def test_what_the_editor_cannot_keep_is_told(document: Document, tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.py"
    path.write_text(text, encoding="utf-8")
    document.open_file(str(path))
    (finding,) = [f for f in document.findings if "cannot keep the character U+" in f.message]
    assert finding.line == (2 if "2029" in finding.message else 1)
    assert document.save()
    assert path.read_text(encoding="utf-8") == text


def test_the_editor_keeps_any_text(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp) as window:

        @examples(15)
        @given(st.one_of(texts, mutated(KERNEL)))
        def keeps(text):
            wanted = text.replace("\r\n", "\n").replace("\r", "\n")
            # Told of where a file holds them; half of a character cannot come from a file.
            for odd in ("\u2029", "\ufeff", "\ud800"):
                wanted = wanted.replace(odd, "")
            window.editor.load(wanted)
            assert window.editor.text() == wanted
            window.editor.replace(wanted + "\n# more")
            window.editor.undo()
            assert window.editor.text() == wanted

        keeps()


@examples(40)
@given(st.one_of(st.binary(max_size=300), json_values.map(lambda v: repr(v).encode())))
def test_any_state_file_is_read_or_set_aside(tmp_path: Path, data: bytes) -> None:
    for old in tmp_path.glob("*"):
        old.unlink()
    path = tmp_path / "state.json"
    path.write_bytes(data)
    held, note = read_state(path, RememberedFile, 1)
    assert held is not None or note
    (left,) = tmp_path.glob("state.json*")
    assert left.read_bytes() == data


def test_any_remembered_file_is_put_back_or_set_aside(qtbot, qapp, tmp_path):
    kernel = str(kernels_dir() / "vector_add.py")
    folder = tmp_path / "files"
    with open_window(tmp_path, qapp, path=kernel) as window:
        memory = FileMemory(window.open_files.current, window.area, folder)
        memory.start()
        window.document.run()
        qtbot.waitUntil(lambda: window.document.is_current(window.document.coverage))
        window.document.set_knob("BLOCK_SIZE", 256)
        window.document.pin_baseline()
        memory.keep_now()
        place = memory._place(kernel)
        valid = json.loads(place.read_text())

        @examples(15)
        @given(st.data())
        def put_back(data):
            place.write_text(json.dumps(data.draw(damaged(valid))))
            window.document.open_file(kernel)
            window.document.run()
            qapp.processEvents()
            assert window.document.text == KERNEL

        put_back()
        write_state(place, RememberedFile(kernel), 1)


@examples(20)
@given(st.one_of(st.binary(max_size=300), texts.map(lambda t: t.encode("utf-8", "replace"))))
@example(b"[look]\ntheme=dark\n[editor]\npoints=1e400\n[window]\ngeometry=@ByteArray(")
@example(b"[look]\ntheme=@Variant(\\0\\0\\0\\x7f)\n[files]\nrecent=@Invalid()\n")
def test_any_settings_file_gives_settings(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "window.ini"
    path.write_bytes(data)
    found = Settings(path)
    assert found.theme in ("light", "dark", "system")
    assert 0 <= found.editor_points <= 40
    assert found.compare_budget_ms >= 0
    for each in (found.recent, found.expressions, found.trusted_folders):
        assert all(isinstance(item, str) for item in each)
    assert isinstance(found.shortcuts(), dict)
    assert found.last_open is not None
