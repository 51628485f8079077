"""Import this before anything of PySide6: it keeps Python's own `import` in place.

PySide6 puts a function of its own in its place, which reads the source text of every module that is
imported afterwards to see whether it uses PySide's optional `__feature__` spellings, and keeps that
text in memory. Nothing here uses them, and the window would start later for it.
"""

from __future__ import annotations

import builtins

_plain = builtins.__import__

import PySide6.QtCore  # noqa: E402

builtins.__import__ = _plain

QT_VERSION: str = PySide6.QtCore.qVersion()
