"""Actions that hand something on, that move the work elsewhere, and that explain."""

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
    ActionSpec("export.check", "Chec&k the exported file", "file", 3, "export_check.check",
               "check", "",
               "Run the file exported last with --check: it compares its result with the expected",
               "exported"),
    ActionSpec("file.gallery", "Bundled kernels in &pictures…", "file", 1, "show_gallery",
               "coverage", "Ctrl+Shift+O",
               "Each bundled kernel with its picture, what it teaches, and whether it runs here"),
    ActionSpec("help.tour", "Take the &tour", "help", 1, "tour.start", "next", "Ctrl+Shift+F1",
               "Seven steps through this window, from a bundled kernel to a tuned file; again: "
               "puts the keyboard on its card"),
    ActionSpec("help.whatsThis", "&What's this?", "help", 1, "figure_help.ask", "help", "Shift+F1",
               "Then click a figure: its definition and its formula"),
    ActionSpec("help.figures", "What the &figures mean", "help", 1, "figure_help.show_all", "",
               "Ctrl+F1", "Every figure with its definition and formula"),
)  # fmt: skip
