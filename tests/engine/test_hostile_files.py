"""Files as people really have them: encodings, separators, scripts that end themselves, helpers."""

from __future__ import annotations

import pytest

from playground.engine.source_text import imported_names, lines_of, read_source

BODY = """
    import torch
    import triton
    import triton.language as tl


    @triton.jit
    def kernel(x, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        tl.store(x + i, 1.0, i < n)


    def example(n=100):
        x = torch.zeros(n)
        kernel[(triton.cdiv(n, 32),)](x, n, B=32)
        return x


    def reference(n=100):
        return torch.ones(n)
"""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfx = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        ("# coding: latin-1\n# caf\u00e9\n".encode("latin-1"), "# coding: latin-1\n# caf\u00e9\n"),
        (b"a = '\x0c\xe2\x80\xa8'\n", "a = '\x0c\u2028'\n"),
    ],
)
def test_a_file_is_decoded_as_python_does(tmp_path, data, text):
    path = tmp_path / "file.py"
    path.write_bytes(data)
    assert read_source(path) == text


@pytest.mark.parametrize("data", [b"x = 1\n# caf\xe9\n", b"# coding: nothing\n\n"])
def test_bytes_that_are_no_text_are_a_syntax_error_with_a_line(tmp_path, data):
    path = tmp_path / "file.py"
    path.write_bytes(data)
    with pytest.raises(SyntaxError, match="save the file as UTF-8") as caught:
        read_source(path)
    assert caught.value.lineno == (2 if b"caf" in data else 1)


def test_lines_are_those_that_python_counts():
    text = "a\x0c\r\nb\u2028\x0b\x85\rc\n\nd"
    assert lines_of(text) == ["a\x0c", "b\u2028\x0b\x85", "c", "", "d"]
    assert "".join(lines_of(text, keep_ends=True)) == text
    assert lines_of("") == []


def test_imports_are_found_anywhere():
    text = "import a.b, c as d\ndef f():\n    from e.f import g\n    from . import h\n"
    assert imported_names(text) == {"a", "c", "e"}
    assert imported_names("def (") == frozenset()


def test_odd_files_run_compile_and_export(run_engine):
    got = run_engine(
        f"""
        import textwrap, statistics
        import playground
        body = textwrap.dedent({BODY!r})
        odd = {{
            "bom.py": b"\\xef\\xbb\\xbf" + body.encode(),
            "crlf.py": body.replace("\\n", "\\r\\n").encode(),
            "latin.py": ("# coding: latin-1\\n# caf\\u00e9\\n" + body).encode("latin-1"),
            "tabs.py": body.replace("    ", "\\t").encode(),
            "feed.py": body.replace("@triton.jit", "SEPARATORS = '\\x0c\\u2028\\x85'\\n\\x0c\\n"
                                    "@triton.jit", 1).encode(),
            "a b 'q\\" \\u00fc.py": body.encode(),
        }}
        found = {{}}
        for name, data in odd.items():
            path = FOLDER / name
            path.write_bytes(data)
            play = playground.open(path)
            play.run()
            compile(play.export(B=64).text, name, "exec")
            found[name] = [play.check(0, B=64).result.status, [str(f) for f in play.findings],
                           play.compile(0).report is not None if name == "feed.py" else True]
            play.close()
        (FOLDER / "bad.py").write_bytes(b"# caf\\xe9\\n")
        play = playground.open(FOLDER / "bad.py")
        bad = play.run().findings
        (FOLDER / "statistics.py").write_text("ONE = 1.0\\n")
        write("shadows.py", "from statistics import ONE\\n" + body.replace(", 1.0,", ", ONE,"))
        text = (FOLDER / "shadows.py").read_text().replace("B: tl", "ONE: tl.constexpr, B: tl")
        text = text.replace("x, n, B=32", "x, n, ONE, B=32")
        play.load(FOLDER / "shadows.py", text)
        play.run()
        answer({{"found": found, "bad": [(f.stage, f.line, f.message) for f in bad],
                 "shadows": play.check().result.status,
                 "kept": hasattr(sys.modules["statistics"], "median")}})
        play.close()
        """
    )
    for name, outcome in got["found"].items():
        assert outcome == ["correct", [], True], name
    ((stage, line, message),) = got["bad"]
    assert (stage, line) == ("syntax", 1)
    assert "save the file as UTF-8" in message
    assert got["shadows"] == "correct"
    assert got["kept"], "others still find the standard library's module"


