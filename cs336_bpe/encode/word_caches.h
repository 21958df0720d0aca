/* Whole texts through a cache, for ids of 16 bits or of 32, as the vocabulary needs. What writes the ids of a
 * batch of pretokens, `write_pretokens`, and those of words that are late, `write_late`, is defined by
 * whoever includes this. */
#ifndef CS336_BPE_WORD_CACHES_H
#define CS336_BPE_WORD_CACHES_H

#include "output.h"
#include "starts.h"
#include "word_cache.h"

/* What has to be called after the parts of a text, whatever their status: until then the last ids of
 * the output are not those of the text. */
template <class Id>
static void end_text(WordCache<Id> *cache, const NewWords &words, Output *output,
                     int status) noexcept {
    if (status == ENCODE_DONE) write_late(cache, words, output);
    else cache->late.number = 0;
}

/* Encode one pretoken that somebody else has found; after it nothing has to be readable. */
template <class Id>
static int write_pretoken(WordCache<Id> *cache, const NewWords &words, const uint8_t *text,
                          size_t length, Output *output) noexcept {
    size_t starts[2] = {0, length};
    uint8_t copy[16] = {0};
    if (!length) return ENCODE_DONE;
    if (length < 16) text = (const uint8_t *)memcpy(copy, text, length);
    int status = write_pretokens(cache, words, text, starts, 1, output);
    end_text(cache, words, output, status);
    return status;
}

/* Encode text[begin:end], in which no special token is looked for. SCAN_PADDING bytes after the end
 * must be readable. If `strict`, the text must be UTF-8. More parts may follow, and then `end_text`. */
template <class Id>
static int write_part(const Scanner *scanner, WordCache<Id> *cache, const NewWords &words,
                      const uint8_t *text, size_t begin, size_t end, bool strict,
                      Output *output) noexcept {
    Starts starts;
    starts.begin(scanner, text, begin, end, !strict);
    while (starts.find()) {
        if (!starts.ready) continue;
        int status = write_pretokens(cache, words, text, starts.starts, starts.ready, output);
        if (status != ENCODE_DONE) return status;
    }
    return starts.invalid ? ENCODE_INVALID : starts.unmatched ? ENCODE_UNMATCHED : ENCODE_DONE;
}

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

/* The same with whichever of the two caches it is. */
static int write_part(const Scanner *scanner, AnyCache *cache, const NewWords &words,
                      const uint8_t *text, size_t begin, size_t end, bool strict,
                      Output *output) noexcept {
    return cache->is_narrow
        ? write_part(scanner, &cache->narrow, words, text, begin, end, strict, output)
        : write_part(scanner, &cache->wide, words, text, begin, end, strict, output);
}

static void end_text(AnyCache *cache, const NewWords &words, Output *output, int status) noexcept {
    cache->is_narrow ? end_text(&cache->narrow, words, output, status)
                     : end_text(&cache->wide, words, output, status);
}

/* A text of one part. */
static int write_text(const Scanner *scanner, AnyCache *cache, const NewWords &words,
                      const uint8_t *text, size_t begin, size_t end, bool strict,
                      Output *output) noexcept {
    int status = write_part(scanner, cache, words, text, begin, end, strict, output);
    end_text(cache, words, output, status);
    return status;
}

static int write_pretoken(AnyCache *cache, const NewWords &words, const uint8_t *text, size_t length,
                          Output *output) noexcept {
    return cache->is_narrow ? write_pretoken(&cache->narrow, words, text, length, output)
                            : write_pretoken(&cache->wide, words, text, length, output);
}

#endif
