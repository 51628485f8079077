"""The command line: the same work as the window, as text or JSON."""
