/* Special tokens, and where they occur in a text: the leftmost first, and there the longest.
 *
 * A tokenizer may have hundreds of them, most with the same beginning. So the tokens are sorted, and
 * each byte of the text narrows the range of those that it may become: a few steps for each byte
 * that fits, however many tokens there are.
 */
#ifndef CS336_BPE_SPECIAL_TOKENS_H
#define CS336_BPE_SPECIAL_TOKENS_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

struct SpecialTokens {
    enum { FEW = 8 };  /* first bytes: so many are looked for one by one */
    std::vector<uint8_t> first_bytes;  /* that at least one token starts with */
    bool is_first[256] = {};

    void add(const std::string &bytes, uint32_t id) {
        size_t first = (uint8_t)bytes[0], depth = 0;
        size_t low = starts_at[first], high = starts_at[first + 1];
        if (low == high) first_bytes.push_back((uint8_t)first);
        is_first[first] = true;
        while (low < high && depth < bytes.size()) {  /* to where it belongs in their order */
            if (tokens[low].length == depth) low++;
            else narrow(&low, &high, depth, (uint8_t)bytes[depth]), depth++;
        }
        tokens.insert(tokens.begin() + (std::ptrdiff_t)low,
                      Token{all.size(), bytes.size(), id});
        all += bytes;
        while (first < 256) starts_at[++first]++;
    }

    /* The length of the longest token that the text starts with, and its id; 0 if there is none. */
    size_t longest_at(const uint8_t *text, size_t size, uint32_t *id) const noexcept {
        size_t low = starts_at[text[0]], high = starts_at[text[0] + 1], depth = 1, found = 0;
        while (low < high) {
            const Token &token = tokens[low];
            if (high - low == 1) {  /* only one is left */
                if (token.length > size || !fits(token, text, depth, token.length)) break;
                depth = token.length;
            }
            if (token.length == depth) {
                found = depth;
                *id = token.id;
                low++;
            } else {
                if (depth == size) break;
                narrow(&low, &high, depth, text[depth]);
                depth++;
            }
        }
        return found;
    }

    /* Whether the text may become a token, or a longer one than it is, if more follows. */
    bool is_beginning(const uint8_t *text, size_t size) const noexcept {
        size_t low = starts_at[text[0]], high = starts_at[text[0] + 1];
        for (size_t depth = 1; low < high; ) {
            const Token &token = tokens[low];
            if (high - low == 1) return token.length > size && fits(token, text, depth, size);
            if (token.length == depth) low++;
            else if (depth == size) return true;
            else narrow(&low, &high, depth, text[depth]), depth++;
        }
        return false;
    }

private:
    struct Token { size_t start, length; uint32_t id; };
    std::string all;            /* the bytes of all of them */
    std::vector<Token> tokens;  /* in the order of their bytes, so a beginning comes first */
    size_t starts_at[257] = {}; /* for each first byte, where its tokens are */

    uint8_t byte_of(size_t which, size_t depth) const noexcept {
        return (uint8_t)all[tokens[which].start + depth];
    }

    bool fits(const Token &token, const uint8_t *text, size_t from, size_t to) const noexcept {
        return !memcmp(all.data() + token.start + from, text + from, to - from);
    }

    /* Of the tokens from `low` to `high`, which are all longer than `depth`, those with this byte
     * there; if there are none, the place where they would be. */
    void narrow(size_t *low, size_t *high, size_t depth, uint8_t byte) const noexcept {
        uint8_t least = byte_of(*low, depth), most = byte_of(*high - 1, depth);
        if (least == byte && most == byte) return;  /* as in a beginning that all of them have */
        if (byte < least) *high = *low;
        else if (byte > most) *low = *high;
        else {
            *low = partition(*low, *high, depth, byte);
            *high = partition(*low, *high, depth, (unsigned)byte + 1);
        }
    }

    /* The first of them whose byte is not less. */
    size_t partition(size_t low, size_t high, size_t depth, unsigned byte) const noexcept {
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (byte_of(middle, depth) < byte) low = middle + 1;
            else high = middle;
        }
        return low;
    }
};

/* A walk from special token to special token through one text. */
struct SpecialSearch {
    size_t length = 0;  /* of the token that was found last */
    uint32_t id = 0;

    void begin(const SpecialTokens *all, const uint8_t *in_text, size_t text_size) noexcept {
        specials = all;
        text = in_text;
        size = text_size;
        std::fill(next_at, next_at + SpecialTokens::FEW, NOT_SEARCHED);
    }

    /* Where the next special token at or after `at` starts; the size of the text if there is none. */
    size_t next(size_t at) noexcept {
        while ((at = next_first_byte(at)) < size) {
            length = specials->longest_at(text + at, size - at, &id);
            if (length) break;
            at++;
        }
        return at;
    }

private:
    static constexpr size_t NOT_SEARCHED = SIZE_MAX;
    const SpecialTokens *specials;
    const uint8_t *text;
    size_t size;
    /* Where each first byte occurs next. Without this memory, a byte that never occurs would be
     * searched for to the end again and again. */
    size_t next_at[SpecialTokens::FEW];

    size_t next_first_byte(size_t at) noexcept {
        size_t number = specials->first_bytes.size(), nearest = size;
        if (at >= size) return size;
        if (number > SpecialTokens::FEW) {
            while (at < size && !specials->is_first[text[at]]) at++;
            return at;
        }
        for (size_t i = 0; i < number; i++) {
            if (next_at[i] == NOT_SEARCHED || next_at[i] < at) {
                const void *found = memchr(text + at, specials->first_bytes[i], size - at);
                next_at[i] = found ? (size_t)((const uint8_t *)found - text) : size;
            }
            nearest = std::min(nearest, next_at[i]);
        }
        return nearest;
    }
};

#endif
