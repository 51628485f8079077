"""No file is replaced that was not written here."""

import zlib

import pytest

from playground.cli import files


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("x = 1\n")
    return path


def test_a_free_name_is_taken(tmp_path, source):
    wanted = tmp_path / "kernel_tuned.py"
    assert files.free_path(wanted, source, files.is_own_export) == wanted


def test_a_foreign_file_is_left_alone(tmp_path, source):
    wanted = tmp_path / "kernel_tuned.py"
    wanted.write_text("the user's own\n")
    found = files.free_path(wanted, source, files.is_own_export)
    assert found == tmp_path / "kernel_tuned_2.py"
    found.write_text("theirs as well\n")
    assert files.free_path(wanted, source, files.is_own_export).name == "kernel_tuned_3.py"


def test_an_earlier_export_is_replaced_but_never_the_source(tmp_path, source):
    wanted = tmp_path / "kernel_tuned.py"
    wanted.write_text("# add_kernel, tuned with Triton Playground 0.1.0 on 2026-01-01.\n")
    assert files.free_path(wanted, source, files.is_own_export) == wanted
    assert files.free_path(wanted, wanted, files.is_own_export).name == "kernel_tuned_2.py"


def test_a_marked_picture_is_known_again_and_still_a_picture(tmp_path, source):
    from PySide6.QtGui import QImage

    path = tmp_path / "window.png"
    image = QImage(8, 4, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    assert image.save(str(path))
    assert not files.is_own_picture(path)
    files.mark_picture(path)
    assert files.is_own_picture(path)
    again = QImage(str(path))
    assert (again.width(), again.height(), again.pixel(3, 2)) == (8, 4, 0xFF336699)
    data = path.read_bytes()
    start = data.index(b"tEXt")
    length = int.from_bytes(data[start - 4 : start], "big")
    end = start + 4 + length
    assert int.from_bytes(data[end : end + 4], "big") == zlib.crc32(data[start:end])
