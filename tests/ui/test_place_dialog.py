"""Choosing where the engine runs."""

import json

import pytest

from playground.ui.kernel_remote import RemotePlace
from playground.ui.place_dialog import PlaceDialog
from tests.ui.windows import open_window


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    with open_window(tmp_path, qapp) as made:
        yield made


def dialog_of(window, now=""):
    dialog = PlaceDialog(window.settings, now, window)
    dialog.told = []
    dialog.chosen.connect(dialog.told.append)
    return dialog


def test_a_host_is_handed_on_and_remembered(window):
    dialog = dialog_of(window)
    assert dialog.here.isChecked()
    assert not dialog.host.isEnabled()
    dialog.ssh.setChecked(True)
    dialog.accept()
    assert "give a host" in dialog.problem.text()
    dialog.host.setText("gpu01")
    dialog.python.setText("/opt/py/bin/python")
    dialog.accept()
    assert dialog.told == [RemotePlace("gpu01", "", "/opt/py/bin/python")]
    assert window.settings.remote_place == ("gpu01", "", "/opt/py/bin/python")
    again = dialog_of(window, "at gpu01")
    assert again.ssh.isChecked()
    assert again.host.text() == "gpu01"
    again.reject()


def test_a_connection_file_must_be_one(window, tmp_path):
    dialog = dialog_of(window)
    dialog.kernel.setChecked(True)
    dialog.file.setText(str(tmp_path / "k.json"))
    dialog.accept()
    assert "cannot read" in dialog.problem.text()
    ports = {f"{name}_port": 1 for name in ("shell", "iopub", "stdin", "control", "hb")}
    (tmp_path / "k.json").write_text(
        json.dumps({"transport": "tcp", "ip": "127.0.0.1", "key": "x", **ports})
    )
    dialog.accept()
    assert dialog.told == [RemotePlace("", str(tmp_path / "k.json"))]


def test_the_status_bar_tells_place_and_latency(window, monkeypatch):
    monkeypatch.setattr(type(window.engine), "place", property(lambda _self: "at gpu01"))
    window.engine.latencyMeasured.emit(12.34)
    assert "at gpu01, 12.3 ms away" in window.statusBar().state.text()
