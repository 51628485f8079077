"""Which text is taken as the kernel: docstrings, decorators, closures, classes."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def documented(x, B: tl.constexpr):
    """
    Same as the torch code
    def reference(x): return x * 0 + 7
    """
    tl.store(x + tl.arange(0, B), 7.0)


@triton.heuristics({"EVEN": lambda a: (a["n"] % (a["B"])) == 0})
@triton.jit
def decorated(x, n, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0 if EVEN else 2.0)


def made_in_a_function(value):
    @triton.jit
    def inner(
        x,
        B: tl.constexpr = 4,
    ):
        """text
        at the margin"""
        tl.store(x + tl.arange(0, B), value)

    return inner


class Holder:
    @staticmethod
    @triton.jit
    def kernel(x, B: tl.constexpr):
        i = tl.arange(0, B)
        low = 1
        tl.store(x + i, 3.0, (low <= i) & (i < 3))


@triton.jit
def summed(n: tl.constexpr):
    if n == 0:
        return 0.0
    return n + summed(n - 1)


@triton.jit
def calls_itself(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), summed(B))


@triton.jit
def raises(x):
    a = tl.load(x)
    b = a + 1

    tl.store(x, b + undefined_name)  # noqa: F821


def case():
    result = {}
    before = set(globals())
    kernels = {
        "documented": lambda x: documented[(1,)](x, 4),
        "decorated": lambda x: decorated[(1,)](x, 4, 4),
        "closure 5": lambda x: made_in_a_function(5.0)[(1,)](x),
        "closure 6": lambda x: made_in_a_function(6.0)[(1,)](x),
        "method": lambda x: Holder.kernel[(1,)](x, 4),
        "recursion": lambda x: calls_itself[(1,)](x, 4),
    }
    for name, launch in kernels.items():
        x = torch.zeros(4)
        launch(x)
        result[name] = x.tolist()
    result["new globals"] = sorted(set(globals()) - before)
    try:
        raises[(1,)](torch.zeros(1))
    except Exception as error:
        frame = error.__cause__.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        result["raises"] = [type(error.__cause__).__name__, frame.tb_lineno]
        result["raises file"] = frame.tb_frame.f_code.co_filename == sys.modules[__name__].__file__
    return result
