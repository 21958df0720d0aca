"""The steps around the merges in a `tokenizer.json`: read, one function for each part of the file.

Everything that a file can say is either read exactly or refused by name. `huggingface_writer` says
the same things back.
"""

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple, get_args

import regex

from cs336_bpe.formats.safe_json import as_list, as_object, as_oniguruma, as_string, excerpt, kind
from cs336_bpe.rules.pipeline import (
    Behavior,
    ByteLevel,
    Digits,
    Form,
    NormalStep,
    Prepend,
    Punctuation,
    Replace,
    Split,
    SplitStep,
    Template,
    UnicodeForm,
    WhitespaceSplit,
)

Object = dict[str, object]

# A pattern that matches at least one character wherever it matches, and looks nowhere else.
_ATOM = r"(?:\\[pP]\{\w+\}|\\[sSdDrnt]|\\[^\w]|\[\^?(?:[^\[\]\\]|\\.)+\]|[^\\()\[\]{}^$|*+?.])"
_PLAIN = regex.compile(rf"(?:{_ATOM}(?:\+|\{{[1-9]\d*(?:,\d*)?\}})?)+"
                       rf"(?:\|(?:{_ATOM}(?:\+|\{{[1-9]\d*(?:,\d*)?\}})?)+)*")


def check_keys(value: Object, what: str, known: Collection[str]) -> None:
    for key in value:
        if key not in known:
            raise ValueError(f"{what} has the entry {excerpt(key)}, whose meaning is not known "
                             f"here: it could change the ids")


def type_of(value: object, what: str) -> str:
    if value is None:
        return "missing"
    return as_string(as_object(value, what).get("type"), f"the type of {what}")


def as_bool(value: Object, key: str, what: str, default: bool | None = None) -> bool:
    found = value.get(key, default)
    if not isinstance(found, bool):
        raise ValueError(f"{what} has {key} {kind(found)}; it must be true or false")
    return found


def flat(value: object, name: str, inside: str) -> list[Object]:
    """The steps of a part of the file; a Sequence may have Sequences in it."""
    if value is None:
        return []
    step = as_object(value, name)
    if type_of(step, name) != "Sequence":
        return [step]
    check_keys(step, name, {"type", inside})
    return [one for inner in as_list(step.get(inside), f"the {inside}")
            for one in flat(inner, name, inside)]


# --- The normalizer ------------------------------------------------------------------------


def read_normalizer(value: object) -> tuple[NormalStep, ...]:
    return tuple(_normal_step(step) for step in flat(value, "the normalizer", "normalizers"))


def _normal_step(step: Object) -> NormalStep:
    name = type_of(step, "a normalizer")
    for form in get_args(Form):
        if name == form:
            check_keys(step, f"the normalizer {name}", {"type"})
            return UnicodeForm(form)
    if name == "Prepend":
        check_keys(step, "Prepend", {"type", "prepend"})
        content = as_string(step.get("prepend"), "what Prepend puts before the text")
        if not content:
            raise ValueError("the normalizer Prepend has nothing to put before the text")
        return Prepend(content)
    if name == "Replace":
        check_keys(step, "Replace", {"type", "pattern", "content"})
        pattern, is_regex = _pattern(step.get("pattern"), "the pattern of Replace")
        if is_regex and not _PLAIN.fullmatch(pattern):
            raise ValueError(f"the pattern of Replace is {excerpt(pattern)}; only plain ones are "
                             f"read: characters and classes with + or {{n,m}} after them, and |")
        return Replace(pattern, is_regex, as_string(step.get("content"), "what Replace writes"))
    raise ValueError(f"the normalizer is {excerpt(name)}; only NFC, NFD, NFKC, NFKD, Replace and "
                     f"Prepend are read, and sequences of them")


def _pattern(value: object, what: str) -> tuple[str, bool]:
    pattern = as_object(value, what)
    if list(pattern) == ["String"]:
        text = as_string(pattern["String"], what)
        if not text:
            raise ValueError(f"{what} is empty")
        return text, False
    if list(pattern) == ["Regex"]:
        return as_oniguruma(pattern["Regex"], what), True
    raise ValueError(f"{what} must be a String or a Regex")


# --- The pretokenizer ----------------------------------------------------------------------


def read_splits(value: object) -> tuple[SplitStep, ...]:
    steps = flat(value, "the pre_tokenizer", "pretokenizers")
    splits = tuple(_split_step(step) for step in steps)
    number = sum(isinstance(step, ByteLevel) for step in splits)
    if number != 1:
        found = " and ".join(type_of(step, "it") for step in steps[:10]) or "missing"
        raise ValueError(f"the pre_tokenizer is {excerpt(found)}; exactly one of its steps must be "
                         f"ByteLevel, which makes bytes of text")
    return splits


def _split_step(step: Object) -> SplitStep:
    name = type_of(step, "a pretokenizer")
    if name == "ByteLevel":
        check_keys(step, name, {"type", "add_prefix_space", "trim_offsets", "use_regex"})
        return ByteLevel(as_bool(step, "add_prefix_space", name, True),
                         as_bool(step, "use_regex", name, True))
    if name == "Split":
        check_keys(step, name, {"type", "pattern", "behavior", "invert"})
        pattern, is_regex = _pattern(step.get("pattern"), "the pattern of Split")
        return Split(pattern, is_regex, _behavior(step, name), as_bool(step, "invert", name, False))
    if name == "Digits":
        check_keys(step, name, {"type", "individual_digits"})
        return Digits(as_bool(step, "individual_digits", name))
    if name == "Punctuation":
        check_keys(step, name, {"type", "behavior"})
        return Punctuation(_behavior(step, name))
    if name == "WhitespaceSplit":
        check_keys(step, name, {"type"})
        return WhitespaceSplit()
    raise ValueError(f"the pre_tokenizer has {excerpt(name)}; only ByteLevel, Split, Digits, "
                     f"Punctuation and WhitespaceSplit are read, and sequences of them")


