"""What is remembered, and what is made of a damaged file."""

import pytest
from PySide6.QtCore import QByteArray

from playground.model.places import settings_file
from playground.ui.settings import RECENT_LIMIT, Settings
from tests.full_disks import read_only_folder


def test_everything_comes_back(tmp_path):
    path = tmp_path / "a" / "window.ini"
    first = Settings(path)
    assert (first.theme, first.recent, first.wrap, first.editor_points) == ("system", [], False, 0)
    first.theme = "dark"
    first.wrap = True
    first.editor_points = 13.5
    first.add_recent("/tmp/with, comma.py")
    first.set_typed_driver("/k.py", "f(1)\ng()")
    assert (first.curve_setup("/k.py"), first.compare_budget_ms) == ("", 0)
    first.set_curve_setup("/k.py", '{"first": {"name": "m = n"}, "chosen": ["config"]}')
    first.compare_budget_ms = 2500.0
    first.set_shortcuts({"run": "F9", "sweep": ""})
    first.save_layout(QByteArray(b"g"), QByteArray(b"l"))
    first.flush()
    second = Settings(path)
    assert second.theme == "dark"
    assert second.wrap
    assert second.editor_points == 13.5
    assert second.recent == ["/tmp/with, comma.py"]
    assert second.typed_driver("/k.py") == "f(1)\ng()"
    assert second.typed_driver("/other.py") == ""
    assert second.curve_setup("/k.py") == '{"first": {"name": "m = n"}, "chosen": ["config"]}'
    assert second.curve_setup("/other.py") == ""
    assert second.compare_budget_ms == 2500
    assert second.shortcuts() == {"run": "F9", "sweep": ""}
    assert (second.geometry, second.layout) == (QByteArray(b"g"), QByteArray(b"l"))
    second.forget_layout()
    second.set_typed_driver("/k.py", "")
    second.set_shortcuts({})
    assert second.layout.isEmpty()
    assert second.typed_driver("/k.py") == ""
    assert second.shortcuts() == {}


def test_recent_files_are_few_and_newest_first(tmp_path):
    settings = Settings(tmp_path / "window.ini")
    for number in range(RECENT_LIMIT + 5):
        settings.add_recent(f"/{number}.py")
    settings.add_recent("/10.py")
    assert len(settings.recent) == RECENT_LIMIT
    assert settings.recent[0] == "/10.py"
    assert len(set(settings.recent)) == RECENT_LIMIT
    settings.clear_recent()
    assert settings.recent == []


def test_a_damaged_file_means_defaults(tmp_path):
    path = tmp_path / "window.ini"
    path.write_text(
        "[look]\ntheme=purple\n[editor]\npoints=large\n[window]\nlayout=3\n\x00\xff[[[",
        encoding="latin-1",
    )
    settings = Settings(path)
    assert settings.theme == "system"
    assert settings.editor_points == 0
    assert settings.layout.isEmpty()


def test_folder_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYGROUND_CONFIG_DIR", str(tmp_path))
    assert settings_file() == tmp_path / "window.ini"
    monkeypatch.delenv("PLAYGROUND_CONFIG_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/x")
    assert str(settings_file()) == "/x/triton-playground/window.ini"


@pytest.mark.parametrize(
    ("text", "why"),
    [("[look]\ntheme=dark\n\0\1[[[", "damaged"), ("[look]\ntheme=dark\nnonsense\n", "damaged"),
     ("[General]\nversion=99\n[look]\ntheme=dark\n", "version 99"),
     ("[General]\nversion=one\n[look]\ntheme=dark\n", "damaged")],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_set_aside(tmp_path, text, why):
    path = tmp_path / "window.ini"
    path.write_text(text)
    settings = Settings(path)
    assert why in settings.note
    (aside,) = tmp_path.glob("window.ini.aside-*")
    assert aside.read_text() == text
    # What can be read of a damaged file stays in use; a newer one may mean something else.
    assert settings.theme == ("system" if "99" in text else "dark")
    settings.flush()
    assert Settings(path).note == ""


def test_a_folder_that_cannot_be_written_means_that_nothing_is_remembered(tmp_path):
    with read_only_folder(tmp_path, {"window.ini": "[look]\ntheme=dark\n"}) as folder:
        settings = Settings(folder / "window.ini")
        assert settings.theme == "dark"
        settings.theme = "light"
        settings.flush()
        assert (folder / "window.ini").read_text() == "[look]\ntheme=dark\n"
