# cython: language_level=3
"""What `hash.h` declares, and how a compiled module gets a secret."""

cdef extern from "hash.h" nogil:
    void hash_init_module(const void *random)


cdef inline int init_hashes() except -1:
    import os

    cdef bytes random = os.urandom(16)
    hash_init_module(<const char *>random)
    return 0
