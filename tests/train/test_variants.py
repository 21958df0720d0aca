"""The variants of the last rung still fit its source, so that their table can be made again."""

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks/variants/train/__init__.py"


@pytest.fixture(scope="module")
def variants():
    spec = importlib.util.spec_from_file_location("train_variants", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_variants"] = module  # dataclasses look it up there
    spec.loader.exec_module(module)
    return module


def test_every_replacement_fits(variants):
    for variant in variants.VARIANTS:
        assert variant.edits
        for file in variant.edits:
            original = (variants.FOLDER / file).read_text(encoding="utf-8")
            assert variant.source(file) != original, variant.name


def test_a_replacement_that_no_longer_fits_is_an_error(variants):
    with pytest.raises(ValueError, match="must occur once"):
        variants.replace("not there", "")("some source")
