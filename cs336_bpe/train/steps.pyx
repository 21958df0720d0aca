# cython: language_level=3
# distutils: language = c++
"""What compiled stages leave to Python: to go on in steps, and results and tie keys as bytes.

No idea of the ladder is in here. A stage has a class `Trainer` inside, with two methods:
`merge_until(goal)` goes on until there are `goal` merges or no pair is left, and returns how many
there are; `finish()` frees the words, so that the result does not add to the peak, and returns it.
"""

from cpython.exc cimport PyErr_CheckSignals

from cs336_bpe.common.progress import reporting
from cs336_bpe.rules import BYTES, check_tie_break, huggingface_byte_numbers

MERGES_BETWEEN_REPORTS = 256


def merge_in_steps(trainer, num_merges, progress):
    """Merge, and between steps report progress and answer Ctrl-C."""
    goal = 0
    with reporting(progress, "merge", num_merges) as report:
        while goal < num_merges:
            goal = min(num_merges, goal + MERGES_BETWEEN_REPORTS)
            done = trainer.merge_until(goal)
            PyErr_CheckSignals()
            report(done)
            if done < goal:
                break
    return trainer.finish()


cdef list as_bytes(vector[Merge] &merged):
    """Merges as pairs of tokens, from merges as pairs of ids."""
    cdef list tokens = list(BYTES), merges = []
    cdef Merge merge
    for merge in merged:
        left, right = <bytes>tokens[merge.left], <bytes>tokens[merge.right]
        merges.append((left, right))
        tokens.append(left + right)
    return merges


def byte_tie_keys(tie_break):
    """For each byte, a string: of two equally frequent pairs, that with the greater strings wins.

    >>> byte_tie_keys("lexicographic")[97], byte_tie_keys("huggingface")[33].hex()
    (b'a', 'ffffffff')
    """
    check_tie_break(tie_break)
    if tie_break == "lexicographic":
        return list(BYTES)
    return [(2**32 - 1 - number).to_bytes(4, "big") for number in huggingface_byte_numbers()]
