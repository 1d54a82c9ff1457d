"""Bodies of requests: their size first, then strict UTF-8, then JSON of bounded depth."""

import json
import sys

import pytest

from chalicelib.errors import PayloadError, TooLargeError
from chalicelib.once.body import MAX_CONTAINERS, MAX_DEPTH, check_size, json_object, parsed_json


def nested(depth, opening=b"[", inner=b"", closing=b"]"):
    return opening * depth + inner + closing * depth


def test_a_body_of_the_limit_is_taken_and_one_byte_more_is_refused():
    check_size(b"12345", 5)
    with pytest.raises(TooLargeError) as caught:
        check_size(b"123456", 5, code="PAYLOAD_TOO_LARGE")
    assert caught.value.code == "PAYLOAD_TOO_LARGE"


@pytest.mark.parametrize(
    ("opening", "inner", "closing"), [(b"[", b"", b"]"), (b'{"a":', b"1", b"}")]
)
def test_json_is_taken_up_to_the_depth_and_no_deeper(opening, inner, closing):
    parts = {"opening": opening, "inner": inner, "closing": closing}
    body = nested(MAX_DEPTH, **parts)
    assert parsed_json(body) == json.loads(body)
    for depth in (MAX_DEPTH + 1, 500, *range(880, 1010, 10), sys.getrecursionlimit(), 50_000):
        with pytest.raises(ValueError):
            parsed_json(nested(depth, **parts))


@pytest.mark.parametrize("container", [b"{}", b"[]"])
def test_more_arrays_and_objects_than_any_sender_needs_are_refused(container):
    assert len(parsed_json(b"[" + b",".join([container] * (MAX_CONTAINERS - 1)) + b"]"))
    with pytest.raises(ValueError):
        parsed_json(b"[" + b",".join([container] * MAX_CONTAINERS) + b"]")


@pytest.mark.parametrize("body", [b"\xff", b'"\xed\xa0\x80"', b"", b"{", b"\xef\xbb\xbf{}"])
def test_what_is_not_utf8_or_not_json_is_an_error_and_nothing_is_replaced(body):
    with pytest.raises(ValueError):
        parsed_json(body)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "JSON"),
        (b'{"a": 5', "JSON"),
        (b"\xff", "JSON"),
        (b"[5]", "a JSON object"),
        (b'"5"', "a JSON object"),
        (b"null", "a JSON object"),
    ],
)
def test_what_is_no_object_is_refused_with_the_doors_code(body, message):
    with pytest.raises(PayloadError) as caught:
        json_object(body, code="INVALID_REQUEST")
    assert (caught.value.code, caught.value.message) == (
        "INVALID_REQUEST",
        f"the body is not {message}",
    )
