#: style = "a kernel without any argument"
#: launches = ["nothing"]
#: verdict = "unjudged"
#: gpu_verdict = "unjudged"
#: export = "not judged"
import torch
import triton
import triton.language as tl


@triton.jit
def nothing():
    tl.device_assert(tl.num_programs(0) == 3)


def main():
    nothing[(3,)]()


if __name__ == "__main__":
    main()
