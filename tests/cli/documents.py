"""A checker of the command line's documents, written by hand from the README's tables."""

from __future__ import annotations

# Every key of a document and the types its value may have.
Maybe = type(None)
NUMBER = (int, float)
CONFIG = dict
FINDING = {
    "severity": str, "stage": str, "message": str, "hint": str, "file": (str, Maybe),
    "line": (int, Maybe), "column": (int, Maybe), "detail": str,
}  # fmt: skip
DEVICE = {
    "mode": str, "name": str, "target": str, "torch": str, "triton": str, "python": str,
    "driver": str, "cuda": str, "multiprocessors": (int, Maybe), "l2_bytes": (int, Maybe),
    "memory_bytes": (int, Maybe), "copy_ceiling_gbps": (*NUMBER, Maybe), "notes": list,
}  # fmt: skip
COUNT = {"total": int, "min": int, "max": int}
CLOCK = {
    "sm_clock_mhz": (int, Maybe), "memory_clock_mhz": (int, Maybe), "temperature_c": (int, Maybe),
    "power_w": (*NUMBER, Maybe), "throttle": str, "utilisation": (int, Maybe),
}  # fmt: skip
CHECK = {
    "status": str, "against": str, "tensor": str, "max_abs_error": (*NUMBER, Maybe),
    "tolerance": (*NUMBER, Maybe), "mismatches": int, "elements": int,
    "first_index": (list, Maybe), "note": str, "route": str,
}  # fmt: skip
TEXT = {
    "launch": int, "kernel": str, "config": CONFIG, "name": str, "path": (str, Maybe), "text": str,
}  # fmt: skip
ROW = {
    "config": CONFIG, "status": str, "reason": str, "median_ms": (*NUMBER, Maybe),
    "low_ms": (*NUMBER, Maybe), "high_ms": (*NUMBER, Maybe), "registers": (int, Maybe),
    "spill_bytes": (int, Maybe), "shared_bytes": (int, Maybe), "programs_per_sm": (int, Maybe),
    "unwritten": (int, Maybe), "samples": int, "source": (str, Maybe), "screened": bool,
    "confirmed": bool, "place": (int, Maybe), "kept": bool, "device": str,
    "at_s": (*NUMBER, Maybe),
    "relative": (*NUMBER, Maybe), "proved": bool,
}  # fmt: skip
REPORT = {
    "launch": int, "kernel": str, "config": CONFIG, "target": str,
    "registers": (int, Maybe), "spill_bytes": (int, Maybe), "stack_bytes": (int, Maybe),
    "shared_bytes": (int, Maybe), "shared_limit_bytes": (int, Maybe), "threads": (int, Maybe),
    "fits": bool, "stage_times": [{"stage": str, "time_ms": NUMBER}],
    "total_ms": (*NUMBER, Maybe), "cache_hit": bool, "stages": [str],
    "occupancy": (dict, Maybe), "notes": [str], "static_shared_bytes": (int, Maybe),
    "gains": [{"resource": str, "value": int, "programs_per_sm": int, "text": str}],
    "waves": (dict, Maybe), "register_kinds": dict, "stated_warps": (int, Maybe),
    "shared_buffers": [{
        "name": str, "file": str, "line": int, "count": int, "shape": [int], "dtype": str,
        "bytes": int, "knobs": [str]}],
}  # fmt: skip
COMPILED = {
    **REPORT, "ir": dict, "passes": (list, Maybe), "code": (dict, Maybe),
    "targets": (list, Maybe), "comparison": (dict, Maybe),
}  # fmt: skip
CHANGE = {
    "name": str, "left": (*NUMBER, Maybe), "right": (*NUMBER, Maybe), "unit": str, "line": int,
}  # fmt: skip
SIDE = {"config": CONFIG, "target": str, "before_edit": bool}
COMPILE_EXTRAS = {
    "waves": {"programs": int, "per_wave": int, "count": NUMBER, "last_wave": NUMBER},
    "passes": [{
        "name": str, "stage": str, "changed": bool, "lines": int, "diff": str, "failed": bool}],
    "code": {
        "lines": [{
            "line": int, "source": str, "instructions": int, "counts": dict, "accesses": [{
                "what": str, "space": str, "bits": int, "count": int}],
            "matrix": dict, "conversions": int, "barriers": int, "spill_bytes": int}],
        "total": dict, "elsewhere": int, "notes": [str],
    },
    "targets": [{"target": str, "report": (dict, Maybe), "findings": [FINDING]}],
    "comparison": {
        "left": SIDE, "right": SIDE, "left_report": (dict, Maybe), "right_report": (dict, Maybe),
        "changes": [CHANGE], "diffs": dict},
}  # fmt: skip
PAYLOADS = {
    "launches": [{
        "index": int, "kernel": str, "file": str, "line": int, "call_line": (int, Maybe),
        "grid": list, "grid_kind": str, "programs": int, "arguments": [{
            "name": str, "kind": str, "text": str, "tensor": (dict, Maybe)}],
        "knobs": [{
            "name": str, "kind": str, "origin": str, "default": object, "choices": list,
            "minimum": (int, Maybe), "maximum": (int, Maybe), "derived": bool, "note": str}],
        "config": CONFIG, "wrappers": list,
        "presets": [{"label": str, "config": CONFIG, "tuned": bool}],
        "count": int,
    }],
    "measurement": {
        "launch": int, "kernel": str, "config": CONFIG, "samples_ms": [NUMBER],
        "median_ms": NUMBER, "interval_ms": [NUMBER], "spread": NUMBER, "source": str,
        "cache": str, "bandwidth_gbps": (*NUMBER, Maybe), "tflops": (*NUMBER, Maybe),
        "bytes_requested": (int, Maybe), "bytes_unique": (int, Maybe), "flops": (int, Maybe),
        "host_ms": (*NUMBER, Maybe), "silent_ms": (*NUMBER, Maybe), "before": CLOCK,
        "after": CLOCK, "notes": [str],
        "budget_ms": (*NUMBER, Maybe), "stopped": str, "check": CHECK,
        "comparison": (dict, Maybe), "curve": (dict, Maybe), "roofline": (dict, Maybe),
        "host_cost": (dict, Maybe), "energy": (dict, Maybe), "nsight": (dict, Maybe),
    },
    "replay": {"kernel": str, "config": CONFIG},
    "compile": COMPILED,
    "coverage": {
        "launch": int, "kernel": str, "config": CONFIG, "grid": [int], "tensors": [{
            "name": str, "shape": [int], "dtype": str, "elements": int, "loads": COUNT,
            "stores": COUNT, "unwritten": (int, Maybe), "multi_written": int,
            "out_of_bounds": int, "disputed": (int, Maybe), "unread": (int, Maybe),
            "read_again": (list, Maybe), "beside": [int]}],
        "bytes_requested": int, "bytes_unique": int, "flops": int, "out_of_bounds": [{
            "tensor": str, "kind": str, "program": int, "distance": int, "lanes": int,
            "line": (int, Maybe), "file": (str, Maybe)}],
        "mode": str, "duration_ms": NUMBER, "resolution": str, "notes": [str],
        "flops_by_kind": list, "atomics": bool, "sites": [{
            "kind": str, "line": int, "file": str, "column": int, "tensors": [str],
            "lanes": int, "active": int, "bytes_requested": int, "bytes_looked_at": int,
            "bytes_unique": int, "requests": int, "sectors": int, "sectors_least": int,
            "executions": int, "programs_looked_at": int, "sampled": bool, "lanes_looked_at": int,
            "efficiency": (*NUMBER, Maybe), "reread_factor": (*NUMBER, Maybe),
            "masked_off_share": NUMBER}],
        "hazards": [{
            "kind": str, "tensor": str, "elements": int, "first": [int], "programs": [int],
            "places": [{"kind": str, "line": int, "file": str}], "ordered": bool,
            "among": bool}],
        "operations": list, "programs_counted": (int, Maybe),
        "schedule": (dict, Maybe), "reuse": (dict, Maybe), "steps": (dict, Maybe),
        "files": {"png": (str, Maybe), "svg": (str, Maybe), "npz": (str, Maybe)},
    },
    "advice": {
        "launch": int, "kernel": str, "config": CONFIG, "target": str, "items": [{
            "topic": str, "cause": str, "message": str, "remedy": str, "file": (str, Maybe),
            "line": (int, Maybe), "notes": [str], "gain": (dict, Maybe),
            "evidence": [{"text": str, "value": (*NUMBER, Maybe), "unit": str, "source": str}],
            "tries": [{"label": str, "values": dict, "edits": [dict], "gain": (dict, Maybe),
                       "result": (dict, Maybe)}]}],
        "answers": [{"topic": str, "text": str}], "first": (str, Maybe),
        "time_ms": (*NUMBER, Maybe), "floor_ms": (*NUMBER, Maybe), "measured": bool,
        "missing": [str],
    },
    "debug": {
        "launch": int, "kernel": str, "config": CONFIG, "program": int, "grid": [int],
        "stops": (dict, Maybe), "alone": (dict, Maybe), "prints": (dict, Maybe),
        "nonfinite": (dict, Maybe), "differences": (dict, Maybe),
    },
    "sweep": {
        "launch": int, "kernel": str, "target": str, "rows": [ROW], "best": (dict, Maybe),
        "total": int, "cancelled": bool, "elapsed_s": NUMBER, "note": str,
        "ranking": {"groups": [[CONFIG]], "margin": (dict, Maybe)}, "phases": dict,
        "excluded": int, "proved_at": str, "store": (int, Maybe), "at_sizes": (list, Maybe),
        "across": (dict, Maybe),
    },
    "export": TEXT,
    "report": TEXT,
    "reproducer": TEXT,
    "doctor": [{"name": str, "status": str, "text": str, "remedy": str}],
}  # fmt: skip

