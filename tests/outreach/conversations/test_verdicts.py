"""A verdict set: of one project, and with an end."""

from datetime import timedelta

import pytest

from chalicelib.outreach.conversations.verdicts import VerdictExample, Verdicts

EXAMPLE = {"project_data": {"deposit": 695.5, "note": None}, "draft": {"text": "Hello."}}


@pytest.fixture
def verdicts(table, clock):
    return Verdicts(table=table, clock=clock, kept=timedelta(days=365))


def example(name="one"):
    return VerdictExample(name, "good", "as agreed", False, EXAMPLE)


def test_an_example_is_read_as_it_was_put_and_only_of_its_project(verdicts):
    verdicts.put("ci-1", "pi-1", example())
    (found,) = verdicts.examples_of("ci-1", "pi-1")
    assert (found.example, found.said, found.why) == (EXAMPLE, "good", "as agreed")
    assert verdicts.examples_of("ci-1", "pi-2") == verdicts.examples_of("ci-2", "pi-1") == []


def test_an_example_ends_a_year_after_it_was_last_put(verdicts, clock):
    verdicts.put("ci-1", "pi-1", example())
    verdicts.put("ci-1", "pi-1", example("two"))
    clock.forward(200 * 86_400)
    verdicts.put("ci-1", "pi-1", example("two"))
    clock.forward(200 * 86_400)
    assert [kept.id for kept in verdicts.examples_of("ci-1", "pi-1")] == ["two"]


def test_removing_says_whether_there_was_one(verdicts):
    verdicts.put("ci-1", "pi-1", example())
    assert verdicts.remove("ci-1", "pi-1", "one")
    assert not verdicts.remove("ci-1", "pi-1", "one")
