"""What a scan looks for after an erasure: a person's addresses in every spelling, ids, names, given words.

Reports show a canary's kind and number, never its value, so that they hold no personal data.
"""

from __future__ import annotations

import base64
import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from chalicelib.once.store import Item
from ops.companies.erase import Subjects

_BETWEEN = r"(?:[\s().\-/_]|\u00a0|%20|%28|%29|%2d)*"
_COUNTRY_DIGITS = 3
_SHORTEST_NATIONAL = 9
_SHORTEST_IN_TEXT = 16
"""Shorter ids are searched only in keys: in a text, a ticket's number may be any number."""
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class Canary:
    """One value to look for.

    Attributes:
        name: kind and number, such as ``address 1``, as reports show them.
        pattern: finds the value in a text.
        company: only this company's items count; empty for all.
        is_id: an id, which may stay in a row that holds nothing else of the person.
        in_keys: search only the item's key.
        is_name: first and last name, which another person may share.
    """

    name: str
    pattern: re.Pattern[str] = field(repr=False)
    company: str = ""
    is_id: bool = False
    in_keys: bool = False
    is_name: bool = False

    def is_in(self, item: Mapping[str, Any], texts: list[str], keys: list[str]) -> bool:
        """Whether an item holds the value."""
        companies = {str(item["company_id"])} if "company_id" in item else _companies_in(keys)
        if self.company and companies and self.company not in companies:
            return False
        return any(self.pattern.search(text) for text in (keys if self.in_keys else texts))


def canaries(subjects: Subjects, words: Iterable[str] = ()) -> list[Canary]:
    """Every canary of a person, with the caller's own `words`."""
    found: list[Canary] = []
    linked = sorted(subjects.theirs.linked)
    addresses = [("", own) for own in subjects.addresses] + linked
    for number, (company, address) in enumerate(dict.fromkeys(addresses), start=1):
        found += of_address(address, f"address {number}", company)
    keyed = sorted({*subjects.ids, *subjects.theirs.members})
    for number, identifier in enumerate(keyed, start=1):
        found.append(_of_id(identifier, f"id {number}"))
    for number, (company, first, last) in enumerate(sorted(subjects.names.names), start=1):
        if first and last:
            found.append(Canary(f"name {number}", _whole(f"{first} {last}"), company, is_name=True))
    given = [" ".join(word.split()) for word in words]
    found += (
        Canary(f"word {n}", _whole(phrase)) for n, phrase in enumerate(filter(None, given), 1)
    )
    return found


def of_address(address: str, name: str, company: str = "") -> Iterator[Canary]:
    """Yield an address's canaries: any case, separators, national form, mailbox tags and dots; and base64."""
    pattern = _pattern(address)
    yield Canary(name, re.compile(pattern, re.IGNORECASE), company)
    encoded = "|".join(re.escape(spelling) for spelling in _base64_of(address))
    yield Canary(f"{name} in base64", re.compile(encoded), company)


def texts_of(value: Any) -> Iterator[str]:  # noqa: ANN401 - any stored value
    """Yield every text in a value, also URL-decoded, with JSON escapes resolved, and decompressed."""
    match value:
        case str():
            yield value
            if "%" in value:
                yield unquote(value)
            if "\\u" in value:
                yield _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)
        case bytes() | bytearray():
            yield from texts_of(_unpacked(bytes(value)).decode("utf-8", "replace"))
        case Mapping():
            for name, part in value.items():
                yield from texts_of(name)
                yield from texts_of(part)
        case list() | tuple() | set() | frozenset():
            for part in value:
                yield from texts_of(part)
        case bool() | None:
            return
        case _:
            yield str(getattr(value, "value", value))


def keys_of(item: Item, names: Iterable[str]) -> list[str]:
    """The texts of an item's key."""
    return [str(item[name]) for name in names if name in item]


def _pattern(address: str) -> str:
    if "@" in address:
        return _mailbox(address)
    if re.fullmatch(r"\+?[0-9]+", address):
        return _number(address)
    return rf"(?<![0-9A-Za-z]){re.escape(address)}(?![0-9A-Za-z])"


def _mailbox(address: str) -> str:
    local, _, domain = address.partition("@")
    dotted = r"\.?".join(
        re.escape(character) for character in local.partition("+")[0].replace(".", "")
    )
    return rf"(?<![\w.]){dotted}(?:\+[\w.+-]*)?(?:@|%40){re.escape(domain)}(?!\w)"


def _number(address: str) -> str:
    digits = re.sub(r"\D", "", address)
    most = min(_COUNTRY_DIGITS, max(0, len(digits) - _SHORTEST_NATIONAL))
    written = (_BETWEEN.join(digits[cut:]) for cut in range(most + 1))
    return rf"(?<!\d)(?:0{_BETWEEN}){{0,2}}(?:{'|'.join(written)})(?!\d)"


def _base64_of(value: str) -> Iterator[str]:
    """Yield the base64 of a value at each of its three possible offsets in an encoded text."""
    for before in range(3):
        raw = b"\0" * before + value.encode()
        whole = len(raw) // 3 * 3
        yield base64.b64encode(raw[:whole]).decode()[-(-before * 8 // 6) :]


def _of_id(identifier: str, name: str) -> Canary:
    pattern = re.compile(rf"(?<![0-9A-Za-z]){re.escape(identifier)}(?![0-9A-Za-z])")
    return Canary(name, pattern, is_id=True, in_keys=len(identifier) < _SHORTEST_IN_TEXT)


def _whole(words: str) -> re.Pattern[str]:
    spaced = r"\s+".join(re.escape(word) for word in words.split())
    return re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)


def _companies_in(keys: list[str]) -> set[str]:
    """The companies that keys name: ``internal:{company}#...``, ``subject#{company}``."""
    starts = ("internal:", "subject#", "register#", "verdicts:")
    return {
        key.removeprefix(start).partition("#")[0]
        for key in keys
        for start in starts
        if key.startswith(start)
    }


def _unpacked(value: bytes) -> bytes:
    for unpack in (gzip.decompress, zlib.decompress):
        with suppress(OSError, zlib.error, EOFError):
            return unpack(value)
    return value
