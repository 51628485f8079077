"""What the compiler made of the launch, beyond its report: texts, lines, passes, pairs, targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from playground.ui.document_code import DocumentCode
from playground.ui.document_compilations import DocumentCompilations
from playground.ui.document_fits import DocumentFits
from playground.ui.document_passes import DocumentPasses
from playground.ui.document_stages import DocumentStages

if TYPE_CHECKING:
    from playground.ui.document import Document


class DocumentCompiler(QObject):
    """Holds the five parts; each asks the engine only while somebody looks or asked for it."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.stages = DocumentStages(document)
        self.code = DocumentCode(document)
        self.passes = DocumentPasses(document)
        self.compilations = DocumentCompilations(document)
        self.fits = DocumentFits(document)
