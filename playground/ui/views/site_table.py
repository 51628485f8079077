"""The access sites of a launch as a table: what they ask for, and how well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playground.model.access_site import SECTOR_BYTES
from playground.ui.access_text import (
    EFFICIENCY_TIP,
    MASKED_TIP,
    REREAD_TIP,
    efficiency_text,
    looked_at_text,
    reread_text,
    share_text,
)
from playground.ui.views.formatting import bytes_text, count_text
from playground.ui.views.table_twin import Column, RecordModel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from playground.model.access_site import AccessSite


def _place(site: AccessSite) -> str:
    return f"{Path(site.file).name}:{site.line}" if site.file else str(site.line)


def site_model(parent: QWidget) -> RecordModel[AccessSite]:
    """Return the model of a table with one row a site."""
    return RecordModel(_COLUMNS, parent)


_COLUMNS: tuple[Column[AccessSite], ...] = (
    Column("Line", lambda site: site.line, _place, numeric=True),
    Column("Kind", lambda site: site.kind),
    Column("Tensors", lambda site: ", ".join(site.tensors)),
    Column("Efficiency", lambda site: site.efficiency, efficiency_text,
           tip=lambda site: f"{EFFICIENCY_TIP}. Of {looked_at_text(site)}", numeric=True),
    Column("Re-read", lambda site: site.reread_factor, reread_text,
           tip=lambda site: f"{REREAD_TIP}. Of {looked_at_text(site)}", numeric=True),
    Column("Bytes", lambda site: site.bytes_requested,
           lambda site: bytes_text(site.bytes_requested),
           tip=lambda _site: "Bytes that all its lanes ask for, in the whole launch", numeric=True),
    Column("Lanes", lambda site: site.lanes, lambda site: count_text(site.lanes), numeric=True),
    Column("Masked off", lambda site: site.masked_off_share,
           lambda site: share_text(site.masked_off_share), tip=lambda _site: MASKED_TIP,
           numeric=True),
    Column("Sectors", lambda site: site.sectors, lambda site: count_text(site.sectors),
           tip=lambda site: f"Sectors of {SECTOR_BYTES} bytes touched, by {looked_at_text(site)}",
           numeric=True),
    Column("Least", lambda site: site.sectors_least, lambda site: count_text(site.sectors_least),
           tip=lambda _site: "The fewest sectors that could hold what its requests ask for",
           numeric=True),
    Column("Executions", lambda site: site.executions, lambda site: count_text(site.executions),
           tip=lambda site: f"How often {looked_at_text(site)} came by", numeric=True),
)  # fmt: skip
