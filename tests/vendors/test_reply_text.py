"""What was newly written in a mail, as mail clients quote history."""

import json
import time
from pathlib import Path

import pytest

from chalicelib.vendors.reply_text import newly_written

SAMPLES = Path(__file__).parents[1] / "samples" / "quoted" / "dev.jsonl"


@pytest.mark.parametrize("line", SAMPLES.read_text().splitlines())
def test_the_new_part_of_a_mail_is_kept_and_nothing_else(line):
    row = json.loads(line)
    assert newly_written(row["mail"]).split() == row["new"].split()


@pytest.mark.parametrize(
    "text",
    [
        "On 5 November I wrote:\nplease cancel. Did you?",
        "From: Tulsa\nTo: Omaha\nis the wrong way",
        "I sent from my old address",
        "5 > 3, and I paid for five",
    ],
)
def test_words_that_only_look_like_history_stay(text):
    assert newly_written(text) == text


def test_a_mail_of_quotes_alone_has_nothing_new():
    assert newly_written("> I want a refund") == ""


@pytest.mark.parametrize("noise", ["\n", "From: a\n", "On 1 a\n", "> \n", "-- x\n", "a <b@c.d> \n"])
def test_a_hostile_mail_takes_no_longer_than_its_lines(noise):
    started = time.perf_counter()
    newly_written(noise * 20_000)
    assert time.perf_counter() - started < 2
