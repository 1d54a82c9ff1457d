"""Request bodies: bounded before anything is parsed, decoded strictly, JSON of bounded depth.

A body costs many times its size once it is parsed, so a door compares the raw size with its own
limit first.  JSON that is nested almost as deep as the parser goes would fail later, when it is
written again; no sender needs such depth.
"""

from __future__ import annotations

import json
from typing import Any

from chalicelib.errors import PayloadError, TooLargeError

MAX_BYTES = 1024 * 1024
"""The largest body of a request, at an entry point that sets no limit of its own."""
MAX_DEPTH = 64
"""The most levels of nested arrays and objects in a body."""
MAX_CONTAINERS = 100_000
"""The most arrays and objects in a body: each takes up to forty times the memory of the bytes that
it is written in."""
REPLACED = "\ufffd"
"""What a decoder puts in place of bytes that are not UTF-8: an id that contains it is not what was sent."""


def check_size(body: bytes, limit: int, *, code: str = "payload_too_large") -> None:
    """Raise where a request's body is larger than a limit.

    Raises:
        TooLargeError: it is larger; the error has the given code.
    """
    if len(body) > limit:
        raise TooLargeError(code, f"the body has more than {limit} bytes")


def parsed_json(body: bytes, **how: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of a request's body.

    Args:
        body: UTF-8.
        how: further arguments of `json.loads`.

    Raises:
        ValueError: the body is not UTF-8, not JSON, nested more than `MAX_DEPTH` levels deep, or of
            more arrays and objects than `MAX_CONTAINERS`.
    """
    if body.count(b"{") + body.count(b"[") > MAX_CONTAINERS:  # brackets within strings count too
        raise ValueError("too many arrays and objects")
    try:
        value = json.loads(body.decode("utf-8"), **how)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner for outer in level for inner in _members(outer) if isinstance(inner, dict | list)
        ]
        if not level:
            return value
    raise ValueError("nested too deeply")


def json_object(body: bytes, *, code: str = "invalid_json") -> dict[str, Any]:
    """The JSON object in a request's body.

    Raises:
        PayloadError: with the given code: the body is not JSON that `parsed_json` accepts, or not
            an object.
    """
    try:
        value = parsed_json(body)
    except ValueError:
        raise PayloadError(code, "the body is not JSON") from None
    if not isinstance(value, dict):
        raise PayloadError(code, "the body is not a JSON object")
    return value


def _members(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
