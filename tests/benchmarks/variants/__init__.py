"""Other ways to write kernels that miss their ceiling: a GPU decides (`kernel_variants`)."""
