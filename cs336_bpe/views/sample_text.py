"""A text to show tokens of where the user has given none."""

SAMPLE = """\
A tokenizer learns from a text which letters often stand together. The first merges are short and \
dull: a blank and a t, an h and an e, an i and an n. A few hundred steps later there are \
syllables, then the small words that hold every sentence together, and after some thousands of \
steps whole words appear, such as "together", "another" and "because". Names like Katherine \
Johnson, numbers like 1969 or 3.14159, and rare words like "sesquipedalian" stay in pieces for a \
long time.

What a tokenizer has seen often becomes short; what it has never seen stays long. A tokenizer that \
has read only English writes français, Übermut, Ελλάδα, Москва, 東京 and 🙂 with many tokens, \
sometimes one for each byte.

    def count(words):
        total = {}
        for word in words:
            total[word] = total.get(word, 0) + 1
        return total

Don't look for meaning in the pieces. It isn't there: they're only what was frequent.
"""

SHORT_SAMPLE = "The tokenizer hasn't seen naïve sesquipedalian words, 東京 or 1969 often.\n"
