/* The pretokens of a text, batch by batch.
 *
 *     Starts starts;
 *     starts.begin(text, begin, end, false);
 *     while (starts.find())
 *         for (size_t i = 0; i < starts.ready; i++)
 *             ... text[starts.starts[i]:starts.starts[i + 1]] is a pretoken ...
 *     if (starts.invalid) ...
 */
#ifndef CS336_BPE_STARTS_H
#define CS336_BPE_STARTS_H

#include "scan.h"

#ifndef CS336_BPE_BATCH  /* other sizes are for measuring; more than SCAN_ROOM */
#define CS336_BPE_BATCH 512
#endif

struct Starts {
    enum { BATCH = CS336_BPE_BATCH };  /* pretokens that are found at a time, at most */
    size_t starts[BATCH + 1];
    size_t number;  /* of starts that have been found */
    size_t ready;   /* of them, those of which the end is known too: the batch */
    bool done, invalid;
    Scan scan;

    /* Of text[begin:end], which no special token cuts. SCAN_PADDING bytes after the end must be
     * readable. If `lenient`, a byte that is not part of a UTF-8 character is one of class O. */
    void begin(const uint8_t *text, size_t begin, size_t end, bool lenient) noexcept {
        number = ready = 0;
        done = begin >= end;
        invalid = false;
        scan_begin(&scan, text, begin, end);
        scan.lenient = lenient;
    }

    /* Find a batch; false at the end, or where the text is found not to be UTF-8. */
    BPE_NEVER_INLINE bool find() noexcept {
        if (done) return false;
        size_t kept = number - ready;  /* the last one: where it ends was not known */
        if (kept) starts[0] = starts[ready];
        number = kept + scan_starts(SCAN_GPT2, &scan, starts + kept, BATCH - kept);
        invalid = scan.invalid;
        if (invalid) return false;
        done = scan.at >= scan.end;
        if (done) starts[number] = scan.end;
        ready = done ? number : number ? number - 1 : 0;
        return true;
    }

    /* The start of pretoken `i`, and where it stops; `i` moves on to the one after it. */
    BPE_ALWAYS_INLINE size_t next(size_t &i, size_t &stop) noexcept {
        size_t start = starts[i];
        stop = starts[++i];
        return start;
    }
};

#endif
