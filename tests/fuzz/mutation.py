"""Inputs made from a sample: its values changed, or the pieces of its text, by chance from a seed."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from typing import Any

from tests.attack.hostile import VALUES

PIECES = (
    *(
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\x00",
        "\x7f",
        "\ufffd",
        "\ud800",
        "\udcff",
        "\u202e",
        "\u0130",
    ),
    *(
        "0",
        "-1",
        "1e999",
        "NaN",
        "9" * 400,
        "٣",
        "½",
        "null",
        "true",
        "{",
        "}",
        "[",
        "]",
        '"',
        "\\",
    ),
    *(
        "'",
        ",",
        ";",
        ":",
        "=",
        "&",
        "%",
        "%00",
        "%FF",
        "+",
        "/",
        "//",
        "../",
        "@",
        "@@",
        "<",
        ">",
        "&#",
    ),
    *("<!--", "-->", "<a", "</", "=?utf-8?q?", "=?utf-8?b?/w==?=", "?=", "(", ")", "(?=a)", "\\1"),
    *("(a+)+$", "{999}", "|", "^", "$", "*", "#", "``", "'''", "xn--", "[::1", "0x7f.1", ":99999"),
    *(
        "9999-12-31",
        "0001-01-01",
        "00:00",
        "-00:01",
        "9999-12-31T23:59:59+00:00",
        "0001-01-01T00:00:00+23:59",
        "2026-02-30",
        "24:00",
        "08:00Z",
    ),
    *(
        "America",
        "../UTC",
        "Europe/Berlin\x00",
        "+999",
        "+1 305 555 0142;ext=9",
        "tel:",
        "..",
        ".",
        "=1+1",
    ),
)
"""What readers of texts stumble over, whatever they read."""
ODD: tuple[Any, ...] = (*VALUES, *PIECES, 10**18, 1.5, False, [1, "a", None], {"a": {"b": None}})
_PIECE = re.compile(r"[^\W\d_]+|\d+|\s+|.", re.DOTALL)
_FIELD = re.compile(r"[^\s,;&=\"'<>()]+|\s+|.", re.DOTALL)
"""Larger pieces: what separators leave whole, such as a date."""
MOST_PIECES = 20_000
"""Pieces into which a text is taken apart; the rest stays as it is."""


def changed_value(value: Any, chance: random.Random) -> Any:
    """A JSON value with one or a few of its members replaced, removed, repeated or nested."""
    whole = [copy.deepcopy(value)]
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        place, name = chance.choice(list(_places(whole)))
        match chance.randrange(8):
            case 0 if place is not whole:
                place.pop(name)
            case 1 if isinstance(place, list) and place is not whole:
                place.extend(copy.deepcopy(place[name]) for _ in range(chance.choice((1, 3, 300))))
            case 2:
                place[name] = [place[name]] if chance.random() < 0.5 else {"value": place[name]}
            case 3 if isinstance(place, dict):
                place[str(chance.choice(PIECES))] = place.pop(name)
            case 4 if isinstance(place[name], str):
                place[name] = changed_text(place[name], chance)
            case _:
                place[name] = copy.deepcopy(chance.choice(ODD))
    return whole[0]


def changed_text(text: str, chance: random.Random) -> str:
    """A text with one or a few of its pieces replaced, removed, repeated, swapped or cut off."""
    kind = chance.choice((_PIECE, _FIELD))
    pieces = kind.findall(text[: MOST_PIECES * 4])[:MOST_PIECES]
    rest = text[sum(map(len, pieces)) :]
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(pieces) + 1)
        match chance.randrange(7):
            case 0:
                del pieces[at : at + chance.choice((1, 2, 10))]
            case 1:
                pieces[at:at] = pieces[at : at + chance.randint(1, 4)] * chance.choice((1, 2, 50))
            case 2 if len(pieces) > 1:
                other = chance.randrange(len(pieces))
                at = min(at, len(pieces) - 1)
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3 if chance.random() < 0.3:
                del pieces[at:]
                rest = ""
            case 4 if at < len(pieces):
                pieces[at] = chance.choice((str.upper, str.swapcase, str.title))(pieces[at])
            case _:
                pieces[at : at + chance.randint(0, 1)] = [chance.choice(PIECES)]
    return "".join(pieces) + rest


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member, as what holds it and its name or number there."""
    for name, member in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, name
        if isinstance(member, dict | list):
            yield from _places(member)
