"""Drift: the marks of what a payload lacked or had in another form than its sender's documents say.

A sender changes its payloads without notice.  A value in a known other form is read and marked.  A
value that cannot be read is marked, and so is what replaces it::

    "created_at": 1763663400            2025-11-20T18:30:00Z  time_in_other_form
    "created_at": "0000-00-00"          none                  time_unreadable, day_guessed
    "duration": "00:01:10"              70                    duration_in_other_form
    "id": "719285063/2"                 sha256-...            id_hashed
    "id": true                          sha256-...            id_missing
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed
from chalicelib.once import keys


class Mark(StrEnum):
    """A code for what a fact's payload lacked, or had in another form than its sender is known to use."""

    DAY_GUESSED = "day_guessed"
    TIME_MISSING = "time_missing"
    TIME_UNREADABLE = "time_unreadable"
    TIME_IN_OTHER_FORM = "time_in_other_form"
    TIME_IN_OTHER_FIELD = "time_in_other_field"
    TIME_IMPLAUSIBLE = "time_implausible"
    ZONE_MISSING = "zone_missing"
    ZONE_UNKNOWN = "zone_unknown"
    DURATION_IN_OTHER_FORM = "duration_in_other_form"
    DURATION_UNREADABLE = "duration_unreadable"
    NUMBER_AS_TEXT = "number_as_text"
    NUMBER_UNREADABLE = "number_unreadable"
    BODY_AS_TEXT = "body_as_text"
    NAME_UNSEEN = "name_unseen"
    TYPE_MISSING = "type_missing"
    TYPE_UNSEEN = "type_unseen"
    OUTCOME_UNSEEN = "outcome_unseen"
    AGENT_UNREADABLE = "agent_unreadable"
    ID_MISSING = "id_missing"
    ID_HASHED = "id_hashed"

    @property
    def words(self) -> str:
        """What the mark says about a fact, in words for people, e.g. "it has no time"."""
        return _WORDS[self]


_WORDS: Mapping[Mark, str] = {
    Mark.DAY_GUESSED: "the day is that of its receipt",
    Mark.TIME_MISSING: "it has no time",
    Mark.TIME_UNREADABLE: "its time cannot be read",
    Mark.TIME_IN_OTHER_FORM: "its time was read from another form",
    Mark.TIME_IN_OTHER_FIELD: "its time was read from another field",
    Mark.TIME_IMPLAUSIBLE: "its time is after its receipt, or more than a year before",
    Mark.ZONE_MISSING: "it has no time zone: the day is that of UTC",
    Mark.ZONE_UNKNOWN: "its time zone is unknown: the day is that of UTC",
    Mark.DURATION_IN_OTHER_FORM: "its duration was read from another form",
    Mark.DURATION_UNREADABLE: "its duration cannot be read",
    Mark.NUMBER_AS_TEXT: "a number was a text",
    Mark.NUMBER_UNREADABLE: "a number cannot be read",
    Mark.BODY_AS_TEXT: "its body was a text",
    Mark.NAME_UNSEEN: "its event has a name that was never seen",
    Mark.TYPE_MISSING: "it has no type: it counts by its event's name",
    Mark.TYPE_UNSEEN: "its type was never seen",
    Mark.OUTCOME_UNSEEN: "its disposition was never seen",
    Mark.AGENT_UNREADABLE: "its agent cannot be read",
    Mark.ID_MISSING: "it has no usable id: its key is the hash of its content",
    Mark.ID_HASHED: "its id has an odd form: its key is the id's hash",
}

KNOWN_FORMS = frozenset({Mark.ZONE_MISSING, Mark.NUMBER_AS_TEXT})
"""Marks of what Aloware is known to send: shown, but no cause for an alarm."""

_LACKS = frozenset(
    {
        Mark.TIME_MISSING,
        Mark.DAY_GUESSED,
        Mark.ZONE_MISSING,
        Mark.TYPE_MISSING,
        Mark.ID_MISSING,
    }
)

ENOUGH_TO_RING = 5
"""Fewer facts of a day in another form say nothing about their source."""

SECONDS_OF_A_DAY = 86_400
_OLDEST = timedelta(days=400)
_NEWEST = timedelta(days=1)

