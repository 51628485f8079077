"""Engine processes on the GPU: each test that runs kernels has a CUDA context of its own."""

from tests.engine.conftest import run_engine

__all__ = ["run_engine"]
