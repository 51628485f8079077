"""Clock sources: each turns launches into samples of kernel time in ms, on a GPU.

`cupti` reads the hardware's own records of each kernel, `graph` divides the time of a captured
graph by its launches, `events` brackets single launches. `flush` evicts the L2 before a sample.
"""
