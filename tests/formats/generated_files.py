"""Small `tokenizer.json` files made at random, of all the parts that such a file can have."""

import json
import random

from cs336_bpe.rules import ALPHABET, to_printable

CONTENTS = ["<a>", "<a><b>", "<b>", " low", "low", "lo", "<s>", "</s>", "\n\n", "abc", "K;", "ab ",
            "e\u0301!", "\u00e9t\u00e9\u2014", "<|end|>", "[x]", "\u212b.", "a b", "1",
            "\u1e9b\u0323"]

REGEXES = [r"\s+", r"\p{N}{1,3}", r"\p{N}", r"[^\s\p{L}\p{N}]+", r"\p{L}+|\p{N}", r" ?\p{L}+",
           r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
           r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+", r"(?=[A-Z])", r"\s*$",
           r"[a-c]+|o", r"[\u4e00-\u9fa5\u3040-\u30ff]+", r"\w+|[^\w\s]+", r"(ab|a)b?", r"^.", r".",
           r"\b", r"x*"]
STRINGS = [" ", "-", "ab", "o", ".", "\n", "l", "\u2581"]
BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]

PIECES = [*CONTENTS, *STRINGS, *"abcdelow ABCKLOS", "low", "lower", " low", "  ", " a", "12", "123",
          "1234", "\u00b2", "'s", "'S", "'ll", ",", "--", "...", "\t", "\r\n", "\n", "\u00e9",
          "e\u0301", "\u0301", "\u0323", "\u212b", "\ufb01", "\u1e9b\u0323", "\u1100\u1161\u11a8",
          "\uac00\u11a8", "\u3042", "\u4e2d\u6587", "\U0001f642", "\u00a0", "\u3000", "\u00df",
          "\u017f", "\x00", "_", "\u0345\u0301", "\u0958", "\u2126", "$", "\u00bd", "\u200b"]


def texts(rng, number=12):
    return ["", *("".join(rng.choices(PIECES, k=rng.randint(1, 14))) for _ in range(number))]


def tokenizer_json(rng: random.Random) -> str:
    """One file. Some have parts that must be refused."""
    entries, merges = vocabulary(rng)
    added = added_tokens(rng, entries)
    model = {"type": "BPE", "dropout": rng.choice([None] * 60 + [0.1]), "unk_token": None,
             "continuing_subword_prefix": rng.choice([None, ""]), "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": rng.random() < 0.02,
             "ignore_merges": rng.random() < 0.4, "vocab": entries, "merges": merges}
    file = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": normalizer(rng), "pre_tokenizer": pre_tokenizer(rng),
            "post_processor": post_processor(rng, added),
            "decoder": byte_level(rng), "model": model}
    return json.dumps(file, ensure_ascii=False)


def vocabulary(rng):
    """Tokens of a few bytes, and merges in any order, of which some make the same token."""
    tokens = {bytes([byte]) for byte in b"abcdelow AK12'.-\n"} | {"\u00e9".encode()[:1], b"\xa9",
                                                                  b"\xcc", b"\x81"}
    tokens = sorted(tokens)
    merges = []
    for _ in range(rng.randint(0, 40)):
        left, right = rng.choices(tokens, k=2)
        if len(left + right) <= 6:
            merges.append((left, right))
            tokens.append(left + right)
    made = {left + right for left, right in merges}
    if rng.random() < 0.7:  # other ways to make the same tokens, wherever they come
        for token in sorted(made):
            for cut in range(1, len(token)):
                pair = token[:cut], token[cut:]
                if all(len(part) == 1 or part in made for part in pair) and rng.random() < 0.7:
                    merges.insert(rng.randint(0, len(merges)), pair)
    else:
        merges = list(dict.fromkeys(merges))
    if rng.random() < 0.3:
        rng.shuffle(merges)
    keys = sorted(ALPHABET) + [to_printable(token) for token in sorted(made)]
    keys += [to_printable(token) for token in (b"lower", b" low", b"abc", b"<a>")
             if rng.random() < 0.2]  # tokens that no merge makes
    keys += [content for content in CONTENTS if rng.random() < 0.01]
    keys = list(dict.fromkeys(keys))
    if rng.random() < 0.5:
        rng.shuffle(keys)
    step = rng.choice([1, 1, 1, 2])
    as_list = rng.random() < 0.5
    pairs = [[to_printable(left), to_printable(right)] for left, right in merges]
    return ({key: number * step for number, key in enumerate(keys)},
            pairs if as_list else [" ".join(pair) for pair in pairs])


