/* Encoding a pretoken that is not in the cache: by its merges, and what may spare them. */
#ifndef CS336_BPE_NEW_WORDS_H
#define CS336_BPE_NEW_WORDS_H

#include "merge_words.h"
#include "merge_heap.h"
#include "merge_lists.h"
#include "mergeable_pairs.h"
#include "whole_tokens.h"

/* What a vocabulary knows about words. Nothing of it is owned, and nothing changes. */
struct NewWords {
    const Merges *merges;
    const MergeablePairs *pairs;  /* NULL: pretokens are not cut */
    const WholeTokens *whole;     /* NULL: merges alone decide */
    bool may_be_late;             /* several may be merged side by side (late_words.h) */

    bool is_token(const uint8_t *text, size_t length, uint32_t *id) const noexcept {
        return whole && whole->find(text, length, id);
    }

    /* The end of the part that begins at `at`, which can be merged without the rest. */
    size_t next_cut(const uint8_t *text, size_t at, size_t end) const noexcept {
        return pairs ? pairs->next_cut(text, at, end) : end;
    }

    /* One byte, or two, which need no search; returns the number of ids. */
    size_t merge_two(const uint8_t *text, size_t length, uint32_t *ids) const noexcept {
        uint32_t token = length == 2 ? merges->of_bytes(text[0], text[1]) : text[0];
        ids[0] = merges->ids[token == NO_MERGE ? text[0] : token];
        if (token != NO_MERGE) return 1;
        ids[1] = merges->ids[text[1]];
        return 2;
    }

    /* By merges alone, up to 16 bytes, of which all 16 can be read. */
    size_t merge_short(const uint8_t *text, size_t length, uint32_t *ids) const noexcept {
        return ::merge_short(*merges, text, length, ids);
    }

    /* By merges alone; returns the number of ids, or -1 for no memory. */
    ptrdiff_t merge(Lists *lists, const uint8_t *text, size_t length,
                    uint32_t *ids) const noexcept {
        if (length < SCAN_BELOW) return (ptrdiff_t)merge_by_scan(*merges, text, length, ids);
        return merges->in_order ? lists->merge(*merges, text, length, ids)
                                : merge_by_heap(*merges, text, length, ids);
    }
};

#endif