def _behavior(step: Object, name: str) -> Behavior:
    found = step.get("behavior", "Isolated" if name == "Punctuation" else None)
    for behavior in get_args(Behavior):
        if found == behavior:
            return behavior  # type: ignore[no-any-return]
    raise ValueError(f"the behavior of {name} is {kind(found)}; it must be one of "
                     f"{', '.join(get_args(Behavior))}")


# --- The post-processor --------------------------------------------------------------------


class After(NamedTuple):
    """What a post-processor does: special tokens around the ids, and what offsets leave out."""

    template: Template | None
    trim_offsets: bool
    trim_prefix_space: bool


def read_post_processor(value: object, specials: Mapping[str, int]) -> After:
    """`specials` are the added tokens of the file, the only ones that a template may name."""
    template: Template | None = None
    trim: list[bool] = []  # for each step that trims: whether it knows of a prefix space
    for step in flat(value, "the post_processor", "processors"):
        name = type_of(step, "a post-processor")
        if name in ("TemplateProcessing", "RobertaProcessing", "BertProcessing"):
            if template is not None:
                raise ValueError("the post_processor has two templates; only one is read")
            template = (_template(step, specials) if name == "TemplateProcessing"
                        else _cls_and_sep(step, name, specials))
        elif name != "ByteLevel":
            raise ValueError(f"the post_processor is {excerpt(name)}; only ByteLevel, "
                             f"TemplateProcessing, RobertaProcessing and BertProcessing are read")
        if name in ("ByteLevel", "RobertaProcessing"):
            prefix = as_bool(step, "add_prefix_space", name, True)
            if as_bool(step, "trim_offsets", name, True):
                trim.append(prefix)
            if template is not None and name == "ByteLevel" and trim:
                raise ValueError("the post_processor trims offsets after its template; only the "
                                 "other order is read")
    if len(trim) > 1:
        raise ValueError("the post_processor trims offsets twice; only once is read")
    return After(template, bool(trim), all(trim))


def _cls_and_sep(step: Object, name: str, specials: Mapping[str, int]) -> Template:
    check_keys(step, name, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"})
    tokens = []
    for key in ("cls", "sep"):
        entry = as_list(step.get(key), f"{key} of {name}")
        content = as_string(entry[0] if entry else None, f"{key} of {name}")
        _check_id(content, entry[1:], specials, name)
        tokens.append(content)
    cls, sep = tokens
    is_roberta = name == "RobertaProcessing"
    second = 0 if is_roberta else 1
    single = [_special(cls), _sequence("A"), _special(sep)]
    pair = [*single, *[_special(sep)] * is_roberta, _sequence("B", second), _special(sep, second)]
    return Template((cls,), (sep,), _dump(single), _dump(pair))


def _special(token: str, kind_of_text: int = 0) -> Object:
    return {"SpecialToken": {"id": token, "type_id": kind_of_text}}


def _sequence(name: str, kind_of_text: int = 0) -> Object:
    return {"Sequence": {"id": name, "type_id": kind_of_text}}


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _template(step: Object, specials: Mapping[str, int]) -> Template | None:
    """A template; None if it adds nothing, as the one that transformers writes into every file."""
    name = "TemplateProcessing"
    check_keys(step, name, {"type", "single", "pair", "special_tokens"})
    known = as_object(step.get("special_tokens"), "the special_tokens of the template")

    def names(key: str) -> list[str | None]:
        """The special tokens of a template in order, and None for a text."""
        found: list[str | None] = []
        for place, piece in enumerate(as_list(step.get(key), f"{key} of the template")):
            what = f"{key}[{place}] of the template"
            entry = as_object(piece, what)
            if list(entry) == ["Sequence"]:
                found.append(None)
                continue
            if list(entry) != ["SpecialToken"]:
                raise ValueError(f"{what} must be a Sequence or a SpecialToken")
            content = as_string(as_object(entry["SpecialToken"], what).get("id"), what)
            ids = as_object(known.get(content), f"{excerpt(content)} of the template")
            _check_id(content, as_list(ids.get("ids"), f"the ids of {excerpt(content)}"), specials,
                      name)
            found.append(content)
        return found

    pair, single = names("pair"), names("single")
    if single.count(None) != 1:
        raise ValueError("the template for one text does not have the text in it exactly once")
    if not any(pair + single):
        return None
    place = single.index(None)
    before, after = ([token for token in part if token is not None]
                     for part in (single[:place], single[place + 1 :]))
    return Template(tuple(before), tuple(after), _dump(step["single"]), _dump(step["pair"]))


def _check_id(content: str, ids: list[object], specials: Mapping[str, int], name: str) -> None:
    if content not in specials or ids != [specials[content]]:
        raise ValueError(f"{name} gives {excerpt(content)} the ids {str(ids)[:40]}; it must be an "
                         f"added token with its own id")
