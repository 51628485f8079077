"""However a launch ends, `triton.language` is what it was before."""

import _thread
import threading

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter
from tests.engine.cases.run import ORIGINAL_NAMES


@triton.jit
def helper(x):
    return x * 2


@triton.jit
def nested(x, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, helper(tl.load(x + i)) + tl.sum(tl.load(x + i), 0) + tl.cdiv(7, 2))


@triton.jit
def fails(x):
    tl.store(x, tl.load(x).missing)


@triton.jit
def endless(x):
    while tl.load(x) == 0:
        tl.atomic_add(x + 1, 1.0)


def changed():
    return sorted(
        f"{owner.__name__}.{name}"
        for owner in (tl, tl.core)
        for name, value in vars(owner).items()
        if ORIGINAL_NAMES.get((owner.__name__, name), value) is not value
    )


def case():
    x, o = torch.ones(4), torch.zeros(4)
    nested[(1,)](x, o, 4)
    result = {"value": o.tolist(), "after a helper": changed()}
    try:
        fails[(1,)](x)
    except Exception as error:
        result["error"] = type(error).__name__
    result["after an error"] = changed()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    try:
        endless[(1,)](torch.zeros(2))
    except KeyboardInterrupt:
        result["interrupted"] = True
    timer.join()
    result["after an interrupt"] = changed()
    nested[(1,)](x, o, 4)
    result["again"] = o.tolist()
    result["helper outside"] = int(tl.cdiv(7, 2))
    result["after a helper outside"] = changed()
    assert interpreter.installed()
    return result
