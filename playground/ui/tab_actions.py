"""Actions on the tabs of the open files."""

from __future__ import annotations

from playground.ui.action_spec import ActionSpec

TAB_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.close", "&Close", "file", 3, "files.close", "", "Ctrl+W",
               "Close the tab in front, after asking about unsaved text", "open"),
    ActionSpec("file.closeOthers", "Close ot&hers", "file", 3, "files.close_others", "", "",
               "Close every tab but the one in front, after asking about unsaved text", "several"),
    ActionSpec("file.next", "Ne&xt file", "file", 4, "files.next_tab", "next", "Ctrl+Tab",
               "Bring the next tab to the front (Ctrl+Page Down as well)", "several"),
    ActionSpec("file.previous", "Pre&vious file", "file", 4, "files.previous_tab", "prev",
               "Ctrl+Shift+Tab", "Bring the tab before to the front (Ctrl+Page Up as well)",
               "several"),
    ActionSpec("file.copyPath", "Copy pa&th", "file", 4, "files.copy_path_shown", "copy", "",
               "Put the path of the file in front on the clipboard", "file"),
    ActionSpec("file.reveal", "Open its &folder", "file", 4, "files.reveal_shown", "", "",
               "Open the folder of the file in front in the desktop's file manager", "file"),
)  # fmt: skip

MORE_KEYS = (("Ctrl+PgDown", "file.next"), ("Ctrl+PgUp", "file.previous"))
"""Keys that other programs have for the same; they are beside the one that can be changed."""
