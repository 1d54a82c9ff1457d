"""Generated hostile requests to one door, by kind; the same seed makes the same requests."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.attack.doors import FORM, JSON, Door

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "Å")
DEPTHS = (29, 63, 64, 65, 200, 330, 480, 900, 950, 980, 990, 1000, 1010, 5_000, 100_000)
HUGE = 5_700_000
"""As much as API Gateway and Lambda let through."""
UNITS = (b"%FF", b"%7F", b"\x7f", b" ", b"[],", b"{},", b"1,", b"&", b"a=&", b'{"":0},', b"\xff")
"""What a large body consists of."""
TEXTS = (
    "",
    " ",
    "\x00",
    "\x7f" * 200,
    "\ufffd",
    "\ud800",
    "\udcff",
    "\u202e+15550100001",
    "٣٤٥",
    "10\ufffd42",
    "x" * 70_000,
    "\U0001f600" * 300,
    "%FF",
    "a\r\nx-api-key: b",
    "{{ticket.id}}",
    "../../etc/passwd",
    "' OR 1=1 --",
    "do-not-contact#x",
    "1" * 5_000,
)
VALUES: tuple[Any, ...] = (
    *TEXTS,
    None,
    True,
    [],
    {},
    [[]],
    0,
    -1,
    10**400,
    1e308,
    float("nan"),
    float("-inf"),
    {"value": {"value": []}},
    [None] * 2_000,
)


@dataclass(frozen=True)
class Hostile:
    """One request.

    Attributes:
        shows: which proof of its sender it carries: ``none``, ``wrong`` or ``right``.
        headers: beside the proof; None sends no headers at all.
    """

    kind: str
    shows: str
    body: bytes = field(repr=False)
    method: str
    headers: Mapping[str, str] | None = field(repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict, repr=False)


def requests_to(door: Door, count: int, seed: int) -> Iterator[Hostile]:
    """So many requests to a door, every kind in turn."""
    chance = random.Random(f"{seed}{door.name}")
    makers = [
        make for make in KINDS.values() if door.limit or make in (_anonymous, _method, _header)
    ]
    makers = [make for make in makers if door.credential or make is not _forged]
    for number in range(count):
        yield makers[number % len(makers)](door, number, chance)


def _made(door: Door, kind: str, shows: str, body: bytes, **changes: Any) -> Hostile:
    given: dict[str, Any] = {
        "method": door.method,
        "headers": {"content-type": door.content_type},
        "query": dict(door.query or {}),
        "parameters": dict(door.parameters or {}),
    }
    return Hostile(kind, shows, body, **{**given, **changes})


def _anonymous(door: Door, number: int, chance: random.Random) -> Hostile:
    """A valid body, or an invalid parameter of the path, with no proof of its sender or a wrong one."""
    parameters = {name: chance.choice(TEXTS) or "x" for name in door.parameters or {}}
    shows = chance.choice(("none", "wrong"))
    return _made(door, "anonymous", shows, door.body(door.example(number)), parameters=parameters)


def _sized(door: Door, number: int, chance: random.Random) -> Hostile:
    """Around the limit, and as large as the gateway lets through."""
    size = chance.choice(
        (0, 1, door.limit - 1, door.limit, door.limit + 1, HUGE if number % 5 == 0 else 0)
    )
    unit = chance.choice(UNITS)
    start = chance.choice((b"", b"[", b'{"a":[', b'{"ticket_id":"1","message":"'))
    if door.content_type == FORM:
        start = door.body(door.example(number)) + b"&Pad="
    body = (start + unit * (size // len(unit) + 1))[:size]
    return _made(door, "size", chance.choice(("none", "wrong", "right")), body)


def _nested(door: Door, number: int, chance: random.Random) -> Hostile:
    """Up to the parser's own limit, around it and beyond, at the top or inside a valid body."""
    depth = chance.choice((*DEPTHS, chance.randrange(880, 1_010)))
    opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")))
    deep = opening * depth + b"1" + closing * depth
    fields = door.example(number)
    if chance.random() < 0.7 and isinstance(fields, dict) and door.content_type == JSON:
        place = chance.choice((*fields, "more"))
        inner = json.dumps({**fields, place: "@"}).encode()
        deep = inner.replace(b'"@"', deep)
    elif door.content_type == FORM:
        deep = door.body({**fields, "Body": deep.decode()})
    return _made(door, "nesting", chance.choice(("wrong", "right", "right")), deep)


