/* Encoding a pretoken that is not in the cache: by its merges, and what may spare them. */
#ifndef CS336_BPE_NEW_WORDS_H
#define CS336_BPE_NEW_WORDS_H

#include "merge_words.h"
#include "merge_heap.h"
#include "merge_lists.h"
#include "merge_windows.h"
#include "mergeable_pairs.h"
#include "whole_tokens.h"

/* What a vocabulary knows about words. Nothing of it is owned, and nothing changes. */
struct NewWords {
    const Merges *merges;
    const MergeablePairs *pairs;  /* NULL: pretokens are not cut */
    const WholeTokens *whole;     /* NULL: merges alone decide */
    enum { FEW = 3 };             /* bytes that are merged without a search */
    bool may_be_late;             /* several may be merged side by side (late_words.h) */

    bool is_token(const uint8_t *text, size_t length, uint32_t *id) const noexcept {
        return whole && whole->find(text, length, id);
    }

    /* The end of the part that begins at `at`, which can be merged without the rest. */
    size_t next_cut(const uint8_t *text, size_t at, size_t end) const noexcept {
        return pairs ? pairs->next_cut(text, at, end) : end;
    }

    /* The places of a text that a merge may cross (MergeablePairs), of up to 63. */
    uint64_t crossings(const uint8_t *text, size_t places) const noexcept {
        return pairs ? pairs->crossings(text, places) : ((uint64_t)1 << places) - 1;
    }

    /* The length of the part that begins at the first of these places, as far as they go. */
    static size_t part_at(uint64_t crossings) noexcept { return 1 + (size_t)BPE_CTZ(~crossings); }

    /* Up to FEW bytes, whose merges need no search; returns the number of ids. */
    size_t merge_few(const uint8_t *text, size_t length, uint32_t *ids) const noexcept {
        return length <= 2 ? merge_two(text, length, ids) : merge_three(text, ids);
    }

    /* Up to 16 bytes, if all of its parts have few: otherwise 0. Most words of languages that the
     * vocabulary hardly knows are like that. */
    size_t merge_easy(const uint8_t *text, size_t length, uint32_t *ids) const noexcept {
        const uint64_t cross = pairs ? pairs->crossings(text, length - 1) : UINT64_MAX;
        if (cross & cross >> 1 & cross >> 2) return 0;
        size_t number = 0;
        for (size_t at = 0, part; at < length; at += part) {
            part = part_at(cross >> at);
            number += merge_few(text + at, part, ids + number);
        }
        return number;
    }

    /* By merges alone, up to 16 bytes, of which all 16 can be read. */
    size_t merge_short(const uint8_t *text, size_t length, uint32_t *ids) const noexcept {
        return ::merge_short(*merges, text, length, ids);
    }

    /* By merges alone; returns the number of ids, or -1 for no memory. */
    ptrdiff_t merge(Lists *lists, const uint8_t *text, size_t length,
                    uint32_t *ids) const noexcept {
        if (length < SCAN_BELOW) return (ptrdiff_t)merge_by_scan(*merges, text, length, ids);
        return merge_by_windows(*merges, lists, text, length, ids);
    }

private:
    /* One byte, or two. Which it is, and whether they merge, is hard to guess, so there is no branch:
     * a second id is always written, and sometimes isn't one. */
    size_t merge_two(const uint8_t *text, size_t length, uint32_t *ids) const noexcept {
        const uint8_t last = text[length - 1];
        const uint32_t token = merges->of_bytes(text[0], last);
        const size_t merged = (length - 1) & (size_t)(token != NO_MERGE);
        ids[0] = merges->ids[merged ? token : text[0]];
        ids[1] = merges->ids[last];
        return length - merged;
    }

    /* Three bytes: the pair that comes first, and then perhaps the byte that is left. */
    size_t merge_three(const uint8_t *text, uint32_t *ids) const noexcept {
        const uint32_t first = merges->of_bytes(text[0], text[1]);
        const uint32_t second = merges->of_bytes(text[1], text[2]);
        if (first == NO_MERGE && second == NO_MERGE) {
            for (int i = 0; i < 3; i++) ids[i] = merges->ids[text[i]];
            return 3;
        }
        const bool is_first = first <= second;  /* of equal ones, as in `aaa`, the left one */
        const uint32_t left = is_first ? first : text[0], right = is_first ? text[2] : second;
        const uint32_t whole = merges->of(left, right);
        ids[0] = merges->ids[whole == NO_MERGE ? left : whole];
        ids[1] = merges->ids[right];
        return 1 + (size_t)(whole == NO_MERGE);
    }
};

#endif
