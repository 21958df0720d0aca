from typing import Any

import numpy

def pack(texts: list[Any], buffer: bytearray) -> numpy.ndarray[Any, Any]: ...
