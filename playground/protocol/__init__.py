"""Typed messages between the window and the engine; versioned, with arrays as binary buffers."""

VERSION = 2
"""Raised whenever a message changes shape; both ends refuse another version by name."""
