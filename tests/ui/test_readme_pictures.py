"""The one command that takes the README's pictures: it knows all of them and how to ask."""

import ast
import re
from pathlib import Path

import pytest

from tests.benchmarks import readme_pictures

ROOT = Path(__file__).parents[2]


def test_every_picture_of_the_readme_is_taken():
    shown = re.findall(r"assets/pictures/(\w+)\.png", (ROOT / "README.md").read_text())
    assert sorted(set(shown)) == sorted(shot.name for shot in readme_pictures.SHOTS)


def test_every_figure_has_its_script():
    folder = ROOT / "tests" / "benchmarks"
    known = {*readme_pictures.FIGURES, *readme_pictures.APART}
    assert all((folder / f"{name}.py").is_file() for name in known)
    told = (ROOT / "README.md").read_text().split("\n## Benchmarks\n")[1].split("\n## ")[0]
    named = {name for name in re.findall(r"`(\w+)\.py", told) if (folder / f"{name}.py").is_file()}
    assert named <= known
    assert len(named) > 15


@pytest.mark.parametrize("shot", readme_pictures.SHOTS, ids=lambda shot: shot.name)
def test_its_options_are_the_photographs(shot, tmp_path, monkeypatch):
    from playground.ui import photograph

    taken = []

    def take(file, png, **options):
        taken.append((file, png, options))
        return photograph.Photographed(str(png), 1, 1, 1, (), (), "ready", "", None, None)

    monkeypatch.setattr(photograph, "photograph", take)
    assert photograph.main(readme_pictures.command(shot, tmp_path)[3:]) == 0
    file, png, options = taken[0]
    ast.parse(options["compare"] or "None", mode="eval")
    assert Path(file).is_file()
    assert Path(png).name == f"{shot.name}.png"
