"""Actions that hand something on to others, and that move the work elsewhere."""

from __future__ import annotations

from playground.ui.action_spec import ActionSpec

SHARING_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("engine.place", "Run on an&other machine…", "run", 1, "choose_place", "gpu", "",
               "Where the engine runs: here, on a host over SSH, or in a Jupyter kernel"),
    ActionSpec("share.report", "Save a &report…", "file", 3, "sharing.report", "file",
               "Ctrl+Shift+R",
               "All that is known of this launch as one HTML file: source, config, plots, coverage",
               "launch"),
    ActionSpec("share.reproducer", "Copy a repro&ducer", "file", 3, "sharing.copy_reproducer",
               "copy", "",
               "A minimal script of this launch, for a bug report to the Triton project",
               "launch"),
)  # fmt: skip
