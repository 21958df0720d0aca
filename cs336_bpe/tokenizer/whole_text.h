/* Texts with special tokens, as they lie in Python's memory, to ids.
 *
 * The scanner reads a little further than a text, and Python's str is not always UTF-8. Neither is a
 * reason to copy or convert all of it: only the end of a text is copied, from a place where it can be
 * cut, and a str is converted a stretch at a time, into a buffer that stays in the processor's cache.
 */
#ifndef CS336_BPE_WHOLE_TEXT_H
#define CS336_BPE_WHOLE_TEXT_H

#include "../encode/rolling.h"
#include "special_tokens.h"
#include "to_utf8.h"

#ifndef CS336_BPE_STRETCH
#define CS336_BPE_STRETCH (1 << 15)
#endif

/* A text: UTF-8 bytes, or characters of a str. Not owned. */
struct TextView {
    const void *data;
    size_t size;  /* bytes, or characters */
    int kind;     /* bytes per character of a str that isn't ASCII; 0 for UTF-8 */
};

/* Encodes texts, one after the other. */
struct TextEncoder {
    const Scanner *scanner;
    AnyCache *cache;
    const NewWords *words;
    const SpecialTokens *specials;
    size_t longest_special;
    bool strict;  /* bytes must be UTF-8 */
    SpecialSearch search;
    uint8_t few[1024 + SCAN_PADDING];
    uint8_t *buffer = few;  /* or owned */
    size_t room = sizeof few;

    ~TextEncoder() {
        if (buffer != few) free(buffer);
    }

    int encode(const TextView &text, Output *output) noexcept {
        const uint8_t *bytes = (const uint8_t *)text.data;
        int status = text.kind ? encode_str(text, output) : encode_utf8(bytes, text.size, output);
        end_text(cache, *words, output, status);
        return status;
    }

private:
    /* Room for `size` bytes, of which the first `kept` are in use. */
    bool room_for(size_t size, size_t kept) noexcept {
        if (room >= size + SCAN_PADDING) return true;
        uint8_t *larger = (uint8_t *)malloc(size + SCAN_PADDING);
        if (!larger) return false;
        if (kept) memcpy(larger, buffer, kept);
        if (buffer != few) free(buffer);
        buffer = larger;
        room = size + SCAN_PADDING;
        return true;
    }

    int write_id(uint32_t id, Output *output) noexcept {
        if (!output->room_for(1)) return ENCODE_NO_MEMORY;
        output->append(&id, 1);
        return ENCODE_DONE;
    }

    /* Encode text[at:end] from special token to special token, as far as these start before `end`.
     * `at` moves on, to the end or to the end of a special token after it. */
    int encode_until(const uint8_t *text, size_t *at, size_t end, Output *output) noexcept {
        int status = ENCODE_DONE;
        while (*at < end && status == ENCODE_DONE) {
            size_t special = search.next(*at), stop = special < end ? special : end;
            status = write_part(scanner, cache, *words, text, *at, stop, strict, output);
            *at = stop;
            if (special < end && status == ENCODE_DONE) {
                status = write_id(search.id, output);
                *at = special + search.length;
            }
        }
        return status;
    }

    /* UTF-8, after whose end nothing can be read. */
    int encode_utf8(const uint8_t *text, size_t size, Output *output) noexcept {
        size_t at = 0;
        search.begin(specials, text, size);
        if (size > 1024) {
            size_t cut = automaton_last_cut(&scanner->automaton, text, size, size - SCAN_PADDING, 1);
            /* A special token may lie across the cut; then its end is the cut. */
            int status = encode_until(text, &at, cut, output);
            if (status != ENCODE_DONE) return status;
        }
        size_t left = size - at;
        if (!room_for(left, 0)) return ENCODE_NO_MEMORY;
        if (left) memcpy(buffer, text + at, left);
        memset(buffer + left, 0, SCAN_PADDING);
        search.begin(specials, buffer, left);
        at = 0;
        return encode_until(buffer, &at, left, output);
    }

    int encode_str(const TextView &text, Output *output) noexcept {
        const size_t most = most_bytes(text.kind);
        size_t have = 0, next = 0, stretch = CS336_BPE_STRETCH;
        while (next < text.size || have) {
            size_t wanted = text.size - next < stretch ? text.size - next : stretch, number = wanted;
            if (!room_for(have + most * number + 16, have)) return ENCODE_NO_MEMORY;
            have += to_utf8(text.kind, (const uint8_t *)text.data + next * (size_t)text.kind, &number,
                            buffer + have);
            next += number;
            if (number < wanted) return ENCODE_SURROGATE;
            memset(buffer + have, 0, SCAN_PADDING);
            search.begin(specials, buffer, have);
            /* A special token that starts before `sure` is in the buffer as a whole. */
            bool is_last = next == text.size;
            size_t at = 0, sure = is_last ? have : have > longest_special ? have - longest_special : 0;
            size_t cut = have;
            if (!is_last) cut = automaton_last_cut(&scanner->automaton, buffer, have, sure, 1);
            int status = encode_until(buffer, &at, cut, output);
            if (status != ENCODE_DONE) return status;
            memmove(buffer, buffer + at, have - at);
            have -= at;
            stretch = at ? CS336_BPE_STRETCH : 2 * stretch;  /* nowhere to cut: take more */
        }
        return ENCODE_DONE;
    }
};

#endif
