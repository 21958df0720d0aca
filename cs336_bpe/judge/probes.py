"""Small texts on which programs that are nearly right give themselves away."""

import random
from typing import NamedTuple

END = "<|endoftext|>"
DOUBLE = END + END
ENCODING_SPECIALS = [END, DOUBLE]


class Probe(NamedTuple):
    """A text to train on, and what it is about."""

    about: str
    rule: str
    text: str
    vocab_size: int
    specials: list[str]


def _random_words(seed: int, alphabet: str, number: int, longest: int) -> str:
    rng = random.Random(seed)
    return " ".join("".join(rng.choices(alphabet, k=rng.randint(1, longest)))
                    for _ in range(number))


TRAINING_PROBES = [
    Probe("the example of the paper", "rule 6",
          "low low low low low lower lower newest newest newest newest newest newest widest widest "
          "widest", 268, []),
    Probe("words that occur equally often", "rule 3", "ab ba cd dc abc bca zz az za", 272, []),
    Probe("many ties between long tokens", "rule 3", _random_words(1, "ab", 60, 7), 290, []),
    Probe("many ties among three letters", "rule 3", _random_words(2, "abc", 60, 6), 300, []),
    Probe("ties between bytes and tokens", "rule 3", _random_words(3, "abz", 40, 9), 310, []),
    Probe("runs of one letter", "rule 4", "a aa aaa aaaa aaaaa aaaaaaa baaab baab", 264, []),
    Probe("runs of two letters", "rule 4", "ababab abab aabb bbaa aabaa bababa aaabbb", 266, []),
    Probe("documents and a special token", "rule 2",
          f"low lower{END}est est{END}low{END}{END}newest low", 268, [END]),
    Probe("a special token between two halves of a word", "rule 2",
          f"new{END}est newest new{END}est widest", 266, [END]),
    Probe("a special token that is the beginning of another", "rule 2",
          "one<a>two<a>bcd three<a>bcd four<a>bcd bc", 270, ["<a>", "<a>bcd"]),
    Probe("special tokens with signs of regular expressions", "rule 2",
          "x(.+)y [abc]+ a.c aXc(.+)x[abc]y", 268, ["(.+)", "[abc]", "a.c"]),
    Probe("white space around a special token", "rule 2",
          f"one two \n{END}\n\n three four  {END}  five", 268, [END]),
    Probe("several spaces, tabs and new lines", "rule 1",
          "a  b   c\n\nd \n e\t\tf  \n\n  g\n h    i", 264, []),
    Probe("contractions", "rule 1",
          "it's we're I'll you've I'm he'd don't 'tis IT'S WE'LL ''s o'clock it's it's we'll", 275,
          []),
    Probe("capital letters after an apostrophe", "rule 1",
          "IT'S IT'S WE'LL WE'LL WE'RE HE'D DON'T DON'T", 275, []),
    Probe("numbers and signs", "rule 1",
          "1234 12 a1b2 3.14 $5.00 !!! ?! -- 1,234,567 (x)", 270, []),
    Probe("other scripts", "rule 1",
          "naïve café naïve 你好 世界 你好 Привет мир 🙂🙂 ½ ²", 290, []),
    Probe("carriage returns", "rule 9", "one\r\ntwo\r\n\r\nthree\rfour\r\n", 264, []),
    Probe("a text that runs out of pairs", "rule 6", "abc abc d", 300, []),
    Probe("pairs that occur once", "rule 6", "abcdef ghij", 266, []),
    Probe("NUL bytes", "rule 7", "a\0b a\0b \0\0\0", 262, []),
    Probe("an empty text", "rule 6", "", 260, []),
    Probe("no room for merges", "rule 6", f"low low{END}", 257, [END]),
]


class EncodingProbe(NamedTuple):
    """A text to encode; in parts, if it is about streams."""

    about: str
    rule: str
    parts: list[str]
    stream: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts)


ENCODING_PROBES = [
    EncodingProbe("one word", "rule 10", ["hello"]),
    EncodingProbe("a sentence", "rule 10",
                  ["Once upon a time there was a little girl named Lily."]),
    EncodingProbe("a run of one letter", "rule 4", ["aaa aaaa aaaaaaaa eeeee"]),
    EncodingProbe("words that were never seen", "rule 10",
                  ["xqzthere whentherethe antidisestablishing"]),
    EncodingProbe("contractions", "rule 1",
                  ["it's we're I'll you've I'm he'd don't 'tis the'there"]),
    EncodingProbe("capital letters after an apostrophe", "rule 1", ["IT'S WE'LL DON'T"]),
    EncodingProbe("several spaces", "rule 1", ["the  girl   was    happy  "]),
    EncodingProbe("new lines and tabs", "rule 1", ["the girl\n\nwas \n happy\t\tand\n  the\n"]),
    EncodingProbe("numbers and signs", "rule 1", ["1234 apples, $5.00!!! (the)"]),
    EncodingProbe("other scripts", "rule 1", ["naïve café 你好 Привет 🙂🙂 ½"]),
    EncodingProbe("a special token", "rule 2", [f"the end{END}the girl"]),
    EncodingProbe("special tokens at both ends", "rule 2", [f"{END}the{END}"]),
    EncodingProbe("a special token that is the beginning of another", "rule 2",
                  [f"one{DOUBLE}two{END}three{DOUBLE}{END}"]),
    EncodingProbe("spaces around a special token", "rule 2", [f"the end \n{END} the girl  {END}"]),
    EncodingProbe("NUL and control characters", "rule 7", ["a\0b \x7f\x1b"]),
    EncodingProbe("carriage returns", "rule 9", ["the\r\ngirl\r\n"]),
    EncodingProbe("an empty text", "rule 10", [""]),
    EncodingProbe("a stream of lines", "rule 10",
                  ["the girl\n", "\n", "was happy\n", "  \n", "the end"],
                  stream=True),
    EncodingProbe("a stream of single characters", "rule 10",
                  list(f"it's  the girl{END}'ll  be 你好  "), stream=True),
    EncodingProbe("a stream that cuts words", "rule 10",
                  ["the gi", "rl w", "as  ", " hap", "py'l", "l"],
                  stream=True),
    EncodingProbe("a stream that cuts a special token", "rule 2",
                  ["the <|end", "oftext|>", "<|endo", "f"],
                  stream=True),
]
