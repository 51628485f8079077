raise RuntimeError("this package starts a cluster when it is imported")