EXTRAS = {
    "comparison": {
        "a": str,
        "b": str,
        "a_ms": [NUMBER],
        "b_ms": [NUMBER],
        "rounds": int,
        "ratio": NUMBER,
        "low": NUMBER,
        "high": NUMBER,
        "verdict": str,
        "source": str,
        "cache": str,
        "floor": NUMBER,
        "looks": int,
        "elapsed_ms": NUMBER,
        "notes": [str],
        "text": str,
    },
    "curve": {
        "launch": int,
        "kernel": str,
        "axes": [{"name": str, "values": [int]}],
        "lines": [str],
        "rows": [
            {
                "sizes": dict,
                "line": str,
                "median_ms": (*NUMBER, Maybe),
                "low_ms": (*NUMBER, Maybe),
                "high_ms": (*NUMBER, Maybe),
                "samples": int,
                "bytes_unique": (int, Maybe),
                "flops": (int, Maybe),
                "source": (str, Maybe),
                "reason": str,
                "own": (*NUMBER, Maybe),
                "gbps": (*NUMBER, Maybe),
                "tflops": (*NUMBER, Maybe),
            }
        ],
        "cache": str,
        "cancelled": bool,
        "notes": [str],
        "own_label": str,
    },
    "roofline": {
        "ceilings": {
            "device": str,
            "copy_gbps": NUMBER,
            "l2_gbps": (*NUMBER, Maybe),
            "tflops": dict,
            "launch_ms": (*NUMBER, Maybe),
            "measured": bool,
            "source": str,
        },
        "standing": {
            "bytes_unique": int,
            "flops": int,
            "kind": str,
            "memory_ms": NUMBER,
            "arithmetic_ms": NUMBER,
            "floor_ms": NUMBER,
            "bound": str,
            "intensity": NUMBER,
            "measured_ms": (*NUMBER, Maybe),
            "share": (*NUMBER, Maybe),
            "notes": [str],
            "text": str,
        },
    },
    "host_cost": {"first_call_ms": NUMBER, "cold_start_ms": NUMBER, "cached_ms": NUMBER},
    "energy": {"joules": NUMBER, "power_w": NUMBER, "launches": int, "elapsed_s": NUMBER},
    "nsight": {"command": str, "report": (dict, Maybe)},
}
NSIGHT = {
    "kernel": str, "metrics": [{"section": str, "name": str, "value": str, "unit": str}],
    "advice": [str], "stall_text": str, "stalls": [{
        "reason": str, "title": str, "cycles": NUMBER, "share": NUMBER, "meaning": str,
        "remedy": str}],
}  # fmt: skip


