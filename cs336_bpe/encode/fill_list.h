/* Ids as Python integers.
 *
 * The integers of all ids are made once, and a list holds references to them. Each reference has to be
 * counted in its integer, which is somewhere in memory. A long list has most ids many times: then they
 * are counted in an array, and each integer is told once. That needs the interpreter's lock.
 */
#ifndef CS336_BPE_FILL_LIST_H
#define CS336_BPE_FILL_LIST_H

#include <Python.h>
#include "output.h"

#if defined(Py_GIL_DISABLED)
#define BPE_COUNT_FROM SIZE_MAX  /* ids in a list: other threads may count at the same time */
#elif !defined(BPE_COUNT_FROM)
#define BPE_COUNT_FROM ((size_t)1 << 18)
#endif

static void add_references(PyObject *object, uint32_t number) {
#if PY_VERSION_HEX >= 0x030E0000
    if (PyUnstable_IsImmortal(object)) return;
#elif PY_VERSION_HEX >= 0x030C0000
    if (_Py_IsImmortal(object)) return;
#endif
#if !defined(Py_GIL_DISABLED)
    Py_SET_REFCNT(object, Py_REFCNT(object) + (Py_ssize_t)number);
#endif
    (void)number;
}

/* As fill_list, for ids that are all known. False if there is no memory, and nothing is done. */
template <class Id>
static bool fill_counted(PyObject **items, const Id *ids, size_t size, PyObject *known) {
    const size_t num_known = (size_t)PyTuple_GET_SIZE(known);
    uint32_t *counts = (uint32_t *)calloc(num_known, sizeof(uint32_t));
    if (!counts) return false;
    for (size_t i = 0; i < size; i++) {
        items[i] = PyTuple_GET_ITEM(known, (Py_ssize_t)ids[i]);
        counts[ids[i]]++;
    }
    for (size_t id = 0; id < num_known; id++)
        if (counts[id]) add_references(PyTuple_GET_ITEM(known, (Py_ssize_t)id), counts[id]);
    free(counts);
    return true;
}

template <class Id>
static int fill_items(PyObject **items, const Id *ids, size_t size, PyObject *known) {
    const size_t num_known = (size_t)PyTuple_GET_SIZE(known);
    if (size >= BPE_COUNT_FROM && size < UINT32_MAX / 4) {
        advise_huge(items, size * sizeof *items);
        bool all_known = true;
        for (size_t i = 0; i < size; i++) all_known &= ids[i] < num_known;
        if (all_known && fill_counted(items, ids, size, known)) return 0;
    }
    for (size_t i = 0; i < size; i++) {
        if (ids[i] < num_known) {
            items[i] = PyTuple_GET_ITEM(known, (Py_ssize_t)ids[i]);
            Py_INCREF(items[i]);
        } else if (!(items[i] = PyLong_FromUnsignedLong(ids[i]))) {
            return -1;
        }
    }
    return 0;
}

/* Fill a new list with the integers of ids, from the `first` on; those in `known` are not made anew.
 * Returns -1, with an exception set, if there is no memory. */
static int fill_list(PyObject *list, const Output &output, PyObject *known, size_t first = 0) {
    PyObject **items = ((PyListObject *)list)->ob_item;
    const size_t size = (size_t)PyList_GET_SIZE(list);
    if (output.width == 2) return fill_items(items, (const uint16_t *)output.ids + first, size, known);
    return fill_items(items, (const uint32_t *)output.ids + first, size, known);
}

/* Fill a new list with `number` lists: the ids from offsets[i] to offsets[i + 1]. New lists would set
 * off the cyclic garbage collector again and again, though integers are in no cycle. */
static int fill_lists(PyObject *lists, const Output &output, PyObject *known, const int64_t *offsets) {
    const Py_ssize_t number = PyList_GET_SIZE(lists);
    const int was_enabled = PyGC_Disable();
    int status = 0;
    for (Py_ssize_t i = 0; i < number && !status; i++) {
        PyObject *list = PyList_New((Py_ssize_t)(offsets[i + 1] - offsets[i]));
        if (list) PyList_SET_ITEM(lists, i, list);
        status = list ? fill_list(list, output, known, (size_t)offsets[i]) : -1;
    }
    if (was_enabled) PyGC_Enable();
    return status;
}

#endif
