"""What a run wrote into its folder; a file that its output goes into is no part of that."""

import subprocess
import sys

from playground.engine import written_files

LISTING = (
    "import sys; from playground.engine.written_files import listing; "
    "print(sorted(listing(sys.argv[1])))"
)


def test_new_and_changed_files_are_named(tmp_path):
    (tmp_path / "old").write_text("old")
    before = written_files.listing(str(tmp_path))
    (tmp_path / "new").write_text("new")
    (tmp_path / "old").write_text("older")
    assert written_files.written(before, written_files.listing(str(tmp_path))) == "new, old"


def test_where_the_output_goes_was_chosen_by_who_started_it(tmp_path):
    with (tmp_path / "err.txt").open("w") as said:
        (tmp_path / "result").write_text("1")
        listed = subprocess.run(
            [sys.executable, "-c", LISTING, str(tmp_path)],
            stdout=subprocess.PIPE, stderr=said, text=True, check=True,
        )  # fmt: skip
    assert listed.stdout.strip() == "['result']"
