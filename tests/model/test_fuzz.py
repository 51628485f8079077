"""Whatever text or value comes, the model answers in its own words."""

from hypothesis import example, given
from hypothesis import strategies as st

from playground.model.knobs import KnobError, constexpr_knob, option_knob, validate
from playground.model.outline import outline
from playground.model.resources import kernels_dir
from tests.fuzzed import examples, mutated, texts

KERNEL = (kernels_dir() / "softmax.py").read_text()

values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
    st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=3), st.integers()),
)  # fmt: skip


@examples(20)
@given(st.one_of(texts, mutated(KERNEL)))
@example("(" * 5000)
@example("x = " + "-" * 5000 + "1")
@example("f(" * 300 + ")" * 300)
@example("if x:\n" + "".join(" " * depth + "if x:\n" for depth in range(1, 150)))
@example("\0")
@example("\ud800")
@example(("#\n" * 19 + "x = 1\n") * 5_000)
@example("\t \tx = 1\n\f\v\x1c# \u2028\n")
def test_any_text_has_an_outline(text: str) -> None:
    found = outline(text, "any.py")
    for finding in found.findings:
        assert finding.message
        assert finding.line is None or 1 <= finding.line <= text.count("\n") + 2


@examples(60)
@given(st.sampled_from([1, 64, 1024, True, 0.5, "tl.float16", None]), values)
@example(0.5, float("nan"))
def test_a_knob_takes_a_value_or_says_why_not(start: object, value: object) -> None:
    for knob in (constexpr_knob("BLOCK", start), option_knob("num_warps", 4)):
        try:
            taken = validate(knob, value)  # type: ignore[arg-type]
        except KnobError:
            continue
        assert taken == value
        assert validate(knob, taken) == taken
