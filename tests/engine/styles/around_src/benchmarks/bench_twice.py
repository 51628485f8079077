#: style = "a script of a project with a src layout, whose package is not installed"
#: driver = ""
#: launches = ["twice_kernel"]
#: replay = {BLOCK = 32}
#: route = "driver"
#: stores = {y_ptr = 130}
import torch
from around_lib import twice

if __name__ == "__main__":
    x = torch.randn(130, device="cuda")
    assert torch.equal(twice(x), 2 * x)
