"""What the access sites of the bundled kernels must tell, by arithmetic; here and on a GPU."""

from tests.engine.coverage_parts import counted, load


def facts():
    """Return the sites and operations of a few launches, as plain data."""
    add, matmul, softmax = load("vector_add"), load("matmul"), load("softmax")
    blocks = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}
    calls = {
        "add": (lambda: add.example(size=98432), {}),
        "matmul": (lambda: matmul.matmul(*matmul.inputs(256, 256, 256)), blocks),
        "larger": (lambda: matmul.matmul(*matmul.inputs(512, 512, 512)), blocks),
        "softmax": (lambda: softmax.example(), {}),
    }
    told = {}
    for name, (call, knobs) in calls.items():
        summary = counted(call, **knobs)[0].summary()
        told[name] = [
            vars(site) | {"efficiency": site.efficiency, "reread": site.reread_factor}
            for site in summary.sites
        ]
        told[f"{name} operations"] = sorted(map(list, summary.operations))
        told[f"{name} shape"] = list(summary.tensors[0].shape)
    return told


def only(site, *names):
    return [site[name] for name in names]


def check_sites(told):
    """Compare `facts`, counted anywhere, with arithmetic."""
    sites = told["add"]
    assert [site["kind"] for site in sites] == ["load", "load", "store"]
    assert [list(site["tensors"]) for site in sites] == [["x_ptr"], ["y_ptr"], ["out_ptr"]]
    # 97 programs of 1024 lanes; the last has 128 of them. 98432 fp32 are 12304 sectors.
    for site in sites:
        assert only(site, "lanes", "active", "bytes_requested") == [97 * 1024, 98432, 4 * 98432]
        assert only(site, "sectors", "sectors_least", "requests") == [12304, 12304, 96 * 8 + 1]
        assert only(site, "executions", "programs_looked_at", "sampled") == [97, 97, False]
        assert only(site, "efficiency", "reread") == [1.0, 1.0]
    assert told["add operations"] == []
    # 4 by 4 tiles: each input is read by the four programs of a row or a column.
    a, b, c = told["matmul"]
    for site in (a, b):
        assert only(site, "lanes", "bytes_requested") == [4 * 256 * 256, 2 * 4 * 256 * 256]
        assert only(site, "bytes_unique", "reread") == [2 * 256 * 256, 4.0]
    assert only(c, "active", "reread", "efficiency") == [256 * 256, 1.0, 1.0]
    # More than a million lanes: a sample, and exact totals all the same.
    a, _, c = told["larger"]
    assert a["sampled"]
    assert only(a, "lanes", "bytes_requested", "reread") == [8 * 512 * 512, 2 * 8 * 512 * 512, 8.0]
    assert 0 < a["executions"] < 8 * 8 * 16
    assert only(c, "active", "efficiency") == [512 * 512, 1.0]
    # One step less than lanes in each row's block.
    rows, columns = told["softmax shape"]
    steps = rows * ((1 << (columns - 1).bit_length()) - 1)
    assert told["softmax operations"] == [["max", steps], ["sum", steps]]
