"""Folders for `transformers`: padded, truncated, saved again, and read back."""

import json
import os
import warnings

import pytest

from cs336_bpe import Tokenizer
from cs336_bpe.formats.huggingface_reader import IgnoredPart
from cs336_bpe.rules.pipeline import AddedToken, ByteLevel, Pipeline, Template, UnicodeForm

END = "<|endoftext|>"


@pytest.fixture
def auto():
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers import AutoTokenizer
    return AutoTokenizer


def with_steps(model):
    """The same vocabulary with a normalizer, a template and tokens that are not special."""
    single = [{"SpecialToken": {"id": END, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
    template = Template((END,), (), json.dumps(single), json.dumps(pair))
    added = tuple(AddedToken(token, special=token in (END, "<|pad|>"))
                  for token in model.special_tokens)
    return model._replace(pipeline=Pipeline(
        normalize=(UnicodeForm("NFC"),), added=added, splits=(ByteLevel(),), whole_tokens=True,
        template=template, trim_offsets=True))


@pytest.mark.parametrize("steps", [lambda model: model, with_steps])
def test_round_trip(steps, trained, auto, tmp_path):
    """Ours -> a folder -> AutoTokenizer, which pads and truncates -> its own files -> ours."""
    ours = Tokenizer.from_model(steps(trained))
    files = ours.save(tmp_path / "ours", format="transformers", eos=END, pad="<|pad|>")
    assert [file.name for file in files] == ["tokenizer.json", "tokenizer_config.json",
                                             "special_tokens_map.json"]
    theirs = auto.from_pretrained(tmp_path / "ours")
    assert (theirs.eos_token, theirs.pad_token) == (END, "<|pad|>")
    texts = ["once upon a time there was a little river", f"a{END}"]
    expected = [ours.encode(text, add_special_tokens=True) for text in texts]
    assert [theirs(text)["input_ids"] for text in texts] == expected
    padded = theirs(texts, padding=True, truncation=True, max_length=7)["input_ids"]
    pad = ours.id_of("<|pad|>")
    assert padded == [ids[:7] + [pad] * (7 - len(ids)) for ids in expected]
    assert theirs.decode(padded[1], skip_special_tokens=True) == "a"
    theirs.save_pretrained(tmp_path / "theirs")
    with pytest.warns(IgnoredPart):
        assert Tokenizer.load(tmp_path / "theirs") == ours


def test_roles_must_be_special_tokens(trained, tmp_path):
    tokenizer = Tokenizer.from_model(trained)
    with pytest.raises(ValueError, match="eos is '<x>', which is not a special token"):
        tokenizer.save(tmp_path, format="transformers", eos="<x>")
    with pytest.raises(ValueError, match=r"own has no place for what special tokens are for .eos"):
        tokenizer.save(tmp_path, eos=END)
    assert list(tmp_path.iterdir()) == []
