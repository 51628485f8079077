"""Clock sources: each turns launches into samples of kernel time in ms, on a GPU.

`cupti` and `proton` read the hardware's own records of each kernel, `graph` divides the time of a
captured graph by its launches, `events` brackets single launches. `choice` says which is used.
"""
