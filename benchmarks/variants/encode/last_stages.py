"""What is each idea of the last stages worth, in the tokenizer as it is?"""

from variants import Experiment, Variant

KEYS = "        return !((a ^ other.a) | (b ^ other.b));\n"
ENTRY = "        uint32_t bits;  /* token << 8 | fingerprint */\n"
FINGERPRINT = "            return (one.bits & 255) == fingerprint(hash) && of_slot->left == left\n"
BYTES = "        return byte_pairs[(size_t)left << 8 | right];\n"
FEW = "        if (BPE_UNLIKELY(found->number > IN_ENTRY)) {\n"

EXPERIMENT = Experiment(
    question="The tokenizer, with one idea taken out at a time, to arrays.",
    task="tokenize",
    modules=("tokenizer.engine",),
    texts=("web", "multilingual"),
    rounds=3,
    variants=(
        Variant("no prefetch", "batches, but nothing is asked for ahead of time",
                defines=("CS336_BPE_NO_PREFETCH",)),
        Variant("larger batches", "1,024 pretokens instead of 256",
                defines=("CS336_BPE_BATCH=1024",)),
        Variant("small pages", "no huge pages for caches and arrays",
                defines=("CS336_BPE_SMALL_PAGES", "SMALL_PAGES")),
        Variant("keys in two steps", "a branch after the first half of a key",
                replace={"encode/pretoken_cache.h": [
                    (KEYS, "        return a == other.a && b == other.b;\n")]}),
        Variant("ids as many as there are", "not always three, which needs no branch",
                replace={"encode/batches.h": [(FEW, "        if (true) {\n")]}),
        Variant("slots of 16 bytes", "as stage 10 has them, in the table of pairs",
                replace={"encode/merge_numbers.h": [
                    (ENTRY, ENTRY + "        uint32_t more[3];\n")]}),
        Variant("no fingerprints", "every slot on the way is compared with its pair",
                replace={"encode/merge_numbers.h": [
                    (FINGERPRINT, "            return of_slot->left == left\n")]}),
        Variant("no array of byte pairs", "they are looked up like all others",
                replace={"encode/merge_numbers.h": [(BYTES, "        return of(left, right);\n")]}),
        Variant("a heap for long pretokens", "instead of lists by rank",
                files={"encode/merge_lists.h": "merge_heap.h"}),
    ),
)
