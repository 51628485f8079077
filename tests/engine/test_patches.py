"""What a file puts over Triton's functions is there for its replays, and gone for the next file."""


def test_patches_stay_for_the_file_and_go_with_it(run_engine):
    got = run_engine(
        """
from playground.engine.session import Session
play = Session()
patches = {
    "jit": "triton.jit = None",
    "a function": "triton.cdiv = lambda *a: 1 / 0",
    "the language": "triton.language.load = triton.language.arange = None",
    "a class": "triton.runtime.JITFunction.run = triton.runtime.JITFunction.__getitem__ = None",
    "the interpreter": '''
import triton.runtime.interpreter as i
i.InterpretedFunction.run = i.GridExecutor.__call__ = None''',
    "torch": "import torch; torch.empty_like = torch.Tensor.cpu = None",
    "imports": "import sys; del sys.modules['triton'], sys.modules['triton.language']",
    "builtins": "import builtins; builtins.print = builtins.open = None",
}
said = {}
for name, line in patches.items():
    play.load(write("patched.py", "import triton\\n" + line + "\\n"))
    play.run()
    play.load(KERNELS / "vector_add.py")
    launched = len(play.run().launches)
    said[name] = [launched, play.check(0).result.status if launched else ""]
play.load(write("doubled.py", '''
import torch, triton, triton.language as tl
@triton.jit
def fill(o, B: tl.constexpr):
    tl.store(o + tl.program_id(0) * B + tl.arange(0, B), 1.0)
real = triton.cdiv
triton.cdiv = lambda a, b: 2 * real(a, b)
def example():
    o = torch.empty(64)
    fill[lambda m: (triton.cdiv(32, m["B"]),)](o, B=16)
    return o
'''))
play.run()
grids = [play.launches[0].info.grid[0]]
play.replay(0, B=8)
grids.append(play.prepare(0, play.last.config).grid[0])
play.close()
answer({"said": said, "grids": grids})
"""
    )
    assert got["said"] == {name: [1, "correct"] for name in got["said"]}
    assert len(got["said"]) == 8
    assert got["grids"] == [4, 8]
