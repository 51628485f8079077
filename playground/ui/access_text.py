"""How lines access memory, and how programs get in each other's way, in words."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playground.model.access_site import SECTOR_BYTES
from playground.model.plane import index_text
from playground.ui.views.formatting import bytes_text, count_text, significant

if TYPE_CHECKING:
    from playground.model.access_site import AccessSite
    from playground.model.hazard import Hazard, HazardKind

EFFICIENCY_TIP = (
    f"Of the {SECTOR_BYTES}-byte sectors that its requests of 32 threads touch, the share that "
    "would do for the bytes they ask for: 100 % is perfectly coalesced"
)
REREAD_TIP = (
    "Bytes asked for over different bytes: ×1 touches each once; more is served by L2 or L1 where "
    "it fits, else by memory"
)
MASKED_TIP = "Share of the lanes that the mask switches off: work for nothing"


def efficiency_text(site: AccessSite | LineAccess) -> str:
    """Return the efficiency of a site as a share, `–` where nothing was touched."""
    value = site.efficiency
    return "–" if value is None else share_text(value)


def reread_text(site: AccessSite | LineAccess, digits: int = 3) -> str:
    """Return the re-read factor of a site (`×8`), `–` where nothing was touched."""
    value = site.reread_factor
    if value is None:
        return "–"
    # A whole factor is told as one: exactly 1 is the commonest by far.
    whole = value.is_integer() and value < 1000
    return f"×{value:.0f}" if whole else f"×{significant(value, digits)}"


def share_text(share: float) -> str:
    """Return a share in [0, 1] in per cent, never rounded to all or nothing."""
    if share in (0.0, 1.0):
        return f"{share * 100:.0f} %"
    percent = min(max(share * 100, 0.1), 99.9)
    return f"{percent:.0f} %" if 1 <= percent < 99.5 else f"{percent:.1f} %"


def looked_at_text(site: AccessSite) -> str:
    """Return of which programs the figures of a site are."""
    programs = (
        f"{count_text(site.programs_looked_at)} program{'s' * (site.programs_looked_at != 1)}"
    )
    return f"a sample of {programs}" if site.sampled else f"all {programs}"


_HAZARDS: dict[HazardKind, tuple[str, str]] = {
    "writes differ": (
        "a race: programs store different values",
        "the last one wins by chance; give each element to one program, or use an atomic",
    ),
    "writes agree": (
        "several programs store the same values",
        "it does no harm while they agree, but each of these stores costs",
    ),
    "read and write": (
        "a race: one program loads what another one stores",
        "which comes first is chance; split it into two launches, or read from a copy",
    ),
    "plain and atomic": (
        "a race: one program updates by an atomic what another one loads or stores plainly",
        "use atomics on both sides, or two launches",
    ),
    "unwritten read": (
        "a program loads what nobody has written",
        "initialise the tensor, or store before this load",
    ),
}
"""What each kind of hazard means, and its remedy."""

BENIGN: tuple[HazardKind, ...] = ("writes agree",)


@dataclass(frozen=True)
class LineAccess:
    """All that is known of how one line accesses memory."""

    sites: tuple[AccessSite, ...] = ()
    hazards: tuple[Hazard, ...] = ()

    @property
    def efficiency(self) -> float | None:
        """Least sectors over sectors touched, of all its sites together."""
        touched = sum(site.sectors for site in self.sites)
        return sum(site.sectors_least for site in self.sites) / touched if touched else None

    @property
    def reread_factor(self) -> float | None:
        """Bytes asked for over distinct bytes, of all its sites together."""
        distinct = sum(site.bytes_unique for site in self.sites)
        return sum(site.bytes_looked_at for site in self.sites) / distinct if distinct else None

    @property
    def gravity(self) -> Literal["bad", "warn", "muted"]:
        """The tone of its worst hazard: makes results wrong, may do so, does no harm."""
        grave = [each for each in self.hazards if each.kind not in BENIGN]
        if any(not each.ordered for each in grave):
            return "bad"
        return "warn" if grave else "muted"


def hazard_text(hazard: Hazard) -> str:
    """Return a hazard in one sentence: what, where, which programs."""
    what, _ = _HAZARDS[hazard.kind]
    many = f"{count_text(hazard.elements)} element{'s' * (hazard.elements != 1)}"
    sure = "" if not hazard.ordered else " (unless its atomics put them in order)"
    return (
        f"{what}: {many} of {hazard.tensor}, the first at {index_text(hazard.first)}, "
        f"by {hazard.who}{sure}"
    )


def remedy_text(hazard: Hazard) -> str:
    """Return what to do about a hazard."""
    return _HAZARDS[hazard.kind][1]


def site_sentence(site: AccessSite) -> str:
    """Return the figures of a site in one sentence, for tooltips and screen readers."""
    parts = [f"{site.kind} {', '.join(site.tensors)}: {bytes_text(site.bytes_requested)}"]
    if site.efficiency is not None:
        parts.append(
            f"{efficiency_text(site)} of the {count_text(site.sectors)} sectors needed "
            f"({count_text(site.sectors_least)} would do)"
        )
    if site.reread_factor is not None:
        parts.append(f"each byte asked for {reread_text(site)}")
    if site.masked_off_share:
        parts.append(f"{share_text(site.masked_off_share)} of its lanes masked off")
    return ", ".join(parts)


def tooltip(access: LineAccess, bad: str, stale: str = "") -> str:
    """Return how a line accesses memory as rich text; `bad` is the colour of a grave hazard."""
    parts = []
    for hazard in access.hazards:
        said = escape(hazard_text(hazard))
        grave = hazard.kind not in BENIGN
        head = f"<b style='color:{bad}'>{said}</b>" if grave else f"<b>{said}</b>"
        places = ", ".join(
            f"{place.kind} at {Path(place.file).name + ':' if place.file else 'line '}{place.line}"
            for place in hazard.places
        )
        parts.append(f"{head}<br>{escape(places)}<br>→ {escape(remedy_text(hazard))}")
    for site in access.sites:
        rows = [
            ("efficiency", efficiency_text(site), f"{count_text(site.sectors)} sectors of "
             f"{SECTOR_BYTES} bytes touched, {count_text(site.sectors_least)} would do"),
            ("re-read", reread_text(site), "bytes asked for over different bytes"),
            ("masked off", share_text(site.masked_off_share), "of its lanes"),
            ("asked for", bytes_text(site.bytes_requested), "in the whole launch"),
        ]  # fmt: skip
        table = "".join(
            f"<tr><td>{name}&nbsp;&nbsp;</td><td align='right'><b>{value}</b></td>"
            f"<td>&nbsp;&nbsp;{escape(meaning)}</td></tr>"
            for name, value, meaning in rows
        )
        head = f"<b>{site.kind} {escape(', '.join(site.tensors))}</b>, {looked_at_text(site)}"
        parts.append(f"{head}<table cellspacing='0' cellpadding='1'>{table}</table>")
    if stale:
        parts.append(f"<i>{escape(stale)}</i>")
    return "<br>".join(parts)


def plain(access: LineAccess) -> str:
    """Return how a line accesses memory in one sentence, for screen readers."""
    said = [hazard_text(hazard) for hazard in access.hazards]
    return "; ".join([*said, *(site_sentence(site) for site in access.sites)])
