"""Text files are saved as they were: bytes' style, mode, links, and never half."""

import os
import stat
from pathlib import Path

import pytest

from playground.ui.files import FileProblem, TextFile, read_text_file, write_text_file
from tests.full_disks import full_disk, read_only_folder


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        (b"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("# \u00b5s\n".encode(), "# \u00b5s\n"),
        ("# -*- coding: latin-1 -*-\n# \u00b5s\n".encode("latin-1"),
         "# -*- coding: latin-1 -*-\n# \u00b5s\n"),
        (b"no newline at the end", "no newline at the end"),
        (b"", ""),
    ],
)  # fmt: skip
def test_an_unchanged_text_is_written_back_byte_for_byte(
    tmp_path: Path, data: bytes, text: str
) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(data)
    file = read_text_file(str(path))
    assert file.text == text
    write_text_file(str(path), file)
    assert path.read_bytes() == data


def test_the_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    path.chmod(0o750)
    write_text_file(str(path), TextFile("x = 2\n"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    mask = os.umask(0o022)
    try:
        write_text_file(str(path), TextFile("x = 2\n"))
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    real = tmp_path / "real.py"
    real.write_text("x = 1\n")
    link = tmp_path / "link.py"
    link.symlink_to(real)
    write_text_file(str(link), TextFile("x = 2\n"))
    assert link.is_symlink()
    assert real.read_text() == "x = 2\n"


def test_a_failed_write_leaves_the_old_text_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("# -*- coding: ascii -*-\n")
    file = TextFile("# -*- coding: ascii -*-\n# \u00b5\n", "ascii")
    with pytest.raises(FileProblem, match="coding line"):
        write_text_file(str(path), file)
    assert path.read_text() == "# -*- coding: ascii -*-\n"
    assert os.listdir(tmp_path) == ["k.py"]


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot save"):
        write_text_file(str(tmp_path / "no" / "k.py"), TextFile("x\n"))


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(FileProblem, match="as text"):
        read_text_file(str(path))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot read"):
        read_text_file(str(tmp_path / "none.py"))


def test_a_full_disk_keeps_the_old_text_whole(tmp_path: Path) -> None:
    with full_disk(tmp_path, 64 * 1024) as folder:
        path = folder / "k.py"
        path.write_text("x = 1\n")
        with pytest.raises(FileProblem, match="No space left"):
            write_text_file(str(path), TextFile("x = 2\n" * 50_000))
        assert path.read_text() == "x = 1\n"
        assert os.listdir(folder) == ["k.py"]


def test_a_read_only_folder_keeps_the_text(tmp_path: Path) -> None:
    with read_only_folder(tmp_path, {"k.py": "x = 1\n"}) as folder:
        with pytest.raises(FileProblem, match="Read-only"):
            write_text_file(str(folder / "k.py"), TextFile("x = 2\n"))
        assert (folder / "k.py").read_text() == "x = 1\n"


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("x = 1\n")
    path.chmod(0o444)
    with pytest.raises(FileProblem, match="read-only"):
        write_text_file(str(path), TextFile("x = 2\n"))
    assert path.read_text() == "x = 1\n"
