"""What a draft may rest on: labelled sources, each with its path, its author and its values.

The words of the company and of a colleague support a draft.  So does a tool's result, in the fields
of its declared schema that do not echo the call's arguments.  The words of a form, the recipient or
a machine support nothing: a draft may only repeat them as theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

from chalicelib.outreach.project.ai_config import DataField, WriterSettings
from chalicelib.outreach.trust import Trust
from chalicelib.outreach.value_roles import has_kind
from chalicelib.outreach.writing.checks.text import NUMBER, folded
from chalicelib.outreach.writing.checks.text import value as value_of
from chalicelib.outreach.writing.checks.written_language import possible_languages
from chalicelib.outreach.writing.field_meaning import FieldMeaning, meaning_of
from chalicelib.outreach.writing.moments import LocalClock
from chalicelib.outreach.writing.said_values import SaidValue, said_in, stems_of
from chalicelib.outreach.writing.values import Value, ValueKind

SUPPORTING = frozenset({Trust.COMPANY, Trust.COLLEAGUE, Trust.TOOL})
HINT = "hint"
"""The path of the source that holds a colleague's statement about the case."""
_FREE_NAMES = frozenset(
    {
        *(
            "note",
            "notes",
            "notiz",
            "notizen",
            "message",
            "mensaje",
            "nachricht",
            "comment",
            "comments",
        ),
        *(
            "comentario",
            "kommentar",
            "request",
            "wish",
            "remark",
            "remarks",
            "question",
            "description",
        ),
        *("bemerkung", "text", "feedback", "anliegen"),
    }
)
"""Words in the names of fields that mostly hold free text from a form."""
_FREE_WORDS = 16
"""A text of more words is free text, unless the project declares its field."""
_LEAST = 3
_NO_FIELD = FieldMeaning()
_NUMBER = re.compile(NUMBER)
_ZONED = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)")


@dataclass(frozen=True)
class Source:
    """One text or field that was given or said about a conversation, with its author.

    Attributes:
        path: `project_data.deposit`, `knowledge.<id>`, `tool.<name>.<field>`,
            `conversation.<number>`.
        text: as it was given.
        author: who stated it.
        is_field: it is one value under a name, not a sentence.
        meaning: the meaning of the field.
        is_number: it was given as a JSON number.
        zones: the company's and the recipient's time zones, for a field with a time.
    """

    path: str
    text: str = field(repr=False)
    author: Trust
    is_field: bool = False
    meaning: FieldMeaning = _NO_FIELD
    is_number: bool = False
    zones: Sequence[Any] = ()

    @property
    def line(self) -> str:
        """The source's text; a field's with the field's name before it."""
        name = self.path.rpartition(".")[2].replace("_", " ")
        return f"{name}: {self.text}" if self.is_field else self.text

    @property
    def stated(self) -> str:
        """The source's line, followed by the description that the project declares for its field."""
        about = self.meaning.about
        return f"{self.line}\n{about}: {self.text}" if about else self.line

    @property
    def supports(self) -> bool:
        """Whether a draft may rest on this source: the company, a colleague or a tool is its author."""
        return self.author in SUPPORTING

    @cached_property
    def values(self) -> tuple[SaidValue, ...]:
        """The values (sums, dates, numbers …) in the source's text, each with its roles, such as deposit."""
        if self.is_field and (bare := tuple(self._bare_number())):
            return bare
        languages = frozenset[str]() if self.is_field else possible_languages(self.text)
        texts = [folded(self.text)] if self.is_text else []
        text = self._in_zones()
        found = said_in(text, languages, is_source=True, name=self.path, texts=texts)
        return (
            tuple(self._with_meaning(value) for value in found) if self.is_field else tuple(found)
        )

    def _bare_number(self) -> Iterator[SaidValue]:
        """The value of a field that is nothing but a number: a sum, a span of time, or a fraction.

        Yields nothing for a whole number without a currency or unit.
        """
        text = self.text.strip()
        if not _NUMBER.fullmatch(text):
            return
        amount = float(text) if self.is_number else value_of(text)
        if self.meaning.currency:
            yield self._value_of_kind(ValueKind.MONEY, (amount, self.meaning.currency))
        elif self.meaning.unit:
            yield self._value_of_kind(ValueKind.SPAN, (amount, self.meaning.unit))
            yield self._value_of_kind(ValueKind.NUMBER, amount)
        elif self.is_number and not amount.is_integer():
            yield self._value_of_kind(ValueKind.NUMBER, amount)

    def _value_of_kind(self, kind: ValueKind, reading: object) -> SaidValue:
        value = Value(kind, 0, len(self.text), frozenset({reading}))
        bare = SaidValue(value, self.text, frozenset(), frozenset(), frozenset(), (self.path, 0))
        return self._with_meaning(bare)

    @property
    def is_text(self) -> bool:
        """Whether the source is a field with a short text of words: a name, a place or a state.

        With a digit it needs two words or more, as "49 EUR" is a sum.
        """
        words = self.text.split()
        is_short = len(self.text) >= _LEAST and len(words) <= _FREE_WORDS
        letters = [word for word in words if word.isalpha() and len(word) >= _LEAST]
        has_digits = any(character.isdigit() for character in self.text)
        return self.is_field and is_short and len(letters) > has_digits  # "49 EUR" is a sum

    @property
    def words(self) -> frozenset[str]:
        """The stems of the words in the source's text and in its field's name."""
        return self.meaning.stems | stems_of(self.text)

    def _in_zones(self) -> str:
        """The source's text; a time with a zone is given in the company's and the recipient's zones instead."""
        if not _ZONED.fullmatch(self.text.strip()):
            return self.text
        at = datetime.fromisoformat(self.text.strip().upper())
        local = dict.fromkeys(f"{at.astimezone(zone):%Y-%m-%dT%H:%M}" for zone in self.zones)
        return "\n".join(local) or self.text

    def _with_meaning(self, found: SaidValue) -> SaidValue:
        meaning, kind = self.meaning, found.value.kind
        roles = frozenset(role for role in meaning.roles if has_kind(role, kind))
        nearest = meaning.nearest & roles or roles
        is_text = kind is ValueKind.TEXT  # a status "delivered" has no role "delivery"
        return replace(
            found,
            roles=roles if is_text else roles | found.roles,
            nearest=nearest if is_text else nearest or found.nearest,
            stems=found.stems | meaning.stems,
        )


