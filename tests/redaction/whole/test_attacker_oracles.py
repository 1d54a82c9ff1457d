"""The attacker's own judges: they see what nothing masked, and pass what a perfect redactor gives."""

import pytest

from bench.redaction import sentences
from bench.redaction.attacker import STAYS, compose, half, kind_of, wilson
from bench.redaction.words import WORDS

SEEDS = range(3000)


def test_a_seed_gives_the_same_text_each_time():
    assert [compose(seed)[:4] for seed in SEEDS] == [compose(seed)[:4] for seed in SEEDS]
    assert all(compose(seed).kind == kind_of(seed) for seed in SEEDS)


def test_a_text_that_nothing_masked_is_a_leak_and_a_harmless_one_is_none():
    for composition in map(compose, SEEDS):
        assert bool(composition.oracle(composition.text)) is (composition.kind not in STAYS), (
            composition
        )


def test_a_text_masked_whole_leaks_nothing_and_a_harmless_one_is_altered():
    for composition in map(compose, SEEDS):
        assert bool(composition.oracle("***")) is (composition.kind in STAYS), composition


def test_the_words_and_sentences_around_an_identifier_hold_no_digit():
    tables = (WORDS, *(value for name, value in vars(sentences).items() if name.isupper()))
    assert not any(char.isdigit() for char in repr(tables))


def test_about_half_of_the_seeds_are_held_out():
    open_ones = sum(half(seed) == "open" for seed in SEEDS)
    assert 1400 < open_ones < 1600


@pytest.mark.parametrize(
    ("failed", "tried", "low", "high"),
    [(0, 100, 0.0, 0.0370), (5, 100, 0.0215, 0.1118), (100, 100, 0.9630, 1.0)],
)
def test_the_interval_is_wilsons(failed, tried, low, high):
    assert wilson(failed, tried) == pytest.approx((low, high), abs=1e-4)
