"""The tuned `.py`: kernel, helpers, host function with the config frozen, and a proof of itself."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playground.engine import (
    drivers,
    export_header,
    export_interpreter,
    export_program,
    freezing,
    proof,
    proof_block,
    without_gpu,
)
from playground.engine.bundle import Bundle
from playground.engine.bundle_text import BundleText
from playground.engine.edits import apply
from playground.engine.source_text import read_source
from playground.engine.user_modules import UserModules
from playground.model.finding import Finding
from playground.protocol.messages import Exported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.engine.export_program import Program
    from playground.engine.freezing import Frozen
    from playground.engine.freezing_dispatch import Dispatch
    from playground.engine.proof import Proof
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.launch import Launch

_DRAWS = re.compile(r"\b(?:rand\w*|normal_?|uniform_?|manual_seed\w*|seed|bernoulli_?|shuffle)\(")


def export(
    session: Session, launch_index: int, config: Config, *, keep_autotune: bool = False,
    others: Sequence[Config] = (), dispatch: Dispatch | None = None,
) -> Exported:  # fmt: skip
    """Return the text of a file that runs alone and proves itself with `--check`.

    Parameters
    ----------
    launch_index
        The launch whose kernel is frozen; its driver is what the exported file runs.
    keep_autotune
        Leave the kernel's autotuner its configs, the frozen one first.
    others
        Let `@triton.autotune` choose between these and `config`, by the problem's sizes.
    dispatch
        Write a table of configs by size into the file; `config` is what it has for this size.

    Raises
    ------
    ValueError
        The launch failed, and its kernel does not compile either.
    """
    launch = session.launches[launch_index]
    if launch.error is not None:
        # What the interpreter cannot run may be sound on a GPU; what does not compile is not.
        made = session.compiler.compile(launch, config)
        if made.report is None and not made.undecided:
            why = "; ".join(finding.text() for finding in made.findings)
            raise ValueError(f"{launch.info.kernel} does not compile under this config: {why}")
    frozen = freezing.freeze(
        session, launch, config, keep_autotune=keep_autotune, others=others,
        dispatch=dispatch,
    )  # fmt: skip
    keep_autotune = keep_autotune or bool(others)
    modules = UserModules(session.path, _texts(session, frozen))
    program = export_program.program_of(
        session,
        modules,
        frozen.edits.get(drivers.DRIVER_FILE, ()),
        benchmarks=session.surroundings.benchmarks or session.surroundings.plan.only_launches,
    )
    bundle = Bundle(modules, frozenset(map(id, [*program.nodes, *program.left_out])))
    bundle.need(program.nodes)
    bundle.need_code(program.uses)
    bundle.need_names(_roots(session, launch.info))
    bundle.complete()
    text, judged = _file(session, launch_index, config, frozen, bundle, program, keep_autotune)
    name = _name_of(session)
    try:
        ast.parse(text, name)
    except SyntaxError as error:
        # An edit that broke the syntax must fail here, not at the user's.
        raise ValueError(f"the exported text is no Python: {error}") from error
    return Exported(text, name, tuple(_findings(session, frozen, bundle, judged)))


def _texts(session: Session, frozen: Frozen) -> dict[str, str]:
    texts = {session.path: session.text}
    for file, edits in frozen.edits.items():
        if file != drivers.DRIVER_FILE:
            texts[file] = apply(texts[file] if file in texts else read_source(file), edits)
    return texts


def _name_of(session: Session) -> str:
    return f"{re.sub(r'_tuned$', '', Path(session.path).stem)}_tuned.py"


def _roots(session: Session, launch: Launch) -> list[str]:
    roots = [kernel.name for kernel in session.outline.kernels if kernel.name == launch.kernel]
    if session.outline.has_reference and session.driver and session.driver.kind == "example":
        roots.append("reference")
    return roots


def _file(
    session: Session, index: int, config: Config, frozen: Frozen, bundle: Bundle,
    program: Program, keep_autotune: bool,
) -> tuple[str, Proof]:  # fmt: skip
    launch = session.launches[index]
    written = BundleText(bundle)
    runs = proof_block.Runs(
        written.statements(program.nodes), written.code(program.code, program.uses)
    )
    everything = f"{written.body}\n{runs.statements}\n{runs.code}"
    with_imports = f"{written.imports}\n{everything}"
    judged = proof.proof_of(session, launch, config, with_imports)
    name = _final_name(bundle, launch.info)
    # The check counts launches by name: those of kernels that have another name now are no more.
    apart = sum(
        ordinal < launch.ordinal
        for other in session.launches
        if other.info.kernel == launch.info.kernel and _final_name(bundle, other.info) != name
        for ordinal in (other.ordinals or [other.ordinal])
    )
    judged = replace(
        judged,
        kernel=name,
        ordinal=launch.ordinal - apart,
    )
    mended = []
    if not judged.limits:
        figures = _figures(session, index, config, everything)
        mended = export_interpreter.parts(with_imports, figures, narrow=judged.narrow)
    draws = bool(_DRAWS.search(_module_level(written.body)))
    seeds_itself = draws and judged.against != "reference"
    parts = [
        export_header.header(session, launch.info, config, _name_of(session)),
        written.notice,
        written.docstring,
        written.future,
        without_gpu.choose_interpreter(
            everything, session.device.target, _missing(bundle),
            benchmarks_once=session.surroundings.plan.only_launches,
            float_arguments=any(
                argument.kind == "float" for one in session.launches
                for argument in one.info.arguments
            ),
            mended=mended,
        ),
        _imports(written.imports),
        proof.seeding(session.seed) if seeds_itself else "",
        written.body,
        proof_block.block(
            session, judged, runs, frozen.expected, written.body,
            keeps_autotune=keep_autotune, seeds_itself=seeds_itself,
        ),
    ]  # fmt: skip
    return _joined(parts), judged


def _final_name(bundle: Bundle, launch: Launch) -> str:
    """Return what the kernel is called in the exported file."""
    for identity, name in bundle.names.items():
        if (
            getattr(identity, "name", None) == launch.kernel
            and getattr(identity, "path", None) == launch.file
        ):
            return name
    return launch.kernel


def _missing(bundle: Bundle) -> list[str]:
    """Return the modules that the exported file imports and that are not installed here."""
    found: dict[str, None] = {}
    for imported in bundle.outside:
        parts = imported.what.module.split(".")
        if parts[0] and not _is_installed(parts[0]):
            found.update(dict.fromkeys(".".join(parts[: n + 1]) for n in range(len(parts))))
    return list(found)


def _is_installed(name: str) -> bool:
    try:
        return name in sys.builtin_module_names or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # a module without a spec is one all the same
        return name in sys.modules


def _module_level(body: str) -> str:
    """Return a file's text without its functions: what runs as soon as it is executed."""
    return "\n".join(
        ast.unparse(node)
        for node in ast.parse(body).body
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    )