def _encoded(door: Door, number: int, chance: random.Random) -> Hostile:
    """Bytes of a valid body replaced by what is not UTF-8, or the whole in another encoding."""
    body = bytearray(door.body(door.example(number)))
    way = chance.randrange(4)
    if way == 0:
        body = bytearray(bytes(body).decode().encode(chance.choice(("utf-16", "utf-32", "utf-7"))))
    elif way == 1:
        body[:0] = chance.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00"))
    else:
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(body))
            body[at : at + 1] = chance.choice(
                (
                    b"\xff",
                    b"\xc0\x80",
                    b"\xed\xa0\x80",
                    b"\x00",
                    b"%FF",
                    b"%ED%A0%80",
                    b"\\ud800",
                    b"\x7f",
                )
            )
    return _made(door, "encoding", chance.choice(("wrong", "right", "right")), bytes(body))


def _header(door: Door, number: int, chance: random.Random) -> Hostile:
    """Headers that are missing, empty, of another kind, repeated in other letters, or very long."""
    headers: Mapping[str, str] | None = chance.choice(
        (
            None,
            {},
            {"content-type": ""},
            {"content-type": "application/xml"},
            {"Content-Type": door.content_type, "CONTENT-TYPE": "text/plain; charset=utf-16"},
            {"content-type": door.content_type, "x-twilio-signature": "Å" * 100},
            {"content-type": door.content_type, door.credential.upper() or "x": "a, b"},
            {"content-type": door.content_type, "webhook-timestamp": "9" * 4_000},
            {"content-type": door.content_type, "x-hubspot-request-timestamp": "-1"},
            {"content-type": door.content_type, "host": "\ud800.example", "accept": "image/png"},
            {"content-type": door.content_type, "accept": "application/octet-stream"},
        )
    )
    shows = "none" if headers is None else chance.choice(("none", "right"))
    return _made(door, "headers", shows, door.body(door.example(number)), headers=headers)


def _method(door: Door, number: int, chance: random.Random) -> Hostile:
    """Every method but the door's own."""
    method = chance.choice([method for method in METHODS if method != door.method])
    return _made(door, "method", "right", door.body(door.example(number)), method=method)


def _forged(door: Door, number: int, chance: random.Random) -> Hostile:
    """A proof of another body, another time or another address, or almost the right one."""
    shows = chance.choice(("other_body", "flipped", "cut", "upper", "twice"))
    return _made(door, "forged", shows, door.body(door.example(number)))


def _fields(door: Door, number: int, chance: random.Random) -> Hostile:
    """A valid body in which one to three fields hold what they never should."""
    fields = copy.deepcopy(door.example(number))
    for _ in range(chance.randint(1, 3)):
        place, name = chance.choice(list(_places(fields)))
        value = copy.deepcopy(chance.choice(TEXTS if door.content_type == FORM else VALUES))
        if chance.random() < 0.15:
            place.pop(name)
        else:
            place[name] = value
        if not list(_places(fields)):
            break
    query = dict(door.query or {})
    if query and chance.random() < 0.3:
        query = {chance.choice(("cid", "x")): chance.choice(TEXTS)}
    return _made(door, "fields", "right", door.body(fields), query=query)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inside in list(inner):
        yield value, name
        if isinstance(inside, dict | list):
            yield from _places(inside)


KINDS: Mapping[str, Callable[[Door, int, random.Random], Hostile]] = {
    "anonymous": _anonymous,
    "size": _sized,
    "nesting": _nested,
    "encoding": _encoded,
    "headers": _header,
    "method": _method,
    "forged": _forged,
    "fields": _fields,
}
