"""The table of styles: what each file of `styles/` says of itself, and whether it came out so.

A style is a small file written as a project would write it. Its first lines are its row of the
table: lines `#: key = value`, which together are TOML. A file without them is a helper module.
"""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

STYLES = Path(__file__).parent / "styles"

_LONGEST = 1200

Facts = dict[str, Any]
"""What a run of one style came to, as plain data (see `style_run.facts_of`)."""


@dataclass(frozen=True)
class Style:
    """One row of the table.

    `launches` are the kernels as captured (none: the file only ends in findings). `findings`,
    `compile`, `coverage`, `export` and `interpreter` hold parts of what the app must say. The keys
    with `gpu_` are what a GPU shows instead, where that differs.
    """

    path: Path
    style: str
    driver: str | None = None
    launches: tuple[str, ...] = ()
    counts: tuple[int, ...] | None = None
    launch: int = 0
    replay: dict[str, Any] = field(default_factory=dict)
    verdict: str = "correct"
    route: str = "launch"
    bound: tuple[str, ...] = ()
    knobs: dict[str, Any] = field(default_factory=dict)
    presets: int | None = None
    findings: tuple[str, ...] = ()
    stores: dict[str, int] = field(default_factory=dict)
    loads: dict[str, int] = field(default_factory=dict)
    interpreter: str = ""
    compile: bool | str = True
    coverage: str = ""
    export: bool | str = True
    triton: str = ""
    gpu: bool = True
    benchmarks: bool = False
    tuning: bool = False
    gpu_findings: tuple[str, ...] | None = None
    gpu_verdict: str = ""

    @property
    def name(self) -> str:
        """The file's name, or the folder's for a package."""
        return self.path.relative_to(STYLES).with_suffix("").parts[0]

    def on_gpu(self) -> Style:
        """Return the row as it holds where the kernels run on a GPU."""
        verdict = self.gpu_verdict or ("correct" if self.verdict == "unjudged" else self.verdict)
        findings = self.findings if self.gpu_findings is None else self.gpu_findings
        changed: dict[str, Any] = {"verdict": verdict, "findings": findings, "interpreter": ""}
        judged = verdict != "unjudged"
        if isinstance(self.export, str) and "not judged" in self.export and judged:
            changed["export"] = True
        kept = {item.name: getattr(self, item.name) for item in fields(self)}
        return Style(**{**kept, **changed})


class StyleError(ValueError):
    """A header that is no row of the table."""