def _imports(imports: str) -> str:
    """Return the file's imports with `torch`, which the check uses, among them."""
    lines = imports.splitlines()
    if any(re.match(r"import torch$", line) for line in lines):
        return imports
    place = next(
        (
            number
            for number, line in enumerate(lines)
            if line.startswith(("import torch", "import tri", "from "))
        ),
        len(lines),
    )
    return "\n".join([*lines[:place], "import torch", *lines[place:]])


def _joined(parts: list[str]) -> str:
    kept = [part.strip("\n") for part in parts if part.strip()]
    *front, last = kept
    text = ""
    for part in front:
        blank = "\n\n\n" if part.startswith(("def ", "class ", "@")) and text else "\n\n"
        text += (blank if text else "") + part
    return f"{text}\n\n\n{last}\n"


def _figures(session: Session, index: int, config: Config, text: str) -> export_interpreter.Figures:
    """Return what host code that looks at the compiled kernel is shown without a GPU."""
    target = session.device.target
    if not export_interpreter.looks_at_compiled(text):
        return export_interpreter.Figures(target)
    report = session.compile(index, config).report
    if report is None:
        return export_interpreter.Figures(target)
    return export_interpreter.Figures(
        report.target, report.registers or 32, (report.spill_bytes or 0) // 4, report.shared_bytes
    )


def _unproved(session: Session, judged: Proof) -> list[Finding]:
    """Return what is to be known of a check that does not judge on a machine without a GPU."""
    if judged.limits:
        said = f"the exported file's --check judges on a GPU alone: {judged.limits[0]}"
    elif judged.against == "nothing":
        said = f"the exported file's --check cannot judge: {judged.doubts[0]}"
    elif judged.doubts:
        said = f"the exported file's --check may not judge without a GPU: {judged.doubts[0]}"
    else:
        return []
    hint = "without one it runs in Triton's own interpreter and says `not judged`, exit status 2"
    if judged.against == "nothing":
        hint = "it says `not judged`, exit status 2; compare what the launch does in the driver"
    return [Finding("warning", "export", said, hint, file=session.path)]


def _findings(session: Session, frozen: Frozen, bundle: Bundle, judged: Proof) -> list[Finding]:
    found = [*frozen.findings, *_unproved(session, judged)]
    found += [
        replace(told, severity="warning", stage="export")
        for told in session.findings
        if told.severity == "error" and told.stage == "coverage"
    ]  # Triton's own interpreter, and a GPU, touch what lies there
    found += [
        Finding(
            "warning",
            "export",
            f"the exported file imports {name}, which is not installed here",
            f"install it where the file is to run: pip install {name}; its --check does without",
            file=session.path,
        )
        for name in _missing(bundle)
        if "." not in name
    ]
    for path in bundle.paths():
        for part in bundle.segments(path):
            if any(use.node.id == "__file__" for use in part.uses):
                found.append(
                    Finding(
                        "warning",
                        "export",
                        f"{Path(path).name} reads files beside itself",
                        "keep them beside the exported file, or put what they hold into the code",
                        file=path,
                        line=part.node.lineno,
                    )
                )
    return found
