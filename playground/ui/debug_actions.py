"""Actions that debug: one program stepped through, breakpoints, and looking at results."""

from __future__ import annotations

from playground.ui.action_spec import ActionSpec

DEBUG_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("debug.start", "&Debug a program, or go on", "debug", 1, "debug_verbs.start",
               "debug", "Ctrl+F5",
               "Step through the program chosen, or run on to the next breakpoint", "launch"),
    ActionSpec("debug.stop", "&End the program", "debug", 1, "debug_verbs.end", "stop",
               "Ctrl+Alt+F5", "End the program that is stepped through", "debugged"),
    ActionSpec("debug.pause", "&Pause", "debug", 1, "debug_verbs.pause", "pause",
               "Ctrl+Alt+B", "Stop a program that runs on at its next line", "debugged"),
    ActionSpec("debug.over", "Step &over", "debug", 2, "debug_verbs.over", "step-over", "F10",
               "Run to the next line of this function", "stopped"),
    ActionSpec("debug.into", "Step &into", "debug", 2, "debug_verbs.into", "step-into", "F11",
               "Run to the next line, into a helper where one is called", "stopped"),
    ActionSpec("debug.out", "Step o&ut", "debug", 2, "debug_verbs.out", "step-out", "Shift+F11",
               "Run until this function has returned", "stopped"),
    ActionSpec("debug.round", "&Next round of the loop", "debug", 2, "debug_verbs.round", "round",
               "Ctrl+F11", "Run to the same place in the loop's next round", "stopped"),
    ActionSpec("debug.cursor", "&Run to the cursor", "debug", 2, "debug_verbs.to_cursor",
               "to-cursor", "Ctrl+F10", "Run to the line at the cursor, also from the start",
               "launch"),
    ActionSpec("debug.point", "&Breakpoint at the line", "debug", 3, "debug_verbs.toggle_point",
               "", "F9", "Stop at the line at the cursor, or no longer"),
    ActionSpec("debug.condition", "Breakpoint &condition…", "debug", 3,
               "debug_verbs.ask_condition", "", "Shift+F9",
               "Stop at the line at the cursor only where an expression holds"),
    ActionSpec("debug.clear", "Take all breakpoints &away", "debug", 3,
               "debug_verbs.clear_points", "", "", "No line stops a program any more"),
    ActionSpec("debug.alone", "Run one program a&lone", "debug", 4, "debug_verbs.run_alone", "",
               "", "What this program writes and prints, and no other", "launch"),
    ActionSpec("debug.prints", "Show what programs prin&t", "debug", 4, "debug_verbs.show_prints",
               "", "", "Run the launch and gather tl.device_print by program", "launch"),
    ActionSpec("debug.hunt", "Find where NaN co&me from", "debug", 4, "debug_verbs.hunt", "", "",
               "The line and program that made a NaN or infinity, and what went in", "launch"),
    ActionSpec("debug.compare", "Compare elements with the re&ference", "debug", 4,
               "debug_verbs.compare", "", "",
               "Where the result differs first, which program and line wrote it", "launch"),
)  # fmt: skip
