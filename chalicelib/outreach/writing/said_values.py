"""Values with what a sentence says of them: their roles and the words around them; pure.

Where a sentence has several values, each role word belongs to the nearest value of its kind: in
"the deposit is 100 and the balance 595" the balance is 595.  Drafts and sources are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from chalicelib.outreach.value_roles import RoleHit, has_kind, is_aside, is_weak, role_hits
from chalicelib.outreach.writing.checks.text import STEM, content_stems, folded, sentences
from chalicelib.outreach.writing.values import Value, ValueKind, values

_MARKS = {",": 12, ";": 40, "(": 12, ")": 12, ".": 15, "\u2013": 12, "\n": 40}
_AND = re.compile(r"\b(?:and|y|e|et|und|en|or|o|ou|oder|plus|mas|plus|piu)\b|&|\+")
_ASIDE = re.compile(
    r"\b(?:after|without|including|incl|plus|excluding|excl|minus|before|once|less|on top of|besides|sin"
    r"|incluid[oa]|despues de|ohne|nach|inklusive|inkl|zuzuglich|abzuglich|vor|sans|apres|avant|hors|sem|apos"
    r"|senza|dopo|prima|zonder|na|voor|inclusief)\W+(?:\w+\W+){0,2}$"
)
_IS = re.compile(r"\b[\u00e8\u00e9\u00c8\u00c9]\b")
""""Is" in Italian and Portuguese; without its accent it would be read as "and"."""
_BEHIND, _OTHER, _FAR, _ASIDE_COST, _GOES_ON = 8, 60, 110, 70, 12


@dataclass(frozen=True, slots=True)
class SaidValue:
    """A value of a text, and what its sentence says of it: its roles and the words around it.

    Attributes:
        text: the sentence.
        roles: every role (``deposit``, ``opening`` …) that words near the value give.
        nearest: the roles of the nearest words; empty where no word gives one.
        stems: stems of the words that belong to the value.
        part: sentence and clause, so that a day and a time of one clause belong together.
        is_count: a role's word follows the value: "4 guests".
    """

    value: Value
    text: str = field(repr=False)
    roles: frozenset[str]
    nearest: frozenset[str]
    stems: frozenset[str]
    part: tuple[str, int]
    is_count: bool = False


def said_in(
    text: str,
    languages: Collection[str] = (),
    *,
    is_source: bool = False,
    name: str = "",
    texts: Collection[str] = (),
) -> Iterator[SaidValue]:
    """Every value of a text, with the roles that its words give it: which sum is the deposit.

    Args:
        text: as it is written.
        languages: the languages that it may be in; empty means all.
        is_source: the text is a source's, no draft's.
        name: a name of the text, the first part of `SaidValue.part`.
        texts: folded names and places that count as values where the text has them.
    """
    for number, sentence in enumerate(sentences(text)):
        found = [*values(sentence, is_source=is_source), *_text_values(sentence, texts)]
        yield from _of_sentence(sentence, languages, f"{name}/{number}", found, is_source=is_source)


def as_date(drafted: SaidValue, languages: Collection[str] = ()) -> SaidValue:
    """A draft's span that ends on a date ("in three days"), as a date.

    It gets the roles that its sentence gives to a date at that position.
    """
    date = replace(drafted.value, kind=ValueKind.DATE)
    rest = [other for other in values(drafted.text) if other.start != date.start]
    name = drafted.part[0]
    found = _of_sentence(drafted.text, languages, name, [*rest, date], is_source=False)
    return next(other for other in found if other.value is date)


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's longer words, by which texts are compared."""
    return content_stems(folded(text))


