/* The pretokens of a text, batch by batch: where each starts and ends, with contractions resolved.
 *
 *     Starts starts;
 *     starts.begin(text, begin, end, false);
 *     while (starts.find()) {
 *         for (size_t i = 0; i < starts.ready;) {
 *             size_t stop, start = starts.next(i, stop);
 *             ... text[start:stop] is a pretoken ...
 *         }
 *     }
 *     if (starts.invalid) ...
 *
 * The masks of `scan.h` know no contractions. They cut "it's" into "it", "'" and "s", and a pretoken
 * that is a single apostrophe shows where to look again.
 */
#ifndef CS336_BPE_STARTS_H
#define CS336_BPE_STARTS_H

#include "scan.h"

#ifndef CS336_BPE_BATCH  /* other sizes are for measuring; at least 67 */
#define CS336_BPE_BATCH 512
#endif

struct Starts {
    enum { BATCH = CS336_BPE_BATCH };  /* pretokens that are found at a time, at most */
    const uint8_t *text;
    size_t starts[BATCH + 2];
    size_t number;  /* of starts that have been found, and not been used up */
    size_t used;    /* of these, by the batch before */
    size_t ready;   /* of them, those of which the end is known too: the batch */
    bool done, invalid;
    Scan scan;

    /* Of text[begin:end], which no special token cuts. SCAN_PADDING bytes after the end must be
     * readable. If `lenient`, a byte that is not part of a UTF-8 character is one of class O. */
    void begin(const uint8_t *in_text, size_t begin, size_t end, bool lenient) noexcept {
        text = in_text;
        number = used = ready = 0;
        done = begin >= end;
        invalid = false;
        scan_begin(&scan, text, begin, end);
        scan.lenient = lenient;
    }

    /* Find a batch; false at the end, or where the text is found not to be UTF-8. */
    BPE_NEVER_INLINE bool find() noexcept {
        if (done) return false;
        number -= used;
        memmove(starts, starts + used, number * sizeof *starts);
        number += scan_starts(&scan, starts + number, BATCH - number);
        invalid = scan.invalid;
        if (invalid) return false;
        done = scan.at >= scan.end;
        if (done) starts[number] = starts[number + 1] = scan.end;
        /* A pretoken ends where the next one starts. A contraction moves that place, and to see
         * whether it does, the start after it is needed too; so two are kept for the next batch. */
        used = ready = done ? number : number > 2 ? number - 2 : 0;
        return true;
    }

    /* The start of pretoken `i`, and where it stops; `i` moves on to the one after it. */
    BPE_ALWAYS_INLINE size_t next(size_t &i, size_t &stop) noexcept {
        size_t start = starts[i];
        stop = starts[++i];
        if (BPE_UNLIKELY(text[start] == '\'') && stop == start + 1) {
            size_t length = contraction(text + start, scan.end - start);
            if (length && start + length < starts[i + 1]) {
                starts[i] = stop = start + length;  /* 'tis: the letters go on */
            } else if (length) {
                stop = starts[++i];  /* the letters are used up, and so is their start */
                used = i > ready ? i : ready;
            }
        }
        return start;
    }
};

#endif
