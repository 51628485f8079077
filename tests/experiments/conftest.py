"""Measurements run in processes of their own: Triton decides when imported how kernels run."""

from tests.engine.conftest import run_engine, warm_engines

__all__ = ["run_engine", "warm_engines"]
