"""What `--help` says beside the options: what works without a GPU, files, exit statuses."""

from __future__ import annotations

import os
from pathlib import Path

from playground.cli.help_page import Note

WITHOUT_GPU = {
    "launches": "Works: the file runs on a simulated GPU, the kernels in Triton's interpreter.",
    "bench": "The config is compiled and its result checked; the time is the interpreter's wall "
    "time, said to be that, and never a bandwidth. --vs, --curve, --roofline, --host, --energy and "
    "--ncu need a GPU.",
    "replay": "Runs in the interpreter; a profiler sees nothing there.",
    "compile": "Works, for any --target.",
    "coverage": "Works; --schedule needs an NVIDIA GPU.",
    "advise": "Works from compiling, counting and data sheets: gains are marked as expected. --try "
    "needs a GPU.",
    "debug": "Works: programs run in the interpreter.",
    "sweep": "Every config is compiled and checked, none is timed: there is no ranking.",
    "sweeps": "Works.",
    "export": "Works; the config is one that was checked, not timed.",
    "experiment": "Nothing is measured: the figures of an H200 that come with the program are "
    "shown.",
    "report": "Works; what was not timed is said to be so.",
    "reproducer": "Works; the script compiles where it finds no GPU.",
    "kernels": "Works.",
    "doctor": "Works.",
}

STATUSES = (
    ("0", "all went well"),
    ("1", "an error was found, a wrong result included"),
    ("2", "the command line asks for what is not there: no such file, knob, launch, target"),
    ("130", "interrupted"),
)

GROUPS = (
    ("look at a launch", ("launches", "compile", "coverage", "advise", "debug")),
    ("time it", ("bench", "replay", "experiment")),
    ("tune it", ("sweep", "sweeps", "export")),
    ("hand it on", ("report", "reproducer")),
    ("around it", ("kernels", "doctor")),
)
"""The verbs by what they are for."""


def verb_notes(verb: str) -> tuple[Note, ...]:
    """Return what is said below the options of a verb."""
    notes = []
    if verb in WITHOUT_GPU:
        notes.append(Note("without a GPU", text=WITHOUT_GPU[verb]))
    if verb == "sweep":
        from playground.engine.sweep_store import default_path

        kept = shortened(default_path())
        notes.append(
            Note("results", text=f"Every row is kept in {kept}, for `sweeps` and --resume.")
        )
    return (*notes, Note("exit status", STATUSES))


def verb_groups(verbs: dict[str, str]) -> tuple[Note, ...]:
    """Return the list of all verbs, by what they are for."""
    grouped = {verb for _, names in GROUPS for verb in names}
    rest = tuple(verb for verb in verbs if verb not in grouped)
    groups = (*GROUPS, *((("more", rest),) if rest else ()))
    rows: list[tuple[str, str]] = []
    for title, names in groups:
        rows.append((title, ""))
        rows += [(f"  {name}", verbs[name]) for name in names if name in verbs]
    return (Note("verbs, each with --help", tuple(rows)),)


def window_notes() -> tuple[Note, ...]:
    """Return what is said below the options of the program itself."""
    return (
        Note("without a GPU", text="Everything but timing works: kernels are compiled for a GPU "
             "you choose (--target), run in Triton's interpreter, counted, stepped through, "
             "checked and exported. The interpreter's time is told as what it is."),
        Note("files and folders", places()),
        Note("exit status", STATUSES),
    )  # fmt: skip


def places() -> tuple[tuple[str, str], ...]:
    """Return what is kept where on this machine; a variable in brackets names another place."""
    import platformdirs

    from playground.engine.sweep_store import default_path
    from playground.model.places import settings_file, state_place

    caches = Path(platformdirs.user_cache_dir("triton-playground"))
    compiled = Path(os.environ.get("TRITON_CACHE_DIR") or Path.home() / ".triton" / "cache")
    return (
        ("settings", f"{shortened(settings_file())} (PLAYGROUND_CONFIG_DIR)"),
        ("log, unsaved text", f"{shortened(state_place())} (PLAYGROUND_CONFIG_DIR)"),
        ("sweeps", shortened(default_path())),
        ("ceilings, crashes", shortened(caches)),
        ("compiled kernels", f"{shortened(compiled)} (TRITON_CACHE_DIR)"),
    )


def shortened(path: Path) -> str:
    """Return a path with the home folder as `~`."""
    try:
        return f"~/{path.relative_to(Path.home()).as_posix()}"
    except ValueError:
        return path.as_posix()
