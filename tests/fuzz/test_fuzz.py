"""A few inputs of each parser, and that the judge sees what it has to see."""

import random

import pytest

from chalicelib.errors import PayloadError
from tests.fuzz.__main__ import PARSERS
from tests.fuzz.judge import fuzz, judged
from tests.fuzz.table import NAME, Parser

PER_PARSER = 25
"""``python -m tests.fuzz`` tries 5,000."""


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_hostile_inputs_are_read_or_refused_without_a_word_of_theirs(parser, seed):
    report = fuzz((parser,), PER_PARSER * (1 if seed == 1 else 40), seed)
    assert report.problems == {}
    assert report.ends[parser.name].total() >= PER_PARSER


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
def test_the_samples_are_what_the_parser_takes(parser):
    for sample in parser.samples():
        is_written = parser.write is None or isinstance(sample, str | bytes)
        parser.parse(sample if is_written else parser.write(sample))


def test_the_same_seed_makes_the_same_inputs():
    def made(seed):
        chance = random.Random(seed)
        return [repr(parser.input(parser.samples()[0], chance)) for parser in PARSERS]

    assert made(5) == made(5) != made(6)


@pytest.mark.parametrize("name", ["wish to stop", "wish for times", "twilio message"])
@pytest.mark.parametrize("piece", ["\n", " ", "a", "\n ", "stop\n"])
def test_a_long_run_of_one_piece_is_read_and_holds_no_worker(name, piece):
    """A thousand empty lines once took half a minute at the door."""
    (parser,) = (parser for parser in PARSERS if parser.name == name)
    text = piece * (4_000 // len(piece))
    (sample, *_) = parser.samples()
    given = text if parser.write is None else parser.write({**sample, "Body": text})
    assert judged(parser, given) == ("read", "")


def raises(error):
    def parse(_):
        raise error

    return Parser(name="x", whose="a test", parse=parse, samples=lambda: ["x"])


@pytest.mark.parametrize(
    ("error", "end", "fault"),
    [
        (PayloadError("no", "field a is missing"), "refused", ""),
        (PayloadError("no", f"field a is {NAME.upper()}"), "refused", "PayloadError tells"),
        (ZeroDivisionError(), "raised", "ZeroDivisionError"),
        (RecursionError(), "raised", "RecursionError"),
    ],
)
def test_another_error_than_its_own_and_a_word_in_an_error_are_found(error, end, fault):
    found, problem = judged(raises(error), "x")
    assert found == end
    assert problem.startswith(fault)
    assert bool(problem) is bool(fault)
