/* UTF-8 to Python's text, with the width of its characters known before the first is written. */
#ifndef CS336_BPE_UTF8_TEXT_H
#define CS336_BPE_UTF8_TEXT_H

#include <Python.h>
#include <algorithm>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "table_memory.h"

/* The number of characters, which is that of bytes that don't continue one, and the greatest byte.
 * Blocks are so short that the count fits in a byte: then 16 bytes are looked at together. */
static size_t look_at_bytes(const uint8_t *text, size_t size, uint8_t *greatest) {
    enum { BLOCK = 240 };
    size_t num_chars = 0;
    uint8_t most = 0;
    for (size_t first = 0; first < size; first += BLOCK) {
        uint8_t starts = 0;
        const uint8_t *block = text + first;
        const size_t here = std::min<size_t>(BLOCK, size - first);
        for (size_t i = 0; i < here; i++) {
            starts += (int8_t)block[i] >= -64;  /* 10xxxxxx is below, as a number with a sign */
            most = std::max(most, block[i]);
        }
        num_chars += starts;
    }
    *greatest = most;
    return num_chars;
}

/* One character of two bytes or more. Returns how many bytes it has, 0 if they are not UTF-8. */
static inline size_t read_char(const uint8_t *text, size_t left, uint32_t *found) {
    const uint8_t first = text[0];
    const size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (first < 0xC2 || first > 0xF4 || left < size) return 0;
    uint32_t code = first & (0x7F >> size), wrong = (text[1] & 0xC0) ^ 0x80;
    code = code << 6 | (text[1] & 0x3F);
    if (size > 2) {
        wrong |= (text[2] & 0xC0) ^ 0x80;
        code = code << 6 | (text[2] & 0x3F);
        if (size > 3) {
            wrong |= (text[3] & 0xC0) ^ 0x80;
            code = code << 6 | (text[3] & 0x3F);
            if (code < 0x10000 || code > 0x10FFFF) return 0;
        } else if (code < 0x800 || (code >= 0xD800 && code < 0xE000)) {
            return 0;
        }
    }
    *found = code;
    return wrong ? 0 : size;
}

/* Four characters of two bytes each, in an order that a test can rely on: the first byte of the text is the
 * lowest. False if they are something else. */
template <class Char> static inline bool write_four_pairs(const uint8_t *text, Char *to) {
    uint64_t pairs = 0;
    for (int i = 7; i >= 0; i--) pairs = pairs << 8 | text[i];
    if ((pairs & 0xC0E0C0E0C0E0C0E0) != 0x80C080C080C080C0) return false;
    const uint64_t high = pairs & 0x001F001F001F001F, low = pairs >> 8 & 0x003F003F003F003F;
    /* Below C2 it would be a character of one byte; adding 1E makes that a bit which is not there. */
    if (((high + 0x001E001E001E001E) & 0x0020002000200020) != 0x0020002000200020) return false;
    const uint64_t codes = high << 6 | low;
    for (int i = 0; i < 4; i++) to[i] = (Char)(codes >> 16 * i & 0xFFFF);
    return true;
}

/* One character of three bytes; 0 if it is something else. Four bytes are read. */
static inline uint32_t read_triple(const uint8_t *text) {
    const uint32_t four = text[0] | text[1] << 8 | text[2] << 16 | (uint32_t)text[3] << 24;
    const uint32_t code = (four & 0xF) << 12 | (four >> 8 & 0x3F) << 6 | (four >> 16 & 0x3F);
    const bool is_triple = (four & 0xC0C0F0) == 0x8080E0;
    return is_triple && code >= 0x800 && (code & 0xF800) != 0xD800 ? code : 0;
}

/* Write all characters. `to` has room for one for each byte that does not continue another; and no
 * more are written, because each that is valid has exactly one such byte. Text comes in rows of
 * characters of one length, so a row is written before anything else is tried. */
template <class Char>
static bool write_chars(const uint8_t *__restrict text, size_t size, Char *__restrict to) {
    const uint8_t *const end = text + size;
    while (text < end) {
        while (end - text >= 16) {
            uint64_t half[2];
            memcpy(half, text, 16);
            if ((half[0] | half[1]) & 0x8080808080808080) break;
            for (int i = 0; i < 16; i++) to[i] = text[i];
            text += 16;
            to += 16;
        }
        while (text < end && *text < 0x80) *to++ = *text++;
        if (sizeof(Char) > 1) {
            for (; end - text >= 8 && write_four_pairs(text, to); text += 8) to += 4;
            for (uint32_t code; end - text >= 4 && (code = read_triple(text)); text += 3)
                *to++ = (Char)code;
        }
        if (text < end && *text >= 0x80) {
            uint32_t code = 0;
            const size_t taken = read_char(text, (size_t)(end - text), &code);
            if (!taken) return false;
            *to++ = (Char)code;
            text += taken;
        }
    }
    return true;
}

static bool write_text(const uint8_t *text, size_t size, int kind, void *to, size_t) {
    if (kind == PyUnicode_1BYTE_KIND) return write_chars(text, size, (Py_UCS1 *)to);
    if (kind == PyUnicode_2BYTE_KIND) return write_chars(text, size, (Py_UCS2 *)to);
    return write_chars(text, size, (Py_UCS4 *)to);
}

/* The text that some bytes are; None if they are not UTF-8. A NULL comes with an exception. `write`
 * writes the characters, of which it is told how many there are. */
static PyObject *text_from_utf8(const uint8_t *bytes, size_t size, bool huge_pages,
                                bool (*write)(const uint8_t *, size_t, int, void *, size_t)) {
    enum { SHORT = 1 << 14 };  /* is done without giving up the interpreter's lock */
    PyThreadState *released = size < SHORT ? NULL : PyEval_SaveThread();
    uint8_t most = 0;
    size_t num_chars = look_at_bytes(bytes, size, &most);
    if (released) PyEval_RestoreThread(released);
    /* The first byte of a character says in which range it is. */
    const Py_UCS4 greatest = most < 0x80 ? 0x7F : most < 0xC4 ? 0xFF : most < 0xF0 ? 0xFFFF : 0x10FFFF;
    PyObject *made = PyUnicode_New((Py_ssize_t)num_chars, greatest);
    if (!made || !num_chars) {
        if (made && size) Py_SETREF(made, Py_NewRef(Py_None));  /* only bytes that continue one */
        return made;
    }
    const int kind = PyUnicode_KIND(made);
    void *to = PyUnicode_DATA(made);
    if (huge_pages) advise_huge(to, num_chars * (size_t)kind);
    released = size < SHORT ? NULL : PyEval_SaveThread();
    bool valid = true;
    if (most < 0x80) memcpy(to, bytes, size);
    else valid = write(bytes, size, kind, to, num_chars);
    if (released) PyEval_RestoreThread(released);
    if (!valid) Py_SETREF(made, Py_NewRef(Py_None));
    return made;
}

static PyObject *text_from_utf8(const uint8_t *bytes, size_t size, bool huge_pages) {
    return text_from_utf8(bytes, size, huge_pages, write_text);
}

#endif
