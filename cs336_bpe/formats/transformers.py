"""A folder for `transformers`: `tokenizer.json`, and two files that say what special tokens do.

`tokenizer.json` does not say which token ends a text or fills up a batch. `transformers` reads that
from `tokenizer_config.json`. `special_tokens_map.json` says it again, for older versions.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from cs336_bpe.common.atomic_files import atomic_writer
from cs336_bpe.formats.huggingface import write_huggingface
from cs336_bpe.formats.loading import FILES
from cs336_bpe.rules import Model, RoleName

FILE_NAMES = FILES["transformers"]

UNLIMITED = 1_000_000_000_000_000_019_884_624_838_656
"""What `transformers` itself writes for a model that takes texts of any length."""


def write_transformers(model: Model, files: tuple[Path, ...],
                       roles: Mapping[RoleName, str] | None = None) -> None:
    """Write the three files, so that `AutoTokenizer.from_pretrained(folder)` pads and skips tokens.

    `roles` says which special tokens are `bos`, `eos`, `pad` and `unk`.

    >>> from tempfile import TemporaryDirectory
    >>> from cs336_bpe import train_bpe_from_counts
    >>> from cs336_bpe.rules import GPT2_PATTERN
    >>> vocab, merges = train_bpe_from_counts({b" low": 5, b" lower": 2}, 260, ["<|end|>"])
    >>> model = Model(vocab, merges, ["<|end|>"], GPT2_PATTERN)
    >>> with TemporaryDirectory() as folder:
    ...     files = tuple(Path(folder, name) for name in FILE_NAMES)
    ...     write_transformers(model, files, {"eos": "<|end|>", "pad": "<|end|>"})
    ...     print(files[2].read_text(encoding="utf-8"), end="")
    {
      "eos_token": "<|end|>",
      "pad_token": "<|end|>"
    }
    """
    roles = {} if roles is None else roles
    for role, token in roles.items():
        if role not in get_args(RoleName):
            raise ValueError(f"{role!r} is no role of a special token; the roles are "
                             f"{', '.join(get_args(RoleName))}")
        if token not in model.special_tokens:
            known = ", ".join(map(repr, model.special_tokens[:10])) or "none"
            raise ValueError(f"{role} is {token!r}, which is not a special token of this "
                             f"tokenizer; it has {known}")
    names = {f"{role}_token": roles[role] for role in get_args(RoleName) if role in roles}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": UNLIMITED,
              "clean_up_tokenization_spaces": False, **names}
    write_huggingface(model, files[0])
    for file, content in zip(files[1:], (config, names)):
        with atomic_writer(file) as target:
            target.write((json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode())
