/* Which merge makes a token?
 *
 * A token is taken apart into its bytes, and these are merged, lowest rank first, as if it were a
 * pretoken. The merge that leaves nothing but the token is the only one that ever makes it, in any
 * text; `recover.pyx` says why.
 *
 * Short tokens are scanned for the lowest rank again and again, long ones have a heap, so that no file
 * takes quadratic time. Unlike the encoder's tables, these make no use of the order of merges: in a file
 * from elsewhere a merge may come before those that make its parts.
 */
#ifndef CS336_BPE_RECOVER_H
#define CS336_BPE_RECOVER_H

#include <vector>
#include "../encode/pair_ranks.h"
#include "token_table.h"

/* What is merged by tiktoken's rule: two neighbours, if together they are a token. Tokens have been
 * added in the order of their ranks. */
struct JoinedRanks {
    TokenTable table;

    uint64_t merge_of(uint32_t left, uint32_t right) const noexcept {
        uint32_t made = table.find_joined(left, right);
        return made == TokenTable::NO_TOKEN ? NO_MERGE : (uint64_t)made << 32 | made;
    }
};

template <class Pairs> struct RecoverBy {
    Pairs pairs;
    uint32_t byte_tokens[256]; /* NO_TOKEN for a byte that isn't a token: then nothing joins it */
    uint32_t left, right;      /* what the last call of `merge` joined last */

    static const uint32_t NO_TOKEN = 0xFFFFFFFF;
    enum { SCAN_BELOW = 128 };

    bool start(size_t num_pairs) noexcept {
        for (uint32_t &token : byte_tokens) token = NO_TOKEN;
        return pairs.start(num_pairs);
    }

    void end() noexcept { pairs.end(); }

    /* False if the pair is there already. */
    bool add(uint32_t first, uint32_t second, uint32_t rank, uint32_t made) noexcept {
        if (pairs.merge_of(first, second) != NO_MERGE) return false;
        pairs.add(first, second, rank, made);
        return true;
    }

    /* Merge the bytes of a token until nothing more can be merged. Returns how many parts are left;
     * they are in `row`. */
    size_t merge(const uint8_t *bytes, size_t length) {
        row.resize(length);
        for (size_t i = 0; i < length; i++) row[i] = byte_tokens[bytes[i]];
        return length < SCAN_BELOW ? scan() : heap();
    }

    uint32_t part(size_t place) const noexcept { return row[place]; }

private:
    std::vector<uint32_t> row, before, after;
    std::vector<Candidate> waiting;

    size_t scan() noexcept {
        uint64_t merges[SCAN_BELOW]; /* merges[i]: of row[i] and row[i + 1] */
        size_t n = row.size();
        for (size_t i = 0; i + 1 < n; i++) merges[i] = pairs.merge_of(row[i], row[i + 1]);
        while (n > 1) {
            size_t best = 0;
            for (size_t i = 1; i + 1 < n; i++)
                if (merges[i] < merges[best]) best = i; /* of equal ones, the leftmost stays */
            if (merges[best] == NO_MERGE) break;
            join(best, best + 1, merges[best]);
            n--;
            for (size_t i = best + 1; i < n; i++) {
                row[i] = row[i + 1];
                merges[i - 1] = merges[i];
            }
            if (best > 0) merges[best - 1] = pairs.merge_of(row[best - 1], row[best]);
            if (best + 1 < n) merges[best] = pairs.merge_of(row[best], row[best + 1]);
        }
        return n;
    }

    size_t heap() {
        uint32_t end = (uint32_t)row.size();
        size_t n = 0;
        before.resize(end);
        after.resize(end);
        waiting.clear();
        for (uint32_t i = 0; i < end; i++) {
            before[i] = i - 1;
            after[i] = i + 1;
            if (i + 1 < end) wait(i, i + 1);
        }
        std::make_heap(waiting.begin(), waiting.end());
        while (!waiting.empty()) {
            Candidate top = waiting.front();
            std::pop_heap(waiting.begin(), waiting.end());
            waiting.pop_back();
            uint32_t here = top.place, next = after[here];
            /* A place that has become part of the one before it has `here` after itself. */
            if (next == here || next == end || pairs.merge_of(row[here], row[next]) != top.merge)
                continue; /* stale */
            join(here, next, top.merge);
            after[here] = after[next];
            after[next] = next;
            if (after[here] < end) {
                before[after[here]] = here;
                if (wait(here, after[here])) std::push_heap(waiting.begin(), waiting.end());
            }
            if (here > 0 && wait(before[here], here))
                std::push_heap(waiting.begin(), waiting.end());
        }
        for (uint32_t i = 0; i < end; i = after[i]) row[n++] = row[i];
        return n;
    }

    void join(size_t first, size_t second, uint64_t merge) noexcept {
        left = row[first];
        right = row[second];
        row[first] = (uint32_t)merge;
    }

    bool wait(uint32_t first, uint32_t second) {
        uint64_t merge = pairs.merge_of(row[first], row[second]);
        if (merge != NO_MERGE) waiting.push_back(Candidate{merge, first});
        return merge != NO_MERGE;
    }
};

typedef RecoverBy<PairRanks> Recover;
typedef RecoverBy<JoinedRanks> RecoverJoined;

#endif
