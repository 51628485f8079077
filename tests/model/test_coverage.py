"""What coverage knows of the operations it counts."""

from playground.model.coverage import scaled_dot


def test_two_fp4_elements_share_a_byte():
    # (16, 64) by (64, 8): the left is packed along K, the right along K or along N.
    assert scaled_dot((16, 32), 8, (True, False), True) == (16, 8, 64, "fp8")
    assert scaled_dot((16, 32), 8, (True, True), True) == (16, 8, 64, "fp4")
    assert scaled_dot((2, 16, 64), 4, (False, True), False) == (32, 8, 64, "fp8")
