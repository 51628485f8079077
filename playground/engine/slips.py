"""Hints for errors whose text is known, and for slips that users copy from elsewhere."""

from __future__ import annotations

import ast
import functools
import importlib.util
import linecache
import re
import sys
import traceback

from playground.engine.compile_remedies import remedy_for
from playground.engine.mode_lines import chooses_mode
from playground.engine.references import bound_names
from playground.engine.start_failure import triton_remedy
from playground.model.finding import Finding
from playground.model.source_tree import tree_of

_PACKAGES = {
    "flash_attn": "flash-attn",
    "fla": "flash-linear-attention",
    "liger_kernel": "liger-kernel",
    "PIL": "pillow",
    "cv2": "opencv-python",
    "pynvml": "nvidia-ml-py",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}

_KNOWN: tuple[tuple[str, str], ...] = (
    (
        r"0 active drivers",
        "Triton found no GPU: run the file from this app, which stands in for the driver, or set "
        "TRITON_INTERPRET=1 before Triton is imported",
    ),
    (
        r"cannot be accessed from Triton \(cpu tensor\?\)",
        "a tensor lies on the CPU or on another GPU: create it with device='cuda', or move it with "
        ".cuda()",
    ),
    (
        r"arange's range must be a power of 2|Shape element \d+ must be a power of 2|"
        r"numel .* power of (2|two)",
        "blocks are powers of two: take the next one up and mask the tail",
    ),
    (
        r"Conflicting meta-parameters|got multiple values for keyword argument",
        "the value is given twice: what @triton.autotune or @triton.heuristics sets must not be "
        "passed in the launch as well",
    ),
    (
        r"Cannot call @triton\.jit'd outside of the scope of a kernel",
        "launch it with a grid, kernel[grid](...), or call it from inside another kernel",
    ),
    (
        r"could not get source code|should be defined in a Python file",
        "Triton reads a kernel's text from a file: write the text that is executed here to a .py "
        "file and import that, or put it into linecache.cache under the name it is compiled with",
    ),
    (
        r"set_active_to_zeros",
        "triton.runtime.driver.set_active_to_zeros() does not exist; to run without a GPU set "
        "TRITON_INTERPRET=1 before Triton is imported (this app does it by itself)",
    ),
    (
        r"no attribute 'num_pid_n'|name 'num_pid_n' is not defined|num_pid_n is not defined",
        "define it before it is used: num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)",
    ),
    (
        r"missing .* required positional arguments?: .*'grid'|unexpected keyword argument 'grid'",
        "a grid is no parameter of the kernel: remove it and launch with kernel[grid](...)",
    ),
    (
        r"Input shapes should have M >= \d+|K >= \d+",
        "tl.dot needs blocks of at least 16 in each dimension on most GPUs",
    ),
    (
        r"Torch not compiled with CUDA enabled|No CUDA GPUs are available|"
        r"Found no NVIDIA driver",
        "there is no GPU here: choose the device with torch.cuda.is_available()",
    ),
    (
        r"CUDA out of memory",
        "the tensors do not fit the GPU's memory: make the problem smaller",
    ),
    (
        r"contains names that are not kernel arguments",
        "the key, reset_to_zero or restore_value of @triton.autotune names something that is no "
        "parameter of the kernel",
    ),
    (
        r"triton\.testing' has no attribute 'assert_almost_equal'|"
        r"triton\.testing' has no attribute 'allclose'",
        "triton has removed it: write torch.testing.assert_close(actual, expected)",
    ),
    (
        r"'InterpretedFunction' object has no attribute",
        "kernels are interpreted here, and triton.compile() and the like take compiled ones: give "
        "a driver that launches the kernel, and this app compiles it for any target",
    ),
    (
        r"EOF when reading a line",
        "a run has no keyboard for input(): give the value in the driver, or call the function in "
        "the console, where input() asks",
    ),
    (
        r"Cannot access global variable",
        "pass it as a tl.constexpr parameter, or annotate the global: NAME: tl.constexpr = ...",
    ),
)


def hint_for(error: BaseException, cause: BaseException) -> str:
    """Return what to do about an error that is known, else an empty string."""
    for item in (cause, error):
        if isinstance(item, ModuleNotFoundError) and item.name:
            top = item.name.split(".")[0]
            if item.name != top and _is_there(top):
                return f"the installed {top} has no {item.name}: another release of it may"
            return install_hint(top)
        if isinstance(item, NameError) and (line := _for_type_checkers(item)):
            return (
                f"line {line} defines {item.name} under `if TYPE_CHECKING:`, which is never true "
                "when the file runs: move it out"
            )
    text = f"{error}\n{cause}"
    for pattern, hint in _KNOWN:
        if re.search(pattern, text):
            return hint
    return remedy_for(text)


