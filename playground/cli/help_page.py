"""A page of `--help`: one sentence, examples, options by what they are about, then notes.

It is as wide as the terminal, and never wider than is good to read.
"""

from __future__ import annotations

import argparse
import shutil
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NARROWEST, WIDEST = 60, 100


@dataclass(frozen=True)
class Example:
    """A command that works as written, and what it is for; `cheap` ones a test runs.

    `needs` says what a machine must have for it, empty where it works anywhere.
    """

    purpose: str
    command: str
    needs: str = ""
    cheap: bool = False


@dataclass(frozen=True)
class Note:
    """A section of plain words: pairs of a term and its explanation, or a paragraph alone."""

    title: str
    rows: tuple[tuple[str, str], ...] = ()
    text: str = ""


def help_width() -> int:
    """Return the characters of a line: the terminal's (or COLUMNS), within what reads well."""
    return min(max(shutil.get_terminal_size().columns - 1, NARROWEST), WIDEST)


class HelpParser(argparse.ArgumentParser):
    """Parses as its base does; its help is laid out as a page.

    `notes` is called when the page is printed, for what must be looked up on the machine.
    """

    def __init__(
        self,
        prog: str,
        usages: Sequence[str],
        sentence: str,
        examples: Sequence[Example] = (),
        notes: Callable[[], Sequence[Note]] | None = None,
        before: Sequence[Note] = (),
    ) -> None:
        super().__init__(prog, add_help=False)
        self._usages, self._sentence, self._examples = tuple(usages), sentence, tuple(examples)
        self._notes, self._before = notes, tuple(before)

    def group(self, title: str) -> argparse._ArgumentGroup:
        """Return the group of options of that title, made where it is not there yet."""
        for group in self._action_groups:
            if group.title == title:
                return group
        return self.add_argument_group(title)

    def format_usage(self) -> str:
        """Return the usage, a line for each way."""
        lead = "usage: "
        rest = ("\n" + " " * len(lead)).join(self._usages)
        return f"{lead}{rest}\n"

    def format_help(self) -> str:
        """Return the page."""
        width = help_width()
        parts = [self.format_usage(), _paragraph(self._sentence, width)]
        if self._examples:
            parts.append("examples:\n" + "".join(_example(each, width) for each in self._examples))
        parts += [_note(note, width) for note in self._before]
        for group in self._action_groups:
            if group._group_actions:
                formatter = argparse.HelpFormatter(self.prog, max_help_position=30, width=width)
                formatter.start_section(group.title)
                formatter.add_text(group.description)
                formatter.add_arguments(group._group_actions)
                formatter.end_section()
                parts.append(formatter.format_help())
        parts += [_note(note, width) for note in (self._notes() if self._notes else ())]
        return "\n".join(parts)

    def add_general(self, version: str) -> None:
        """Add what every command has, as the last group."""
        general: Any = self.group("general")
        general.add_argument("-h", "--help", action="help", help="show this page")
        general.add_argument(
            "--version", action="version", version=version, help="show the version"
        )


def wrapped_command(command: str, width: int, indent: int) -> str:
    """Return a command in lines that fit; it is broken before options, as a shell takes it."""
    lines: list[str] = []
    line = ""
    for word in _words(command):
        longer = f"{line} {word}".strip()
        room = width - indent - (4 if lines else 0) - 2
        if line and len(longer) > room:
            lines.append(line + " \\")
            line = word
        else:
            line = longer
    lines.append(line)
    first, *rest = lines
    return "\n".join([" " * indent + first, *(" " * (indent + 4) + each for each in rest)])


def _words(command: str) -> list[str]:
    """Return the parts between which a command may be broken: each option with its value."""
    head, *options = command.split(" --")
    return [head, *(f"--{option}" for option in options)]


def _example(example: Example, width: int) -> str:
    command = wrapped_command(example.command, width, 4) + "\n"
    if not example.purpose:
        return command  # it goes on from the one before
    purpose = f"{example.purpose} ({example.needs})" if example.needs else example.purpose
    told = textwrap.fill(purpose, width, initial_indent="  ", subsequent_indent="  ")
    return f"{told}\n{command}"


def _note(note: Note, width: int) -> str:
    lines: list[str] = [f"{note.title}:"]
    if note.text:
        lines.append(textwrap.fill(
            note.text, width, initial_indent="  ", subsequent_indent="  ",
            break_long_words=False, break_on_hyphens=False,
        ))  # fmt: skip
    margin = max((len(term) for term, told in note.rows if told), default=0) + 2
    for term, told in note.rows:
        if not told:
            lines.append(f"  {term}")
            continue
        lines.append(textwrap.fill(
            told, width, initial_indent=f"  {term:<{margin}}",
            subsequent_indent=" " * (2 + margin), break_long_words=False, break_on_hyphens=False,
        ))  # fmt: skip
    return "\n".join(lines) + "\n"


def _paragraph(text: str, width: int) -> str:
    return textwrap.fill(text, width) + "\n"
