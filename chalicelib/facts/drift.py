"""Drift: what a payload lacked or had in another form than its sender's documents, as marks.

A sender changes its payloads without notice.  A value in a known other form is read right and marked;
one that cannot be read is marked, and what had to be put in its place is never silent::

    "created_at": 1763663400            2025-11-20T18:30:00Z  time_in_other_form
    "created_at": "0000-00-00"          none                  time_unreadable, day_guessed
    "duration": "00:01:10"              70                    duration_in_other_form
    "id": "719285063/2"                 sha256-...            id_hashed
    "id": true                          refused with 400, naming the field
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.clock import parsed
from chalicelib.errors import PayloadError
from chalicelib.once import keys


class Mark(StrEnum):
    """What a fact's payload lacked or had in another form."""

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
    NAME_UNSEEN = "name_unseen"
    TYPE_MISSING = "type_missing"
    TYPE_UNSEEN = "type_unseen"
    OUTCOME_UNSEEN = "outcome_unseen"
    AGENT_UNREADABLE = "agent_unreadable"
    ID_MISSING = "id_missing"
    ID_HASHED = "id_hashed"

    @property
    def words(self) -> str:
        """For people."""
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
    Mark.NAME_UNSEEN: "its event has a name that was never seen",
    Mark.TYPE_MISSING: "it has no type: it counts by its event's name",
    Mark.TYPE_UNSEEN: "its type was never seen",
    Mark.OUTCOME_UNSEEN: "its disposition was never seen",
    Mark.AGENT_UNREADABLE: "its agent cannot be read",
    Mark.ID_MISSING: "it has no id: its key is the hash of its content",
    Mark.ID_HASHED: "its id has an odd form: its key is the id's hash",
}

KNOWN_FORMS = frozenset({Mark.ZONE_MISSING, Mark.NUMBER_AS_TEXT})
"""What Aloware is known to send: shown, and no reason to ring."""

_LACKS = frozenset(
    {
        Mark.TIME_MISSING,
        Mark.DAY_GUESSED,
        Mark.ZONE_MISSING,
        Mark.TYPE_MISSING,
        Mark.ID_MISSING,
    }
)

SECONDS_OF_A_DAY = 86_400
_OLDEST = timedelta(days=400)
_NEWEST = timedelta(days=1)

_PLAIN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_NO_ID = frozenset({"", "-1", "0"})
_EXACT = 2**53
"""From here a number with a fraction or an exponent has lost digits of the id that it was."""
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ][0-9:.+Z-]{5,26}")
_DIGITS = re.compile(r"\d{1,17}(\.\d{1,9})?")
_NUMBER = re.compile(r"-?\d{1,9}(\.0{1,6})?")
_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,2}):(\d{2})")
_EPOCHS = ((1e8, 1e11, 1), (1e11, 253_402_300_800_000, 1_000), (1e15, 1e17, 1_000_000))
"""From, below, and units in a second: seconds, milliseconds and microseconds since 1973."""


