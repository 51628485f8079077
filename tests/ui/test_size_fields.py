"""Problem sizes above the editor: beside the driver where there is room, else below it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDockWidget, QSpinBox

from playground.model.resources import kernels_dir
from tests.ui.windows import open_window

FEW, MANY = "vector_add.py", "flash_attention.py"


def spins(window) -> list[QSpinBox]:
    return [each for each in window.drivers.findChildren(QSpinBox) if each.isVisible()]


@pytest.mark.parametrize("name", [FEW, MANY])
@pytest.mark.parametrize("size", [(1280, 800), (1600, 1000)])
def test_no_panel_is_pushed_aside_by_sizes(name, size, tmp_path, qapp, qtbot):
    with open_window(tmp_path, qapp, size=size) as window:
        docks = [window.findChild(QDockWidget, f"dock.{each}") for each in ("launches", "timings")]
        empty = [dock.width() for dock in docks]
        window.document.open_file(str(kernels_dir() / name))
        qtbot.waitUntil(lambda: bool(spins(window)))
        qapp.processEvents()
        assert [dock.width() for dock in docks] == empty


def test_sizes_go_below_where_the_room_is_too_narrow_and_come_back(tmp_path, qapp, qtbot):
    with open_window(tmp_path, qapp, path=kernels_dir() / MANY) as window:
        bar = window.drivers
        qtbot.waitUntil(lambda: len(spins(window)) == 4)

        def middles() -> set[int]:
            return {each.mapTo(bar, each.rect().center()).y() for each in spins(window)}

        def whole() -> bool:
            return all(
                bar.rect().contains(each.mapTo(bar, each.rect().bottomRight()))
                for each in spins(window)
            )

        for docked in window.findChildren(QDockWidget):
            docked.hide()
        qtbot.waitUntil(lambda: bar.width() > 1200)
        run = bar.run.geometry().center().y()
        assert all(abs(middle - run) <= 2 for middle in middles())
        window.resize(560, 800)
        qtbot.waitUntil(lambda: min(middles()) > bar.run.geometry().bottom())
        qtbot.waitUntil(whole)
        window.resize(1600, 800)
        qtbot.waitUntil(lambda: all(abs(middle - run) <= 2 for middle in middles()))


def test_a_field_is_as_wide_as_its_number(tmp_path, qapp, qtbot):
    with open_window(tmp_path, qapp, path=kernels_dir() / FEW) as window:
        qtbot.waitUntil(lambda: bool(spins(window)))
        (spin,) = spins(window)
        narrow = spin.width()
        spin.setValue(2**30)
        assert window.document.sizes["size"] == 2**30
        qtbot.waitUntil(lambda: spin.width() > narrow)
        text = spin.lineEdit()
        assert text.width() > text.fontMetrics().horizontalAdvance(text.text())
