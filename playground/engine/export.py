"""The tuned `.py`: kernel, helpers, host function with the config frozen, and a proof of itself."""

from __future__ import annotations

import ast
import datetime
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import playground
from playground.engine import freeze, proof, source_slice
from playground.engine.source_text import lines_of, read_source
from playground.engine.triton_private import wrappers
from playground.model.finding import Finding
from playground.protocol.messages import Exported

if TYPE_CHECKING:
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.launch import Launch
    from playground.model.measurement import Measurement

_SOURCES = {"cupti": "CUPTI records", "graph": "CUDA graph", "events": "CUDA events"}


def export(session: Session, launch_index: int, config: Config) -> Exported:
    """Return the text of a file that runs alone and proves itself with `--check`.

    Parameters
    ----------
    launch_index
        The launch whose kernel is frozen; its driver is what the exported file runs.

    Raises
    ------
    ValueError
        The launch's host code is not in the file that is open, so there is no text to freeze.
    """
    launch = session.launches[launch_index].info
    findings: list[Finding] = []
    text = session.text
    tree = ast.parse(text)
    outline = session.outline
    kernel = next((item for item in outline.kernels if item.name == launch.kernel), None)
    parameters = kernel.parameters if kernel else tuple(a.name for a in launch.arguments)
    changed = frozenset(
        name for name in config if name not in launch.config or launch.config[name] != config[name]
    )
    edits, left_out = freeze.freeze(
        tree,
        launch.kernel,
        parameters,
        config.as_dict(),
        changed,
        launch.call_line,
        wrappers.tuned_names(session.launches[launch_index].kernel),
    )
    findings.extend(
        replace(told, severity="warning", stage="export")
        for told in session.findings
        if told.severity == "error" and told.stage == "coverage"
    )  # Triton's own interpreter, and a GPU, touch what lies there
    if left_out:
        findings.append(
            Finding(
                "warning",
                "export",
                f"{', '.join(left_out)} could not be written into the launch of {launch.kernel}",
                hint="the launch is not in this file or is not written as kernel[grid](...); "
                "set these by hand where the kernel is launched",
                file=session.path,
                line=launch.call_line,
            )
        )
    frozen = freeze.apply(text, edits)
    body = _body(frozen, _roots(session, launch), Path(session.path), findings)
    stem = Path(session.path).stem
    name = f"{re.sub(r'_tuned$', '', stem)}_tuned.py"
    driver_code = _main_body(session, frozen)
    parts = [
        _header(session, launch, config, name),
        body.docstring,
        body.future,
        proof.preamble(session, launch, driver_code),
        body.code,
        proof.block(session, launch, driver_code, proof.proof_of(session, launch, config)),
    ]
    exported = _joined(parts)
    ast.parse(exported, name)  # an edit that broke the syntax must fail here, not at the user's
    return Exported(exported, name, tuple(findings))


class _Body:
    def __init__(self, docstring: str, future: str, code: str) -> None:
        self.docstring, self.future, self.code = docstring, future, code


def _roots(session: Session, launch: Launch) -> set[str]:
    roots = {launch.kernel}
    driver = session.driver
    if driver is not None and driver.kind == "main":
        for node in ast.parse(session.text).body:
            if isinstance(node, ast.If) and source_slice.is_main(node):
                roots |= _names(node)
    elif driver is not None:
        roots |= _names(ast.parse(driver.code))
    if session.outline.has_reference:
        roots.add("reference")
    return roots


def _names(node: ast.AST) -> set[str]:
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _body(text: str, roots: set[str], path: Path, findings: list[Finding]) -> _Body:
    lines = lines_of(text)
    tree = ast.parse(text)
    docstring = ast.get_docstring(tree, clean=False)
    chunks: list[str] = []
    future: list[str] = []
    for part in source_slice.needed(source_slice.segments(tree, lines), roots):
        node = part.node
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            future.append(ast.unparse(node))
            continue
        helper = _helper_file(node, path.parent)
        if helper is not None:
            chunks.append(_inlined(node, helper, path, findings))
        elif source_slice.is_trimmed(part, tree):
            chunks.append(ast.unparse(node))
        else:
            chunks.append("\n".join(lines[part.first_line - 1 : part.last_line]))
    code = "".join(
        ("" if before is None else _gap(before, chunk)) + chunk
        for before, chunk in zip([None, *chunks], chunks, strict=False)
    )
    return _Body(f'"""{docstring}"""' if docstring else "", "\n".join(future), code)


