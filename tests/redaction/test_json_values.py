"""JSON-like values: keys decide, shapes stay, and JSON text still parses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.redaction.json_values import redact_mapping
from tests.rigs.properties import FEW

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_numbers_under_sensitive_keys_are_masked_by_kind():
    record = {
        "phone": 2125550142,
        "order_id": 1234567,
        "orderNumber": 1001,
        "tracking_number": 123456789012,
    }
    assert redact_mapping(record) == {
        "phone": "***-***-0142", "order_id": "***4567", "orderNumber": "***", "tracking_number": "***",
    }  # fmt: skip


def test_message_text_is_dropped_whole_and_its_metadata_stays():
    record = {
        "message": "hello Anna",
        "body": {"text": "hi"},
        "message_id": "m-1",
        "body_bytes": 123456789,
    }
    assert redact_mapping(record) == {
        "message": "***", "body": {"text": "***"}, "message_id": "m-1", "body_bytes": 123456789,
    }  # fmt: skip


def test_personal_data_in_keys_is_masked_and_no_entry_is_lost():
    assert redact_mapping({"a@example.com": 1, "b@example.com": 2}) == {
        "***@***": 1,
        "***@***~2": 2,
    }


def test_json_inside_json_inside_json_is_masked_and_parses():
    inner = json.dumps({"phone": 2125550142, "ok": True})
    record = {"payload": json.dumps({"detail": inner, "n": [1, 2]})}
    redacted = redact_mapping(record)
    outer = json.loads(redacted["payload"])
    assert outer["n"] == [1, 2]
    assert json.loads(outer["detail"]) == {"phone": "***-***-0142", "ok": True}


def test_json_text_with_nothing_to_mask_stays_byte_for_byte():
    text = '{ "a": 1,\n "b": [true, null] }'
    assert redact_mapping({"payload": text}) == {"payload": text}


def test_a_record_of_a_log_line_stays_readable():
    record = {
        "event": "action.done", "attempt": 2, "duration_ms": 12345678, "ok": True, "at": "2026-01-03T12:00:00Z",
        "key": "act:rp_tag:550e8400-e29b-41d4-a716-446655440000:mw-order-status:9f86d081884c7d659a2feaa0c55ad015",
        "request_id": "550e8400-e29b-41d4-a716-446655440000", "expires_at": 1763600000, "ratio": 0.25, "none": None,
    }  # fmt: skip
    assert redact_mapping(record) == record


def test_tuples_and_lists_keep_their_kind():
    assert redact_mapping(("jo@example.com", [1, "x"])) == ("***@***", [1, "x"])


def test_values_deeper_than_the_limit_are_dropped():
    value = "jo@example.com"
    for _ in range(100_000):
        value = [value]
    assert "example" not in json.dumps(redact_mapping(value))


def test_a_depth_bomb_in_a_string_is_read_as_text():
    assert (
        "212"
        not in redact_mapping({"payload": "[" * 50_000 + "2125550142" + "]" * 50_000})["payload"]
    )


@pytest.mark.parametrize(
    ("number", "masked"),
    [
        (9400100000000000000000, "***"),  # a carrier's 22 digits
        (10**20, "***"),
        (2125550142.0, "***-***-0142"),
        (4111111111111111.0, "***1111"),
        (1763600000.0, 1763600000.0),  # a time
        (12345.0, 12345.0),
        (2125550142.5, 2125550142.5),
    ],
)
def test_a_long_number_is_masked_under_any_key_in_any_form(number, masked):
    assert redact_mapping({"x": number}) == {"x": masked}


@pytest.mark.parametrize("text", ["jo_at_example.com", "jo-at-example.com"])
def test_an_address_spelled_like_a_name_is_masked(text):
    assert redact_mapping({"to": text}) == {"to": "***@***"}
    assert redact_mapping({"to": "worker.started_at_dawn"}) == {"to": "worker.started_at_dawn"}


def test_a_huge_integer_is_dropped():
    assert redact_mapping({"n": 10**5000}) == {"n": "***"}


@pytest.mark.parametrize("value", [b"jo@example.com", {1, 2}, object()])
def test_other_values_are_read_as_text(value):
    assert "jo@" not in str(redact_mapping(value))


@FEW
@given(JSON)
def test_any_json_value_is_accepted_and_still_json(value):
    json.loads(json.dumps(redact_mapping(value)))


@FEW
@given(JSON)
def test_a_redacted_value_is_left_as_it_is(value):
    once = redact_mapping(value)
    assert repr(redact_mapping(once)) == repr(once)
