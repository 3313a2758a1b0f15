"""How kernels are compiled.

Cached on disk; without Python's zero-division checks; without reference counting, whose atomic
increments cost more than a random draw, so kernels must not allocate; and inlined into one
function per entry point, as passing a history between functions would copy a kilobyte each time.
"""

from numba import njit

kernel = njit(cache=True, error_model="numpy", nogil=True, _nrt=False, forceinline=True)