def _for_type_checkers(error: NameError) -> int:
    """Return the line that binds a missing name for type checkers only, or 0."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or not error.name:
        return 0
    try:
        tree = tree_of("".join(linecache.getlines(frames[-1].filename)))
    except (SyntaxError, ValueError):  # changed meanwhile
        return 0
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for inner in node.body:
                if error.name in bound_names([inner]):
                    return inner.lineno
    return 0


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return module in sys.modules


def install_hint(module: str) -> str:
    """Return how to install the package that has `module`."""
    if module == "triton":
        return triton_remedy()
    return f"install it into this environment: pip install {_PACKAGES.get(module, module)}"


@functools.lru_cache(maxsize=8)
def slips_in(text: str, path: str) -> tuple[Finding, ...]:
    """Return findings for what is written in `text` and cannot work, though it is often copied."""
    found: list[Finding] = []
    try:
        tree = tree_of(text)
    except (SyntaxError, ValueError):
        return ()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "set_active_to_zeros":
            found.append(
                Finding(
                    "warning", "driver", "set_active_to_zeros() does not exist in Triton",
                    "remove it; without a GPU this app interprets kernels by itself "
                    "(TRITON_INTERPRET=1)", path, node.lineno,
                )
            )  # fmt: skip
        elif isinstance(node, ast.Constant) and node.value == "TRITON_CPU":
            found.append(
                Finding(
                    "warning", "driver", "TRITON_CPU is no setting of Triton",
                    "the interpreter is TRITON_INTERPRET=1, set before Triton is imported; this "
                    "app does it where there is no GPU", path, node.lineno,
                )
            )  # fmt: skip
        elif isinstance(node, ast.stmt) and chooses_mode(node):
            found.append(
                Finding(
                    "info", "driver",
                    "TRITON_INTERPRET is left to this app: kernels are compiled, and interpreted "
                    "where there is no GPU",
                    "to interpret them beside a GPU too, start this app with TRITON_INTERPRET=1",
                    path, node.lineno,
                )
            )  # fmt: skip
        elif isinstance(node, ast.FunctionDef) and _is_kernel(node):
            found.extend(_kernel_slips(node, path))
        elif isinstance(node, ast.Call):
            found.extend(_call_slips(node, path))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in _NO_SUCH:
            found.append(
                Finding(
                    "warning", "driver", f"{ast.unparse(node)} does not exist in Triton",
                    _NO_SUCH[ast.unparse(node)], path, node.lineno,
                )
            )  # fmt: skip
    return tuple(found)


_NO_SUCH = {
    "tl.syncthreads": "leave it out: Triton puts barriers where they are needed",
    "tl.thread_id": "a program works on whole blocks: tl.arange(0, BLOCK) numbers its elements",
    "tl.block_id": "write tl.program_id(axis)",
    "tl.shared": "leave it out: the compiler puts blocks into shared memory by itself",
    "tl.float": "write tl.float32",
    "tl.half": "write tl.float16",
    "tl.int": "write tl.int32",
    "triton.testing.allclose": "write torch.testing.assert_close(actual, expected)",
    "triton.testing.assert_almost_equal": "write torch.testing.assert_close(actual, expected)",
}
"""Names that people write and that Triton does not have, with what to write."""

_NAMES = (
    ("set_active_to_zeros", "no-such-api"),
    ("TRITON_CPU", "no-such-api"),
    ("does not exist in Triton", "no-such-api"),
    ("parameter called grid", "grid-parameter"),
    ("handed to the kernel", "grid-parameter"),
    ("without defining it", "undefined-tiles"),
    ("has no key", "autotune-without-key"),
    ("does not restore it", "tuned-in-place"),
    ("a second call gives another result", "tuned-in-place"),
)


def name_of(finding: Finding) -> str:
    """Return the short name of a slip that is told here or of a tuner, empty for others."""
    return next((name for words, name in _NAMES if words in finding.message), "")


def _call_slips(node: ast.Call, path: str) -> list[Finding]:
    found = []
    if isinstance(node.func, ast.Subscript) and any(item.arg == "grid" for item in node.keywords):
        found.append(
            Finding(
                "warning", "driver",
                f"a grid is handed to the kernel: {ast.unparse(node.func)}(…, grid=…)",
                "it belongs into the brackets only: kernel[grid](…)", path, node.lineno,
            )
        )  # fmt: skip
    if ast.unparse(node.func) in ("triton.autotune", "autotune"):
        found.extend(_tuner_slips(node, path))
    return found


def _tuner_slips(node: ast.Call, path: str) -> list[Finding]:
    """Return what is wrong with a tuner's key: without one the first size's config stays."""
    given = {item.arg: item.value for item in node.keywords}
    configs = given.get("configs", node.args[0] if node.args else None)
    key = given.get("key", node.args[1] if len(node.args) > 1 else None)
    if isinstance(configs, (ast.List, ast.Tuple)) and len(configs.elts) < 2:
        return []
    if key is not None and not (isinstance(key, (ast.List, ast.Tuple)) and not key.elts):
        return []
    return [
        Finding(
            "warning", "driver",
            "this autotuner has no key: the config found for the first size is used for all",
            'name the arguments that change what is best, as in key=["M", "N", "K"]',
            path, node.lineno,
        )
    ]  # fmt: skip


def _is_kernel(node: ast.FunctionDef) -> bool:
    return any("triton" in ast.unparse(item) and "jit" in ast.unparse(item) for item in
               node.decorator_list)  # fmt: skip


def _kernel_slips(node: ast.FunctionDef, path: str) -> list[Finding]:
    found = []
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    used = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
    for argument in arguments:
        if argument.arg == "grid" and "grid" not in used:
            found.append(
                Finding(
                    "warning", "driver", f"{node.name} has a parameter called grid",
                    "a grid is not passed to the kernel: launch with kernel[grid](...)",
                    path, argument.lineno,
                )
            )  # fmt: skip
    names = {item.id: item for item in ast.walk(node) if isinstance(item, ast.Name)}
    bound = {
        item.id
        for item in ast.walk(node)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    } | {argument.arg for argument in arguments}
    for wanted, length in (("num_pid_n", "N"), ("num_pid_m", "M")):
        if wanted in names and wanted not in bound:
            found.append(
                Finding(
                    "warning", "driver", f"{node.name} uses {wanted} without defining it",
                    f"add {wanted} = tl.cdiv({length}, BLOCK_SIZE_{length}) before it",
                    path, names[wanted].lineno,
                )
            )  # fmt: skip
    return found
