"""The table of docs/corpora/texts.md; see render.py."""

import json

from rendering import RESULTS, table

# What they are. Size and checksum are read from the results.
TEXTS = {
    "web.txt": "articles of an encyclopaedia, entries of a dictionary of computing, documentation "
               "of software; English",
    "stories.txt": "short stories, most of them in the manner of TinyStories; English",
    "multilingual.txt": "encyclopaedia, news, documentation and children's stories in many "
                        "languages and scripts",
    "code.txt": "Python files of released packages",
    "corpus.en": "the course's fixture for training",
    "tinystories_train_pretoken_counts.json":
        "how often each pretoken occurs in TinyStoriesV2-GPT4-train.txt (2,227,753,162 bytes)",
    "tinystories_train.txt": "the same pretokens equally often, in random order: it gives the "
                             "merges of TinyStories-train",
}


def saved_texts():
    """Name to size and checksum, as the results have them; they must not contradict each other."""
    found = {}
    for path in sorted(RESULTS.glob("*.json")):
        for text in json.loads(path.read_text(encoding="utf-8")).get("texts", ()):
            if found.setdefault(text["name"], text) != text:
                raise ValueError(f"{path.name} is of another {text['name']} than a result before "
                                 f"it; measure again what is compared")
    return found


def texts(_):
    found = saved_texts()
    if unknown := set(found) - set(TEXTS):
        raise ValueError(f"say in render_texts.py what {', '.join(sorted(unknown))} is")
    rows = [[f"`{name}`", what,
             f"{found[name]['bytes']:,}" if name in found else "not saved yet",
             f"`{found[name]['sha256'][:16]}`" if name in found else ""]
            for name, what in TEXTS.items()]
    return table(["text", "what it is", "bytes", "sha256, first digits"], rows, left=2)


MAKERS = (texts,)
