"""Rules of thumb as measurements: each a function from a bench to figures."""
