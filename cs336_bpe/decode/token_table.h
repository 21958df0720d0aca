/* All tokens in one row of bytes, and ids of any type as places in the table of their offsets. */
#ifndef CS336_BPE_TOKEN_TABLE_H
#define CS336_BPE_TOKEN_TABLE_H

#include <Python.h>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#endif
#include <algorithm>
#include <stddef.h>
#include <stdint.h>

/* Token number `place` is blob[offsets[place]] up to blob[offsets[place + 1]]. Places below
 * `num_near` are ids; one that is no token has no bytes. The few ids far above the others, which
 * would make the table large for nothing, are in `far_ids`, sorted, and their places follow. The
 * last place is for all ids that there are not, and has no bytes either. */
struct Tokens {
    uint8_t *blob;  /* with TOKEN_PADDING bytes after the last token, which may be read */
    uint32_t *offsets;
    uint32_t *far_ids;
    size_t num_near, num_far;
};

enum { TOKEN_PADDING = 16, NO_ID = 0xFFFFFFFF };

static size_t far_place(const Tokens &tokens, uint64_t id) {
    const uint32_t *const first = tokens.far_ids, *const last = first + tokens.num_far;
    const uint32_t *found = std::lower_bound(first, last, id);
    if (found != last && *found != id) found = last;
    return tokens.num_near + (size_t)(found - first);
}

/* The place of an id, whatever it is. Others may write to the ids while we read them, so this one
 * is read once: what is checked is what is used. */
template <class Id> static inline size_t place_of(const Tokens &tokens, const Id *from) {
    const Id id = *(const volatile Id *)from;
    return id < tokens.num_near ? (size_t)id : far_place(tokens, id);
}

/* The number of bytes of all tokens; false if there is an id without a token. */
template <class Id>
static bool add_up(const Tokens &tokens, const Id *ids, size_t size, size_t *total) {
    bool gap = false;
    size_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const size_t place = place_of(tokens, ids + i);
        const uint32_t length = tokens.offsets[place + 1] - tokens.offsets[place];
        gap |= !length;
        sum += length;
    }
    *total = sum;
    return !gap;
}

template <class Id> static bool has_negative(const Id *ids, size_t size) {
    Id all = 0;
    for (size_t i = 0; i < size; i++) all |= ids[i];
    return all < 0;
}

/* Is there an id that would be another one without its sign? In four bytes or eight it would be
 * greater than all ids; so this is for one byte or two, with a sign. */
static bool is_another_without_sign(const void *ids, int width, size_t size) {
    return width == 1 ? has_negative((const int8_t *)ids, size)
                      : width == 2 && has_negative((const int16_t *)ids, size);
}

/* The same for ids of which only the size in bytes is known, and whether they have a sign. */
static bool add_up_any(const Tokens &tokens, const void *ids, int width, bool with_sign,
                       size_t size, size_t *total) {
    if (with_sign && is_another_without_sign(ids, width, size)) return false;
    switch (width) {
    case 1: return add_up(tokens, (const uint8_t *)ids, size, total);
    case 2: return add_up(tokens, (const uint16_t *)ids, size, total);
    case 4: return add_up(tokens, (const uint32_t *)ids, size, total);
    case 8: return add_up(tokens, (const uint64_t *)ids, size, total);
    }
    return false;
}

/* The value of a Python integer, or NO_ID if it is none (a bool, one of numpy ...) or too large. */
static inline uint32_t value_of(PyObject *number) {
    if (!PyLong_CheckExact(number)) return NO_ID;
#if PY_VERSION_HEX >= 0x030C0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)number)) {
        Py_ssize_t value = PyUnstable_Long_CompactValue((PyLongObject *)number);
        return value < 0 ? (uint32_t)NO_ID : (uint32_t)value;
    }
#else
    if ((size_t)Py_SIZE(number) <= 1)
        return Py_SIZE(number) ? ((PyLongObject *)number)->ob_digit[0] : 0;
#endif
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow || value < 0 || value >= NO_ID ? (uint32_t)NO_ID : (uint32_t)value;
}

#if PY_VERSION_HEX < 0x030D0000
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

/* `size` ids in a list or a tuple, from the one with the number `first` on, which the interpreter's lock keeps
 * others from changing. Where there is none, the list is locked itself. Another thread may have made it
 * shorter just before. */
static void copy_objects(PyObject *list, size_t first, size_t size, uint32_t *ids) {
    Py_BEGIN_CRITICAL_SECTION(list);
    const size_t all = (size_t)PySequence_Fast_GET_SIZE(list), there = all > first ? all - first : 0;
    PyObject **items = PySequence_Fast_ITEMS(list) + (all - there);  /* an empty list has no memory */
    const size_t good = std::min(there, size);
    for (size_t i = 0; i < good; i++) ids[i] = value_of(items[i]);
    for (size_t i = good; i < size; i++) ids[i] = NO_ID;
    Py_END_CRITICAL_SECTION();
}

#endif
