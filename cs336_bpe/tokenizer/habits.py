"""Names that people know from tiktoken, tokenizers and transformers.

Each one is a line of what `Tokenizer` has already; docs/tokenizer/coming_from.md is the table of
them. Nothing else in the package uses this module: leave the class out of `Tokenizer`'s bases, and
only these names are gone.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cs336_bpe.rules import END_OF_TEXT, from_printable, to_printable

if TYPE_CHECKING:
    from cs336_bpe.text.specials import Which


class Habits:
    """What other libraries call it."""

    if TYPE_CHECKING:  # what `Tokenizer` has
        @property
        def vocab(self) -> Mapping[int, bytes]: ...
        @property
        def special_tokens(self) -> Mapping[str, int]: ...
        def encode(self, text: str, *, specials: "Which" = "all") -> list[int]: ...
        def decode(self, ids: Iterable[int], errors: str = "replace", *,
                   skip_special_tokens: bool = False) -> str: ...

    # --- tiktoken --------------------------------------------------------------------------

    @property
    def n_vocab(self) -> int:
        """The greatest id, and one more (tiktoken)."""
        return max(self.vocab) + 1

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>` (tiktoken)."""
        if END_OF_TEXT not in self.special_tokens:
            raise ValueError(f"this tokenizer has no special token {END_OF_TEXT}")
        return self.special_tokens[END_OF_TEXT]

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text in which special tokens are text (tiktoken): `specials="none"`."""
        return self.encode(text, specials="none")

    # --- tokenizers and transformers ---------------------------------------------------------

    def __len__(self) -> int:
        """The number of tokens, special ones included (transformers)."""
        return len(self.vocab)

    def token_to_id(self, token: str) -> int | None:
        """The id of a special token, or of one in GPT-2's alphabet; None if there is none.

        >>> from cs336_bpe import Tokenizer
        >>> tokenizer = Tokenizer(dict(enumerate(bytes([b]) for b in range(256))), [], ["<e>"])
        >>> tokenizer.token_to_id("<e>"), tokenizer.token_to_id("Ġ"), tokenizer.token_to_id("ab")
        (256, 32, None)
        """
        if token in self.special_tokens:
            return self.special_tokens[token]
        wanted = from_printable(token)
        return next((number for number, found in self.vocab.items() if found == wanted), None)

    def id_to_token(self, number: int) -> str | None:
        """A special token as it is, and any other in GPT-2's alphabet; None if there is none."""
        for token, special in self.special_tokens.items():
            if special == number:
                return token
        return to_printable(self.vocab[number]) if number in self.vocab else None
