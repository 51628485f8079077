"""Loads, captures, compiles, runs, times and traces; torch and triton, no Qt; lives in a kernel."""
