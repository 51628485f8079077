"""Measurements run in processes of their own: Triton decides when imported how kernels run."""

from tests.engine.conftest import run_engine

__all__ = ["run_engine"]