def _of_sentence(
    sentence: str,
    languages: Collection[str],
    name: str,
    found: Sequence[Value],
    *,
    is_source: bool,
) -> Iterator[SaidValue]:
    if not found:
        return
    low = folded(_IS.sub("=", sentence))
    hits = list(role_hits(low, languages))
    words = _words(low, found)
    before: dict[ValueKind, SaidValue] = {}
    for value in found:
        same = [other for other in found if _competes(other, value, is_source=is_source)]
        mine = {
            hit.role: min(_cost(low, hit.start, hit.end, value, same), _FAR)
            for hit in sorted(hits, key=lambda hit: -_cost(low, hit.start, hit.end, value, same))
            if has_kind(hit.role, value.kind) and _is_nearest(low, hit, value, same)
        }
        near = {role: cost for role, cost in mine.items() if cost < _FAR}
        named = {role: cost for role, cost in near.items() if not is_aside(role, value.kind)}
        strong = {r: c for r, c in named.items() if not is_weak(r, value.kind)} or named
        least = min(strong.values(), default=_FAR)
        stems = frozenset(
            word[:STEM]
            for start, end, word in words
            if _is_nearest(low, RoleHit(start, end, ""), value, same)
        )
        roles, nearest = frozenset(near), frozenset(r for r, c in strong.items() if c == least)
        previous = before.get(_competing_kind(value))
        goes_on = previous is not None and (is_source or _continues_list(low, previous, value))
        if previous is not None and goes_on and (not near or _has_weak_roles_alone(strong, value)):
            roles, stems = roles | previous.roles, stems | previous.stems
            nearest = previous.nearest or nearest
        part = (name, len(re.findall(r"[,;]|\b(?:and|y|und|et|e|en)\b", low[: value.start])))
        is_count = any(
            0 <= hit.start - value.end <= 1 and has_kind(hit.role, value.kind) for hit in hits
        )
        made = SaidValue(value, sentence, roles, nearest, stems, part, is_count)
        before[_competing_kind(value)] = made
        yield made


def _text_values(sentence: str, texts: Collection[str]) -> Iterator[Value]:
    low = folded(sentence)
    for text in texts:
        for hit in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", low):
            yield Value(ValueKind.TEXT, *hit.span(), frozenset({text}))


def _continues_list(low: str, previous: SaidValue, value: Value) -> bool:
    """Whether a value continues a list that the value before it began: "100 or 200"."""
    gap = low[previous.value.end : value.start]
    return len(gap) <= _GOES_ON and not re.search(r"[;.]", gap)


def _competes(other: Value, value: Value, *, is_source: bool) -> bool:
    """Whether two values compete for the words of a sentence that give them a role.

    In a source, a sum competes with sums only; else values of one kind compete, where numbers count
    as sums.
    """
    if is_source and value.kind is ValueKind.MONEY:
        return other.kind is value.kind
    return _competing_kind(other) == _competing_kind(value)


def _has_weak_roles_alone(roles: Collection[str], value: Value) -> bool:
    """Whether all roles that words give a day or time are weak, as those of an end: "Friday until 14:00".

    A weak role counts only where words give no other one.

    False where words give it no role.
    """
    is_time = value.kind in (ValueKind.DATE, ValueKind.TIME)
    return is_time and bool(roles) and all(is_weak(role, value.kind) for role in roles)


def _competing_kind(value: Value) -> ValueKind:
    return ValueKind.MONEY if value.kind is ValueKind.NUMBER else value.kind


def _words(low: str, found: Sequence[Value]) -> list[tuple[int, int, str]]:
    """The longer words of a sentence that are no part of a value, with their positions."""
    taken = {place for value in found for place in range(value.start, value.end)}
    kept = content_stems(low)
    return [
        (hit.start(), hit.end(), hit.group())
        for hit in re.finditer(r"[^\W\d_]{4,}", low)
        if hit.start() not in taken and hit.group()[:STEM] in kept
    ]


def _is_nearest(low: str, hit: RoleHit, value: Value, same: Sequence[Value]) -> bool:
    own = _cost(low, hit.start, hit.end, value, same)
    return all(own <= _cost(low, hit.start, hit.end, other, same) for other in same)


def _cost(low: str, start: int, end: int, value: Value, same: Sequence[Value]) -> int:
    """How weakly words belong to a value in a sentence: the higher, the farther they are apart.

    Letters, punctuation marks and other values between them count.
    """
    is_behind = start >= value.end
    first, last = (value.end, start) if is_behind else (end, value.start)
    gap = low[first:last] if first < last else ""
    marks = sum(_MARKS.get(letter, 0) for letter in gap)
    others = sum(first <= other.start < last for other in same if other is not value)
    joined = 25 * len(_AND.findall(gap))
    aside = _ASIDE_COST if _ASIDE.search(low[:start]) and _is_money(value) else 0
    return len(gap) + marks + joined + others * _OTHER + aside + (_BEHIND if is_behind else 0)


def _is_money(value: Value) -> bool:
    return value.kind in (ValueKind.MONEY, ValueKind.NUMBER, ValueKind.PERCENT)
