"""Processes that have torch, Triton and the engine imported already: others are forked from them.

Importing those takes two seconds of a processor, and a thousand processes of the tests want them:
a test's own engine, the workers that this starts, the command line and its worker. What a fork
can't prove is the start itself: the tests of that start their processes afresh.
"""
