"""Estimates of tokens, beside what the tokenizer of OpenAI's newer models counts.

`tests/samples/tokens.jsonl` has invented texts of several scripts with their tokens by ``o200k_base``.
"""

import json
from pathlib import Path

from chalicelib.outreach.spending.token_counts import tokens
from tests.rigs.each_row import each_row

SAMPLES = Path(__file__).parents[2] / "samples" / "tokens.jsonl"
COUNTED = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]


@each_row("sample", COUNTED)
def test_an_estimate_is_about_what_is_counted_and_hardly_ever_less(sample):
    assert 0.9 * sample["tokens"] <= tokens(sample["text"]) <= 1.8 * sample["tokens"]


def test_a_text_of_several_scripts_is_the_sum_of_its_parts():
    parts = [f"{sample['text']} " for sample in COUNTED]
    assert abs(tokens("".join(parts)) - sum(map(tokens, parts))) <= len(parts)


def test_no_text_has_no_tokens_and_any_character_some():
    assert tokens("") == 0
    for number in range(0x20, 0x11000, 97):
        assert tokens(chr(number) * 100) >= 20, hex(number)
