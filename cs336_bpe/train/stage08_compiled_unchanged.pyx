# cython: language_level=3
# cython: annotation_typing=False
"""Stage 08: stage 07, compiled as it is.

Unlike stage 07, which the interpreter runs, this one is translated to C by Cython and compiled.
Not a line of it is changed: the source below is included from stage 07's file.

Cost: that of stage 07 without the interpreter's loop. Every integer is still a Python object,
every tuple is still allocated, every dictionary is still looked up.
Memory: as stage 07.
Expect: little. The time goes into the objects, not into reading the program; to see it, build
with `cython --annotate` and look at how yellow the inner loop stays.
Trap: Cython takes annotations for C types where it can. A parameter marked `dict` would then
refuse a `Counter`, so the directive above turns that off: it has to mean what it meant before.
"""

include "stage07_interned_words.py"
