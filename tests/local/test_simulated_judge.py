"""The simulated judge compares words and numbers, and sees nothing else."""

import pytest

from local.simulated_judge import compared

SOURCES = {"project_data.balance": "595", "knowledge.delivery": "Home delivery costs 180 euros."}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Your balance is 595.", "supported"),
        ("Your balance is 600.", "not"),
        ("Home delivery never costs 180 euros.", "not"),
        ("Winter tyres come with every car.", "unsure"),
        ("Hello. Does that suit you?", "supported"),
    ],
)
def test_a_text_is_supported_where_one_source_has_its_words_and_numbers(text, verdict):
    assert compared(SOURCES, text) == verdict
