"""What a model costs, to the digit of write-up C6, and what a vocabulary size costs a byte."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from cs336_bpe.common.amounts import gib, scientific
from cs336_bpe.cost.transformer import SHAPES, Shape, as_released, compare, cost, find_shape
from cs336_bpe.cost.vocabulary_size import (
    cheapest,
    compute_per_byte,
    nearly_cheapest,
    size_cost,
    size_costs,
    sizes_as_text,
)

XL = SHAPES["xl"]
SMALL = SHAPES["small"]
CURVE = {1024: 2.31, 4096: 3.12, 16384: 3.90, 65536: 4.38, 131072: 4.50}


# --- Write-up C6 -----------------------------------------------------------------------------


def test_parameters_of_xl():
    one = cost(XL)
    assert one.total_parameters == 2_126_902_400
    assert one.num_bytes == 4 * 2_126_902_400
    assert gib(one.num_bytes) == "7.92 GiB"


def test_flops_of_xl():
    one = cost(XL)
    assert {part: scientific(flops) for part, flops in one.flops.items()} == {
        "ffn": "3.020e12", "projections": "1.007e12", "products": "3.221e11", "head": "1.647e11"}
    assert scientific(one.flops_without_head) == "4.349e12"
    assert scientific(one.total_flops) == "4.513e12"


@pytest.mark.parametrize(("shape", "ffn", "products", "projections"), [
    (SHAPES["small"], 64.29, 14.29, 21.43),
    (SHAPES["medium"], 66.67, 11.11, 22.22),
    (SHAPES["large"], 68.18, 9.09, 22.73),
    (SHAPES["xl"], 69.44, 7.41, 23.15),
    (replace(XL, context=16_384), 32.89, 56.14, 10.96),
], ids=["small", "medium", "large", "xl", "xl at 16384"])
def test_shares(shape, ffn, products, projections):
    one = cost(shape)
    shares = [round(100 * one.share(part, head=False), 2)
              for part in ("ffn", "products", "projections")]
    assert shares == [ffn, products, projections]
    parts = ("ffn", "products", "projections", "head")
    assert sum(one.share(part) for part in parts) == pytest.approx(1)


def test_xl_with_a_long_context():
    assert scientific(cost(replace(XL, context=16_384)).flops_without_head) == "1.469e14"


@pytest.mark.parametrize("change", [
    {"tied": True}, {"gated": False}, {"biases": True}, {"norm": "rms"}, {"norm": "layer"},
    {"positions": True}])
def test_no_other_architecture_gives_the_published_parameters(change):
    assert cost(replace(XL, **change)).total_parameters != 2_126_902_400


# --- The released models: an independent check of biases, norms and so on ---------------------


@pytest.mark.parametrize(("name", "parameters"), [
    ("small", 124_439_808), ("medium", 354_823_168), ("large", 774_030_080),
    ("xl", 1_557_611_200)])
def test_released_models(name, parameters):
    assert cost(as_released(SHAPES[name])).total_parameters == parameters


def test_counted_matrix_by_matrix():
    """A small shape, with every matrix written out."""
    one = cost(Shape(11, 5, 2, 6, 7, 3, biases=True, norm="rms", positions=True))
    block = 4 * (6 * 6 + 6) + 2 * (6 * 7 + 7) + (7 * 6 + 6) + 2 * 6
    assert one.total_parameters == 11 * 6 + 5 * 6 + 2 * block + 6 + 6 * 11

    def product(a, b, c):
        return 2 * a * b * c

    scores = 3 * (product(5, 2, 5) + product(5, 5, 2))  # three heads of two numbers
    block = 4 * product(5, 6, 6) + scores + 2 * product(5, 6, 7) + product(5, 7, 6)
    assert one.total_flops == 2 * block + product(5, 6, 11)


def test_a_tied_head_saves_parameters_but_no_flops():
    tied = cost(replace(SMALL, tied=True))
    assert tied.total_parameters == cost(SMALL).total_parameters - 50_257 * 768
    assert tied.flops == cost(SMALL).flops


# --- Vocabulary sizes -------------------------------------------------------------------------


def test_compute_per_byte_by_hand():
    forward = cost(replace(SMALL, vocab_size=8192)).total_flops / 1024
    assert compute_per_byte(SMALL, 8192, 3.5) == pytest.approx(3 * forward / 3.5)


def test_the_head_grows_and_the_rest_does_not():
    small, large = size_cost(XL, 1000, 1.0), size_cost(XL, 2000, 1.0)
    assert large.flops_per_byte - small.flops_per_byte == pytest.approx(3 * 2 * 1600 * 1000)
    assert large.head_share > small.head_share
    assert large.embedding_share > small.embedding_share


def test_a_context_of_so_many_bytes():
    """With as many bytes as the tokens have, it is the same; with shorter tokens it costs more."""
    same = compute_per_byte(SMALL, 8192, 4.0, context_bytes=4096)
    assert same == pytest.approx(compute_per_byte(SMALL, 8192, 4.0))
    fixed = compute_per_byte(SMALL, 512, 2.0, context_bytes=4096)
    products = 12 * 4 * 1024 * 768  # of a token that looks at 1,024 others
    assert fixed - compute_per_byte(SMALL, 512, 2.0) == pytest.approx(3 * products / 2.0)


def test_the_cheapest_size_grows_with_the_model():
    sizes = [cheapest(size_costs(shape, CURVE)).vocab_size for shape in SHAPES.values()]
    assert sizes == [16384, 65536, 65536, 65536]


def test_rows_are_in_order_and_agree_with_the_cheapest():
    rows = size_costs(SMALL, dict(reversed(CURVE.items())))
    assert [row.vocab_size for row in rows] == list(CURVE)
    least = min(row.flops_per_byte for row in rows)
    assert cheapest(rows).flops_per_byte == least
    assert nearly_cheapest(rows, 0.0) == [cheapest(rows)]
    assert nearly_cheapest(rows, 10.0) == rows


def test_of_equally_cheap_sizes_the_smallest():
    rows = [replace(row, flops_per_byte=flops)
            for row, flops in zip(size_costs(XL, {512: 2.0, 1024: 2.5, 2048: 3.0, 4096: 3.5}),
                                  (1.25, 1.0, 1.0, 1.5))]
    assert cheapest(rows) is rows[1]
    assert cheapest(rows[::-1]) is rows[1]
    assert nearly_cheapest(rows, 0.25) == rows[:3]  # the border counts


def test_at_the_minimum_the_head_has_the_share_that_tokens_grow_by():
    """For b(V) = V^0.1 the cheapest V is where the head's share is the exponent."""
    curve = {size: size**0.1 for size in range(1_000, 60_000, 50)}
    best = cheapest(size_costs(SMALL, curve))
    assert best.head_share == pytest.approx(0.1, abs=0.001)


