"""Values in another form are read right or marked; ids of any form keep their events apart."""

import json
import string
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.facts.drift import Drift, Mark, Reading, TimeForm, hashed, values_of_fields
from tests.rigs.each_row import each_row

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECONDS = int(NOON.timestamp())
ISO = {TimeForm.TEXT}


@each_row(
    ("value", "marks"),
    [
        ("2026-11-20 12:00:00", ()),
        ("2026-11-20T12:00:00Z", ()),
        ("2026-11-20T07:00:00.000000-05:00", ()),
        (SECONDS, ("time_in_other_form",)),
        (str(SECONDS), ("time_in_other_form",)),
        (float(SECONDS), ("time_in_other_form",)),
        (f"{SECONDS}.0", ("time_in_other_form",)),
        (SECONDS * 1_000, ("time_in_other_form",)),
        (str(SECONDS * 1_000), ("time_in_other_form",)),
        (SECONDS * 1_000_000, ("time_in_other_form",)),
    ],
)
def test_a_time_is_the_same_in_every_form(value, marks):
    reading = Reading()
    assert reading.moment([value], known=ISO) == NOON
    assert reading.marks == marks


@each_row(
    ("value", "mark"),
    [
        *((value, "time_missing") for value in (None, "", " ")),
        *((value, "time_unreadable") for value in ("soon", "0000-00-00 00:00:00", "2026-11-20")),
        *((value, "time_unreadable") for value in (True, 0, 12, -5, 10**20, [], {}, "٢٠٢٦")),
        *((value, "time_unreadable") for value in (float("nan"), float("inf"), 1e300)),
    ],
)
def test_no_time_is_marked(value, mark):
    reading = Reading()
    assert reading.moment([value], known=ISO) is None
    assert reading.marks == (mark,)


def test_a_time_in_another_field_is_read_and_marked():
    payload = {"Created-At": "", "startedAt": SECONDS, "updated_at": "2026-11-21 00:00:00"}
    reading = Reading()
    found = values_of_fields(payload, ["createdat", "startedat", "updatedat"])
    assert reading.moment([None], known=ISO, elsewhere=found) == NOON
    assert reading.marks == ("time_missing", "time_in_other_form", "time_in_other_field")


@pytest.mark.parametrize(
    ("days", "marks"),
    [(0, ()), (-399, ()), (-401, ("time_implausible",)), (2, ("time_implausible",))],
)
def test_a_time_that_is_far_from_its_receipt_is_kept_and_marked(days, marks):
    reading = Reading()
    moment = NOON + timedelta(days=days)
    assert reading.time_of(moment, NOON) == moment
    assert reading.marks == marks


def test_the_day_of_receipt_is_never_silent():
    reading = Reading()
    assert reading.time_of(None, NOON) == NOON
    assert reading.marks == ("day_guessed",)


@each_row(
    ("value", "seconds", "marks"),
    [
        (70, 70, ()),
        (70.9, 70, ()),
        (0, 0, ()),
        (None, None, ()),
        ("", None, ()),
        ("70", 70, ("number_as_text",)),
        ("00:01:10", 70, ("duration_in_other_form",)),
        ("1:10", 70, ("duration_in_other_form",)),
        *((value, None, ("duration_unreadable",)) for value in (-1, 86_401, "long", True, [], {})),
        *((value, None, ("duration_unreadable",)) for value in (float("nan"), "99:00:00")),
    ],
)
def test_a_duration_is_whole_seconds_of_a_day_at_most(value, seconds, marks):
    reading = Reading()
    assert reading.seconds(value) == seconds
    assert reading.marks == marks


@each_row(
    ("value", "number", "marks"),
    [
        (1, 1, ()),
        (1.0, 1, ()),
        ("2", 2, ("number_as_text",)),
        (" -1 ", -1, ("number_as_text",)),
        (None, None, ()),
        *((value, None, ("number_unreadable",)) for value in (True, 1.5, "x", [], 10**10)),
    ],
)
def test_a_number_may_be_a_text(value, number, marks):
    reading = Reading()
    assert reading.number(value) == number
    assert reading.marks == marks


@each_row(
    ("value", "part"),
    [
        (719285063, "719285063"),
        ("719285063", "719285063"),
        (" 719285063 ", "719285063"),
        (7.19285063e8, "719285063"),
        ("a-1", "a-1"),
        ("x" * 64, "x" * 64),
    ],
)
def test_a_plain_id_is_part_of_the_key(value, part):
    reading = Reading()
    assert reading.event_id([value], "content") == part
    assert reading.marks == ()


ODD = ["x" * 65, "a b", "a/b", "a\x00b", "ä", "\uff17", -5, "-5", 1.5, {"value": 7}, [7], "\ud800"]


@pytest.mark.parametrize("value", ODD)
def test_an_odd_id_is_kept_by_its_hash(value):
    reading = Reading()
    part = reading.event_id([value], "content")
    assert part == hashed(value if not isinstance(value, int | float) else str(value))
    assert len(part) == 71
    assert reading.marks == ("id_hashed",)


def test_no_two_odd_ids_share_a_key():
    parts = {Reading().event_id([value], "content") for value in ODD}
    assert len(parts) == len(ODD) - 1  # the number and the text -5 are one id


@pytest.mark.parametrize("value", [None, "", " ", -1, "-1", 0, True, False, [], {}, 2.0**60])
def test_what_tells_no_two_events_apart_is_no_id(value):
    reading = Reading()
    assert reading.event_id([value], "one") == hashed("one")
    assert reading.event_id([value], "two") == hashed("two")
    assert reading.marks == ("id_missing",)
    assert Reading().event_id([value, 7], "one") == "7"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(value=JSON)
def test_every_value_is_read_as_something_or_marked(value):
    reading = Reading()
    moment = reading.moment([value], known=ISO)
    assert (moment is None) == bool({"time_missing", "time_unreadable"} & set(reading.marks))
    seconds = reading.seconds(value)
    assert seconds is None or 0 <= seconds <= 86_400
    part = reading.event_id([value], "content")
    assert set(part) <= set(string.ascii_letters + string.digits + "-")
    assert len(part) <= 71
    assert part == Reading().event_id([json.loads(json.dumps(value))], "content")


def test_a_share_of_few_facts_does_not_ring():
    drift = Drift()
    for _ in range(4):
        drift.add([Mark.DAY_GUESSED])
    assert drift.percent == 0
    drift.add([Mark.ID_HASHED, Mark.DAY_GUESSED])
    assert drift.percent == 100
    for _ in range(5):
        drift.add([Mark.ZONE_MISSING, Mark.NUMBER_AS_TEXT])
    assert (drift.facts, drift.drifted, drift.percent) == (10, 5, 50)
    assert drift.marks[Mark.DAY_GUESSED] == 5


def test_every_mark_has_words():
    assert len({mark.words for mark in Mark}) == len(Mark)
