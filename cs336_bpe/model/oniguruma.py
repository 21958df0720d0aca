r"""Patterns in the syntax of Oniguruma, for the `regex` package.

`tokenizers` runs the patterns of its files through Oniguruma, with Ruby's syntax. Most of them mean
the same to `regex`, and some don't: `$` matches before every line feed there, and `\p{N}{1,3}+` is
a repeat of a repeat, not a possessive one. So a pattern is read piece by piece. What means the same
is kept, what can be said otherwise is said otherwise, and anything else is refused by name.
"""

import regex

# What both engines know by the same name and with the same meaning.
_CATEGORIES = frozenset(
    "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp"
    .split())
_SCRIPTS = frozenset(
    "Han Hiragana Katakana Hangul Latin Cyrillic Greek Arabic Hebrew Thai Devanagari Bengali Tamil "
    "Telugu Kannada Malayalam Gujarati Gurmukhi Sinhala Lao Tibetan Myanmar Georgian Armenian "
    "Ethiopic Khmer Mongolian Bopomofo".split())

_SAME_ESCAPES = frozenset("sSdDrntfv")
# Of what words are made. To `regex`, joiners (U+200C, U+200D) belong to words as well; and six
# numbers do to Oniguruma, but not inside of [...].
_WORD_SET = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_WORD = f"[{_WORD_SET}²³¹¼½¾]"
_EDGE = rf"(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD})"
_OUTSIDE = {"A": r"\A", "z": r"\Z", "Z": r"(?=\n?\Z)", "b": f"(?:{_EDGE})", "B": f"(?!{_EDGE})",
            "w": _WORD, "W": rf"[^{_WORD[1:]}"}
_GROUPS = ("(?:", "(?i:", "(?-i:", "(?=", "(?!", "(?<=", "(?<!", "(?>")

# Some letters under (?i) match two characters in Oniguruma, and in `regex` they don't.
_FOLDED_TOGETHER = regex.compile(r"(?i)ss|st|f[fil]|[jhwyt]\u0308|i\u0307|\u02bcn")


