from triton import next_power_of_2 as padded

HALF = 0.5


def shift_of(count):
    return HALF * count