# --- Text and JSON ----------------------------------------------------------------------------


def test_tables():
    lines = cost(XL).table().splitlines()
    assert lines[0].split()[0] == "part"
    assert lines[-1].split()[:4] == ["total", "2,126,902,400", "4.513e12", "4.349e12"]
    assert not any(line.startswith(("position", "norms")) for line in lines)
    assert any(line.startswith("norms") for line in cost(replace(XL, norm="rms")).table()
               .splitlines())
    assert len(compare(SHAPES).splitlines()) == 6
    assert "head" in compare(SHAPES)
    assert "head" not in compare(SHAPES, head=False)
    lines = sizes_as_text(size_costs(SMALL, CURVE)).splitlines()
    assert [line.split()[0] for line in lines if line.endswith("least")] == ["16,384"]
    assert "least of these, at the end" in sizes_as_text(size_costs(SMALL, {1000: 2.0, 2000: 3.0}))


def test_json():
    value = json.loads(json.dumps(cost(XL).as_json()))
    assert value["total_parameters"] == 2_126_902_400
    assert sum(value["parameters"].values()) == 2_126_902_400
    assert sum(value["forward_flops"].values()) == value["total_forward_flops"]
    assert sum(value["shares"].values()) == pytest.approx(1)
    assert sum(value["shares_without_head"].values()) == pytest.approx(1)
    assert Shape(**value["shape"]) == XL
    row = json.loads(json.dumps(size_costs(SMALL, CURVE)[0].as_json()))
    assert row["vocab_size"] == 1024
    assert math.isclose(row["flops_per_byte"], compute_per_byte(SMALL, 1024, 2.31))


