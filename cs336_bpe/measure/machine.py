"""The machine, the interpreter and the compiler with which something was measured. All is read."""

import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def read_machine(packages: Iterable[str] = ()) -> dict[str, Any]:
    """What a reader must know to judge a timing; None where the system does not tell.

    >>> machine = read_machine(["regex"])
    >>> sorted(machine)  # doctest: +NORMALIZE_WHITESPACE
    ['caches', 'compiler', 'cores', 'flags', 'memory_bytes', 'packages', 'processor', 'python',
     'system']
    >>> list(machine["packages"])
    ['regex']
    """
    compiler, flags = _build()
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "caches": _caches(),
        "memory_bytes": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": compiler,
        "flags": flags,
        "packages": {name: importlib.metadata.version(name) for name in packages},
    }


def describe_machine() -> str:
    """The same in one line, without what only a few readers need."""
    machine = read_machine()
    caches = machine["caches"]
    parts = [f"{machine['processor']}, {machine['cores']} cores{describe_caches(caches)}",
             platform.system(), machine["python"]]
    if machine["compiler"]:
        optimized = [flag for flag in machine["flags"].split() if flag.startswith(("-O", "/O"))]
        parts.append(f"{machine['compiler']} {' '.join(optimized[-1:])}".strip())
    return "; ".join(parts)


def describe_caches(caches: dict[str, str]) -> str:
    """The outer caches: processors of one name may differ in them.

    >>> describe_caches({"L1": "32 KiB", "L2": "1 MiB", "L3": "32 MiB"}), describe_caches({})
    (' (1 MiB L2, 32 MiB L3)', '')
    """
    outer = ", ".join(f"{size} {name}" for name, size in caches.items() if name != "L1")
    return f" ({outer})" if outer else ""


def _build() -> tuple[str | None, str | None]:
    try:
        from cs336_bpe.native import build  # late: the plain Python stages need no compiler
    except ImportError:
        return None, None
    return build.COMPILER, build.FLAGS


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _caches() -> dict[str, str]:
    """The data caches of the first core, as Linux lists them, smallest first."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type",
                                                                              "size"))
        if kind != "Instruction":
            kilobytes = int(size.removesuffix("K"))
            found[f"L{level}"] = (f"{kilobytes} KiB" if kilobytes < 1024 or kilobytes % 1024
                                  else f"{kilobytes // 1024} MiB")
    return found


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
