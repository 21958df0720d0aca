"""The header of a `.npy` array, which says of which type it is and how long."""

from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import numpy


def npy_header(dtype: "numpy.dtype[Any]", number: int) -> bytes:
    """The header of an array of one dimension, always 128 bytes long.

    >>> import numpy
    >>> len(npy_header(numpy.dtype("uint16"), 0)), len(npy_header(numpy.dtype("uint32"), 10**12))
    (128, 128)
    """
    text = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({number},), }}"
    return b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + f"{text:117}\n".encode()


def read_npy_header(file: BinaryIO) -> tuple["numpy.dtype[Any]", int]:
    """The type and the length of an array in one dimension; `file` then stands at its first byte.

    What is not such an array is a ValueError. Nothing is allocated of what the header claims.
    """
    import numpy

    try:
        version = numpy.lib.format.read_magic(file)
        read = (numpy.lib.format.read_array_header_1_0 if version == (1, 0)
                else numpy.lib.format.read_array_header_2_0)
        shape, _, dtype = read(file)
    except Exception as error:  # numpy reads a header as Python source, with any error of that
        raise ValueError(f"its header can't be read: {error!s:.200}") from None
    if len(shape) != 1 or dtype.kind not in "iu":
        raise ValueError(f"it is an array of {dtype} with {len(shape)} dimensions, not of integers "
                         f"in one dimension")
    return dtype, int(shape[0])
