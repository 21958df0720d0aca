/* Special tokens, and where they occur in a text: the leftmost first, and there the longest. */
#ifndef CS336_BPE_SPECIAL_TOKENS_H
#define CS336_BPE_SPECIAL_TOKENS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

struct SpecialTokens {
    struct Token { std::string bytes; uint32_t id; };
    std::vector<Token> starting_with[256];  /* the longest first */
    std::vector<uint8_t> first_bytes;       /* that at least one token starts with */

    void add(const std::string &bytes, uint32_t id) {
        uint8_t first = (uint8_t)bytes[0];
        std::vector<Token> &tokens = starting_with[first];
        if (tokens.empty()) first_bytes.push_back(first);
        size_t at = 0;
        while (at < tokens.size() && tokens[at].bytes.size() >= bytes.size()) at++;
        tokens.insert(tokens.begin() + (std::ptrdiff_t)at, Token{bytes, id});
    }
};

/* A walk from special token to special token through one text. */
struct SpecialSearch {
    size_t length = 0;  /* of the token that was found last */
    uint32_t id = 0;

    /* Returns false if there is no memory. */
    bool begin(const SpecialTokens *all, const uint8_t *in_text, size_t text_size) noexcept {
        specials = all;
        text = in_text;
        size = text_size;
        try {
            next_at.assign(all->first_bytes.size(), NOT_SEARCHED);
        } catch (...) {
            return false;
        }
        return true;
    }

    /* Where the next special token at or after `at` starts; the size of the text if there is none. */
    size_t next(size_t at) noexcept {
        while (at < size) {
            size_t nearest = size;
            for (size_t i = 0; i < next_at.size(); i++) {
                if (next_at[i] == NOT_SEARCHED || next_at[i] < at) {
                    const void *found = memchr(text + at, specials->first_bytes[i], size - at);
                    next_at[i] = found ? (size_t)((const uint8_t *)found - text) : size;
                }
                nearest = std::min(nearest, next_at[i]);
            }
            if (nearest == size) break;
            for (const SpecialTokens::Token &token : specials->starting_with[text[nearest]]) {
                if (token.bytes.size() <= size - nearest
                    && !memcmp(text + nearest, token.bytes.data(), token.bytes.size())) {
                    length = token.bytes.size();
                    id = token.id;
                    return nearest;
                }
            }
            at = nearest + 1;
        }
        return size;
    }

private:
    static constexpr size_t NOT_SEARCHED = SIZE_MAX;
    const SpecialTokens *specials;
    const uint8_t *text;
    size_t size;
    /* Where each first byte occurs next. Without this memory, a byte that never occurs would be
     * searched for to the end again and again. */
    std::vector<size_t> next_at;
};

#endif
