"""Programs that wait for each other, while programs run one after another; loops without an end."""

import time

import torch
import triton
import triton.language as tl

from playground.engine.triton_private import interpreter


@triton.jit
def barrier(c, N: tl.constexpr):
    tl.atomic_add(c, 1)
    while tl.atomic_add(c, 0) < N:
        pass


@triton.jit
def lock(c, N: tl.constexpr):
    while tl.atomic_cas(c, 0, 1) == 1:
        pass
    tl.atomic_xchg(c, 0)


@triton.jit
def forgot_step(c, N: tl.constexpr):
    i = 0
    while i < N:
        tl.atomic_add(c, 1)


class StopError(Exception):
    pass


def case():
    result = {}
    counter = torch.zeros(1, dtype=torch.int32)
    lock[(2,)](counter, 2)
    result["lock"] = counter.item()
    try:
        barrier[(2,)](counter, 2)
    except Exception as error:
        result["barrier"] = [type(error.__cause__).__name__, str(error.__cause__)]

    started = time.monotonic()
    seen = []

    def check(program, programs):
        seen.append([program, programs])
        if time.monotonic() - started > 0.7:
            raise StopError

    interpreter.set_check(check)
    try:
        forgot_step[(3,)](counter, 2)
    except StopError:
        result["forgot_step"] = "stopped"
    seen.clear()
    started = time.monotonic()
    lock[(3, 2)](counter.zero_(), 2)
    result["seen"] = seen[:6]
    interpreter.set_check(None)
    return result
