"""The settings document of support: what an operator may change without a release.

Every part may be left out; the built-in words and windows apply then.  A document names departments
by their built-in route tag, which is also what records store.  An invalid document is refused as a
whole, with the place of every mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from chalicelib.support.intents.departments import DEFAULT_ROUTE, ROUTES
from chalicelib.support.intents.words import SETS

LANGUAGES = ("en", "es")
"""Languages that replies are written in."""
MAX_PHRASES = 500
STOP_TAGS = ("no-bot", "no-automation", "do-not-automate", "human-only", "escalated")
"""Tags that stop automatic answers, unless the document lists its own."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ReplyLanguage = Annotated[str, Field(pattern=f"^({'|'.join(LANGUAGES)})$")]
DepartmentName = Annotated[str, Field(pattern=r"^route-[a-z0-9][a-z0-9-]{0,60}$")]
LanguageCode = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
CountryCode = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
VendorId = Annotated[str, Field(pattern=r"^[^\s:]{1,100}$")]


class InvalidDocumentError(Exception):
    """The document breaks its schema or a check; `problems` names each place and what is wrong."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )


# --- the shop's calendar ----------------------------------------------------------------------


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("no such time zone; e.g. America/New_York") from None
    return name


class Shop(_Part):
    """The part of the settings document that says when the shop works.

    Attributes:
        time_zone: the zone of dates and of the cut-off hour, e.g. America/New_York.
        weekend: days of the week that are no business days.
        cut_off_hour: orders from this hour on, 0 to 23, count for the next business day.
        holidays: further days that are no business days.
        countries: ISO 3166-1 codes of the countries for which a delivery window applies that names
            none.
    """

    time_zone: Annotated[str, AfterValidator(_known_zone)] = "UTC"
    weekend: frozenset[Weekday] = frozenset({"saturday", "sunday"})
    cut_off_hour: int | None = Field(default=None, ge=0, le=23)
    holidays: frozenset[date] = frozenset()
    countries: tuple[CountryCode, ...] = ()

    @model_validator(mode="after")
    def _works_at_all(self) -> Self:
        if len(self.weekend) == len(WEEKDAYS):
            raise ValueError("the shop has no business day")
        return self


class DeliveryWindow(_Part):
    """How many business days a shipping method takes, from dispatch to arrival.

    Attributes:
        methods: whole words in the shop's names of shipping methods, in any case.
        countries: destinations for which the window applies; by default the shop's own countries.
    """

    methods: tuple[Annotated[str, Field(pattern=r"^[\w -]{2,60}$")], ...] = Field(min_length=1)
    low: int = Field(ge=0, le=90)
    high: int = Field(ge=0, le=90)
    countries: tuple[CountryCode, ...] = ()

    @model_validator(mode="after")
    def _is_a_window(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is more than high")
        return self

    @property
    def pattern(self) -> str:
        """A regular expression that finds one of the window's methods in a shipping method's name."""
        return "|".join(re.escape(method.lower()) for method in self.methods)


class DeliveryTimes(_Part):
    """The part of the settings document that says how long orders take.

    Attributes:
        handling_days: business days until an order leaves the shop.
        windows: replace all built-in windows; the first that matches an order applies.
        preorder_days: days until a pre-order leaves; if None, no pre-order gets an automatic
            answer.
    """

    windows: tuple[DeliveryWindow, ...] = ()
    handling_days: int | None = Field(default=None, ge=0, le=30)
    preorder_days: int | None = Field(default=None, ge=1, le=365)


# --- departments ------------------------------------------------------------------------------


class Department(_Part):
    """How the settings say that a ticket reaches a department: by a tag, a user or a team at Richpanel.

    Attributes:
        tag: the tag that is set on the ticket, for an assignment rule; by default the department's
            own name, and none if empty.
        assignee: id of the user who gets the tickets, as `GET /v1/users` shows it.
        team: id of the team that gets the tickets, as `GET /v1/teams` shows it.
    """

    tag: Annotated[str, Field(pattern=r"^(route-[a-z0-9][a-z0-9-]{0,60})?$")] | None = None
    assignee: VendorId | None = None
    team: VendorId | None = None

    @model_validator(mode="after")
    def _is_reached(self) -> Self:
        if self.assignee and self.team:
            raise ValueError("name an assignee or a team, not both")
        if self.tag == "" and not (self.assignee or self.team):
            raise ValueError("without a tag it needs an assignee or a team")
        return self


# --- automatic answers ------------------------------------------------------------------------

StopTag = Annotated[str, Field(pattern=r"^\S(?:.{0,98}\S)?$")]


class AutomaticAnswers(_Part):
    """The part of the settings document that says which messages get no automatic answer.

    Attributes:
        stop_tags: tags by which people stop answers on a ticket; case does not count, and ``-``,
            ``_`` and space are alike.  A given list replaces the built-in one.
        queues: ids of users that are not persons, such as queues and bots: a ticket that such a
            user holds is held by no person.
        departments: departments whose messages are answered; others stay in shadow (judged, never
            sent).  Where both this and `intents` are None, all messages are answered.
        intents: intents that are answered, whatever their department.
        harm_limit: a department may be switched on if the upper bound of its harm is below this.
    """

    stop_tags: tuple[StopTag, ...] = STOP_TAGS
    queues: tuple[VendorId, ...] = ()
    departments: tuple[DepartmentName, ...] | None = None
    intents: tuple[str, ...] | None = None
    harm_limit: float = Field(default=0.05, gt=0, lt=1)


# --- phrases ----------------------------------------------------------------------------------


def _phrase(text: str) -> str:
    words = text.split()
    wrong = [word for word in words if not _PHRASE_WORD.fullmatch(word)]
    sets = [word for word in words if word.startswith("{") and word.rstrip("?")[1:-1] not in SETS]
    if not words or wrong or sets:
        raise ValueError("a phrase is lower-case words without accents; a|b, a?, *, <n> and {set}")
    if all(word == "*" or word.endswith("?") for word in words):
        raise ValueError("a phrase needs a word that must be there")
    return text


Phrases = tuple[Annotated[str, AfterValidator(_phrase)], ...]


class IntentPhrases(_Part):
    """An operator's further phrases for one intent, in the notation of `intents.words`."""

    sure: Phrases = ()
    likely: Phrases = ()
    hint: Phrases = ()


