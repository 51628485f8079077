"""Writing a config into the user's text: where each knob enters, at the launch, or at a tuner."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playground.engine import drivers, hosting
from playground.engine.edits import Edit, replaced
from playground.engine.freezing_autotune import NoTunerError, key_of, new_tuner
from playground.engine.freezing_compiled import compiling_calls, passed_to
from playground.engine.freezing_dispatch import Dispatch, new_dispatch
from playground.engine.freezing_edits import (
    additions,
    before,
    height,
    same_arguments,
    spans,
    stands_at,
)
from playground.engine.freezing_tuners import (
    Definition,
    freeze_heuristics,
    freeze_tuner,
    known_names,
    without,
)
from playground.engine.triton_private import wrappers
from playground.model.finding import Finding
from playground.model.knobs import OPTION_KNOBS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from playground.engine.capture import CapturedLaunch
    from playground.engine.flow import LaunchCall
    from playground.engine.host_code import Place
    from playground.engine.session import Session
    from playground.model.config import Config
    from playground.model.knobs import KnobValue

_ALWAYS_WRITTEN = ("num_warps", "num_stages")
"""Options written even where the file left them to Triton: its defaults may change."""


@dataclass
class Frozen:
    """What makes the user's files launch under a config.

    Parameters
    ----------
    edits
        By file; `drivers.DRIVER_FILE` is what was typed as the driver.
    expected
        What the launch then receives, of those knobs that were written.
    """

    edits: dict[str, list[Edit]] = field(default_factory=dict)
    expected: dict[str, KnobValue] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, file: str, *edits: Edit) -> None:
        """Add edits to a file, each place once."""
        known = self.edits.setdefault(file, [])
        places = {(one.line, one.column, one.end_line, one.end_column) for one in known}
        for edit in edits:
            if (edit.line, edit.column, edit.end_line, edit.end_column) not in places:
                known.append(edit)


def literal(value: KnobValue) -> str:
    """Return the source text of a knob's value; a dtype's Triton name is its own text."""
    return value if isinstance(value, str) and value.startswith("tl.") else repr(value)


def freeze(
    session: Session, launch: CapturedLaunch, config: Config, *, keep_autotune: bool = False,
    others: Sequence[Config] = (), dispatch: Dispatch | None = None,
) -> Frozen:  # fmt: skip
    """Return the edits under which the user's files launch `launch` with `config`.

    With `others` the kernel's tuner chooses between all of them, `config` being the first; a kernel
    that has none gets one. With `dispatch` a table in the file has the config by size.

    Raises
    ------
    freezing_autotune.NoTunerError
        `others` or `dispatch` are given, and nothing can be written above the kernel.
    """
    return _Freezer(session, launch, config, others, dispatch, keep_autotune=keep_autotune).frozen()


class _Freezer:
    def __init__(
        self, session: Session, launch: CapturedLaunch, config: Config, others: Sequence[Config],
        dispatch: Dispatch | None, *, keep_autotune: bool,
    ) -> None:  # fmt: skip
        self._dispatch = dispatch
        self._session = session
        self._launch = launch
        self._config = config
        self._others = tuple(others)
        self._key = key_of(launch, session.sizes) if others else ()
        self._keep_autotune = keep_autotune
        self._trees: dict[str, ast.Module] = {}
        self._frozen = Frozen()
        self._left = dict(config.as_dict())
        self._changed = set(hosting.changed_knobs(launch, config))
        self._unsaid: set[str] = set()
        self._texts = {session.path: session.text}

    def frozen(self) -> Frozen:
        # The verdict also finds out at which of several places a knob has to be set.
        if self._launch.error is None:
            self._session.judge(self._launch.info.index, self._config)
        effective = hosting.hosted(self._session, self._launch, self._config).effective
        if self._dispatch is not None and self._launch.chosen is not None:
            raise NoTunerError("the kernel has a tuner of its own: export its best few instead")
        if self._dispatch is not None or (self._others and self._launch.chosen is None):
            self._new_tuner()
        self._tuners()
        self._unknown_names()
        self._entries()
        self._call()
        lost = sorted(name for name in self._left if name in self._changed)
        if lost:
            self._frozen.findings.append(self._not_written(lost))
        self._frozen.expected = {
            name: value
            for name, value in effective.as_dict().items()
            if name not in self._left and name not in self._unsaid
        }
        return self._frozen

    # ------------------------------------------------------------------ decorators

    def _tuners(self) -> None:
        launch = self._launch
        file, line = wrappers.definition(launch.function)
        tree = self._tree(file)
        if tree is None:
            return
        definition = Definition(tree, wrappers.kernel_name(launch.function), line)
        namespace = wrappers.python_function(launch.function).__globals__
        chosen = {} if launch.chosen is None else launch.chosen.all_kwargs()
        if launch.chosen is not None:
            tuned = {
                name: value
                for name, value in self._left.items()
                if name in chosen or name in OPTION_KNOBS
            }
            edits = freeze_tuner(
                definition, launch.kernel, launch.chosen, tuned, namespace,
                keep=self._keep_autotune, key=self._key,
                others=[{name: one[name] for name in tuned if name in one} for one in self._others],
            )  # fmt: skip
            if edits:
                self._frozen.add(file, *edits)
                for name in tuned:
                    del self._left[name]
        heuristics = wrappers.heuristics_of(launch.kernel)
        set_by_them = {name: self._left[name] for name in heuristics if name in self._left}
        if set_by_them:
            moved = {name: v for name, v in set_by_them.items() if name in self._changed}
            edits, written = freeze_heuristics(definition, moved)
            self._frozen.add(file, *edits)
            for name in set_by_them:
                if name in written or name not in moved:
                    del self._left[name]

    def _new_tuner(self) -> None:
        """Put a tuner above the kernel, and take what it chooses out of the launch."""
        file, line = wrappers.definition(self._launch.function)
        call = self._session.kept.entries.call_of(self._session, self._launch)
        tree, node = self._tree(file), self._node(call)
        if tree is None or call is None or node is None:
            raise NoTunerError("the launch is in no text that could be edited")
        definition = Definition(tree, wrappers.kernel_name(self._launch.function), line)
        if self._dispatch is not None:
            names, above = new_dispatch(self._launch, definition, node, self._dispatch)
        else:
            configs = (self._config, *self._others)
            names, above = new_tuner(self._launch, definition, node, configs, self._key)
        self._frozen.add(file, above)
        self._frozen.add(call.file, *without(node, names))
        for name in names:
            self._left.pop(name, None)

    def _unknown_names(self) -> None:
        for file in dict.fromkeys(
            [self._session.path, wrappers.definition(self._launch.function)[0]]
        ):
            tree = self._tree(file)
            if tree is not None:
                name = wrappers.kernel_name(self._launch.function)
                self._frozen.add(file, *known_names(tree, name))

    # ------------------------------------------------------------------ where a knob enters

    def _entries(self) -> None:
        moved = [
            name
            for name in hosting.moved_constexprs(self._launch, self._config)
            if name in self._left
        ]
        if not moved:
            return
        config = self._launch.info.config.updated({name: self._left[name] for name in moved})
        edits = hosting.whole_edits(self._session, self._launch, config)
        for place, value in edits:
            made = self._at(place, value)
            if made is None:
                return
            self._frozen.add(place.file, made)
        for name in moved:
            if edits and self._session.kept.entries.of(self._session, self._launch, name).found:
                del self._left[name]

    def _at(self, place: Place, value: Any) -> Edit | None:
        text = literal(wrappers.dtype_name(value) or value)
        if place.kind in ("literal", "value"):
            return Edit(place.line, place.column, place.end_line, place.end_column, text)
        tree = self._tree(place.file)
        for node in ast.walk(tree) if tree is not None else ():
            if place.kind == "parameter" and isinstance(
                node, (ast.FunctionDef, ast.AsyncFunctionDef)
            ):
                every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if any(stands_at(item, place) for item in every):
                    start = int(ast.get_docstring(node, clean=False) is not None)
                    return before(node.body, start, f"{place.name} = {text}  # tuned")
            elif (
                place.kind == "loop"
                and isinstance(node, (ast.For, ast.AsyncFor))
                and stands_at(node.target, place)
            ):
                return before(node.body, 0, f"{place.name} = {text}  # tuned")
        return None

    # ------------------------------------------------------------------ the launch itself

    def _call(self) -> None:
        call = self._session.kept.entries.call_of(self._session, self._launch)
        node = self._node(call)
        if call is None or node is None:
            return
        self._compiled(call.file, node)
        added: list[str] = []
        for name in list(self._left):
            value, text = self._left[name], literal(self._left[name])
            passed = call.passed.get(name)
            if passed is not None:
                if name in self._changed:
                    self._frozen.add(call.file, self._passed(call, name, passed, text))
                elif isinstance(passed, ast.Constant):
                    self._frozen.add(call.file, replaced(passed, text))
            elif name in self._changed or (name in _ALWAYS_WRITTEN and not call.others):
                written = self._written_elsewhere(call, name)
                if written is not None:
                    self._frozen.add(*written)
                elif value is not None:
                    added.append(f"{name}={text}")
            elif name in OPTION_KNOBS:
                self._unsaid.add(name)  # left to Triton, or to what `**options` holds
            del self._left[name]
        for edit in additions(node, added) if added else ():
            self._frozen.add(call.file, edit)

    def _compiled(self, file: str, launch: ast.Call) -> None:
        """Write options where what is launched was compiled, and constexprs there as well."""
        tree = self._tree(file)
        kernel = wrappers.kernel_name(self._launch.function)
        calls = [] if tree is None else compiling_calls(tree, launch, kernel)
        if not calls:
            return
        parameters = wrappers.parameter_names(self._launch.function)
        options = [name for name in self._left if name in OPTION_KNOBS]
        moved = hosting.moved_constexprs(self._launch, self._config)
        for call in calls:
            passed = passed_to(call, parameters)
            added = []
            for name in [*options, *moved]:
                text = literal(self._config[name])
                if name in passed:
                    self._frozen.add(file, replaced(passed[name], text))
                elif self._config[name] is not None and (
                    name in self._changed or name in _ALWAYS_WRITTEN
                ):
                    added.append(f"{name}={text}")
            for edit in additions(call, added) if added else ():
                self._frozen.add(file, edit)
        for name in options:
            del self._left[name]

    def _passed(self, call: LaunchCall, name: str, passed: ast.expr, text: str) -> Edit:
        """Return the edit at the one number that a launch passes by name, else at the launch."""
        origin = None
        if name in OPTION_KNOBS and isinstance(passed, ast.Name):
            origin = self._own_literal(call, name)
        if origin is not None and origin.file == call.file:
            return Edit(origin.line, origin.column, origin.end_line, origin.end_column, text)
        return replaced(passed, text)

    def _own_literal(self, call: LaunchCall, name: str) -> Place | None:
        """Return where an option's number is written, if it is one place that serves it alone."""
        flow = self._session.kept.entries.flow(self._session)
        captured = self._launch.info.config.as_dict().get(name)
        own = [
            place
            for place, value in flow.of_parameter(call, name).literals.items()
            if type(value) is type(captured) and value == captured
        ]
        names = wrappers.parameter_names(self._launch.function)
        others = flow.of_others(call, name, names).literals
        return own[0] if len(own) == 1 and own[0] not in others else None

    def _written_elsewhere(self, call: LaunchCall, name: str) -> tuple[str, Edit] | None:
        """Return the edit at the number that reaches the launch within `**options`."""
        if not call.others:
            return None
        place = self._own_literal(call, name)
        if place is None:
            return None
        made = self._at(place, self._left[name])
        return None if made is None else (place.file, made)

    def _node(self, call: LaunchCall | None) -> ast.Call | None:
        """Return the launch's call in the tree: of those that pass these arguments, the one."""
        if call is None:
            return None
        line = self._launch.site[1] or 0
        tree = self._tree(call.file)
        best: ast.Call | None = None
        for node in ast.walk(tree) if tree is not None else ():
            if not isinstance(node, ast.Call) or not spans(node, line):
                continue
            launches = isinstance(node.func, ast.Subscript) or (
                isinstance(node.func, ast.Attribute) and node.func.attr in ("run", "warmup")
            )
            smaller = best is None or height(node) <= height(best)
            if launches and smaller and same_arguments(node, call):
                best = node
        return best

    def _tree(self, file: str) -> ast.Module | None:
        if file not in self._trees:
            text = self._texts.get(file)
            if text is None and file == drivers.DRIVER_FILE:
                driver = self._session.driver
                text = "" if driver is None else driver_code(self._session)
            if text is None:
                text = _read(file)
            if text is None:
                return None
            try:
                self._trees[file] = ast.parse(text)
            except SyntaxError:
                return None
        return self._trees[file]

    def _not_written(self, names: Iterable[str]) -> Finding:
        info = self._launch.info
        return Finding(
            "warning",
            "export",
            f"{', '.join(names)} could not be written into the launch of {info.kernel}",
            hint="the launch is in no text of these files, or not written as kernel[grid](...); "
            "set these by hand where the kernel is launched",
            file=self._session.path,
            line=info.call_line,
        )


def driver_code(session: Session) -> str:
    """Return the driver's code as it ran, problem sizes put in."""
    if session.driver is None:
        return ""
    return drivers.with_sizes(session.driver.code, session.sizes)


def _read(file: str) -> str | None:
    from playground.engine import host_code
    from playground.engine.source_text import read_source

    if host_code.is_loaded(file):
        return host_code.text_of(file)
    try:
        return read_source(file)
    except (OSError, SyntaxError):
        return None  # a kernel that was made from text has no file