def from_oniguruma(pattern: str) -> str:
    r"""A pattern for `regex` with the same matches, or an error that names what stands in the way.

    >>> from_oniguruma(r"\p{N}{1,3}+|(?i:'s)|\s+$|([a-z])")
    "(?:\\p{N}{1,3})+|(?i:'s)|\\s+(?=\\n|\\Z)|(?:[a-z])"
    >>> from_oniguruma(r"\h+")
    Traceback (most recent call last):
    ValueError: the pattern has \h at character 0, which means something else to another engine
    """
    return _Reader(pattern).read()


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.out: list[str] = []
        self.atom = -1  # where in `out` the last thing starts that a quantifier can follow
        self.open: list[int] = []  # where groups start

    def read(self) -> str:
        flag = self.pattern.startswith("(?i)")
        if flag:
            self.at = 4
        if (flag or "(?i" in self.pattern) and _FOLDED_TOGETHER.search(self.pattern):
            raise ValueError("the pattern ignores case and has letters that another regex engine "
                             "takes for one, such as ss and \u00df")
        while self.at < len(self.pattern):
            self._one()
        result = "".join(self.out)
        return f"(?i:{result})" if flag else result

    def _refuse(self, what: str) -> ValueError:
        return ValueError(f"the pattern has {what} at character {self.at}, which means something "
                          f"else to another engine")

    def _add(self, text: str, length: int) -> None:
        self.atom = len(self.out)
        self.out.append(text)
        self.at += length

    def _one(self) -> None:
        character = self.pattern[self.at]
        if character == "\\":
            self._escape(inside=False)
        elif character == "[":
            self._set()
        elif character == "(":
            self._group()
        elif character == ")":
            if not self.open:
                raise self._refuse("a ) without a (")
            start = self.open.pop()
            self._add(")", 1)
            self.atom = start
        elif character in "*+?{":
            self._repeat()
        elif character == "|":
            self._add("|", 1)
            self.atom = -1
        elif character == "$":
            self._add(r"(?=\n|\Z)", 1)
        elif character == "^":
            self._add(r"(?:\A|(?<=\n)(?!\Z))", 1)
        else:
            self._add(character, 1)

    def _group(self) -> None:
        self.open.append(len(self.out))
        if not self.pattern.startswith("(?", self.at):
            self._add("(?:", 1)
        else:
            for start in sorted(_GROUPS, key=len, reverse=True):
                if self.pattern.startswith(start, self.at):
                    self._add(start, len(start))
                    break
            else:
                raise self._refuse(self.pattern[self.at : self.at + 4])
        self.atom = -1

    def _repeat(self) -> None:
        if self.atom < 0:
            raise self._refuse(f"a {self.pattern[self.at]} after nothing")
        match = regex.compile(r"(\*|\+|\?|\{(\d*)(,?)(\d*)\})([+?]?)").match(self.pattern, self.at)
        if match is None or match[1] in ("{}", "{,}"):
            raise self._refuse("a { that is not a repeat")
        repeat, suffix = match[1], match[5]
        if repeat[0] == "{":
            if match[3] and not match[2]:
                repeat = f"{{0,{match[4]}}}"
            if suffix == "?" and not match[3]:
                raise self._refuse(f"{repeat}?")
            if suffix == "+":  # a repeat of a repeat
                self.out.insert(self.atom, "(?:")
                repeat += ")"
        self.out.append(repeat + suffix)
        self.at = match.end()
        if suffix and repeat[0] != "{":
            self.atom = -1  # a third one would be a repeat of a repeat

    def _escape(self, *, inside: bool) -> None:
        rest = self.pattern[self.at + 1 : self.at + 2]
        if rest in ("p", "P"):
            match = regex.compile(r"\\[pP]\{(\^?)(\w+)\}").match(self.pattern, self.at)
            if match is None or match[2] not in _CATEGORIES | _SCRIPTS:
                raise self._refuse(self.pattern[self.at : self.at + 12])
            negative = (rest == "P") != bool(match[1])
            self._add(rf"\{'P' if negative else 'p'}{{{match[2]}}}", len(match[0]))
        elif rest in ("x", "u"):
            match = regex.compile(
                r"\\x([0-7][0-9A-Fa-f])(?![0-9A-Fa-f])|\\x\{([0-9A-Fa-f]{1,6})\}|\\u([0-9A-Fa-f]{4})"
            ).match(self.pattern, self.at)
            if match is None:
                raise self._refuse(self.pattern[self.at : self.at + 6])
            point = int(match[1] or match[2] or match[3], 16)
            self._add(regex.escape(chr(point)) if not inside else f"\\U{point:08x}", len(match[0]))
        elif rest in _SAME_ESCAPES and rest:
            self._add("\\" + rest, 2)
        elif rest in _OUTSIDE and not inside:
            self._add(_OUTSIDE[rest], 2)
        elif rest == "w" and inside:
            self._add(_WORD_SET, 2)
        elif rest and not rest.isalnum() and rest != "_":
            self._add("\\" + rest if rest.isascii() else rest, 2)
        else:
            raise self._refuse("\\" + rest)

    def _set(self) -> None:
        """`[...]`, in which only escapes and ranges mean something to both."""
        start = len(self.out)
        begin = self.at
        self._add("[", 1)
        if self.pattern.startswith("^", self.at):
            self._add("^", 1)
        first = self.at
        while True:
            character = self.pattern[self.at : self.at + 1]
            if not character:
                self.at = begin
                raise self._refuse("a [ without a ]")
            if character == "]":
                if self.at == first:
                    raise self._refuse("an empty [] or a ] in it")
                break
            if character == "[" or self.pattern.startswith("&&", self.at):
                raise self._refuse(f"{character} inside of [...]")
            if character == "\\":
                self._escape(inside=True)
            else:
                self._add(character, 1)
        self._add("]", 1)
        self.atom = start