COVERAGE_EXTRAS = {
    "schedule": {
        "launch": int, "config": CONFIG, "grid": [int], "multiprocessors": int, "used": int,
        "duration_ns": int, "shortest_ns": int, "median_ns": int, "longest_ns": int,
        "resident": int, "resident_theoretical": (int, Maybe), "waves": NUMBER, "tail_ns": int,
        "idle_share": NUMBER, "resolution_ns": int, "notes": [str], "programs": (dict, Maybe),
    },
    "reuse": {
        "launch": int, "config": CONFIG, "order": str, "cache_bytes": int, "cache_of": str,
        "requested_bytes": int, "least_bytes": int, "fetched_bytes": int, "per_tensor": list,
        "notes": [str],
    },
    "steps": {
        "program": int, "truncated": bool, "rows": [{
            "kind": (str, Maybe), "file": (str, Maybe), "line": (int, Maybe),
            "tensor": (str, Maybe), "elements": int, "runs": list}],
    },
}  # fmt: skip


def check_document(document: dict, key: str) -> None:
    """Fail unless `document` is what the README says of schema `triton-playground/1`."""
    assert document["schema"] == "triton-playground/1"
    assert set(document) == {"schema", "playground", "device", "file", "findings", key}
    assert isinstance(document["playground"], str)
    conforms(document["findings"], [FINDING], "findings")
    if document["device"] is not None:
        conforms(document["device"], DEVICE, "device")
    if document[key] is not None:
        conforms(document[key], PAYLOADS[key], key)
        for extra, shape in EXTRAS.items():
            if key == "measurement" and document[key][extra] is not None:
                conforms(document[key][extra], shape, extra)
        for extra, shape in COVERAGE_EXTRAS.items():
            if key == "coverage" and document[key][extra] is not None:
                conforms(document[key][extra], shape, extra)
        for extra, shape in COMPILE_EXTRAS.items():
            if key == "compile" and document[key][extra] is not None:
                conforms(document[key][extra], shape, extra)


def conforms(value: object, shape: object, place: str) -> None:
    if isinstance(shape, dict):
        assert isinstance(value, dict), place
        assert set(value) == set(shape), f"{place}: {set(value) ^ set(shape)}"
        for name, inner in shape.items():
            conforms(value[name], inner, f"{place}.{name}")
    elif isinstance(shape, list):
        assert isinstance(value, list), place
        for index, item in enumerate(value):
            conforms(item, shape[0], f"{place}[{index}]")
    else:
        assert isinstance(value, shape), f"{place} is {value!r}"
