"""Colours for the compiler's texts: MLIR, LLVM IR, PTX and the assembly of both vendors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCharFormat, QTextLayout

if TYPE_CHECKING:
    from playground.ui.theme import Theme

_STRING = r'"(?:[^"\\]|\\.)*"'
_NUMBER = r"(?<![\w.%$])-?(?:0x[0-9a-fA-F]+|0[fFdD][0-9a-fA-F]{8,16}|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b"


def _words(text: str) -> str:
    return rf"\b(?:{'|'.join(text.split())})\b"


_DIALECTS = "tt ttg ttng arith scf math gpu nvvm llvm cf"
_MLIR = (
    ("code_comment", r"//.*$|\bloc\(.*$|^#loc.*$"),
    ("code_string", _STRING),
    ("code_decorator", r"@[\w.$]+|#[\w.]+"),
    ("code_keyword", rf"\bmodule\b|\b(?:{'|'.join(_DIALECTS.split())})\.\w+"),
    (
        "code_builtin",
        _words("tensor memdesc vector i1 i8 i16 i32 i64 f16 bf16 f32 f64 index") + r"|!tt\.\w+",
    ),
    ("code_name", r"%[\w.$#-]+"),
    ("code_number", _NUMBER),
)
_LLVM_WORDS = """
    define declare ret br call tail load store phi select getelementptr icmp fcmp add sub mul fadd
    fsub fmul fdiv sdiv udiv srem urem shl lshr ashr and or xor zext sext trunc bitcast insertvalue
    extractvalue insertelement extractelement asm sideeffect target datalayout triple attributes
"""
_LLVM = (
    ("code_comment", r";.*$|!dbg !\d+|^!\d+.*$"),
    ("code_string", _STRING),
    ("code_decorator", r"@[\w.$]+|#\d+"),
    ("code_keyword", _words(_LLVM_WORDS)),
    ("code_builtin", r"\bi\d+\b|" + _words("half bfloat float double void ptr label addrspace")),
    ("code_name", r"%[\w.$-]+"),
    ("code_number", _NUMBER),
)
_PTX_DIRECTIVES = """
    version target address_size visible entry param reg shared global extern align maxntid reqntid
    minnctapersm file section func noreturn
"""
_PTX = (
    ("code_comment", r"//.*$|^\s*\.loc\b.*$"),
    ("code_string", _STRING),
    ("code_decorator", r"\$L[\w$]+:?|@!?%?p\d+"),
    ("code_builtin", r"(?<!\w)\.(?:" + "|".join(_PTX_DIRECTIVES.split()) + r")\b"),
    ("code_keyword", r"^\s*(?:@!?%p\d+\s+)?[a-z]\w*(?:\.[\w:]+)+|\b(?:ret|bra|exit)\b"),
    ("code_name", r"%[\w.]+"),
    ("code_number", _NUMBER),
)
_ASSEMBLY = (
    ("code_comment", r"//.*$|/\*.*?\*/"),
    ("code_decorator", r"^\s*\.\w+.*$|^[\w.$]+:|@!?U?P[T\d]+"),
    ("code_name", r"\bU?R(?:\d+|Z)\b|\bU?P(?:\d|T)\b|\b[sva]\d+\b|\b[sva]\[\d+(?::\d+)?\]"),
    (
        "code_keyword",
        r"\b[A-Z][A-Z0-9]+(?:\.[A-Z0-9_.]+)*\b|\b[sv]_\w+|\b(?:global|buffer|ds|flat)_\w+",
    ),
    ("code_number", _NUMBER),
)
_RULES = {
    "ttir": _MLIR,
    "ttgir": _MLIR,
    "llir": _LLVM,
    "ptx": _PTX,
    "sass": _ASSEMBLY,
    "amdgcn": _ASSEMBLY,
}
MAX_COLUMNS = 1500
"""What stands further right in a line stays plain."""


class IrColours:
    """Colours one stage's text, a line at a time; the first rule that matches a place wins.

    Not a `QSyntaxHighlighter`: that one colours every line when a text is opened, a quarter of a
    second for 5,000 lines; here a line is coloured when it comes into view.
    """

    def __init__(self, stage: str, theme: Theme) -> None:
        self._theme = theme
        rules = _RULES.get(stage, _MLIR)
        self._pattern = re.compile("|".join(f"(?P<{token}>{rule})" for token, rule in rules))
        self._formats: dict[str, QTextCharFormat] = {}
        self.take_theme()

    def take_theme(self) -> None:
        """Use the colours of the theme as it is now."""
        for token in self._pattern.groupindex:
            shape = QTextCharFormat()
            shape.setForeground(self._theme.color(token))
            self._formats[token] = shape

    def formats(self, text: str) -> list[QTextLayout.FormatRange]:
        """Return the coloured ranges of one line."""
        ranges = []
        for found in self._pattern.finditer(text[:MAX_COLUMNS]):
            if found.lastgroup is not None:
                part = QTextLayout.FormatRange()
                part.start = found.start()
                part.length = found.end() - found.start()
                part.format = self._formats[found.lastgroup]
                ranges.append(part)
        return ranges
