"""The steps around the merges as parts of a `tokenizer.json`: what `huggingface_steps` reads."""

import json
from collections.abc import Mapping, Sequence

from cs336_bpe.rules.pipeline import (
    AddedToken,
    ByteLevel,
    Digits,
    NormalStep,
    Pipeline,
    Prepend,
    Punctuation,
    Replace,
    Split,
    SplitStep,
    UnicodeForm,
    WhitespaceSplit,
)

Object = dict[str, object]


def parts_of(pipeline: Pipeline, ids: Mapping[str, int]) -> Object:
    """The normalizer, the pretokenizer and the post-processor.

    >>> parts_of(Pipeline(normalize=(UnicodeForm("NFC"),)), {})["normalizer"]
    {'type': 'NFC'}
    """
    return {
        "normalizer": _sequence([_normal_step(step) for step in pipeline.normalize],
                                "normalizers"),
        "pre_tokenizer": _sequence([_split_step(step) for step in pipeline.splits],
                                   "pretokenizers"),
        "post_processor": _sequence(_post_steps(pipeline, ids), "processors"),
    }


def byte_level(*, prefix_space: bool = False, use_regex: bool = True,
               trim_offsets: bool = True) -> Object:
    return {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": trim_offsets,
            "use_regex": use_regex}


def added_token(token: AddedToken, number: int) -> Object:
    return {"id": number, "content": token.content, "single_word": token.single_word,
            "lstrip": token.lstrip, "rstrip": token.rstrip, "normalized": token.normalized,
            "special": token.special}


def _sequence(steps: Sequence[Object], name: str) -> Object | None:
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else {"type": "Sequence", name: list(steps)}


def _pattern(pattern: str, is_regex: bool) -> Object:
    return {"Regex" if is_regex else "String": pattern}


def _normal_step(step: NormalStep) -> Object:
    match step:
        case UnicodeForm(form):
            return {"type": form}
        case Replace(pattern, is_regex, content):
            return {"type": "Replace", "pattern": _pattern(pattern, is_regex), "content": content}
        case Prepend(content):
            return {"type": "Prepend", "prepend": content}


def _split_step(step: SplitStep) -> Object:
    match step:
        case Split(pattern, is_regex, behavior, invert):
            return {"type": "Split", "pattern": _pattern(pattern, is_regex), "behavior": behavior,
                    "invert": invert}
        case Digits(individual):
            return {"type": "Digits", "individual_digits": individual}
        case Punctuation(behavior):
            return {"type": "Punctuation", "behavior": behavior}
        case WhitespaceSplit():
            return {"type": "WhitespaceSplit"}
        case ByteLevel(prefix_space, use_regex):
            return byte_level(prefix_space=prefix_space, use_regex=use_regex)


def _post_steps(pipeline: Pipeline, ids: Mapping[str, int]) -> list[Object]:
    steps = []
    if pipeline.trim_offsets:
        steps.append(byte_level(prefix_space=pipeline.trim_prefix_space))
    template = pipeline.template
    if template is not None:
        single, pair = json.loads(template.single), json.loads(template.pair)
        names = {piece["SpecialToken"]["id"] for piece in single + pair if "SpecialToken" in piece}
        special = {name: {"id": name, "ids": [ids[name]], "tokens": [name]}
                   for name in sorted(names)}
        steps.append({"type": "TemplateProcessing", "single": single, "pair": pair,
                      "special_tokens": special})
    return steps
