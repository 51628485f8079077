"""Run cases in this process, interpreted, and print what each returned as one line of JSON.

`python run.py NAME...`: every NAME is a module here with a function `case()`.
"""

import importlib
import json
import sys
import traceback
import warnings

warnings.simplefilter("error")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch
    import triton.language

from playground.engine.triton_private import interpreter  # noqa: E402 - after torch's warnings

torch.set_num_threads(1)
ORIGINAL_NAMES = {
    (owner.__name__, name): value
    for owner in (triton.language, triton.language.core)
    for name, value in vars(owner).items()
}


def outcome(name):
    try:
        return {"value": importlib.import_module(f"tests.engine.cases.{name}").case()}
    except Exception as error:
        cause = error.__cause__ or error
        return {
            "error": type(error).__name__,
            "cause": type(cause).__name__,
            "message": str(cause),
            "traceback": traceback.format_exc(),
        }


if __name__ == "__main__":
    interpreter.install()
    interpreter.install()  # once more: nothing happens
    print(json.dumps({name: outcome(name) for name in sys.argv[1:]}))
