/* A cache for ids of 16 bits or of 32, as the vocabulary needs. What writes ids from it, `write_text` and
 * `write_pretoken`, is defined by whoever includes this. */
#ifndef CS336_BPE_WORD_CACHES_H
#define CS336_BPE_WORD_CACHES_H

#include "output.h"
#include "word_cache.h"

struct AnyCache {
    enum { SMALLEST = 4096 * 32 + 8192 * 5 };  /* bytes; see WordCache */
    bool is_narrow;
    union {
        WordCache<uint16_t> narrow;
        WordCache<uint32_t> wide;
    };
    AnyCache() noexcept { memset((void *)this, 0, sizeof *this); }

    bool start(size_t most, uint32_t greatest_id) noexcept {
        is_narrow = greatest_id <= UINT16_MAX;
        return is_narrow ? narrow.start(most) : wide.start(most);
    }
    void end() noexcept { is_narrow ? narrow.end() : wide.end(); }
    size_t num_bytes() const noexcept { return is_narrow ? narrow.num_bytes() : wide.num_bytes(); }
    size_t num_pretokens() const noexcept { return is_narrow ? narrow.used : wide.used; }
    Secret secret() const noexcept { return is_narrow ? narrow.secret : wide.secret; }
    size_t times_full() const noexcept { return is_narrow ? narrow.times_full : wide.times_full; }
};

/* Encode text[begin:end], in which no special token is looked for; see there. */
static int write_text(const Scanner *scanner, AnyCache *cache, const NewWords &words,
                      const uint8_t *text, size_t begin, size_t end, bool strict,
                      Output *output) noexcept {
    return cache->is_narrow
        ? write_text(scanner, &cache->narrow, words, text, begin, end, strict, output)
        : write_text(scanner, &cache->wide, words, text, begin, end, strict, output);
}

/* Encode one pretoken that somebody else has found; after it nothing has to be readable. */
static int write_pretoken(AnyCache *cache, const NewWords &words, const uint8_t *text, size_t length,
                          Output *output) noexcept {
    return cache->is_narrow ? write_pretoken(&cache->narrow, words, text, length, output)
                            : write_pretoken(&cache->wide, words, text, length, output);
}

#endif
