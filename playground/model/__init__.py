"""Plain frozen data and pure functions that every other package shares; standard library only."""
