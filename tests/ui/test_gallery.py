"""The gallery: every bundled kernel with its picture, its words and whether it runs here."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from playground.model import bundled
from playground.model.bundled import (
    BundledKernel,
    KernelFacts,
    bundled_kernels,
    mark_of,
    picture_of,
)
from playground.model.resources import assets_dir, kernels_dir
from playground.model.targets import known_targets
from playground.ui.gallery import Gallery, GalleryDialog
from playground.ui.theme import Theme
from tests.ui.windows import open_window


@pytest.fixture
def gallery(qtbot):
    made = Gallery(Theme("light"))
    qtbot.addWidget(made)
    made.resize(made.maximumWidth(), 800)
    made.show()
    return made


def names(gallery):
    return [card.kernel.name for card in gallery.cards() if not card.isHidden()]


def test_every_kernel_file_has_card_picture_and_facts():
    files = sorted(path.stem for path in kernels_dir().glob("*.py"))
    assert sorted(kernel.name for kernel in bundled_kernels()) == files
    facts = bundled._facts()
    assert sorted(facts) == files
    for kernel in bundled_kernels():
        picture = QImage(str(picture_of(kernel.name)))
        assert (picture.width(), picture.height()) == (176, 112), kernel.name
        assert kernel.line
        assert kernel.about
        assert set(kernel.facts.targets) <= set(known_targets())
        assert kernel.facts.targets, f"{kernel.name}: python -m tests.benchmarks.gallery"


def test_pictures_differ_and_stay_small():
    files = list((assets_dir() / "gallery").glob("*.png"))
    assert sum(path.stat().st_size for path in files) < 250_000
    for path in files:
        image = QImage(str(path))
        seen = {image.pixel(x, y) for x in range(0, 176, 4) for y in range(0, 112, 4)}
        assert len(seen) > 1, f"{path.name} is one colour"


def test_marks_come_from_the_facts_and_the_machine():
    def marked(target, interpreted="correct", targets=("cuda:90", "cuda:100")):
        facts = KernelFacts(interpreted, targets)
        kernel = BundledKernel(kernels_dir() / "x.py", "X", "Line", "About", facts)
        return mark_of(kernel, target)

    assert marked("cuda:90").text == "runs here"
    assert marked("cuda:80").text == "needs another GPU"
    assert "cuda:90" in marked("cuda:80").why
    assert marked("").text == "runs here"
    assert marked(None).text == "runs without a GPU"
    refused = marked("", interpreted="not judged: because")
    assert (refused.kind, refused.text) == ("gpu", "needs a GPU")
    assert "because" in refused.why


def test_kernels_are_found_by_words_of_what_they_teach(gallery, qtbot):
    assert len(names(gallery)) == len(bundled_kernels())
    QTest.keyClicks(gallery.query, "softmax")
    assert "softmax" in names(gallery)
    assert "vector_add" not in names(gallery)
    gallery.query.setText("nosuchword")
    assert names(gallery) == []
    assert not gallery.findChild(QLabel, "gallery.none").isHidden()
    gallery.query.setText("")
    assert len(names(gallery)) == len(bundled_kernels())


def test_enter_opens_the_first_found_and_down_goes_to_it(gallery, qtbot):
    gallery.query.setText("fp8")
    with qtbot.waitSignal(gallery.fileChosen) as chosen:
        QTest.keyClick(gallery.query, Qt.Key.Key_Return)
    assert chosen.args == [str(kernels_dir() / "matmul_fp8.py")]
    gallery.activateWindow()
    gallery.query.setFocus()
    QTest.keyClick(gallery.query, Qt.Key.Key_Down)
    button = gallery.findChild(QPushButton, "gallery:matmul_fp8")
    assert gallery.focusWidget() is button
    with qtbot.waitSignal(gallery.fileChosen):
        QTest.keyClick(button, Qt.Key.Key_Space)


def test_a_click_anywhere_on_a_card_opens_it(gallery, qtbot):
    card = gallery.cards()[2]
    with qtbot.waitSignal(gallery.fileChosen) as chosen:
        QTest.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.rect().center())
    assert chosen.args == [str(card.kernel.path)]


def test_recent_files_stand_beside_it_and_the_mark_follows_the_engine(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp, mode="interpreter") as window:
        path = tmp_path / "mine.py"
        path.write_text("x = 1\n")
        window.area.show_gallery()
        mark = window.findChild(QLabel, "gallery:vector_add.mark")
        qtbot.waitUntil(lambda: mark.text() == "runs here")
        window.document.open_file(str(path))
        window.document.close_file()
        link = window.findChild(QPushButton, "gallery.recent:0")
        assert (link.text(), str(path) in link.accessibleName()) == ("mine.py", True)
        QTest.mouseClick(link, Qt.MouseButton.LeftButton)
        assert window.document.path == str(path)
        window.actions_table["file.gallery"].trigger()
        dialog = window.findChild(GalleryDialog)
        assert dialog.gallery.findChild(QPushButton, "gallery.recent:0") is not None
        dialog.gallery.query.setText("transpose")
        QTest.keyClick(dialog.gallery.query, Qt.Key.Key_Return)
        assert window.document.path.endswith("transpose.py")
        assert not dialog.isVisible()
