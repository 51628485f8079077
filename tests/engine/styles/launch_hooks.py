#: style = "hooks before a run and around every launch, launch_metadata and repr"
#: launches = ["scale"]
#: replay = {BLOCK = 16}
#: stores = {o_ptr = 64}
#: export = "not judged"
import torch
import triton
import triton.language as tl


SEEN = []


def described(grid, metadata, arguments):
    return {"name": f"scale_{arguments['n']}", "programs": grid[0]}


@triton.jit(launch_metadata=described, repr=lambda s: "scale_kernel", do_not_specialize=["n"])
def scale(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + i, tl.load(x_ptr + i, i < n) * 2, i < n)


def entered(metadata):
    SEEN.append(("enter", metadata.get()["name"]))


def left(metadata):
    SEEN.append(("exit", metadata.get()["programs"]))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.arange(64.0, device=device)
    out = torch.empty_like(x)
    scale.add_pre_run_hook(lambda *args, **kwargs: SEEN.append(("run", args[2])))
    triton.knobs.runtime.launch_enter_hook.add(entered)
    triton.knobs.runtime.launch_exit_hook.add(left)
    scale[lambda meta: (triton.cdiv(64, meta["BLOCK"]),)](x, out, 64, BLOCK=32)
    assert SEEN[:2] == [("run", 64), ("enter", "scale_64")] and SEEN[2][0] == "exit", SEEN
    torch.testing.assert_close(out, x * 2)


if __name__ == "__main__":
    main()