def test_numbers_of_numpy():
    sizes = map(np.int32, (50_257, 1024, 48, 1600, 6400, 25))
    shape = Shape(*sizes)
    assert shape == XL
    assert cost(shape).total_parameters == 2_126_902_400  # more than 32 bits hold
    json.dumps(cost(shape).as_json())
    assert compute_per_byte(XL, np.int16(512), np.float32(2.0)) == compute_per_byte(XL, 512, 2.0)


# --- Bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "error", "message"), [
    ({"heads": 7}, ValueError, "heads is 7, which does not divide d_model, 1600"),
    ({"heads": 0}, ValueError, "heads is 0; it must be at least 1"),
    ({"vocab_size": 0}, ValueError, "vocab_size is 0; it must be at least 1"),
    ({"context": -1}, ValueError, "context is -1"),
    ({"layers": 1.5}, TypeError, "layers is 1.5, a float; it must be an integer"),
    ({"d_model": 1600.0}, TypeError, "d_model is 1600.0"),
    ({"d_ff": "6400"}, TypeError, "d_ff is '6400', a str"),
    ({"layers": True}, TypeError, "layers is True; it must be an integer"),
    ({"vocab_size": None}, TypeError, "vocab_size is None"),
    ({"tied": 1}, TypeError, "tied is 1; it must be True or False"),
    ({"gated": None}, TypeError, "gated is None"),
    ({"norm": "batch"}, ValueError, "norm is 'batch'; it must be 'none', 'rms' or 'layer'"),
])
def test_bad_shapes(change, error, message):
    with pytest.raises(error, match=message):
        replace(XL, **change)


@pytest.mark.parametrize(("vocab_size", "ratio", "options", "error", "message"), [
    (0, 4.0, {}, ValueError, "vocab_size is 0"),
    (512.0, 4.0, {}, TypeError, "vocab_size is 512.0"),
    (512, 0, {}, ValueError, "bytes_per_token is 0; it must be a finite number above 0"),
    (512, -4.0, {}, ValueError, "bytes_per_token is -4.0"),
    (512, math.nan, {}, ValueError, "bytes_per_token is nan"),
    (512, math.inf, {}, ValueError, "bytes_per_token is inf"),
    (512, "4", {}, TypeError, "bytes_per_token is '4', a str; it must be a number"),
    (512, True, {}, TypeError, "bytes_per_token is True"),
    (512, 0.25, {}, ValueError, "a token is at least one byte; if it is tokens per byte, give 4"),
    (512, 4.0, {"context_bytes": 0}, ValueError, "context_bytes is 0"),
])
def test_bad_sizes(vocab_size, ratio, options, error, message):
    with pytest.raises(error, match=message):
        compute_per_byte(XL, vocab_size, ratio, **options)


@pytest.mark.parametrize("curve", [{}, [(512, 2.0)], None])
def test_bad_curves(curve):
    with pytest.raises(ValueError, match="a mapping from vocabulary sizes to bytes per token"):
        size_costs(XL, curve)


@pytest.mark.parametrize("name", ["huge", "", None, 3])
def test_unknown_shape(name):
    with pytest.raises(ValueError, match="there are small, medium, large, xl"):
        find_shape(name)
