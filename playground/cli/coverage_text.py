"""What people read of a coverage: each tensor's counts, and how well each line accesses memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.cli import programs_text
from playground.cli.text_table import indented, table
from playground.model.config import label as config_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def report(item: dict[str, Any]) -> str:
    """Return a coverage, with its access sites and what was asked for beside it."""

    def per_element(count: dict[str, int]) -> str:
        low, high = count["min"], count["max"]
        return str(low) if low == high else f"{low} to {high}"

    rows = [
        (
            tensor["name"],
            " × ".join(map(str, tensor["shape"])),
            tensor["dtype"],
            f"{tensor['loads']['total']:,}",
            per_element(tensor["loads"]),
            f"{tensor['stores']['total']:,}",
            per_element(tensor["stores"]),
            None if tensor["unwritten"] is None else f"{tensor['unwritten']:,}",
            f"{tensor['multi_written']:,}",
            f"{tensor['out_of_bounds']:,}",
        )
        for tensor in item["tensors"]
    ]
    header = ("tensor", "shape", "dtype", "loads", "each", "stores", "each", "unwritten",
              "by several", "out of bounds")  # fmt: skip
    flops = f", {item['flops']:,} operations of tl.dot" if item["flops"] else ""
    counted = (
        f"coverage of {item['kernel']} under {config_text(item['config'])} "
        f"({item['resolution']}, {item['mode']})\n"
        + indented(table(header, rows))
        + f"\n  {item['bytes_requested']:,} bytes requested, {item['bytes_unique']:,} unique{flops}"
        + _operations(item["operations"])
        + "".join(f"\n  note: {note}" for note in item["notes"])
    )
    sites = [_sites(item["sites"])] if item["sites"] else []
    return "\n".join([counted, *sites, *programs_text.extras(item)])


def _operations(operations: Sequence[Sequence[Any]]) -> str:
    """Return what reductions and scans do, nothing where there are none."""
    named = ", ".join(f"{count:,} of {name}" for name, count in operations)
    return f"\n  element operations: {named}" if named else ""


def _sites(sites: Sequence[dict[str, Any]]) -> str:
    names = {site["file"] for site in sites}
    rows = [
        (
            site["line"] if len(names) == 1 else f"{Path(site['file']).name}:{site['line']}",
            site["kind"],
            ", ".join(site["tensors"]),
            f"{site['bytes_requested']:,}",
            _share(site["efficiency"]),
            "" if site["reread_factor"] is None else f"{site['reread_factor']:.3g}",
            _share(site["masked_off_share"]),
            "sample" if site["sampled"] else "all",
        )
        for site in sites
    ]
    header = ("line", "access", "tensor", "bytes", "of sectors used", "re-read", "masked off",
              "programs looked at")  # fmt: skip
    return "where memory is accessed\n" + indented(table(header, rows))


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
