"""The one table of actions; menus, toolbar, shortcuts and the command palette come from it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QToolButton

from playground.ui.action_spec import MENU_TITLES, ActionSpec, Menu, Needs
from playground.ui.debug_actions import DEBUG_ACTIONS
from playground.ui.editing_actions import EDITING_ACTIONS
from playground.ui.icons import icon
from playground.ui.sharing_actions import SHARING_ACTIONS
from playground.ui.sweep_actions import SWEEP_ACTIONS
from playground.ui.tab_actions import TAB_ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar

    from playground.ui.theme import Theme
    from playground.ui.window import MainWindow

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.new", "&New kernel file…", "file", 1, "files.new", "new", "Ctrl+N",
               "Start a new file with a small kernel that runs"),
    ActionSpec("file.open", "&Open…", "file", 1, "files.open", "open", "Ctrl+O",
               "Open Python files that launch Triton kernels, a tab each; nothing is executed",
               bar=1,
               bar_text="Open"),
    ActionSpec("file.save", "&Save", "file", 2, "files.save", "save", "Ctrl+S",
               "Save the text", bar=1,
               bar_text="Save"),
    ActionSpec("file.saveAs", "Save &as…", "file", 2, "files.save_as", "", "Ctrl+Shift+S",
               "Save the text under another name"),
    ActionSpec("file.saveAll", "Save a&ll", "file", 2, "files.save_all", "", "",
               "Save the text of every tab that was changed", "open"),
    ActionSpec("file.reload", "Re&load from disk", "file", 2, "files.reload", "reset", "",
               "Read the file again; undo brings the present text back", "file"),
    *TAB_ACTIONS,
    ActionSpec("export", "&Export tuned kernel…", "file", 5, "files.export", "export", "Ctrl+E",
               "Write a .py that runs alone with this config frozen", "launch", bar=3,
               bar_text="Export"),
    ActionSpec("file.quit", "&Quit", "file", 9, "close", "", "Ctrl+Q", "Close the window"),
    ActionSpec("edit.undo", "&Undo", "edit", 1, "editor.undo", "undo", "Ctrl+Z",
               "Undo the last change of the text"),
    ActionSpec("edit.redo", "&Redo", "edit", 1, "editor.redo", "redo", "Ctrl+Shift+Z",
               "Do the undone change of the text again"),
    ActionSpec("edit.undoKnob", "Undo &knob move", "edit", 1, "document.knob_history.undo", "undo",
               "Ctrl+Alt+Z", "Put the knobs back to where they were before", "undo"),
    ActionSpec("edit.redoKnob", "Redo k&nob move", "edit", 1, "document.knob_history.redo", "redo",
               "Ctrl+Alt+Shift+Z", "Move the knobs again", "redo"),
    ActionSpec("edit.cut", "Cu&t", "edit", 2, "editor.cut", "", "Ctrl+X", "Cut the selection"),
    ActionSpec("edit.copy", "&Copy", "edit", 2, "editor.copy", "copy", "Ctrl+C",
               "Copy the selection"),
    ActionSpec("edit.paste", "&Paste", "edit", 2, "editor.paste", "", "Ctrl+V",
               "Paste at the cursor"),
    ActionSpec("edit.find", "&Find…", "edit", 3, "edit_verbs.show_find",
               "find", "Ctrl+F", "Search the text"),
    ActionSpec("edit.replace", "R&eplace…", "edit", 3, "edit_verbs.show_replace", "", "Ctrl+H",
               "Search and replace in the text"),
    ActionSpec("edit.findNext", "Find ne&xt", "edit", 3, "edit_verbs.find_next", "", "F3",
               "Go to the next match"),
    ActionSpec("edit.findPrevious", "Find pre&vious", "edit", 3, "edit_verbs.find_previous",
               "", "Shift+F3",
               "Go to the previous match"),
    ActionSpec("edit.goToLine", "&Go to line…", "edit", 3, "edit_verbs.go_to_line",
               "goto", "Ctrl+G",
               "Put the cursor on a line by number"),
    ActionSpec("edit.comment", "Toggle co&mment", "edit", 4, "edit_verbs.toggle_comment",
               "", "Ctrl+/",
               "Comment the selected lines out, or in again"),
    ActionSpec("edit.duplicate", "&Duplicate lines", "edit", 4, "edit_verbs.duplicate_lines", "",
               "Ctrl+Shift+D", "Put a copy of the selected lines below them"),
    ActionSpec("edit.moveUp", "Move lines u&p", "edit", 4, "edit_verbs.move_lines_up", "", "Alt+Up",
               "Move the selected lines up by one"),
    ActionSpec("edit.moveDown", "Move lines d&own", "edit", 4, "edit_verbs.move_lines_down",
               "", "Alt+Down",
               "Move the selected lines down by one"),
    ActionSpec("edit.complete", "Com&plete", "edit", 5, "edit_verbs.complete", "", "",
               "Offer names that fit at the cursor (Ctrl+Space in the text)"),
    ActionSpec("edit.preferences", "Pre&ferences…", "edit", 9, "preferences", "settings",
               "Ctrl+,", "Theme, text size and shortcuts"),
    ActionSpec("run", "&Run", "run", 1, "document.run", "run", "F5",
               "Execute the text, saved or not, and capture its launches", "text", bar=2,
               bar_text="Run"),
    ActionSpec("run.last", "Run the last file a&gain", "run", 1, "files.run_last", "",
               "Alt+F5",
               "Bring the file to the front that ran last, and run it: from a helper's tab, say",
               "ran"),
    ActionSpec("interrupt", "&Interrupt", "run", 1, "document.interrupt", "interrupt",
               "Shift+F5", "Interrupt what the engine runs; it keeps all it holds", "busy", bar=2,
               bar_text="Interrupt"),
    ActionSpec("restart", "Re&start engine", "run", 1, "document.restart", "restart",
               "Ctrl+Shift+F5", "Start a fresh engine; the text stays", bar=2,
               bar_text="Restart"),
    ActionSpec("cancel", "&Cancel", "run", 1, "document.cancel", "cross", "Esc",
               "Cancel the run, replay or sweep at its next step", "busy"),
    ActionSpec("run.benchmarks", "Run its &benchmarks", "run", 2,
               "document.set_run_benchmarks", "timings", "",
               "Let the file's own benchmarks run as well, from the next run on",
               checkable=True),
    ActionSpec("run.tuning", "Run its &tuning", "run", 2, "document.set_run_tuning", "sweep", "",
               "Let the file's own autotuners time their configs, from the next run on",
               checkable=True),
    ActionSpec("driver.edit", "&Edit the driver", "run", 2, "drivers.toggle_editor", "",
               "Ctrl+Shift+E",
               "Show the code that runs after the file is loaded, to be changed", "text"),
    ActionSpec("sweep", "S&weep", "run", 3, "sweep", "sweep", "F6",
               "Try the configs around this one; each is checked", "launch", bar=3,
               bar_text="Sweep"),
    ActionSpec("compare", "&Compare…", "run", 3, "timing_verbs.compare", "compare", "F8",
               "Time this config in turns with the baseline, the reference, an expression or "
               "another file", "launch", bar=3, bar_text="Compare"),
    ActionSpec("compare.baseline", "Compare with the base&line", "run", 3,
               "timing_verbs.compare_with_baseline", "", "Shift+F8",
               "Time this config in turns with the pinned one", "baseline"),
    ActionSpec("compare.reference", "Compare with re&ference", "run", 3,
               "timing_verbs.compare_with_reference", "", "",
               "Time this config in turns with the file's reference()", "launch"),
    ActionSpec("compare.more", "&Measure more", "run", 3, "timing_verbs.measure_more", "", "",
               "Add rounds to the comparison shown", "launch"),
    ActionSpec("timing.cache", "Cold or &warm L2", "run", 4, "timing_verbs.toggle_cache", "", "",
               "Measure with the L2 emptied before every sample, or left filled", "launch"),
    ActionSpec("timing.host", "Measure &host cost", "run", 4, "timing_verbs.host_cost", "cpu", "",
               "First call, cold start and cached call: what the program pays on the CPU",
               "launch"),
    ActionSpec("timing.energy", "Measure ener&gy", "run", 4, "timing_verbs.energy", "gpu", "",
               "Joules of one launch, from running it for a second", "launch"),
    ActionSpec("curve", "Draw c&urve over sizes", "run", 3, "draw_curve", "curves", "F7",
               "Time the launch over problem sizes, beside rivals", "launch"),
    ActionSpec("roofline", "Show the r&oofline", "run", 3, "show_roofline", "roofline", "Ctrl+F8",
               "What the GPU's ceilings allow this launch, and what bounds it", "launch"),
    ActionSpec("roofline.again", "&Measure the ceilings again", "run", 3,
               "measure_ceilings", "", "",
               "Measure memory, L2 and matrix products of this GPU anew", "launch"),
    ActionSpec("advise", "Ask the ad&visor", "run", 3, "advise", "hint", "Ctrl+Shift+F8",
               "What an expert would change: five points in order, each with its evidence",
               "launch"),
    ActionSpec("nsight", "Profile with &Nsight Compute", "run", 3, "profile", "profile", "Ctrl+F9",
               "Run Nsight Compute on exactly this launch, or get the command for it", "launch"),
    ActionSpec("baseline.pin", "&Pin baseline", "run", 4, "document.pin_baseline", "pin",
               "Ctrl+B", "Compare further measurements with this one", "measurement", bar=3,
               bar_text="Pin"),
    ActionSpec("baseline.clear", "Un&pin baseline", "run", 4, "document.clear_baseline", "unpin",
               "Ctrl+Shift+B", "Stop comparing", "baseline"),
    ActionSpec("knobs.reset", "Reset &knobs", "run", 4, "document.reset_knobs", "reset", "Ctrl+R",
               "Move all knobs back to what the file launched with", "launch"),
    ActionSpec("compiler.stages", "Show the compiler's stages", "run", 5,
               "compiler_verbs.show_stages", "compiler", "Ctrl+Alt+I",
               "TTIR, TTGIR, LLVM IR, PTX and SASS, tied to the source line by line", "launch"),
    ActionSpec("compiler.lines", "Show code by &line", "run", 5, "compiler_verbs.show_lines", "",
               "Ctrl+Alt+L", "A table of what each source line became", "launch"),
    ActionSpec("compiler.passes", "Show the compiler's &passes", "run", 5,
               "compiler_verbs.show_passes", "", "Ctrl+Alt+P",
               "Which pass changed what, as a diff", "launch"),
    ActionSpec("compiler.compare", "Compare two compilations", "run", 5,
               "compiler_verbs.compare", "", "Ctrl+Alt+D",
               "Config against config, target against target, before and after an edit", "launch"),
    ActionSpec("compiler.fits", "Compile for &every target", "run", 5,
               "compiler_verbs.fit_everywhere", "fit", "Ctrl+Alt+F",
               "Whether this config fits on each GPU, all compiled at once", "launch"),
    ActionSpec("schedule", "Show the sched&ule", "run", 6, "coverage_verbs.show_schedule",
               "schedule", "",
               "Which multiprocessor ran which program when; and what the L2 would fetch",
               "launch"),
    ActionSpec("schedule.pinReuse", "Pin the L2 reuse", "run", 6, "coverage_verbs.pin_reuse",
               "pin", "Ctrl+Alt+U", "Compare later estimates of the L2's fetches with this one",
               "launch"),
    ActionSpec("programs.line", "Show the &line's accesses in the maps", "run", 6,
               "coverage_verbs.show_line", "goto", "Ctrl+Alt+J",
               "Where what the line at the cursor loads or stores is, and its hazards", "launch"),
    ActionSpec("programs.next", "Ne&xt program", "run", 6, "coverage_verbs.next_program", "next",
               "Ctrl+Alt+.", "Highlight what the next program loads and stores", "launch"),
    ActionSpec("programs.previous", "Previous pro&gram", "run", 6,
               "coverage_verbs.previous_program", "prev", "Ctrl+Alt+,",
               "Highlight what the program before loads and stores", "launch"),
    ActionSpec("programs.play", "Play thr&ough the programs", "run", 6, "coverage_verbs.play",
               "run", "Ctrl+Alt+K", "Go from program to program by itself, or pause", "launch"),
    ActionSpec("programs.steps", "Step &within a program", "run", 6, "coverage_verbs.steps",
               "steps", "Ctrl+Alt+S",
               "Its loads and stores one by one, in the order in which it makes them", "launch"),
    ActionSpec("coverage.sample", "Count a sample of the programs", "run", 6,
               "coverage_verbs.count_sample", "", "",
               "Where no GPU counts them all and it takes long: 64 programs spread over the grid",
               "launch"),
    ActionSpec("view.palette", "&Command palette…", "view", 1, "show_palette", "palette",
               "Ctrl+Shift+P", "Find any action, recent file or bundled kernel by name", bar=4),
    ActionSpec("view.editor", "Go to &editor", "view", 1, "edit_verbs.focus_editor", "", "Ctrl+1",
               "Put the keyboard in the text"),
    ActionSpec("view.zoomIn", "Zoom &in", "view", 3, "edit_verbs.zoom_in", "plus", "Ctrl+=",
               "Larger text in the editor"),
    ActionSpec("view.zoomOut", "Zoom &out", "view", 3, "edit_verbs.zoom_out", "minus", "Ctrl+-",
               "Smaller text in the editor"),
    ActionSpec("view.zoomReset", "&Natural size", "view", 3, "edit_verbs.zoom_reset", "", "Ctrl+0",
               "Text of the editor in its natural size"),
    ActionSpec("view.codeMargin", "Machine code in the &margin", "view", 3,
               "compiler_verbs.set_mix", "", "Ctrl+Alt+M",
               "Beside each line, how many instructions of which class it became",
               checkable=True),
    ActionSpec("view.accessMargin", "Memory &accesses in the margin", "view", 3,
               "coverage_verbs.set_margin", "", "Ctrl+Alt+Y",
               "Beside each line, how much of what its loads and stores move is asked for, and how "
               "often", checkable=True),
    ActionSpec("coverage.arrange", "&Tile maps: one, large, all", "view", 3,
               "coverage_verbs.arrange", "", "Ctrl+Alt+A",
               "One tensor's map alone, large beside the others, or all as large as each other"),
    ActionSpec("view.wrap", "&Wrap long lines", "view", 3, "edit_verbs.set_wrap", "", "Alt+Z",
               "Wrap long lines at the window's edge", checkable=True),
    ActionSpec("theme.toggle", "Light or dark &theme", "view", 4, "toggle_theme", "theme",
               "Ctrl+Alt+T", "Change between the light and the dark theme", bar=4),
    ActionSpec("layout.reset", "Reset &layout", "view", 4, "reset_layout", "layout", "",
               "Put all panels back to where they were at first"),
    ActionSpec("help.shortcuts", "&Keyboard shortcuts", "help", 1, "preferences_shortcuts", "", "",
               "See and change all shortcuts"),
    ActionSpec("help.diagnostics", "Copy &diagnostics", "help", 1, "copy_diagnostics", "copy", "",
               "Put versions, device, the last findings and the log's end on the clipboard"),
    ActionSpec("help.about", "&About Triton Playground", "help", 1, "about", "info", "",
               "Versions of what runs here"),
    *EDITING_ACTIONS,
    *SHARING_ACTIONS,
    *DEBUG_ACTIONS,
    *SWEEP_ACTIONS,
)  # fmt: skip


class Actions(QObject):
    """The live actions of one window, enabled by what the document has."""

    def __init__(self, window: MainWindow, theme: Theme, changed: Mapping[str, str]) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._by_id: dict[str, QAction] = {}
        for spec in ACTIONS:
            self._by_id[spec.id] = self._make(spec)
        self.set_shortcuts(changed)
        theme.changed.connect(self._redraw_icons)

    def __getitem__(self, action: str) -> QAction:
        return self._by_id[action]

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._by_id.values())

    def set_shortcuts(self, changed: Mapping[str, str]) -> None:
        """Use the default shortcuts with `changed` in their place."""
        for spec in ACTIONS:
            keys = changed.get(spec.id, spec.keys)
            action = self._by_id[spec.id]
            action.setShortcut(QKeySequence(keys))
            shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{spec.tip} ({shown})" if shown else spec.tip)

    def refresh(self, have: Mapping[Needs, bool]) -> None:
        """Enable what has all it needs."""
        for spec in ACTIONS:
            if spec.needs:
                self._by_id[spec.id].setEnabled(have[spec.needs])

    def fill_menu_bar(self, bar: QMenuBar) -> dict[Menu, QMenu]:
        """Make the menus; return them so that the window can add its lists."""
        menus: dict[Menu, QMenu] = {}
        for name, title in MENU_TITLES.items():
            menu = bar.addMenu(title)
            menu.setObjectName(f"menu.{name}")
            menu.setToolTipsVisible(False)
            group = 0
            own = (spec for spec in ACTIONS if spec.menu == name)
            for spec in sorted(own, key=lambda spec: spec.group):
                if group and spec.group != group:
                    menu.addSeparator().setObjectName(f"menu.{name}.after{group}")
                group = spec.group
                menu.addAction(self._by_id[spec.id])
            menus[name] = menu
        return menus

    def fill_tool_bar(self, bar: QToolBar) -> None:
        """Put the actions meant for it on the toolbar."""
        section = 0
        for spec in sorted((s for s in ACTIONS if s.bar), key=lambda s: s.bar):
            if section and spec.bar != section:
                bar.addSeparator()
            section = spec.bar
            bar.addAction(self._by_id[spec.id])
            button = bar.widgetForAction(self._by_id[spec.id])
            button.setObjectName(f"toolbar.{spec.id}")
            button.setAccessibleName(_plain(spec.text))
            if spec.bar_text and isinstance(button, QToolButton):
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def _make(self, spec: ActionSpec) -> QAction:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.id)
        action.setStatusTip(spec.tip)
        action.setCheckable(spec.checkable)
        if spec.bar_text:
            action.setIconText(spec.bar_text)
        if spec.icon:
            action.setIcon(icon(spec.icon, self._theme, _tint(spec)))
        # Menu and macOS roles by text would move actions behind our back.
        action.setMenuRole(QAction.MenuRole.NoRole)
        if spec.checkable:
            action.toggled.connect(lambda on: attrgetter(spec.handler)(self._window)(on))
        else:
            action.triggered.connect(lambda: attrgetter(spec.handler)(self._window)())
        self._window.addAction(action)
        return action

    def _redraw_icons(self) -> None:
        for spec in ACTIONS:
            if spec.icon:
                self._by_id[spec.id].setIcon(icon(spec.icon, self._theme, _tint(spec)))


def plain_text(action: QAction) -> str:
    """Return an action's text without its mnemonic."""
    return _plain(action.text())


def _plain(text: str) -> str:
    return text.replace("&", "")


def _tint(spec: ActionSpec) -> str:
    return {"run": "good", "interrupt": "bad"}.get(spec.id, "text")
