/* The stretches of a text in which there is a character of some set, with the character before them.
 *
 * Most text has few of them, or none: so bytes of ASCII are passed over eight at a time.
 */
#ifndef CS336_BPE_STRETCHES_H
#define CS336_BPE_STRETCHES_H

#include <vector>
#include "automaton.h"

enum { SET_BELOW = 0x30000 };  /* a set has a bit for each code point below; all others are in it */

struct Stretch { size_t start, end; };

/* Whether the text is UTF-8. Stretches less than `gap` bytes apart become one. May throw. */
static bool find_stretches(const uint8_t *text, size_t size, const uint8_t *set, size_t gap,
                           std::vector<Stretch> &found) {
    size_t at = 0, before = 0;  /* where the character before this one starts */
    while (at < size) {
        uint64_t eight;
        while (size - at >= 8 && (memcpy(&eight, text + at, 8), !(eight & 0x8080808080808080u))) {
            at += 8;
            before = at - 1;
        }
        if (at == size) break;
        if (text[at] < 0x80) {
            before = at++;
            continue;
        }
        uint8_t copy[4] = {0, 0, 0, 0};
        const uint8_t *here = text + at;
        if (size - at < 4) here = (const uint8_t *)memcpy(copy, here, size - at);
        uint32_t point = 0;
        size_t length = decode_point(here, size - at, &point);
        if (!length) return false;
        if (point >= SET_BELOW || set[point >> 3] >> (point & 7) & 1) {
            if (!found.empty() && before < found.back().end + gap) found.back().end = at + length;
            else found.push_back(Stretch{before, at + length});
        }
        before = at;
        at += length;
    }
    return true;
}

#endif
