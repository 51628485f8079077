from .shapes import two_vectors
