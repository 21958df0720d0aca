"""The one name for what may be given as a path. (`Path` is pathlib's.)"""

from os import PathLike

AnyPath = str | PathLike[str]
