/* Tokens that a whole pretoken may be, whatever its merges would make of it.
 *
 * Some tokenizers first ask whether a pretoken is a token, and only then merge (tiktoken always;
 * `tokenizers` with `ignore_merges`). It is asked once for each distinct pretoken, when the cache
 * learns it, so words that are known pay nothing.
 */
#ifndef CS336_BPE_WHOLE_TOKENS_H
#define CS336_BPE_WHOLE_TOKENS_H

#include "open_table.h"

struct WholeTokens {
    struct Entry {
        uint64_t hash_of_bytes;
        uint32_t start, length, id;  /* in `bytes` */
        bool is_free() const noexcept { return !length; }
        uint64_t hash() const noexcept { return hash_of_bytes; }
    };

    OpenTable<Entry> table;
    uint8_t *bytes;  /* of all tokens, one after the other; owned */
    size_t used, longest;

    bool start(size_t number, size_t num_bytes) noexcept {
        size_t size = 64;
        while (size < 2 * number) size *= 2;
        bytes = (uint8_t *)malloc(num_bytes + 1);
        used = longest = 0;
        return table.start(size) && bytes;
    }

    void end() noexcept {
        table.end();
        free(bytes);
        bytes = NULL;
    }

    void add(const uint8_t *token, size_t length, uint32_t id) noexcept {
        uint64_t hash = bytes_hash(token, length);
        memcpy(bytes + used, token, length);
        *table.place_for(hash) = Entry{hash, (uint32_t)used, (uint32_t)length, id};
        used += length;
        longest = length > longest ? length : longest;
    }

    /* Is the text a token? Then its id is written. */
    bool find(const uint8_t *text, size_t length, uint32_t *id) const noexcept {
        if (length > longest) return false;
        uint64_t hash = bytes_hash(text, length);
        const Entry *entry = table.find(hash, [=](const Entry &one) {
            return one.hash_of_bytes == hash && one.length == length
                   && !memcmp(bytes + one.start, text, length);
        });
        if (entry->is_free()) return false;
        *id = entry->id;
        return true;
    }
};

#endif
