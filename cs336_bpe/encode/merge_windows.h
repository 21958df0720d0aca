/* Merging a very long word window by window.
 *
 * A word of a megabyte needs tens of megabytes of lists or heap, which no cache holds. Here a part of it
 * is merged alone, a window, and then another one, which begins a little before the end of the first,
 * where a token of it begins. If that token is the first one of the new window too, what is before it
 * and what is after it are the tokens of the whole: docs/encode/long_words.md has the proof. If not,
 * the word is begun again with larger windows.
 */
#ifndef CS336_BPE_MERGE_WINDOWS_H
#define CS336_BPE_MERGE_WINDOWS_H

#include <vector>
#include "merge_heap.h"
#include "merge_lists.h"

struct WindowMerger {
    /* The first windows have this many bytes, larger ones four times as many, and so on. One
     * OVERLAP-th of a window is, at least, in the next one too. */
    enum { FIRST = CS336_BPE_WINDOW, OVERLAP = 16 };
    static_assert(FIRST > 0, "no window is as large as the word then, ever");
    const Merges &merges;
    Lists *lists;
    std::vector<uint32_t> ends;  /* of the tokens of a window, counted from where it begins */

    /* Returns the number of ids, or -1 for no memory. */
    ptrdiff_t merge(const uint8_t *text, size_t size, uint32_t *ids) {
        for (size_t window = FIRST; window < size; window *= 4) {
            ptrdiff_t number = merge_in(window, text, size, ids);
            if (number) return number;
        }
        return merge_whole(text, size, ids, NULL);
    }

private:
    ptrdiff_t merge_whole(const uint8_t *text, size_t size, uint32_t *ids,
                          uint32_t *where) noexcept {
        return merges.in_order ? lists->merge(merges, text, size, ids, where)
                               : merge_by_heap(merges, text, size, ids, where);
    }

    /* The same, in windows of some size; 0 if two of them do not agree. */
    ptrdiff_t merge_in(size_t window, const uint8_t *text, size_t size, uint32_t *ids) {
        size_t at = 0, made = 0;  /* where a window begins, and the ids that are before it */
        uint32_t expected = 0;    /* where its first token should end; 0: anywhere */
        ends.resize(window);
        for (;;) {
            const size_t part = size - at < window ? size - at : window;
            const ptrdiff_t number = merge_whole(text + at, part, ids + made, ends.data());
            if (number < 0) return -1;
            if (expected && ends[0] != expected) return 0;
            if (at + part == size) return (ptrdiff_t)made + number;
            size_t kept = (size_t)number - 1;  /* the tokens before the one where the next begins */
            while (kept && ends[kept - 1] + window / OVERLAP > window) kept--;
            if (!kept) return 0;
            expected = ends[kept] - ends[kept - 1];
            at += ends[kept - 1];
            made += kept;
        }
    }
};

/* Encode any number of bytes below TOO_LONG; returns the number of ids, or -1 for no memory. */
static ptrdiff_t merge_by_windows(const Merges &merges, Lists *lists, const uint8_t *text, size_t size,
                                  uint32_t *ids) noexcept {
    try {
        return WindowMerger{merges, lists, {}}.merge(text, size, ids);
    } catch (...) {
        return -1;
    }
}

#endif
