from around_lib.kernels import twice
