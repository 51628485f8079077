"""Actions of sweeps."""

from __future__ import annotations

from playground.ui.action_spec import ActionSpec

SWEEP_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("sweep.setup", "Set up a sweep", "run", 7, "sweep_verbs.show_setup", "sweep",
               "Shift+F6", "Choose values, conditions, sizes and how to search", "launch"),
    ActionSpec("sweep.pause", "Pause or go on with the sweep", "run", 7, "sweep_verbs.pause",
               "pause", "", "Let the sweep wait before its next config, or go on", "launch"),
    ActionSpec("sweep.continue", "Continue the sweep", "run", 7, "sweep_verbs.go_on", "next", "",
               "Try only what the last sweep of this launch has left", "launch"),
    ActionSpec("sweep.best", "Set the knobs to the best of the sweep", "run", 7,
               "sweep_verbs.apply_best", "check", "", "Move every knob to the winner", "launch"),
    ActionSpec("sweep.past", "Past sweeps", "run", 7, "sweep_verbs.show_past", "clock", "",
               "Open a sweep that was kept, or go on with it"),
    ActionSpec("sweep.compare", "Compare two sweeps", "run", 7, "sweep_verbs.compare", "compare",
               "", "The last two sweeps of this kernel side by side"),
)  # fmt: skip
