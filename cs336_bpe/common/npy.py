"""The header of a `.npy` array, which says of which type it is and how long."""

from typing import Any, BinaryIO

import numpy


def read_npy_header(file: BinaryIO) -> tuple["numpy.dtype[Any]", int]:
    """The type and the length of an array in one dimension; `file` then stands at its first byte.

    What is not such an array is a ValueError. Nothing is allocated of what the header claims.
    """
    version = numpy.lib.format.read_magic(file)
    read = (numpy.lib.format.read_array_header_1_0 if version == (1, 0)
            else numpy.lib.format.read_array_header_2_0)
    shape, _, dtype = read(file)
    if len(shape) != 1 or dtype.kind not in "iu":
        raise ValueError(f"it is an array of {dtype} with {len(shape)} dimensions, not of integers "
                         f"in one dimension")
    return dtype, int(shape[0])
