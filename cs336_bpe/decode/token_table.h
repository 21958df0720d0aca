/* All tokens in one row of bytes, and ids of any type as places in the table of their offsets. */
#ifndef CS336_BPE_TOKEN_TABLE_H
#define CS336_BPE_TOKEN_TABLE_H

#include <Python.h>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#endif
#include <algorithm>
#include <atomic>
#include <stddef.h>
#include <stdint.h>

/* Token number `place` is blob[offsets[place]] up to blob[offsets[place + 1]]. Places below
 * `num_near` are ids; one that is no token has no bytes. The few ids far above the others, which
 * would make the table large for nothing, are in `far`, sorted, and their places follow. */
struct Tokens {
    uint8_t *blob;  /* with TOKEN_PADDING bytes after the last token, which may be read */
    uint32_t *offsets;
    uint32_t *far_ids;
    size_t num_near, num_far;
};

enum { TOKEN_PADDING = 16, NO_PLACE = 0xFFFFFFFF, IDS_AT_ONCE = 512 };

/* Ids that are not below `num_near`, as places. Returns false if one is no token. */
static bool find_far(const Tokens &tokens, uint32_t *places, size_t size) {
    const uint32_t *first = tokens.far_ids, *last = first + tokens.num_far;
    for (size_t i = 0; i < size; i++) {
        if (places[i] < tokens.num_near) continue;
        const uint32_t *found = std::lower_bound(first, last, places[i]);
        if (found == last || *found != places[i]) return false;
        places[i] = (uint32_t)(tokens.num_near + (size_t)(found - first));
    }
    return true;
}

/* What was read as places, checked. */
static bool check_places(const Tokens &tokens, uint32_t *places, size_t size) {
    uint32_t most = 0;
    for (size_t i = 0; i < size; i++) most = std::max(most, places[i]);
    return most < tokens.num_near || !size || find_far(tokens, places, size);
}

/* Others may write to the ids while we read. So each is read once, into memory of our own, and
 * what is there is checked: the fence keeps the compiler from reading it again. */
template <class Id> static bool take(const Tokens &tokens, const void *from, size_t first,
                                     size_t size, uint32_t *places) {
    const Id *ids = (const Id *)from + first;
    for (size_t i = 0; i < size; i++) {
        if (sizeof(Id) == 8) {
            uint64_t id = (uint64_t)ids[i];
            places[i] = id > NO_PLACE ? NO_PLACE : (uint32_t)id;
        } else {
            places[i] = (uint32_t)ids[i];  /* a negative one becomes greater than any id */
        }
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return check_places(tokens, places, size);
}

/* Places of `size` ids from the one numbered `first` on. `width` is the size of an id in bytes,
 * negative for integers with a sign. Returns false if one is out of bounds. */
static bool take_places(const Tokens &tokens, const void *ids, int width, size_t first, size_t size,
                        uint32_t *places) {
    switch (width) {
    case 1: return take<uint8_t>(tokens, ids, first, size, places);
    case 2: return take<uint16_t>(tokens, ids, first, size, places);
    case 4: return take<uint32_t>(tokens, ids, first, size, places);
    case 8: return take<uint64_t>(tokens, ids, first, size, places);
    case -1: return take<int8_t>(tokens, ids, first, size, places);
    case -2: return take<int16_t>(tokens, ids, first, size, places);
    case -4: return take<int32_t>(tokens, ids, first, size, places);
    case -8: return take<int64_t>(tokens, ids, first, size, places);
    }
    return false;
}

/* The value of a Python integer, or NO_PLACE if it is not one (a bool, of numpy ...) or too large. */
static inline uint32_t value_of(PyObject *number) {
    if (!PyLong_CheckExact(number)) return NO_PLACE;
#if PY_VERSION_HEX >= 0x030C0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)number)) {
        Py_ssize_t value = PyUnstable_Long_CompactValue((PyLongObject *)number);
        return value < 0 ? (uint32_t)NO_PLACE : (uint32_t)value;
    }
#else
    if ((size_t)Py_SIZE(number) <= 1)
        return Py_SIZE(number) ? ((PyLongObject *)number)->ob_digit[0] : 0;
#endif
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow || value < 0 || value > 0x7FFFFFFF ? (uint32_t)NO_PLACE : (uint32_t)value;
}

/* Places of the ids in a list or a tuple. The interpreter's lock keeps others from changing it. */
static bool take_objects(const Tokens &tokens, PyObject *list, size_t size, uint32_t *places) {
    PyObject **items = PySequence_Fast_ITEMS(list);
    for (size_t i = 0; i < size; i++) places[i] = value_of(items[i]);
    return check_places(tokens, places, size);
}

/* The number of bytes of all tokens; false if there is a place without a token. */
static bool add_up(const Tokens &tokens, const uint32_t *places, size_t size, size_t *total) {
    bool gap = false;
    size_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t length = tokens.offsets[places[i] + 1] - tokens.offsets[places[i]];
        gap |= !length;
        sum += length;
    }
    *total += sum;
    return !gap;
}

#endif