def header_of(path: Path) -> dict[str, Any] | None:
    """Return the header of a file as a table, or None when it has none."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#:"):
            if lines:
                break
            if line.strip() and not line.startswith("#!"):
                return None  # a header comes first
            continue
        lines.append(line[2:].strip())
    if not lines:
        return None
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        raise StyleError(f"{path}: {error}") from error


def read_style(path: Path) -> Style | None:
    """Return the row that a file holds, or None for a helper module.

    Raises
    ------
    StyleError
        The header is no TOML, has an unknown key or lacks `style`.
    """
    header = header_of(path)
    if header is None:
        return None
    known = {item.name for item in fields(Style)} - {"path"}
    unknown = sorted(set(header) - known)
    if unknown or "style" not in header:
        raise StyleError(f"{path}: unknown keys {unknown}" if unknown else f"{path}: no style")
    row = {key: tuple(value) if isinstance(value, list) else value for key, value in header.items()}
    return Style(path, **row)


def all_styles() -> list[Style]:
    """Return every row: the files of `styles/`, and one file in each package there."""
    places = sorted(STYLES.glob("*.py")) + sorted(STYLES.glob("*/**/*.py"))
    return [style for path in places if (style := read_style(path)) is not None]


def runs(style: Style) -> bool:
    """Tell whether the installed Triton is one that the style is written for."""
    if not style.triton:
        return True
    match = re.fullmatch(r"(>=|<)\s*(\d+)\.(\d+)", style.triton)
    if match is None:
        raise StyleError(f"{style.path}: triton = {style.triton!r} is neither >=X.Y nor <X.Y")
    wanted = (int(match[2]), int(match[3]))
    major, minor = importlib.metadata.version("triton").split(".")[:2]
    newer = (int(major), int(minor)) >= wanted
    return newer if match[1] == ">=" else not newer


def problems(style: Style, facts: Facts, *, gpu: bool = False) -> list[str]:
    """Return a line for everything that is not as the row says, each naming its step."""
    if "died" in facts:
        return [f"process: {facts['died']}"]
    row = style.on_gpu() if gpu else style
    found = [
        f"{step}: raised {text}"
        for step, text in facts["raised"].items()
        if step != "export" and not (step == "coverage" and row.coverage and row.coverage in text)
    ]
    found += _run(row, facts["run"])
    found += [f"leaves behind: {item}" for item in facts["left"]]
    found += _said(row, facts)
    if row.launches and facts["run"] and len(facts["run"]["launches"]) > row.launch:
        found += _compile(row, facts["compile"])
        if not row.interpreter:
            found += _check(row, facts)
            found += _coverage(row, facts["coverage"])
            found += _export(row, facts)
            if gpu and not facts["bench_ms"]:
                found.append(f"bench: {facts['bench_ms']} ms")
    return [_shown(line) for line in found]


def table(styles: list[Style], outcomes: dict[str, list[str]]) -> str:
    """Return one line a style: its name, and ok or what was found."""
    width = max((len(style.name) for style in styles), default=0)
    lines = []
    for style in styles:
        told = outcomes.get(style.name, ["not run"]) or ["ok"]
        lines += [
            f"{style.name if not number else '':<{width}}  {text}"
            for number, text in enumerate(told)
        ]
    return "\n".join(lines)


def seconds(facts: dict[str, Facts]) -> str:
    """Return what each step took in all styles together."""
    total: dict[str, float] = {}
    for found in facts.values():
        for step, took_s in found.get("seconds", {}).items():
            total[step] = total.get(step, 0.0) + took_s
    return ", ".join(f"{step} {took_s:.1f} s" for step, took_s in total.items())


def _run(row: Style, run: dict[str, Any] | None) -> list[str]:
    if run is None:
        return []  # what it raised is told already
    found = []
    names = [launch["kernel"] for launch in run["launches"]]
    if names != list(row.launches):
        said = "; ".join(_texts(run["findings"])) or "no finding"
        found.append(f"run: captured {names}, not {list(row.launches)} ({said})")
        return found
    counts = [launch["count"] for launch in run["launches"]]
    if row.counts is not None and counts != list(row.counts):
        found.append(f"run: counts {counts}, not {list(row.counts)}")
    if not row.launches:
        return found
    launch = run["launches"][row.launch]  # all that the row names are there
    for name, value in row.knobs.items():
        if launch["config"].get(name) != value:
            found.append(f"run: {name} is {launch['config'].get(name)!r}, not {value!r}")
    if row.presets is not None and launch["presets"] != row.presets:
        found.append(f"run: {launch['presets']} presets, not {row.presets}")
    return found


def _said(row: Style, facts: Facts) -> list[str]:
    """Compare what the app said with what it should have."""
    said = facts["findings"]
    texts = [f"{item['message']} {item['hint']}" for item in said]
    found = [
        f"findings: none says {part!r}; said: {_texts(said)}"
        for part in row.findings
        if not any(part in text for text in texts)
    ]
    wanted = [*row.findings, row.interpreter, row.compile, row.export]
    allowed = [part for part in wanted if isinstance(part, str) and part]
    checked = facts.get("check") or {}
    if checked.get("status") == "wrong" and row.verdict == "wrong":
        allowed.append(checked["text"])
    for item, text in zip(said, texts, strict=True):
        if item["severity"] == "error" and not any(part in text for part in allowed):
            place = f"line {item['line']}: " if item["line"] else ""
            found.append(f"findings: unexpected error in {item['step']}: {place}{text}")
    if row.interpreter and not any(row.interpreter in text for text in [*texts, _note(facts)]):
        found.append(f"interpreter: no reason says {row.interpreter!r}; said: {_texts(said)}")
    return found


def _compile(row: Style, compiled: dict[str, Any] | None) -> list[str]:
    if compiled is None:
        return []
    if row.compile is True and not compiled["fits"]:
        return [f"compile: failed: {_texts(compiled['findings'])}"]
    if isinstance(row.compile, str) and row.compile not in " ".join(_texts(compiled["findings"])):
        return [f"compile: nothing says {row.compile!r}: {_texts(compiled['findings'])}"]
    return []


def _check(row: Style, facts: Facts) -> list[str]:
    checked = facts["check"]
    if checked is None:
        return []
    found = []
    if checked["status"] != row.verdict:
        found.append(f"check: {checked['text']}, not {row.verdict} (by {checked['route']})")
    if checked["status"] != "unjudged" and checked["route"] != row.route:
        found.append(f"check: by way of the {checked['route']}, not the {row.route}")
    missing = [name for name in row.bound if name not in facts["bound"]]
    if missing:
        found.append(f"check: {missing} not marked as bound to the data; {facts['bound']} are")
    return found


def _coverage(row: Style, counted: dict[str, Any] | None) -> list[str]:
    if counted is None:
        return []
    found = []
    for kind, wanted in (("stores", row.stores), ("loads", row.loads)):
        for name, total in wanted.items():
            got = counted["tensors"].get(name, {}).get(kind)
            if got != total:
                found.append(f"coverage: {got} {kind} of {name}, not {total}: {counted['tensors']}")
    return found


def _export(row: Style, facts: Facts) -> list[str]:
    if row.export is False:
        return []
    exported, raised = facts["export"], facts["raised"].get("export", "")
    proof = facts.get("proof") or {"rc": None, "output": ""}
    if row.export is True:
        if exported is None:
            return [f"export: raised {raised}"]
        if proof["rc"] != 0:
            return [f"export: --check ended with {proof['rc']}: {proof['output'][-1500:]}"]
        return []
    told = [raised, proof["output"], *(_texts(exported["findings"]) if exported else ())]
    if not any(row.export in text for text in told):
        return [f"export: nothing says {row.export!r}: {told}"]
    if exported is not None and "not judged" in proof["output"] and not _foretold(exported):
        return [f"export: no finding says that --check does not judge: {proof['output'][-300:]}"]
    return []


def _foretold(exported: Facts) -> bool:
    """Tell whether a finding said at export that the check has no verdict without a GPU."""
    return any("--check" in item["message"] for item in exported["findings"])


def _note(facts: Facts) -> str:
    checked = facts.get("check")
    return str(checked["text"]) if checked else ""


def _texts(findings: list[dict[str, Any]]) -> list[str]:
    return [f"{item['severity']}: {item['message']} - {item['hint']}" for item in findings]


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"
