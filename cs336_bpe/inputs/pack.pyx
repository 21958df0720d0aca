# cython: language_level=3
"""Texts put into a buffer with one copy: those in ASCII need not even be encoded."""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    const void *PyUnicode_DATA(object text)


def pack(list texts not None, bytearray buffer not None):
    """Put texts one after the other, as UTF-8, and return where each ends.

    The buffer grows if it must. What is neither `str` nor `bytes`, or has no UTF-8 form, is an
    error; the list is used up.

    >>> buffer = bytearray()
    >>> pack(["one", "zw\\u00f6lf", b"2"], buffer).tolist(), bytes(buffer)
    ([3, 8, 9], b'onezw\\xc3\\xb6lf2')
    """
    cdef Py_ssize_t i, size, at = 0, number = len(texts)
    ends = numpy.empty(number, numpy.uint64)
    cdef uint64_t[::1] all_ends = ends
    cdef char *to
    for i in range(number):
        text = texts[i]
        if PyUnicode_CheckExact(text) and PyUnicode_IS_COMPACT_ASCII(text):
            at += PyUnicode_GET_LENGTH(text)
        else:
            if not PyBytes_CheckExact(text):
                text = text.encode() if isinstance(text, str) else bytes(memoryview(text))
                texts[i] = text
            at += PyBytes_GET_SIZE(text)
        all_ends[i] = at
    if len(buffer) < at:
        PyByteArray_Resize(buffer, at)
    to = PyByteArray_AS_STRING(buffer)
    at = 0
    for i in range(number):
        text = texts[i]
        size = all_ends[i] - at
        if PyBytes_CheckExact(text):
            memcpy(to + at, PyBytes_AS_STRING(text), size)
        else:
            memcpy(to + at, PyUnicode_DATA(text), size)
        at += size
    return ends
