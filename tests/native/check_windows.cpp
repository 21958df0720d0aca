/* Words that are merged window by window: are their ids those of the whole? With small windows, which
 * overlap by a byte or two, so that many do not agree. Prints what is wrong, and returns how many words
 * are; and how often windows agreed, and did not.
 */
#include <random>
#include <stdio.h>
#include <string>
#include "new_words.h"

static std::mt19937 rng(336);

static size_t below(size_t number) { return rng() % number; }

/* Merges of tokens that are made of the first letters of the alphabet. Where not `in_order`, a merge may
 * come before those that make its parts. */
static bool make_merges(Merges *merges, size_t letters, size_t number, bool in_order) {
    struct Made { std::string token; uint32_t left, right; };
    std::vector<std::string> tokens;
    std::vector<Made> made;
    for (size_t i = 0; i < letters; i++) tokens.push_back(std::string(1, (char)('a' + i)));
    std::vector<size_t> order;
    for (size_t tries = 0; made.size() < number && tries < 50 * number; tries++) {
        size_t left = below(tokens.size()), right = below(tokens.size());
        std::string token = tokens[left] + tokens[right];
        if (token.size() > 12 || std::find(tokens.begin(), tokens.end(), token) != tokens.end()) continue;
        made.push_back(Made{token, (uint32_t)left, (uint32_t)right});
        order.push_back(order.size());
        tokens.push_back(token);
    }
    if (!in_order) std::shuffle(order.begin(), order.end(), rng);
    std::vector<uint32_t> numbers(tokens.size());
    for (size_t i = 0; i < letters; i++) numbers[i] = (uint32_t)('a' + i);
    for (size_t i = 0; i < order.size(); i++) numbers[letters + order[i]] = (uint32_t)(256 + i);
    if (!merges->start(made.size())) return false;
    for (uint32_t i = 0; i < 256; i++) merges->ids[i] = i;
    for (size_t i = 0; i < order.size(); i++)
        merges->add(numbers[made[order[i]].left], numbers[made[order[i]].right], (uint32_t)(256 + i));
    return merges->finish();
}

int main() {
    int wrong = 0, agreed = 0, not_agreed = 0, by_heap = 0;
    for (int round = 0; round < 800; round++) {
        Merges merges;
        Lists lists;  /* of these merges */
        const size_t letters = 1 + below(4);
        if (!make_merges(&merges, letters, 1 + below(30), below(2))) return 1;
        by_heap += !merges.in_order;
        for (int k = 0; k < 20; k++) {
            std::string word;
            const size_t size = 1 + below(600), period = 1 + below(9);
            const bool repeats = below(2);
            for (size_t i = 0; i < size; i++)
                word.push_back(repeats && i >= period ? word[i - period]
                                                      : (char)('a' + below(letters)));
            const uint8_t *text = (const uint8_t *)word.data();
            enum : uint32_t { UNTOUCHED = 0xDEADBEEF };
            std::vector<uint32_t> whole(size + 16), parts(size + 16, UNTOUCHED);
            ptrdiff_t expected = merges.in_order ? lists.merge(merges, text, size, whole.data())
                                                 : merge_by_heap(merges, text, size, whole.data());
            ptrdiff_t number = merge_by_windows(merges, &lists, text, size, parts.data());
            if (number != expected || memcmp(whole.data(), parts.data(), 4 * (size_t)number)) {
                printf("wrong: %s\n", word.c_str());
                wrong++;
            }
            for (size_t i = size; i < parts.size(); i++) wrong += parts[i] != UNTOUCHED;
            if (size <= WindowMerger::FIRST) continue;
            WindowMerger merger = {merges, &lists, {}};
            ptrdiff_t first = merger.merge_in(WindowMerger::FIRST, text, size, parts.data());
            agreed += first > 0;
            not_agreed += first == 0;
            if (first > 0 && (first != expected || memcmp(whole.data(), parts.data(), 4 * (size_t)first)))
                wrong++;
        }
        lists.end();
        merges.end();
    }
    printf("%d agreed, %d did not, %d by heap\n", agreed, not_agreed, by_heap);
    return wrong > 100 ? 100 : wrong;
}
