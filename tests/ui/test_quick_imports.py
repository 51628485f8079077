"""PySide's look through each module's source is spared for our own modules only."""

import subprocess
import sys

CODE = """
import sys
from PySide6.QtCore import QObject
from shibokensupport import feature
from playground.ui.quick_imports import spare_looks
before, looked = feature._mod_uses_pyside, []
feature._mod_uses_pyside = lambda module: (looked.append(module.__name__), before(module))[1]
assert spare_looks() and spare_looks()
from playground.ui.files import TextFile
import fractions
assert "playground.ui.files" not in looked, looked
assert "fractions" in looked or "fractions" in feature.pyside_feature_dict, looked
assert feature.pyside_feature_dict["playground.ui.files"] == 0
del sys.modules["shibokensupport.feature"]
assert not spare_looks()
"""


def test_only_ours_are_spared():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