def _gap(before: str, chunk: str) -> str:
    """Return the line ends between two statements, as formatters set them."""
    importing = ("import ", "from ")
    if before.startswith(importing) and chunk.startswith(importing):
        return "\n"
    return "\n\n" if "\n" not in before and "\n" not in chunk else "\n\n\n"


def _joined(parts: list[str]) -> str:
    kept = [part.strip("\n") for part in parts if part.strip()]
    *front, code, last = kept
    return "\n\n".join([*front, code]) + "\n\n\n" + last + "\n"


def _helper_file(node: ast.stmt, folder: Path) -> Path | None:
    """Return the file beside the kernel file that an import statement names, if it names one."""
    if isinstance(node, ast.ImportFrom) and node.module and node.level in (0, 1):
        name = node.module
    elif isinstance(node, ast.Import):
        name = node.names[0].name
    else:
        return None
    candidate = folder / (name.replace(".", "/") + ".py")
    return candidate if candidate.is_file() else None


def _inlined(node: ast.stmt, helper: Path, path: Path, findings: list[Finding]) -> str:
    if isinstance(node, ast.ImportFrom) and all(
        alias.asname in (None, alias.name) and alias.name != "*" for alias in node.names
    ):
        text = read_source(helper)
        roots = {alias.name for alias in node.names}
        body = _body(text, roots, helper, findings)
        return f"# from {helper.name}\n{body.code}"
    findings.append(
        Finding(
            "warning",
            "export",
            f"the exported file still imports {helper.name}",
            hint=f"write `from {helper.stem} import …` so that what is used can be copied in, or "
            f"keep {helper.name} beside the exported file",
            file=str(path),
            line=node.lineno,
        )
    )
    return ast.unparse(node)


def _main_body(session: Session, frozen: str) -> str:
    """Return the statements the exported file runs, dedented; a driver expression as it is."""
    driver = session.driver
    if driver is None:
        return ""
    if driver.kind != "main":
        return driver.code
    lines = lines_of(frozen)
    for node in ast.parse(frozen).body:
        if isinstance(node, ast.If) and source_slice.is_main(node):
            first, last = node.body[0], node.body[-1]
            start = first.lineno
            while start - 1 > node.lineno and lines[start - 2].lstrip().startswith("#"):
                start -= 1
            return textwrap.dedent("\n".join(lines[start - 1 : last.end_lineno or last.lineno]))
    return ""


def _header(session: Session, launch: Launch, config: Config, name: str) -> str:
    device = session.device
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    tensors = ", ".join(
        f"{argument.name} {argument.tensor.dtype}{list(argument.tensor.shape)}"
        for argument in launch.tensors()
        if argument.tensor is not None
    )
    rows = [
        ("source", Path(session.path).name),
        ("config", config.label()),
        ("grid", " x ".join(map(str, session.prepare(launch.index, config).grid))),
        ("problem", proof.problem_text(session)),
        ("tensors", tensors),
        ("timing", _timing(session, launch, config)),
        ("device", f"{device.name} ({device.target})" if device.mode == "gpu" else "no GPU"),
        ("versions", _versions(session)),
        ("check", f"python {name} --check"),
    ]
    lines = [
        f"{launch.kernel}, tuned with Triton Playground {playground.__version__} on {today}.",
        "",
    ]
    for label, value in rows:
        if value:
            lines += textwrap.wrap(
                f"{label:<9} {value}", 97, subsequent_indent=" " * 10, break_long_words=False
            )
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _timing(session: Session, launch: Launch, config: Config) -> str:
    if session.device.mode == "interpreter":
        return "not timed: interpreter"
    return timing_text(session.measured(launch.index, config))


def timing_text(measurement: Measurement | None) -> str:
    """Return the timing line of the header: figure, interval, clock source and cache mode."""
    if measurement is None:
        return "not timed"
    low, high = measurement.interval_ms
    text = (
        f"{measurement.median_ms * 1e3:.2f} µs median, 95 % interval {low * 1e3:.2f} to "
        f"{high * 1e3:.2f} µs, {len(measurement.samples_ms)} samples, "
        f"{_SOURCES.get(measurement.source, measurement.source)}, {measurement.cache} L2"
    )
    if measurement.bandwidth_gbps is not None:
        text += f", {measurement.bandwidth_gbps:.0f} GB/s"
    return text


def _versions(session: Session) -> str:
    device = session.device
    cuda = f", CUDA {device.cuda}" if device.cuda else ""
    driver = f", driver {device.driver}" if device.driver else ""
    return f"torch {device.torch}, triton {device.triton}, Python {device.python}{cuda}{driver}"
