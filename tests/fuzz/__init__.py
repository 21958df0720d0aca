"""Fuzzing: random cases against definitions and other libraries, from seeds that can be repeated.

`test_fuzz.py` runs a fixed number of cases in the suite. By command it runs longer:

    python -m tests.fuzz --minutes 30 --seed 7 --mode encode streams
"""
