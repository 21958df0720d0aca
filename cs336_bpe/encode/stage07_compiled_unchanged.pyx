# cython: language_level=3
# cython: annotation_typing=False
"""Stage 07: stage 05, compiled as it is.

Unlike stage 05, which the interpreter runs, this one is translated to C by Cython and compiled.
Not a line of it is changed: the source below is included from stage 05's file. (From there and not
from stage 06, so that what compiling gains is not hidden under what a cache gains.)

Cost: that of stage 05 without the interpreter's loop. Every token is still a Python object, every
pair is still a tuple that is allocated and hashed, and so is every entry of the heap.
Memory: as stage 05.
Expect: little, as in training: the time goes into the objects, and not into reading the program.
Trap: Cython takes annotations for C types where it can, and would then refuse arguments that stage
05 accepts. The directive above turns that off.
"""

include "stage05_rank_heap.py"
