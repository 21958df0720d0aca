"""Files of every format, made by atheris, which looks for bytes that reach new code.

    pip install atheris
    python tests/fuzz/coverage_guided.py -max_total_time=600      # other options: libFuzzer's

What must hold is what `modes/mutated.py` checks; what is instrumented is the package's Python code.
A failure is written to a file `crash-...`, which is an argument to run it again.
"""

import sys
from pathlib import Path


def main() -> None:
    import atheris  # no package of the suite: only this program needs it

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    with atheris.instrument_imports(include=["cs336_bpe"]):
        from fuzz.core import Comparisons, folder
        from fuzz.modes import mutated

    same = Comparisons()

    def one_file(data: bytes) -> None:
        """The first byte says which file it is, and whether its checksum is made right."""
        if data:
            name = mutated.FILES[data[0] // 2 % len(mutated.FILES)]
            mutated.check(same, name=name, data=data[1:], fix=bool(data[0] % 2))

    seeds = folder() / "seeds"  # the good files, to begin with
    seeds.mkdir()
    for place, name in enumerate(mutated.FILES):
        data = (mutated.good()[0] / name).read_bytes()
        (seeds / name).write_bytes(bytes([2 * place + 1]) + data)
    atheris.Setup([*sys.argv, str(seeds)], one_file)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
