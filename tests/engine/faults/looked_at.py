"""Every planted fault and its twin counted in this process: what was found, as plain data."""

from playground.engine import poisoning
from playground.engine.coverage import count
from playground.engine.coverage_findings import coverage_findings
from tests.engine.coverage_parts import captured, prepared
from tests.engine.faults import faulty


def _captured(case, bad):
    with poisoning.poisoned_memory():  # as runs of a file are captured
        return captured(lambda: case(bad))


def findings_of(case, bad):
    """Return (severity, line, message, remedy) of all launches that a case makes."""
    # Where the kernel has a switch, only the counting copy runs the fault: on a GPU the kernel
    # itself could end the process.
    switched = bad and "BAD" in {knob.name for knob in _captured(case, False)[0].info.knobs}
    found = []
    for launch in _captured(case, bad and not switched):
        ready = prepared(launch, **({"BAD": True} if switched else {}))
        summary = count(ready).summary()
        found += [
            [item.severity, item.line, item.message, item.hint]
            for item in coverage_findings(launch.info.kernel, summary)
        ]
    return found


def everything(names=None):
    """Return, by name of the fault, what the faulty kernel and its twin are told."""
    return {
        name: {"bad": findings_of(case, True), "good": findings_of(case, False)}
        for name, (case, _) in faulty.CASES.items()
        if names is None or name in names
    }


def hazards_of(name):
    """Return the hazards of a faulty kernel's last launch, lines counted from its first."""
    launch = _captured(faulty.CASES[name][0], True)[-1]
    summary = count(prepared(launch)).summary()
    return [
        {
            "kind": item.kind, "tensor": item.tensor, "elements": item.elements,
            "first": list(item.first), "programs": list(item.programs),
            "places": [[place.kind, place.line] for place in item.places],
            "ordered": item.ordered,
        }
        for item in summary.hazards
    ]  # fmt: skip


HAZARDOUS = (
    "in-place stencil", "missing atomic", "two programs share a partial sum", "stale scratch",
    "every program resets the counter", "scratch half written", "overlapping tiles",
)  # fmt: skip
