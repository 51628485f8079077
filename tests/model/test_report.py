"""The report's HTML: complete by itself, true to its data, without a folder of the machine."""

import html.parser
import re

import pytest

from playground.model.check import CheckResult
from playground.model.config import Config
from playground.model.coverage import Coverage
from playground.model.device import DeviceInfo
from playground.model.figures import FIGURES
from playground.model.finding import Finding
from playground.model.launch import Argument, Launch
from playground.model.measurement import Measurement
from playground.model.report import KernelReport, ReportPicture
from playground.model.report_html import MARK, render, without_folders
from playground.model.report_plot import nice_ticks, samples_plot
from playground.model.report_words import time_text

CONFIG = Config.of({"BLOCK": 128, "num_warps": 4})
LAUNCH = Launch(
    0, "add", "/home/me/k.py", 3, 9, (8, 1, 1), "callable",
    (Argument("n", "int", "1000"),), (), CONFIG,
)  # fmt: skip
DEVICE = DeviceInfo(
    "gpu", "NVIDIA H200", "cuda:90", "2.11", "3.6", "3.12", copy_ceiling_gbps=4000.0
)


def report(**changes):
    values = {
        "file": "k.py", "source": "x = 1 < 2\ny = '<b>'\n", "launch": LAUNCH, "config": CONFIG,
        "device": DEVICE, "made": "2026-11-30", "playground": "0.1.0",
        "check": CheckResult("correct", "reference"),
        "measurement": Measurement(
            0, CONFIG, tuple(0.010 + 0.0001 * n for n in range(11)), "cupti", "cold",
            bytes_unique=21_000_000,
        ),
        "coverage": Coverage(0, CONFIG, (8, 1, 1), (), 1, 1, 0, (), "gpu", 1.0),
        "pictures": (ReportPicture("x", "by owner", b"\x89PNG", 4, 4),),
        "findings": (Finding("hint", "coverage", "in /home/me/k.py", line=2),),
        "private": ("/home/me", "/tmp"),
    }  # fmt: skip
    return render(KernelReport(**(values | changes)))


class Balanced(html.parser.HTMLParser):
    VOID = frozenset({"meta", "img", "br", "circle", "line"})

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_it_is_one_well_formed_file():
    parser = Balanced()
    text = report()
    parser.feed(text)
    assert parser.open == []
    assert parser.links == ["data:image/png;base64,iVBORw=="]
    assert MARK in text.split("\n")[1]


def test_its_figures_are_those_of_the_measurement():
    """21 MB in 10.5 µs are 2000 GB/s, half of the copy ceiling."""
    text = report()
    assert "10.5 µs" in text
    assert "2000 GB/s" in text
    assert "50 % of a copy" in text


def test_no_folder_of_the_machine_is_named():
    text = report()
    assert "/home/me" not in text
    assert "in k.py" in text
    assert without_folders("a /tmp/x/y b /tmp c", ["/tmp", "/tmp/x"]) == "a y b  c"
    assert without_folders("/tmpfile", ["/tmp"]) == "/tmpfile"


def test_what_is_not_known_is_said_and_the_source_is_text():
    text = report(measurement=None, missing=(("time", "it ran into <x>"),))
    assert "it ran into &lt;x&gt;" in text
    assert "y = &#x27;&lt;b&gt;&#x27;" in text
    assert "GB/s" not in re.sub(r"<details>.*</details>|Copy ceiling.*?</td>", "", text)


def test_a_plot_shows_every_sample_and_cuts_outliers_only():
    samples = [1.0] * 200 + [50.0]
    text = samples_plot(samples, "ms", 1.0)
    assert text.count("<circle") == 201
    assert "1 above the edge" in text
    assert "median 1 ms" in text


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 10, [0, 2, 4, 6, 8, 10]), (0.98, 1.02, [0.98, 0.99, 1.0, 1.01, 1.02]), (3, 3, [3])],
)
def test_ticks_are_round(low, high, ticks):
    assert nice_ticks(low, high) == pytest.approx(ticks)


def test_times_have_the_unit_that_suits():
    assert [time_text(t) for t in (0.0015, 2.5, 2500)] == ["1.5 µs", "2.5 ms", "2.5 s"]


def test_every_figure_is_defined():
    for figure in FIGURES.values():
        assert figure.meaning.endswith(".")
        assert figure.title in figure.text()
