"""Programs that wait for each other, while programs run one after another; loops without an end."""

import threading
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


@triton.jit
def everybody(c, o, N: tl.constexpr, B: tl.constexpr):
    """Two phases with a barrier of two counters between them, over a grid of two dimensions."""
    p = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    i = tl.arange(0, B)
    tl.store(o + p * B + i, p + i)
    tl.atomic_add(c + p % 2, 1)
    while tl.atomic_add(c, 0) + tl.atomic_add(c + 1, 0) < N:
        pass
    q = (p + 1) % N
    v = tl.load(o + q * B + i)
    tl.atomic_add(c + 2, 1)
    while tl.load(c + 2, volatile=True) < N:
        pass
    tl.store(o + p * B + i, v)


@triton.jit
def relay(c, N: tl.constexpr):
    """Each program waits for the one after it."""
    p = tl.program_id(0)
    if p < N - 1:
        while tl.load(c + p + 1, volatile=True) == 0:
            pass
        tl.store(c + p, tl.load(c + p + 1) + 1)
    else:
        tl.store(c + p, 1)


@triton.jit
def fails(c, N: tl.constexpr):
    tl.atomic_add(c, 1)
    while tl.atomic_add(c, 0) < N:
        pass
    if tl.program_id(0) == 1:
        tl.store(c + tl.arange(0, 3), 1)  # no power of two


class StopError(Exception):
    pass


def case():
    result = {}
    counter = torch.zeros(1, dtype=torch.int32)
    lock[(2,)](counter, 2)
    result["lock"] = counter.item()
    barrier[(2,)](counter, 2)
    result["barrier"] = [counter.item(), *interpreter.last_waits()[:2]]
    outputs, counts = torch.zeros(6, 8, dtype=torch.int32), torch.zeros(3, dtype=torch.int32)
    everybody[(3, 2)](counts, outputs, 6, 8)
    result["everybody"] = [outputs[:, 0].tolist(), counts.tolist()]
    chain = torch.zeros(40, dtype=torch.int32)
    relay[(40,)](chain, 40)
    result["relay"] = chain.tolist()
    try:
        barrier[(2,)](counter.zero_(), 3)  # nobody comes third
    except Exception as error:
        result["forever"] = [type(error.__cause__).__name__, str(error.__cause__)]
    threads = threading.active_count()
    try:
        fails[(3,)](torch.zeros(4, dtype=torch.int32), 3)
    except Exception as error:
        result["fails"] = [str(error.__cause__), threading.active_count() == threads == 1]
    lock[(2,)](counter.zero_(), 2)
    result["after"] = [counter.item(), interpreter.last_waits()[0]]

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