def test_a_script_that_ends_itself_and_one_that_changes_the_process(run_engine):
    got = run_engine(
        f"""
        import os, textwrap, torch
        import playground
        body = textwrap.dedent({BODY!r})
        play = playground.open(write("arguments.py", body + textwrap.dedent('''
            if __name__ == "__main__":
                import argparse
                parser = argparse.ArgumentParser()
                parser.add_argument("--n", type=int, required=True)
                example(parser.parse_args().n)
        ''')))
        needs = play.run("").findings
        folder = os.getcwd()
        play.load(write("rude.py", body.replace("    return x", '''    import os, sys
            os.chdir("/")
            sys.argv = ["else"]
            torch.set_default_dtype(torch.float64)
            sys.exit("nothing to see")'''.replace("\\n        ", "\\n"))))
        rude = play.run()
        answer({{
            "needs": [(f.severity, f.line, f.message, f.hint) for f in needs],
            "rude": [f.message for f in rude.findings],
            "launches": len(rude.launches),
            "kept": [os.getcwd() == folder, sys.argv[0] != "else",
                     torch.get_default_dtype() == torch.float32],
        }})
        play.close()
        """
    )
    ((severity, line, message, hint),) = got["needs"]
    assert severity == "warning"
    assert message == (
        "the driver ended itself: exit status 2: the following arguments are required: --n"
    )
    assert line
    assert "reads its command line" in hint
    assert got["rude"] == ["the driver ended itself: nothing to see"]
    assert got["launches"] == 1
    assert got["kept"] == [True, True, True]


def test_far_and_near_accesses_are_told_the_same_in_a_run_and_in_a_replay(run_engine):
    got = run_engine(
        """
        import playground
        play = playground.open(write("outside.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(x, o, near, far, B: tl.constexpr):
                i = tl.arange(0, B)
                v = tl.load(x + i + near)
                v += tl.load(x + i + far)
                tl.store(o + i + near, v)
                tl.store(o + i - far, v)
                tl.atomic_add(o + i - near, v)

            def example():
                x, o = torch.arange(20.0), torch.zeros(20)
                kernel[(2,)](x, o, 16, 1 << 34, B=8)
                return o
        '''))
        ran = play.run()
        counted = play.coverage().out_of_bounds
        answer({
            "ran": [(f.line, f.message.split("outside ")[1].split(":")[0]) for f in ran.findings],
            "counted": [(e.line, e.kind, e.tensor, e.distance, e.lanes, e.program)
                        for e in counted],
            "check": play.check().result.text(),
        })
        play.close()
        """
    )
    far = 1 << 34
    assert got["counted"] == [
        [7, "load", "x", 1, 8, 0],
        [8, "load", "x", far - 19, 16, 0],
        [9, "store", "o", 1, 8, 0],
        [10, "store", "o", -far, 16, 0],
        [11, "atomic", "o", -16, 16, 0],
    ]
    assert got["ran"] == [[7, "x"], [8, "x"], [9, "o"], [10, "o"], [11, "o"]]
    # What the near load finds outside is stored outside as well; the far one's comes into `o`.
    assert got["check"] == "wrong: the result depends on lanes outside a tensor (line 8)"


def test_a_loop_that_touches_no_memory_can_be_cancelled(run_engine):
    got = run_engine(
        """
        import threading, time
        import playground
        from playground.engine.job import Job
        play = playground.open(write("loop.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(x):
                v = tl.load(x)
                while v < 1:
                    v = v * 1

            def example():
                kernel[(1,)](torch.zeros(1))
        '''))
        job = Job()
        timer = threading.Timer(0.5, job.cancel)
        timer.start()
        ran = play.run(job=job)
        timer.join()
        answer([(f.severity, f.message) for f in ran.findings])
        play.close()
        """
    )
    assert got == [["warning", "interrupted"]]


def test_a_config_that_the_kernel_excludes_is_told_with_its_line(run_engine):
    got = run_engine(
        """
        import playground
        play = playground.open(write("excluded.py", '''
            import torch, triton, triton.language as tl

            @triton.autotune([triton.Config({"B": 512}), triton.Config({"B": 64})], key=[])
            @triton.jit
            def kernel(x, B: tl.constexpr):
                tl.static_assert(B <= 128, "too wide")
                tl.store(x + tl.arange(0, B), 1.0)

            def example():
                x = torch.zeros(64)
                kernel[(1,)](x)
                return x
        '''))
        ran = play.run()
        answer([[(f.severity, f.line, f.message) for f in ran.findings],
                [launch.config["B"] for launch in ran.launches]])
        play.close()
        """
    )
    found, blocks = got
    # The tuner without a key is told as well.
    ((line, message),) = [rest for severity, *rest in found if severity == "hint"]
    assert (line, blocks) == (7, [64])
    assert "B: 512" in message
    assert "static assertion failed: too wide" in message


def test_a_warmed_up_launch_tells_its_options(run_engine):
    got = run_engine(
        """
        import playground
        play = playground.open(write("figures.py", '''
            import torch, triton, triton.language as tl

            @triton.jit
            def kernel(x, B: tl.constexpr):
                tl.store(x + tl.arange(0, B), 1.0)

            def example():
                made = kernel.warmup(torch.zeros(64), B=64, num_stages=2, grid=(1,))
                made._init_handles()
                return [made.metadata.num_warps, made.metadata.num_stages, made.n_regs > 0]
        '''))
        play.run()
        answer(play.result)
        play.close()
        """
    )
    assert got == [4, 2, True]