def added_tokens(rng, entries):
    ids, added, next_id = {}, [], len(entries)
    for content in rng.sample(CONTENTS, k=rng.choice([0, 1, 1, 2, 3, 5])):
        number = entries.get(content, next_id)
        next_id += content not in entries
        ids[content] = number
        special = rng.random() < 0.6
        flags = {name: rng.random() < 0.2 for name in ("single_word", "lstrip", "rstrip")}
        added.append({"id": number, "content": content, **flags,
                      "normalized": rng.random() < 0.4, "special": special})
    return added


def some_of(rng, make, name, most, chances=(2, 2, 1)):
    """Nothing, one step, or a sequence of them."""
    [how] = rng.choices(["none", "one", "sequence"], chances)
    if how == "none":
        return None
    if how == "one":
        return make(rng)
    return {"type": "Sequence", name: [make(rng) for _ in range(rng.randint(0, most))]}


def normalizer(rng):
    return some_of(rng, normal_step, "normalizers", 3)


def normal_step(rng):
    kind = rng.choice(["NFC"] * 3 + ["NFD", "NFKC", "NFKD", "Replace", "Replace", "Prepend"]
                      + ["Lowercase"] * (rng.random() < 0.1))
    if kind == "Replace":
        return {"type": kind, "pattern": pattern(rng), "content": rng.choice(["", "_", "o", " a"])}
    if kind == "Prepend":
        return {"type": kind, "prepend": rng.choice(["\u2581", " ", "a", "ab"])}
    return {"type": kind}


def pattern(rng):
    if rng.random() < 0.4:
        return {"String": rng.choice(STRINGS)}
    return {"Regex": rng.choice(REGEXES)}


def byte_level(rng):
    return {"type": "ByteLevel", "add_prefix_space": rng.random() < 0.3,
            "trim_offsets": rng.random() < 0.5, "use_regex": rng.random() < 0.5}


def pre_tokenizer(rng):
    if rng.random() < 0.2:
        return byte_level(rng)
    steps = [split_step(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
    place = len(steps) if rng.random() < 0.9 else rng.randint(0, len(steps))
    steps.insert(place, byte_level(rng))
    return {"type": "Sequence", "pretokenizers": steps}


def split_step(rng):
    kind = rng.choice(["Split"] * 5 + ["Digits", "Punctuation", "WhitespaceSplit"]
                      + ["Metaspace"] * (rng.random() < 0.05))
    if kind == "Split":
        return {"type": kind, "pattern": pattern(rng), "behavior": rng.choice(BEHAVIORS),
                "invert": rng.random() < 0.3}
    if kind == "Digits":
        return {"type": kind, "individual_digits": rng.random() < 0.5}
    if kind == "Punctuation":
        return {"type": kind, "behavior": rng.choice(BEHAVIORS)}
    if kind == "Metaspace":
        return {"type": kind, "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    return {"type": kind}


def post_processor(rng, added):
    return some_of(rng, lambda rng: post_step(rng, added), "processors", 2)


def post_step(rng, added):
    kind = rng.choice(["ByteLevel", "TemplateProcessing", "RobertaProcessing"] if added
                      else ["ByteLevel"])
    if kind == "ByteLevel":
        return byte_level(rng)
    if kind == "RobertaProcessing":
        sep, cls = rng.choices(added, k=2)
        return {"type": kind, "sep": [sep["content"], sep["id"]],
                "cls": [cls["content"], cls["id"]], "trim_offsets": rng.random() < 0.5,
                "add_prefix_space": rng.random() < 0.5}
    tokens = {token["content"]: {"id": token["content"], "ids": [token["id"]],
                                 "tokens": [token["content"]]} for token in added}

    def around(sequence):
        def some():
            return [{"SpecialToken": {"id": token["content"], "type_id": 0}}
                    for token in rng.choices(added, k=rng.randint(0, 2))]
        return [*some(), {"Sequence": {"id": sequence, "type_id": 0}}, *some()]

    return {"type": kind, "single": around("A"), "pair": around("A") + around("B"),
            "special_tokens": tokens}
