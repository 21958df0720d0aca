"""The machine on which something was measured."""

import os
import platform
from pathlib import Path


def describe_machine() -> str:
    """The processor, the system and the interpreter, in one line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return (f"{model}, {os.cpu_count()} cores; {platform.system()}; "
            f"{platform.python_implementation()} {platform.python_version()}")
