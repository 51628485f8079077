"""Actions on the text beyond typing: what names mean, folding, formatting."""

from __future__ import annotations

from playground.ui.action_spec import ActionSpec

EDITING_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("edit.documentation", "Show d&ocumentation", "edit", 5,
               "edit_verbs.show_documentation", "help", "F1",
               "What the name at the cursor is: its signature and what its author says of it"),
    ActionSpec("edit.arguments", "Show ar&guments", "edit", 5, "edit_verbs.show_arguments", "",
               "Ctrl+Shift+Space", "Which arguments the call around the cursor takes"),
    ActionSpec("edit.definition", "Go to def&inition", "edit", 5, "edit_verbs.go_to_definition",
               "goto", "F12",
               "Where the name at the cursor is defined, in other files too (Ctrl and a click)"),
    ActionSpec("edit.back", "Go &back", "edit", 5, "edit_verbs.go_back", "prev", "Alt+Left",
               "Put the cursor back to where it was before it went to a definition"),
    ActionSpec("edit.format", "Format with r&uff", "edit", 6, "edit_verbs.format_text", "",
               "Ctrl+Alt+Shift+F",
               "Write the text as `ruff format` does, by the settings of its project"),
    ActionSpec("edit.fold", "Fold or unfo&ld", "edit", 7, "edit_verbs.toggle_fold", "",
               "Ctrl+Shift+[", "Hide what is indented under the cursor's line, or show it again"),
    ActionSpec("edit.foldAll", "Fold all", "edit", 7, "edit_verbs.fold_all", "", "Ctrl+Alt+[",
               "Hide the bodies of all functions and classes"),
    ActionSpec("edit.unfoldAll", "Unfold all", "edit", 7, "edit_verbs.unfold_all", "",
               "Ctrl+Alt+]", "Show every line"),
)  # fmt: skip