@dataclass(frozen=True)
class Sources:
    """All sources of one conversation, and the clock by which their days are compared."""

    all: tuple[Source, ...] = field(repr=False)
    clock: LocalClock

    @cached_property
    def given(self) -> tuple[Source, ...]:
        """The sources that support a draft: the company's, a colleague's and a tool's."""
        return tuple(source for source in self.all if source.supports)

    @cached_property
    def values(self) -> tuple[tuple[Source, SaidValue], ...]:
        """The values (sums, dates, numbers …) in the sources that support a draft, each with its source."""
        return tuple((source, value) for source in self.given for value in source.values)

    @cached_property
    def recipients_values(self) -> tuple[SaidValue, ...]:
        """The values (sums, dates, numbers …) that the recipient named, or that somebody entered in a form."""
        authors = (Trust.RECIPIENT, Trust.FORM)
        return tuple(
            value for source in self.all if source.author in authors for value in source.values
        )

    def at(self, path: str) -> Source | None:
        """The source with a path such as `project_data.deposit`; None where there is none.

        Where no source has the path `HINT`, that path means the newest one by a colleague.
        """
        found = next((source for source in self.all if source.path == path), None)
        if found is None and path == HINT:
            hints = (source for source in self.all[::-1] if source.author is Trust.COLLEAGUE)
            found = next(hints, None)
        return found

    @cached_property
    def text(self) -> str:
        """The sources that support a draft, as lines; each field with its name."""
        return "\n".join(source.line for source in self.given)


def of_fields(
    path: str, data: object, author: Trust, declared: Mapping[str, DataField], clock: LocalClock
) -> Iterator[Source]:
    """The fields of a JSON value as sources, each under its path.

    Args:
        path: the value's own path.
        data: the value.
        author: of all fields but those that somebody outside the company may have typed, which
            have the author ``form``.
        declared: the project's declarations, by a field's path below the value.
        clock: gives the zones in which times are read.
    """
    currency = _currency(data)
    leaves = list(_leaves(data))
    beside = {".".join(below): str(value) for below, value in leaves}
    for below, value in leaves:
        name = ".".join(below)
        schema = declared.get(name) or declared.get(name_of(below))
        text = str(value).lower() if isinstance(value, bool) else str(value)
        own = Trust.FORM if is_free_text(below, text, schema) else author
        yield Source(
            f"{path}.{name}" if name else path,
            text,
            own,
            is_field=True,
            meaning=meaning_of(below, schema, beside, currency),
            is_number=isinstance(value, int | float | Decimal) and not isinstance(value, bool),
            zones=(clock.place, clock.recipient),
        )


def name_of(below: Sequence[str]) -> str:
    """A field's path without the numbers of list items: `orders.total` for `orders.0.total`."""
    return ".".join(part for part in below if not part.isdigit())


def is_free_text(below: Sequence[str], text: str, schema: DataField | None) -> bool:
    """Whether somebody outside the company may have typed a field's text.

    The project's declaration of the field decides; without one, the field's name and its length do.
    """
    if schema is not None:
        return schema.author == "form"
    parts = {part for name in below for part in re.split(r"[_\W]+", folded(name))}
    return bool(parts & _FREE_NAMES) or len(text.split()) > _FREE_WORDS


def _currency(data: object) -> str:
    """The currency in a field named ``currency``; it applies to the bare numbers beside it."""
    if not isinstance(data, Mapping):
        return ""
    found = next(
        (str(value) for name, value in data.items() if folded(str(name)) == "currency"), ""
    )
    return found.upper() if re.fullmatch(r"[A-Za-z]{3}", found) else ""


def _leaves(value: object, below: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, (*below, str(name)))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*below, str(number)))
    elif value is not None and value != "":
        yield below, value


def of_knowledge(settings: WriterSettings) -> Iterator[Source]:
    """The entries of the company's knowledge as sources."""
    for entry in settings.knowledge:
        text = entry.text or f"{entry.question}\n{entry.answer}"
        yield Source(f"knowledge.{entry.id}", text, Trust.COMPANY)
