/* A str as it lies in memory. */
#ifndef CS336_BPE_VIEWS_H
#define CS336_BPE_VIEWS_H

#include <Python.h>
#include "whole_text.h"

static int view_str(PyObject *text, TextView *view) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(text) < 0) return -1;
#endif
    view->data = PyUnicode_DATA(text);
    view->size = (size_t)PyUnicode_GET_LENGTH(text);
    view->kind = PyUnicode_IS_ASCII(text) ? 0 : (int)PyUnicode_KIND(text);
    return 0;
}

#endif