# --- the document -----------------------------------------------------------------------------


class Document(_Part):
    """The settings document of support, which an operator may change without a release.

    Attributes:
        format: version of the document's schema; a release refuses a format that it does not know.
        answers: what stops automatic answers.
        templates: texts by template id and language, in place of the built-in ones.
        closing: the end of every text by language; it holds the reply's reference.
        phrases: further phrases of messages, by intent.
        routes: the department that gets an intent's messages, by intent.
        departments: how tickets reach a department; also declares departments of the shop's own.
        languages: the department that gets a language's messages, by ISO 639-1 code.
    """

    format: Literal[1] = 1
    shop: Shop = Shop()
    delivery: DeliveryTimes = DeliveryTimes()
    answers: AutomaticAnswers = AutomaticAnswers()
    templates: Mapping[str, Mapping[ReplyLanguage, str]] = Field(default_factory=dict)
    closing: Mapping[ReplyLanguage, str] = Field(default_factory=dict)
    phrases: Mapping[str, IntentPhrases] = Field(default_factory=dict)
    routes: Mapping[str, DepartmentName] = Field(default_factory=dict)
    departments: Mapping[DepartmentName, Department] = Field(default_factory=dict)
    languages: Mapping[LanguageCode, DepartmentName] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        problems = [*_names(self), *_departments(self)]
        if problems:
            raise ValueError("\n".join(problems))
        return self


def parse_document(raw: Mapping[str, Any]) -> Document:
    """Parse and check a settings document that is given as plain data.

    Raises:
        InvalidDocumentError: the document is invalid; `problems` names every wrong place.
    """
    try:
        return Document.model_validate(dict(raw))
    except ValidationError as error:
        problems = tuple(
            line for fault in error.errors() for line in _problem(fault["loc"], fault["msg"])
        )
    raise InvalidDocumentError(problems)


def plain_data(document: Document) -> dict[str, Any]:
    """A settings document as plain data, from which `parse_document` can make the same document.

    Equal documents give equal data.
    """
    said = document.model_dump(mode="json", exclude_unset=True)
    for name in _SETS & said.get("shop", {}).keys():
        said["shop"][name] = sorted(said["shop"][name])
    return said


_SETS = frozenset({"weekend", "holidays"})
"""Fields of the shop whose values have no order."""


def _problem(location: tuple[int | str, ...], message: str) -> Iterator[str]:
    place = ".".join(str(part) for part in location)
    for line in message.removeprefix("Value error, ").splitlines():
        yield f"{place}: {line}" if place else line


# --- checks over several parts ----------------------------------------------------------------


def _names(document: Document) -> Iterator[str]:
    """The mistakes in a document's intents: each one that does not exist, and too many phrases in all."""
    answered = document.answers.intents or ()
    for part, given in (
        ("phrases", document.phrases),
        ("routes", document.routes),
        ("answers.intents", answered),
    ):
        yield from (f"{part}.{intent}: no such intent" for intent in given if intent not in ROUTES)
    many = sum(
        len(phrase.sure + phrase.likely + phrase.hint) for phrase in document.phrases.values()
    )
    if many > MAX_PHRASES:
        yield f"phrases: {many} are more than {MAX_PHRASES}"


def _departments(document: Document) -> Iterator[str]:
    """The mistakes in a document's departments: undeclared ones, and a tag, user or team that two share."""
    known = {DEFAULT_ROUTE, *ROUTES.values(), *document.departments}
    answered = document.answers.departments or ()
    for part, given in (
        ("routes", document.routes),
        ("languages", document.languages),
        ("answers.departments", dict(enumerate(answered))),
    ):
        yield from (
            f"{part}.{name}: {department} is no built-in department and not under departments"
            for name, department in given.items()
            if department not in known
        )
    for what in ("tag", "assignee", "team"):
        owners: dict[str, str] = {}
        for name in sorted(known):
            value = _reached_by(document.departments.get(name, Department()), name, what)
            if value and owners.setdefault(value, name) != name:
                yield f"departments.{name}.{what}: {owners[value]} has it too"


def _reached_by(department: Department, name: str, what: str) -> str | None:
    value: str | None = getattr(department, what)
    return name if what == "tag" and value is None else value


@cache
def built_in_document() -> Document:
    """The settings document in which nothing is set, so that all built-in values apply."""
    return Document()


_PHRASE_WORD = re.compile(r"\*|(?:[a-z]+(?:\|[a-z]+)*|<n>|\{[a-z]+\})\??")
