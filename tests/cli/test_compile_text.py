"""What people read of `compile`, from records made by hand."""

from playground.cli import compile_schema, text
from playground.model.compilations import Change, Fit, Pass, Variant
from playground.model.compiling import CompileReport, Gain, Occupancy, StageTime, Waves
from playground.model.config import Config
from playground.model.finding import Finding
from playground.model.machine_code import Access, LineCode, MachineCode
from playground.protocol.messages import ComparedCompilations
from tests.cli.documents import COMPILE_EXTRAS, COMPILED, conforms

CONFIG = Config.of({"BLOCK": 64, "num_warps": 4})
REPORT = CompileReport(
    0, CONFIG, "cuda:90", "k", 65, 0, 0, 98304, 232448, 128, True, (StageTime("ttir", 2.0),), 12.0,
    False, ("ttir", "ptx"), Occupancy(2, 8, 64, "shared memory"), (), 512,
    (Gain("registers", 64, 3, "at most 64 registers a thread: 3 programs instead of 2"),),
    Waves(600, 264),
)  # fmt: skip
NAMED = {"launch": 0, "kernel": "k", "config": {"BLOCK": 64}, "target": "cuda:90"}


def shown(found, report=REPORT):
    item = compile_schema.compiled(report, {"stages": ["ttir"], **found}, NAMED)
    conforms(item, COMPILED, "compile")
    for key, shape in COMPILE_EXTRAS.items():
        if item[key] is not None:
            conforms(item[key], shape, key)
    return text.render({"compile": item}, "compile"), text.emitted({"compile": item})


def test_the_figures():
    report, emitted = shown({})
    assert "98,816 bytes (512 of them static) of 232,448" in report
    assert "2 programs, 8 of 64 warps (12.5%) a multiprocessor, limited by shared memory" in report
    assert "for more                 at most 64 registers a thread" in report
    # 600 programs, 264 at once: two waves and 72 more.
    assert "600 programs, 264 at once: 2.27 waves, the last one 27% full" in report
    assert emitted == ""


def test_a_grid_below_one_wave_and_one_that_comes_out_even():
    for programs, told in ((66, "264 at once: 25% of a wave"), (528, "2.00 waves, the last one 100% full")):  # noqa: E501  # fmt: skip
        made = CompileReport(**{**REPORT.__dict__, "waves": Waves(programs, 264)})
        assert told in shown({}, made)[0]


def test_amds_registers_by_kind():
    kinds = (("VGPR", 60), ("AGPR", 4), ("SGPR", 30))
    made = CompileReport(**{**REPORT.__dict__, "registers": 64, "register_kinds": kinds})
    assert "64 (60 VGPR, 4 AGPR, 30 SGPR)" in shown({}, made)[0]


def test_lines():
    code = MachineCode(
        0, CONFIG, "cuda:90",
        (LineCode(7, (("wide memory", 4), ("integer", 20)), (Access("load", "global", 128, 4),),
                  (("HGMMA", 2),), 1, 0, 16),),
        (("wide memory", 4), ("integer", 25)), 5, ("a note",),
    )  # fmt: skip
    report, _ = shown({"code": compile_schema.code(code, {7: "  x = tl.load(p)"})})
    head, line, total = (row.split() for row in report.splitlines()[-5:-2])
    assert head == ["line", "source", "all", "16-byte", "integer", "conversions", "spilled",
                    "accesses"]  # fmt: skip
    assert line[:2] == ["7", "x"]
    assert line[3:] == ["tl.load(p)", "24", "4", "20", "1", "16", "4×", "global", "load", "128",
                        "bits,", "2×", "HGMMA"]  # fmt: skip
    assert total == ["all", "of", "it", "29", "4", "25"]
    assert "5 instructions come from no line of the file" in report


def test_targets():
    refusal = Finding(
        "error", "resources", "k compiles for hip:gfx942 but cannot launch: it needs 9 of 8 bytes",
        "num_stages=2 fits",
    )  # fmt: skip
    small = CompileReport(**{**REPORT.__dict__, "target": "hip:gfx942", "fits": False})
    fits = [Fit("cuda:90", REPORT), Fit("hip:gfx942", small, (refusal,)),
            Fit("cuda:75", None, (Finding("error", "compile", "no fp8 there"),))]  # fmt: skip
    report, _ = shown({"targets": [compile_schema.fit(item) for item in fits]})
    assert "fits 1 of 3 targets" in report
    rows = report.splitlines()[-3:]
    assert rows[0].split()[:2] == ["cuda:90", "yes"]
    assert rows[1].endswith("it needs 9 of 8 bytes - num_stages=2 fits")
    assert rows[2].split()[:3] == ["cuda:75", "NO", "-"]
    assert rows[2].endswith("no fp8 there")


def test_another_config_beside_it():
    changes = (
        Change("registers a thread", 65, 80), Change("spilled a thread", 0, 0, "bytes"),
        Change("instructions", 40, 20), Change("instructions", 10, 4, "", 7),
        Change("integer", 9, 3, "instructions", 7), Change("spilled", 0, 16, "bytes", 9),
    )  # fmt: skip
    compared = ComparedCompilations(
        Variant(CONFIG, "cuda:90"), Variant(CONFIG.with_value("num_warps", 8), "cuda:90"),
        REPORT, REPORT, changes,
    )  # fmt: skip
    found = {
        "comparison": compile_schema.comparison(compared, {"ptx": "-a\n+b"}),
        "ir": {"ptx": "b"},
    }
    report, emitted = shown(found)
    lines = [row.split() for row in report.splitlines()]
    assert ["num_warps=4", "num_warps=8", "change"] in lines
    assert ["registers", "a", "thread", "65", "80", "+15", "(+23%)"] in lines
    assert ["7", "10", "4", "-6", "(-60%)", "integer", "-6"] in lines
    assert ["9", "spilled", "+16", "bytes"] in lines
    assert "spilled a thread" not in report
    assert emitted == "-a\n+b"


def test_passes():
    passes = (
        Pass("Inliner", "ttir", True, 9, "@@ -1,1 +1,1 @@\n-a\n+b"), Pass("CSE", "ttir", False, 9),
        Pass("SymbolDCE", "ttir", False, 9), Pass("Coalesce", "ttgir", False, 9, "", True),
    )  # fmt: skip
    item = [{"name": p.name, "stage": p.stage, "changed": p.changed, "lines": p.lines,
             "diff": p.diff, "failed": p.failed} for p in passes]  # fmt: skip
    _, emitted = shown({"passes": item, "ir": {"ttir": "module"}})
    assert emitted.splitlines() == [
        "======== ttir", "module", "======== passes of ttir", "-------- Inliner (9 lines after it)",
        "@@ -1,1 +1,1 @@", "-a", "+b", "-------- changed nothing: CSE, SymbolDCE",
        "======== passes of ttgir", "-------- Coalesce: the compilation ended here",
    ]  # fmt: skip


def test_what_does_not_compile_has_no_figures():
    report, emitted = shown({"ir": {"ttir": "module"}}, None)
    assert report.splitlines() == [
        "k does not compile for cuda:90 under BLOCK=64", "  stages that it came through: ttir",
    ]  # fmt: skip
    assert emitted == "module"
