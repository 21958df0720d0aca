"""What is each idea of the last stages worth, in the tokenizer as it is?"""

from variants import Experiment, Variant

SSE2 = "struct alignas(16) Key {\n#if defined(__SSE2__)\n"
COPY = "        copy<16 / sizeof(Id)>((const Id *)&entry->inside, to);\n"
FOUND = "        return to + entry->inside.number;\n"
LENGTHS = "        if (BPE_UNLIKELY(2 * used > mask)) {\n"
CUTS = ["pairs ? pairs->next_cut(text, at, end) : end",
        "pairs ? pairs->crossings(text, places) : ((uint64_t)1 << places) - 1",
        "pairs ? pairs->crossings(text, length - 1) : UINT64_MAX"]
BYTES = "        return byte_pairs[(size_t)left << 8 | right];\n"
LISTS = "return merges.in_order ? lists->merge"
RARE = ("    BPE_NEVER_INLINE void ask_long", "    BPE_NEVER_INLINE To *write_other")
PRODUCT = "    return (uint64_t)product ^ (uint64_t)(product >> 64);\n"
TOKENS = "        for (size_t i = 0; i < places; i++) tokens[i] = text[i];\n"
KEYS = """        for (size_t i = 0; i + 1 < places; i++) {
            uint64_t key = key_of(merges.of_bytes(text[i], text[i + 1]), i);
            keys[i] = i + 1 < length ? key : none();
        }
        keys[places - 1] = none();
"""
KEYS_OF_LENGTH = """        for (size_t i = 0; i + 1 < length; i++)
            keys[i] = key_of(merges.of_bytes(text[i], text[i + 1]), i);
        for (size_t i = length - 1; i < places; i++) keys[i] = none();
"""

EXPERIMENT = Experiment(
    question="The tokenizer, with one idea taken out at a time, to arrays.",
    task="tokenize",
    modules=("tokenizer.engine",),
    texts=("web", "multilingual"),
    rounds=3,
    variants=(
        Variant("no prefetch", "nothing is asked for ahead of time",
                defines=("CS336_BPE_NO_PREFETCH",)),
        Variant("16 ahead", "places are asked for 16 pretokens before, not 64",
                defines=("CS336_BPE_AHEAD=16",)),
        Variant("smaller batches", "256 pretokens instead of 1,024",
                defines=("CS336_BPE_BATCH=256",)),
        Variant("small pages", "no huge pages for caches and arrays",
                defines=("CS336_BPE_SMALL_PAGES", "SMALL_PAGES")),
        Variant("keys in two parts", "two integers instead of one register",
                replace={"native/word_key.h": [
                    (SSE2, SSE2.replace("#if defined(__SSE2__)", "#if 0"))]}),
        Variant("ids as many as there are", "not always all, which needs no branch",
                replace={"encode/rolling.h": [
                    (COPY, ""),
                    (FOUND, "        for (size_t i = 0; i < entry->inside.number; i++)\n"
                            "            copy<1>(entry->inside.ids + i, to + i);\n" + FOUND)]}),
        Variant("a fuller table", "up to two thirds of it, not half",
                replace={"encode/word_cache.h": [
                    (LENGTHS, LENGTHS.replace("2 * used > mask", "3 * used > 2 * mask"))]}),
        Variant("what is rare is in the loop", "and takes registers that the loop needs",
                replace={"encode/rolling.h": [
                    (rare, rare.replace("NEVER", "ALWAYS")) for rare in RARE]}),
        Variant("two multiplications per hash", "as the compiler makes of `a * b ^ high`",
                replace={"native/hash.h": [
                    (PRODUCT, "    return a * b ^ (uint64_t)(product >> 64);\n")]}),
        Variant("new words in loops of their length", "whose ends the processor has to guess",
                replace={"encode/merge_words.h": [
                    (TOKENS, TOKENS.replace("places", "length")), (KEYS, KEYS_OF_LENGTH)]}),
        Variant("no places for twelve bytes", "but for eight and for sixteen",
                replace={"encode/merge_words.h": [("length <= 12 ?", "false ?")]}),
        Variant("words are not cut", "where no merge can cross",
                replace={"encode/new_words.h": [
                    (cut, cut.replace("pairs ?", "false ?")) for cut in CUTS]}),
        Variant("no array of byte pairs", "they are looked up like all others",
                replace={"encode/perfect_merges.h": [
                    (BYTES, "        return of(left, right);\n")]}),
        Variant("a heap for long pretokens", "instead of lists by rank",
                replace={"encode/merge_windows.h": [
                    (LISTS, LISTS.replace("merges.in_order", "false"))]}),
    ),
)
