"""The environment that keeps the matrix libraries behind numpy at one thread; they read it when they are loaded.

Workers already take every core. Besides, threads that share a product round it differently, so that trained weights
would depend on the number of cores.
"""

from typing import Final

__all__ = ["ONE_THREAD"]

ONE_THREAD: Final = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
