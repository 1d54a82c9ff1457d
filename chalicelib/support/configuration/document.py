"""The settings document of support: what an operator may change without a release.

Every part may be left out; the built-in words and windows apply then.  A document names departments
by their built-in route tag, which is also what records store.  An invalid document is refused as a
whole, with the place of every mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from chalicelib.support.intents.departments import DEFAULT_ROUTE, ROUTES

LANGUAGES = ("en", "es")
"""Languages that replies are written in."""

ReplyLanguage = Annotated[str, Field(pattern=f"^({'|'.join(LANGUAGES)})$")]
DepartmentName = Annotated[str, Field(pattern=r"^route-[a-z0-9][a-z0-9-]{0,60}$")]
LanguageCode = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
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


# --- departments ------------------------------------------------------------------------------


class Department(_Part):
    """How a ticket reaches a department: by a tag, an assignee or a team of Richpanel's.

    Attributes:
        tag: set on the ticket, for an assignment rule; empty for none; the department's own name
            where it is left out.
        assignee: id of a user, as `GET /v1/users` shows it.
        team: id of a team, as `GET /v1/teams` shows it.
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


# --- the document -----------------------------------------------------------------------------


class Document(_Part):
    """One settings document.

    Attributes:
        format: of the document itself; a release refuses a format that it does not know.
        templates: texts by template id and language, in place of the built-in ones.
        closing: the end of every text by language; it holds the reply's reference.
        routes: the department of an intent.
        departments: how tickets reach a department; also declares departments of the shop's own.
        languages: the department of messages in a language, by ISO 639-1 code.
    """

    format: Literal[1] = 1
    templates: Mapping[str, Mapping[ReplyLanguage, str]] = Field(default_factory=dict)
    closing: Mapping[ReplyLanguage, str] = Field(default_factory=dict)
    routes: Mapping[str, DepartmentName] = Field(default_factory=dict)
    departments: Mapping[DepartmentName, Department] = Field(default_factory=dict)
    languages: Mapping[LanguageCode, DepartmentName] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        problems = [*_names(self), *_departments(self)]
        if problems:
            raise ValueError("\n".join(problems))
        return self


def parsed(raw: Mapping[str, Any]) -> Document:
    """The document in plain data.

    Raises:
        InvalidDocumentError: names every place that is wrong.
    """
    try:
        return Document.model_validate(dict(raw))
    except ValidationError as error:
        problems = tuple(
            line for one in error.errors() for line in _problem(one["loc"], one["msg"])
        )
    raise InvalidDocumentError(problems)


def plain(document: Document) -> dict[str, Any]:
    """What a document says, as plain data that `parsed` takes; equal documents give equal data."""
    return document.model_dump(mode="json", exclude_unset=True)


def _problem(location: tuple[int | str, ...], message: str) -> Iterator[str]:
    place = ".".join(str(part) for part in location)
    for line in message.removeprefix("Value error, ").splitlines():
        yield f"{place}: {line}" if place else line


# --- checks over several parts ----------------------------------------------------------------


def _names(document: Document) -> Iterator[str]:
    """Intents that do not exist."""
    yield from (f"routes.{one}: no such intent" for one in document.routes if one not in ROUTES)


def _departments(document: Document) -> Iterator[str]:
    """Departments that are used and not declared, and two that one tag or person would mean."""
    known = {DEFAULT_ROUTE, *ROUTES.values(), *document.departments}
    for part, given in (("routes", document.routes), ("languages", document.languages)):
        yield from (
            f"{part}.{name}: {one} is no built-in department and not under departments"
            for name, one in given.items()
            if one not in known
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
def built_in() -> Document:
    """The document without any change."""
    return Document()