class Reading:
    """Reads the values of one payload; what was in another form is in `marks`."""

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._marks = set(marks)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Each once, in a fixed order."""
        return tuple(one for one in Mark if one in self._marks)

    def note(self, *marks: Mark) -> None:
        """Add marks."""
        self._marks.update(marks)

    def moment(
        self, payload: Mapping[str, Any], *names: str, elsewhere: Collection[str] = ()
    ) -> datetime | None:
        """The time of the event, by the first field that has one.

        Args:
            payload: the object that holds the fields.
            names: where the sender's documents have it.
            elsewhere: names of fields that carry it where those are empty; compared without regard
                to case, ``_`` and ``-``.
        """
        value = next((found for name in names if (found := _given(payload.get(name)))), None)
        if value is None:
            value = _elsewhere(payload, elsewhere)
            self.note(Mark.TIME_MISSING if value is None else Mark.TIME_IN_OTHER_FIELD)
        if value is None:
            return None
        return self._moment(value)

    def epoch_milliseconds(self, value: object) -> int | None:
        """The time of an event whose sender documents epoch milliseconds."""
        if isinstance(value, int) and not isinstance(value, bool) and _unit_of(value) == 1_000:  # noqa: PLR2004
            return value
        if _given(value) is None:
            self.note(Mark.TIME_MISSING)
            return None
        moment = self._moment(value)
        return None if moment is None else round(moment.timestamp() * 1_000)

    def _moment(self, value: object) -> datetime | None:
        if isinstance(value, str) and _TIME.fullmatch(value.strip()):
            moment = parsed(value.strip())
        else:
            moment = _of_epoch(value)
            if moment is not None:
                self.note(Mark.TIME_IN_OTHER_FORM)
        if moment is None:
            self.note(Mark.TIME_UNREADABLE)
        return moment

    def plausible(self, moment: datetime, received: datetime) -> None:
        """Mark a time that is a day after its receipt, or more than a year before it."""
        if not received - _OLDEST <= moment <= received + _NEWEST:
            self.note(Mark.TIME_IMPLAUSIBLE)

    def number(self, value: object) -> int | None:
        """A whole number of up to nine digits."""
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
        """A duration of up to a day, in whole seconds.

        Args:
            value: a number, its text, or ``HH:MM:SS``.
            units: of the number in a second.
        """
        if _given(value) is None:
            return None
        text = _text(value) or ""
        clock = _CLOCK.fullmatch(text)
        if clock:
            found = sum(
                int(part or 0) * size
                for part, size in zip(clock.groups(), (3_600, 60, 1), strict=True)
            )
            self.note(Mark.DURATION_IN_OTHER_FORM)
        elif _DIGITS.fullmatch(text):
            found = int(float(text) / units)
            if isinstance(value, str):
                self.note(Mark.NUMBER_AS_TEXT)
        else:
            found = -1
        if 0 <= found <= SECONDS_OF_A_DAY:
            return found
        self.note(Mark.DURATION_UNREADABLE)
        return None

    def agent(self, value: object) -> str | None:
        """An agent's id; None for none."""
        text = _text(value)
        if _given(value) is None or text in _NO_ID:
            return None
        if text is not None and _PLAIN_ID.fullmatch(text):
            return text
        self.note(Mark.AGENT_UNREADABLE)
        return None

    def event_id(self, value: object, field: str) -> str | None:
        """An event's id as a part of its key: itself, or its hash where it has an odd form.

        Returns:
            None where there is none: absent, empty, 0, or -1.

        Raises:
            PayloadError: ``invalid_field``: a value that tells no two events apart.
        """
        if value is None:
            return None
        if isinstance(value, bool) or value in ([], {}) or _has_lost_digits(value):
            raise PayloadError("invalid_field", f"field {field} is no id")
        text = _text(value)
        if text in _NO_ID:
            return None
        if text is not None and _PLAIN_ID.fullmatch(text):
            return text
        self.note(Mark.ID_HASHED)
        return hashed(text if text is not None else value)


def hashed(value: object) -> str:
    """The part of a key that stands for a value: ``sha256-`` and 64 hex digits; no plain id is so long."""
    return f"sha256-{keys.digest(json.dumps(value, sort_keys=True, separators=(',', ':')))}"


def of_part(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """The marks of a delivery that reports a part of an event, and so lacks fields as a rule."""
    return tuple(one for one in marks if one not in _LACKS)


def is_drift(marks: Iterable[Mark]) -> bool:
    """Whether a payload differed from what its sender is known to send."""
    return not KNOWN_FORMS.issuperset(marks)


def _given(value: object) -> object | None:
    """None for an empty text also."""
    return None if isinstance(value, str) and not value.strip() else value


def _text(value: object) -> str | None:
    """A text or number as text; a whole number's is the same however it was written."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return str(value).strip()


def _has_lost_digits(value: object) -> bool:
    return isinstance(value, float) and (not math.isfinite(value) or abs(value) >= _EXACT)


def _unit_of(number: float) -> int | None:
    return next((unit for low, high, unit in _EPOCHS if low <= number < high), None)


def _of_epoch(value: object) -> datetime | None:
    """The time in epoch seconds, milliseconds or microseconds, or in a text of those."""
    text = _text(value)
    if text is None or not _DIGITS.fullmatch(text):
        return None
    unit = _unit_of(float(text))
    return None if unit is None else datetime.fromtimestamp(float(text) / unit, UTC)


def _elsewhere(payload: Mapping[str, Any], names: Collection[str]) -> object | None:
    plain = {re.sub("[_-]", "", name).lower(): value for name, value in payload.items()}
    found = (plain.get(name) for name in names)
    return next((one for one in found if _given(one) is not None), None)