_PLAIN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_NO_ID = frozenset({"", "-1", "0"})
_EXACT = 2**53
"""An id that was written as a float has lost digits from this value on."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.+Z-]{5,26}")
_DIGITS = re.compile(r"[0-9]{1,17}(\.[0-9]{1,9})?")
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.0{1,6})?")
_CLOCK = re.compile(r"(?:([0-9]{1,2}):)?([0-9]{1,2}):([0-9]{2})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCHS = ((1e8, 1e11, 1), (1e11, 253_402_300_800_000, 1_000), (1e15, 1e17, 1_000_000))
"""Lowest value, upper bound and units per second: seconds, milliseconds, microseconds since 1973."""


@dataclass(slots=True)
class Drift:
    """Counts of one source's facts of the last day, and of those whose payloads had an unknown form.

    Attributes:
        facts: number of the source's facts of that day.
        drifted: number of facts with a mark that Aloware is not known to cause (`KNOWN_FORMS`).
        marks: for each mark, the number of facts that have it.
    """

    facts: int = 0
    drifted: int = 0
    marks: dict[Mark, int] = field(default_factory=dict)

    def add(self, marks: Collection[Mark]) -> None:
        """Count one more fact, given by the marks that were noted for its payload."""
        self.facts += 1
        self.drifted += not KNOWN_FORMS.issuperset(marks)
        for mark in marks:
            self.marks[mark] = self.marks.get(mark, 0) + 1

    @property
    def percent(self) -> int:
        """The percentage of facts that drifted; 0 while fewer than `ENOUGH_TO_RING` facts have drifted."""
        return 100 * self.drifted // self.facts if self.drifted >= ENOUGH_TO_RING else 0


class TimeForm(StrEnum):
    """The form in which a sender writes a time: text, milliseconds, milliseconds in a text, or another."""

    TEXT = "text"
    MILLISECONDS = "milliseconds"
    DIGITS = "digits"
    """Milliseconds in a text."""
    OTHER = "other"


class Reading:
    """Reads the values of one payload, and collects a mark for each that is missing or in another form."""

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._marks = set(marks)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks collected so far, each once, in the order of `Mark`."""
        return tuple(mark for mark in Mark if mark in self._marks)

    def note(self, *marks: Mark) -> None:
        """Add these marks to those that were collected from the payload so far."""
        self._marks.update(marks)

    def moment(
        self,
        values: Iterable[object],
        *,
        known: Collection[TimeForm],
        elsewhere: Iterable[object] = (),
    ) -> datetime | None:
        """The time of the payload's event, in UTC: the first value that can be read; None where none can.

        A `Mark` is noted for a time that is missing, unreadable, or in another form or field.

        Args:
            values: the values of the fields that hold the time by the sender's documents.
            known: the forms that those documents name.
            elsewhere: the values of other fields that may hold the time; read only if no value of
                `values` can be read.
        """
        given = [given_value for given_value in values if _given(given_value) is not None]
        for value in given:
            found, form = _time(value)
            if found is not None:
                self._note_form(form, known)
                return found
        self.note(Mark.TIME_UNREADABLE if given else Mark.TIME_MISSING)
        for value in elsewhere:
            found, form = _time(value)
            if found is not None:
                self.note(Mark.TIME_IN_OTHER_FIELD)
                self._note_form(form, known)
                return found
        return None

    def _note_form(self, form: TimeForm, known: Collection[TimeForm]) -> None:
        if form not in known:
            self.note(Mark.TIME_IN_OTHER_FORM)

    def time_of(self, moment: datetime | None, received: datetime) -> datetime:
        """The time whose date becomes the fact's day: the event's time, or where it is None the receipt's.

        A `Mark` is noted for a missing time and for an implausible one, which is used all the same.
        """
        if moment is None:
            self.note(Mark.DAY_GUESSED)
            return received
        if not received - _OLDEST <= moment <= received + _NEWEST:
            self.note(Mark.TIME_IMPLAUSIBLE)
        return moment

    def number(self, value: object) -> int | None:
        """The value as a whole number of up to nine digits; None for an absent value or any other.

        A `Mark` is noted for a value that is no such number, and for a number written as a text.
        """
        if _given(value) is None:
            return None
        text = _text(value)
        if text is None or not _NUMBER.fullmatch(text):
            self.note(Mark.NUMBER_UNREADABLE)
            return None
        if isinstance(value, str):
            self.note(Mark.NUMBER_AS_TEXT)
        return int(text.partition(".")[0])

    def seconds(self, value: object, *, units: int = 1) -> int | None:
        """The value as a duration of up to a day, in whole seconds; None for an absent value or any other.

        A `Mark` is noted for an unreadable value, or one in another form.

        Args:
            value: a number, a number as text, or ``HH:MM:SS``.
            units: how many units of the number make a second.
        """
        if _given(value) is None:
            return None
        text = _text(value) or ""
        clock = _CLOCK.fullmatch(text)
        form: Mark | None
        if clock:
            hours, minutes, rest = (int(part or 0) for part in clock.groups())
            found, form = 3_600 * hours + 60 * minutes + rest, Mark.DURATION_IN_OTHER_FORM
        else:
            found = int(float(text) / units) if _DIGITS.fullmatch(text) else -1
            form = Mark.NUMBER_AS_TEXT if isinstance(value, str) else None
        if not 0 <= found <= SECONDS_OF_A_DAY:
            self.note(Mark.DURATION_UNREADABLE)
            return None
        if form:
            self.note(form)
        return found

    def agent(self, value: object) -> str | None:
        """The value as an agent's id; None where it is absent or names no agent.

        A value of an odd form also gives None, and a `Mark` is noted for it.
        """
        text = _text(value)
        if _given(value) is None or text in _NO_ID:
            return None
        if text is not None and _PLAIN_ID.fullmatch(text):
            return text
        self.note(Mark.AGENT_UNREADABLE)
        return None

    def event_id(self, values: Iterable[object], content: object) -> str:
        """The event's id as it goes into the fact's key: the first usable value, hashed if of an odd form.

        If no value is usable, it is the hash of `content`.

        Args:
            values: the values of the fields that may hold the id.  Absent, empty, 0, -1, a truth
                value, and a number that has lost digits are not usable.
            content: what is hashed where there is no id; the same in every redelivery.
        """
        for value in values:
            text = _text(value)
            if value in (None, [], {}) or isinstance(value, bool) or text in _NO_ID:
                continue
            if _has_lost_digits(value):
                continue
            return self.key_part(value, _PLAIN_ID)
        self.note(Mark.ID_MISSING)
        return hashed(content)

    def key_part(self, value: object, plain: re.Pattern[str]) -> str:
        """The value as a part of a fact's key: itself if it matches the pattern `plain`, else its hash.

        A `Mark` is noted where the hash is used.
        """
        text = _text(value)
        if text is not None and plain.fullmatch(text):
            return text
        self.note(Mark.ID_HASHED)
        return hashed(value if text is None else text)


