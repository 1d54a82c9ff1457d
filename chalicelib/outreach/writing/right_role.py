"""Whether a value has the role in the sources (deposit, balance, …) that the draft gives it; pure.

Roles are compared first, then the words around the value.  A source that has the value is compared
with its rivals: sources of the same kind with another value.  Where a rival fits the sentence
better, the draft has swapped the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from chalicelib.outreach.value_roles import is_aside, is_like, is_weak
from chalicelib.outreach.writing.checks.text import folded
from chalicelib.outreach.writing.said_values import SaidValue, stems_of
from chalicelib.outreach.writing.values import ValueKind

_TIMES = frozenset({ValueKind.DATE, ValueKind.TIME})


class Backing(StrEnum):
    """How the sources back a value of a draft: in its role, in another role, or not at all."""

    GIVEN = "given"
    MISSING = "missing"
    """No source has the value."""
    OTHER = "other"
    """A source has the value, but in another role: the draft calls a deposit a balance."""


def backing(
    drafted: SaidValue,
    roles: frozenset[str],
    asked: str,
    asked_for: frozenset[str],
    fits: Sequence[SaidValue],
    rivals: Sequence[SaidValue],
) -> Backing:
    """How the sources back a draft's value: in its role or in another; at least one of them has it.

    Args:
        drafted: the draft's value.
        roles: the roles that the draft gives it.
        asked: the message that is answered.
        asked_for: the roles that `asked` names.
        fits: the sources' values that can be the same.
        rivals: the sources' other values of its kind.
    """
    kind = drafted.value.kind
    strong = frozenset(role for role in asked_for if not is_weak(role, kind))
    is_time = kind in _TIMES
    if roles and all(is_weak(role, kind) for role in roles):
        alike = [o for o in rivals if o.value.kind is kind and not _is_condition(o)]
        if _is_not_asked_for(drafted, strong, fits, rivals) or _shares_more(drafted, alike, fits):
            return Backing.OTHER
        if any(_have_role(roles, other) for other in fits) or any(strong & o.roles for o in fits):
            return Backing.GIVEN
        if is_time and not any(_have_role(roles, other) for other in rivals):
            roles = frozenset()  # "your request for Thursday": no source dates a request
    if is_time and not any(_have_role(roles, other) for other in (*fits, *rivals)):
        roles = drafted.roles & {role for other in fits for role in other.roles} or roles
    if kind is ValueKind.CODE and not any(_have_role(roles, other) for other in (*fits, *rivals)):
        roles = frozenset()
    if not roles:
        return _by_words(drafted, strong, fits, rivals, stems_of(asked))
    return _in_role(drafted, roles, fits, rivals)


def backing_of_text(
    drafted: SaidValue, fits: Sequence[SaidValue], rivals: Sequence[SaidValue]
) -> Backing:
    """How the sources back a name, a place or a state in a draft: ``GIVEN`` or ``OTHER``.

    It is ``OTHER`` where the sentence gives it the role of another source's text, which the sentence
    does not contain.
    """
    low, roles = folded(drafted.text), drafted.nearest
    is_own = not roles or any(roles & other.roles for other in fits)
    # A name competes with names alone, a state with states: "an appointment with Dr Shah" is right
    # although the appointment's state is "booked".
    sort = _is_name(fits[0])
    absent = [
        o
        for o in rivals
        if _is_name(o) is sort and not any(str(text) in low for text in o.value.readings)
    ]
    return Backing.GIVEN if is_own or not any(roles & o.roles for o in absent) else Backing.OTHER


def _is_name(sourced: SaidValue) -> bool:
    """Whether a source's text is a name or a place, and no state: it is not all in small letters."""
    return not sourced.text.islower()


def _have_role(roles: frozenset[str], other: SaidValue) -> bool:
    """Whether a source's value has one of some roles (deposit, balance), or a role of a similar name."""
    return bool(roles & other.roles) or any(is_like(r, s) for r in roles for s in other.roles)


def _is_condition(sourced: SaidValue) -> bool:
    """Whether a source's value only limits another one, as the 50 of "orders over $50"."""
    return bool(sourced.roles) and all(is_aside(role, sourced.value.kind) for role in sourced.roles)


def _is_not_asked_for(
    drafted: SaidValue,
    asked_for: frozenset[str],
    fits: Sequence[SaidValue],
    rivals: Sequence[SaidValue],
) -> bool:
    """Whether a draft's value in a vague role ("it costs") is not the one that the recipient asked for.

    True where other values of sources have the role asked for, while the matching ones lack it and
    share no more words with the draft.
    """
    wanted = [other for other in rivals if asked_for & other.nearest]
    if not wanted or any(_have_role(asked_for, other) for other in fits):
        return False
    return not _shares_more(drafted, fits, wanted)


def _shares_more(
    drafted: SaidValue, others: Sequence[SaidValue], than: Sequence[SaidValue]
) -> bool:
    """Whether the source values `others` share more words with a draft's value than the values `than` do."""
    return _most_shared(drafted, others) > _most_shared(drafted, than)


def _most_shared(drafted: SaidValue, others: Sequence[SaidValue]) -> int:
    return max((len(drafted.stems & other.stems) for other in others), default=0)


def _in_role(
    drafted: SaidValue,
    roles: frozenset[str],
    fits: Sequence[SaidValue],
    rivals: Sequence[SaidValue],
) -> Backing:
    exact = [other for other in fits if roles & other.roles]
    rightful = [other for other in rivals if roles & other.roles]
    if not exact:
        if any(_is_same_sort(drafted.value.kind, other.value.kind) for other in rightful):
            return Backing.OTHER
        alike = [other for other in fits if _have_role(roles, other)]
        if drafted.value.kind is ValueKind.TIME and "closing" in roles:
            alike += [o for o in fits if "opening" in o.roles]
        exact = alike or _without_role(drafted, fits, rivals)
        if not exact:
            return Backing.OTHER
    best = max(_score(drafted, other) for other in exact)
    if any(_score(drafted, other) > best for other in rightful):
        return Backing.OTHER
    return Backing.GIVEN


def _without_role(
    drafted: SaidValue, fits: Sequence[SaidValue], rivals: Sequence[SaidValue]
) -> list[SaidValue]:
    """The matching values without a role that share enough words with the draft's sentence.

    Enough is as many as any other source value (`rivals`) without a role shares.
    """
    words = stems_of(drafted.text)
    most = max((len(words & other.stems) for other in rivals if not other.roles), default=0)
    return [o for o in fits if not o.roles and len(words & o.stems) >= most]


def _by_words(
    drafted: SaidValue,
    asked_for: frozenset[str],
    fits: Sequence[SaidValue],
    rivals: Sequence[SaidValue],
    asked: frozenset[str],
) -> Backing:
    own, more = drafted.stems, drafted.stems | asked
    for words in (own, more):
        best = max(len(words & other.stems) for other in fits)
        worst = max((len(words & other.stems) for other in rivals), default=0)
        if best != worst:
            return Backing.GIVEN if best > worst else Backing.OTHER
    return Backing.OTHER if _is_not_asked_for(drafted, asked_for, fits, rivals) else Backing.GIVEN


def _is_same_sort(kind: ValueKind, other: ValueKind) -> bool:
    return kind is other or {kind, other} == {ValueKind.CODE, ValueKind.NUMBER}


def _score(drafted: SaidValue, other: SaidValue) -> int:
    # A field whose description mentions "the last day" is a weaker match than one that is named a
    # deadline.
    is_called = bool(drafted.nearest & other.nearest)
    return 2 * len(drafted.roles & other.roles) + len(drafted.stems & other.stems) + is_called
