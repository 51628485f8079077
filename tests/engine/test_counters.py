import torch

from playground.engine.counter_layout import TensorView, on_tensor


def test_counters_inside_a_longer_vector_are_seen_where_they_are():
    # On the GPU the storages' cells follow the access sites' cells in one allocation.
    whole = torch.arange(100, dtype=torch.int32)
    view = TensorView("x", (2, 3), (10, 2), 5, 0, "float32", 4)
    seen = on_tensor(whole[40:], view)
    assert seen.tolist() == [[45, 47, 49], [55, 57, 59]]