def hashed(value: object) -> str:
    """The value's hash for use in a fact's key: ``sha256-`` and 64 hex digits, longer than any plain id."""
    return f"sha256-{keys.digest(json.dumps(value, sort_keys=True, separators=(',', ':')))}"


def marks_of(names: Iterable[str]) -> tuple[Mark, ...]:
    """The marks with these names, as a stored row holds them.

    Names that only a newer release knows are left out.
    """
    known = {mark.value: mark for mark in Mark}
    return tuple(known[name] for name in names if name in known)


def without_lacks(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """The marks without those that say that a time, zone, type or id is missing.

    It is used for a delivery about a part of a call, or about no call, which usually lacks these.
    """
    return tuple(mark for mark in marks if mark not in _LACKS)


def _given(value: object) -> object | None:
    """The value, or None if it is a text that is empty or blank."""
    return None if isinstance(value, str) and not value.strip() else value


def _text(value: object) -> str | None:
    """A text or a number as text, None for anything else.

    A whole number gives the same text whether it came as 5 or 5.0.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return str(value).strip()


def _has_lost_digits(value: object) -> bool:
    return isinstance(value, float) and (not math.isfinite(value) or abs(value) >= _EXACT)


def _time(value: object) -> tuple[datetime | None, TimeForm]:
    """The time in UTC that a value holds, and the form in which it was written; None for no time."""
    text = _text(value) or ""
    if isinstance(value, str) and _TIME.fullmatch(text):
        return parsed(text), TimeForm.TEXT
    if not _DIGITS.fullmatch(text):
        return None, TimeForm.OTHER
    number = float(text)
    for low, high, units in _EPOCHS:
        if low <= number < high:
            since = timedelta(microseconds=round(number * 1_000_000 / units))
            is_plain = units == 1_000 and number.is_integer()  # noqa: PLR2004 - milliseconds
            if not is_plain:
                return _EPOCH + since, TimeForm.OTHER
            is_text = isinstance(value, str)
            return _EPOCH + since, TimeForm.DIGITS if is_text else TimeForm.MILLISECONDS
    return None, TimeForm.OTHER


def values_of_fields(payload: Mapping[str, Any], names: Collection[str]) -> list[object]:
    """The payload's values under these field names, in the names' order; a field it lacks is left out.

    In the payload's field names, case, ``_`` and ``-`` do not count.
    """
    plain = {re.sub("[_-]", "", name).lower(): value for name, value in payload.items()}
    return [plain[name] for name in names if name in plain]
