import math

import torch

FACTOR = 5  # a name that others use as well


def blocks_for(n, block):
    return math.ceil(n / block)


def two_vectors(n):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(float(n), device=device)
    return x, x * FACTOR
