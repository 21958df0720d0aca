# cython: language_level=3
"""Does any object of a JSON file have a key twice? Found by counting, in one pass.

`json.loads` keeps the last of two entries with the same key. It can be told to hand over all of
them, but then it takes much longer. Instead, the entries are counted twice, in the text and in what
was made of it: if a key was there twice, one entry is missing.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t


def counts_of_text(bytes text not None):
    """How many entries the objects in a JSON text have, how many digits its longest number, and
    about how many values there are: commas and opening brackets.

    All are right if the text is JSON.

    >>> counts_of_text(b'{"a": [{}, {"b:": 123}], "c": "45: 67"}')
    (3, 3, 6)
    """
    cdef const uint8_t *at = <const uint8_t *>PyBytes_AS_STRING(text)
    cdef const uint8_t *end = at + PyBytes_GET_SIZE(text)
    cdef size_t entries = 0, digits = 0, most_digits = 0, values = 0
    cdef bint in_string = False
    cdef uint8_t character
    with nogil:
        while at < end:
            character = at[0]
            at += 1
            if in_string:
                if character == 92:  # a backslash: what follows is part of the string
                    at += 1
                elif character == 34:  # a quotation mark
                    in_string = False
            elif 48 <= character <= 57:
                digits += 1
                if digits > most_digits:
                    most_digits = digits
            else:
                digits = 0
                if character == 34:
                    in_string = True
                elif character == 58:  # a colon
                    entries += 1
                elif character == 44 or character == 91 or character == 123:  # , [ {
                    values += 1
    return entries, most_digits, values


cpdef Py_ssize_t count_entries(object value) except -1:
    """How many entries all the objects in what `json.loads` returned have.

    >>> count_entries({"a": [{}, {"b": 123}], "c": ""})
    3
    """
    cdef Py_ssize_t number = 0
    if isinstance(value, dict):
        number = len(<dict>value)
        for part in (<dict>value).values():
            if isinstance(part, (dict, list)):
                number += count_entries(part)
    elif isinstance(value, list):
        for part in <list>value:
            if isinstance(part, (dict, list)):
                number += count_entries(part)
    return number
