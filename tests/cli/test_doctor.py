"""`doctor` tells what works here, each line with a status, and what to do about the rest."""

import pytest

from playground.cli import doctor, qt_libraries
from tests.cli.documents import check_document


def test_this_machine_is_examined_to_the_end(call_afresh):
    done = call_afresh("doctor", "--json")
    check_document(done.document, "doctor")
    checks = {check["name"]: check for check in done.document["doctor"]}
    for name in ("Python", "torch", "triton", "CUDA tools", "GPU", "Qt", "display",
                 "compile cache", "settings", "compiler"):  # fmt: skip
        assert name in checks
    failed = [check["text"] for check in checks.values() if check["status"] == "fail"]
    assert failed == []
    assert done.status == 0
    assert checks["display"]["status"] == "warn"
    assert all(check["remedy"] for check in checks.values() if check["status"] == "warn")


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(doctor, "_engine", lambda: [])
    monkeypatch.setattr(doctor, "_fails_in_process", lambda *_args, **_kw: "")


def test_missing_libraries_fail_with_the_command_that_installs_them(quick, monkeypatch):
    monkeypatch.setattr(qt_libraries, "loads", lambda library: library != "libEGL.so.1")
    document = doctor.examine()
    (check,) = [check for check in document["doctor"] if check["name"] == "Qt"]
    assert check["status"] == "fail"
    assert check["remedy"] == "sudo apt-get install -y libegl1"
    assert [item["severity"] for item in document["findings"]] == ["error"]


def test_a_folder_that_cannot_be_written(quick, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file"))
    (check,) = [c for c in doctor.examine()["doctor"] if c["name"] == "compile cache"]
    assert check["status"] == "fail"
    assert "TRITON_CACHE_DIR" in check["remedy"]


def test_an_import_that_fails_is_told_with_its_reason():
    reason = doctor._fails_in_process("raise ImportError('no such library')")
    assert reason == "ImportError: no such library"


def test_gpus_of_others_are_told_with_what_works(tmp_path):
    for number, vendor in enumerate(("0x1002\n", "0x8086\n", "0x10de\n", "0x1002\n")):
        device = tmp_path / f"card{number}" / "device"
        device.mkdir(parents=True)
        (device / "vendor").write_text(vendor)
    amd, intel = doctor.other_gpus(tmp_path)
    assert amd.name == "AMD GPU"
    assert "--target hip:gfx942" in amd.text
    assert "ROCm" in amd.remedy
    assert intel.name == "Intel GPU"
    assert "XPU" in intel.remedy
    assert {amd.status, intel.status} == {"warn"}
    assert doctor.other_gpus(tmp_path / "nowhere") == []
