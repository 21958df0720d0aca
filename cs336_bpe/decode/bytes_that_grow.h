/* A bytes object that is filled before its size is known. */
#ifndef CS336_BPE_BYTES_THAT_GROW_H
#define CS336_BPE_BYTES_THAT_GROW_H

#include <Python.h>
#include "table_memory.h"

/* The object is nobody else's until `finished` hands it out. */
struct GrowingBytes {
    PyObject *object = NULL;
    uint8_t *data = NULL;
    size_t used = 0, room = 0;

    ~GrowingBytes() { Py_XDECREF(object); }

    /* Room for so many bytes in all; -1 with an exception if there is no memory. */
    int make_room(size_t size) {
        if (size > (size_t)PY_SSIZE_T_MAX / 2) {
            PyErr_NoMemory();
            return -1;
        }
        if (!object) object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
        else if (_PyBytes_Resize(&object, (Py_ssize_t)size)) return -1;
        if (!object) return -1;
        data = (uint8_t *)PyBytes_AS_STRING(object);
        room = size;
        advise_huge(data + used, room - used);
        return 0;
    }

    /* The object, with the bytes that are used; NULL with an exception. If the rest is small, it stays
     * part of the object's memory: the allocator gives memory of one size out again, page for page as
     * it was, but not if it was asked for more each time than it got back. */
    PyObject *finished() {
        if (used < room) {
            if (room - used > room / 16 + 64) {
                if (make_room(used)) return NULL;
            } else {
                Py_SET_SIZE((PyVarObject *)object, (Py_ssize_t)used);
                data[used] = 0;
            }
        }
        PyObject *made = object;
        object = NULL;
        return made;
    }
};

#endif
