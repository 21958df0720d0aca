/* Ids as Python integers. */
#ifndef CS336_BPE_FILL_LIST_H
#define CS336_BPE_FILL_LIST_H

#include <Python.h>
#include "output.h"

/* Fill a new list with the integers of ids; those in `known` are not made anew. Returns -1, with an
 * exception set, if there is no memory. */
static int fill_list(PyObject *list, const Output &output, PyObject *known) {
    PyObject **items = ((PyListObject *)list)->ob_item;
    const size_t num_known = (size_t)PyTuple_GET_SIZE(known), size = output.used;
    const void *const ids = output.ids;
    const bool narrow = output.width == 2;
    advise_huge(items, size * sizeof *items);
    for (size_t i = 0; i < size; i++) {
        uint32_t id = narrow ? ((const uint16_t *)ids)[i] : ((const uint32_t *)ids)[i];
        if (id < num_known) {
            items[i] = PyTuple_GET_ITEM(known, (Py_ssize_t)id);
            Py_INCREF(items[i]);
        } else if (!(items[i] = PyLong_FromUnsignedLong(id))) {
            return -1;
        }
    }
    return 0;
}

#endif
