"""One thread for products of matrices, said to the libraries behind numpy, which ask when they are loaded.

A process of ours is one of many; and threads that share a product round it otherwise, so that the number of cores would
make other weights.
"""

from typing import Final

__all__ = ["ONE_THREAD"]

ONE_THREAD: Final = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
"""What the environment has to hold."""
