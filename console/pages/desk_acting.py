"""One act of this request's person on one conversation; used by its page and for many at once.

An act that hands over names a colleague of the company.  If the colleague is away, the person is
asked once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import render_template, request

from chalicelib.errors import ConflictError, PayloadError
from chalicelib.outreach.desk.acts import APPROVE, REPLY, TRANSFER
from chalicelib.outreach.desk.asked import parsed_act
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons
from console import backend, forms
from console.pages import desk_story
from console.rights import person
from console.team import UNKNOWN, Colleague, team_of

CONFIRMED = "though_away"
"""Field of a form that hands over although the colleague is away."""


class NotAColleagueError(PayloadError):
    """The person who should get a conversation is not in the company's team."""

    status = 422

    def __init__(self) -> None:
        super().__init__("INVALID_TO", UNKNOWN)


def asked_of(
    opaque_id: str, company: str, act: str, version: str, *, key: str, fields: Mapping[str, str]
) -> AskedAct:
    """The act that a form asks for.

    Args:
        opaque_id: the conversation.
        company: its company.
        act: a name in `acts.ACTS`.
        version: of the conversation that the form's page showed.
        key: the form's id, unique for the conversation.
        fields: the act's own.

    Raises:
        PayloadError: names the field, never its value.
    """
    who = person()
    asked = parsed_act(
        {"act": act, "version": version, **fields},
        conversation_id=opaque_id,
        key=key,
        actor=persons.normal_name(who.name),
        who=who.who,
        company_id=company,
        role=role_at(company),
    )
    if act != TRANSFER:
        return asked
    return replace(
        asked, fields={**asked.fields, "to": colleague_of(company, asked.value_of("to")).person}
    )


def colleague_of(company: str, to: str) -> Colleague:
    """The colleague who gets a conversation that is handed over.

    Raises:
        NotAColleagueError: the company's team does not know them.
    """
    found = team_of(company).named(persons.normal_name(to))
    if found is None:
        raise NotAColleagueError
    return found


def though_away(companies: Iterable[str], to: str) -> str:
    """The page that asks whether to hand over to an absent colleague; empty where no question is needed."""
    if not to or request.form.get(CONFIRMED):
        return ""
    found = [team_of(company).named(persons.normal_name(to)) for company in companies]
    away = next((colleague for colleague in found if colleague and colleague.away_until), None)
    if away is None:
        return ""
    kept = [item for item in request.form.items(multi=True) if item[0] != forms.TOKEN_FIELD]
    return render_template("though_away.html", to=away, kept=kept, confirmed=CONFIRMED)


def role_at(company: str) -> DeskRole:
    """The role of this request's person at a company."""
    return DeskRole.LEAD if person().leads(company) else DeskRole.AGENT


@dataclass(frozen=True, slots=True)
class NotDone:
    """Why an act was not done.

    Attributes:
        said: in a sentence, for the person who asked.
        is_repeated: this very act had been done before, so nothing is left to do.
    """

    said: str
    is_repeated: bool = False


def why_not(asked: AskedAct, error: ConflictError) -> NotDone:
    """Why an act was not done, and who acted meanwhile."""
    if error.code == "IDEMPOTENCY_KEY_REUSED":
        return NotDone("This form was sent already; what you changed since was not sent.")
    if error.code != "VERSION_CHANGED":
        return NotDone(f"Nothing was done: {error.message}.")
    last: Mapping[str, Any] | None = next(desk_story.story(asked.conversation_id), None)
    if last is None:
        return NotDone("Nothing was done: the recipient wrote meanwhile.")
    if not is_own(last["by"]):
        by = persons.parsed_person(last["by"]).shown_name
        said = f"{by} was faster ({last['did']}), or the recipient wrote"
        return NotDone(f"Nothing was done: {said}.")
    if _is_of(asked, last["act_id"]):
        if asked.act in (REPLY, APPROVE):
            said = "You have sent this already; nothing was sent a second time."
        else:
            said = "You have done this already; nothing was done a second time."
        return NotDone(said, is_repeated=True)
    said = f"you have acted yourself since this page was read ({last['did']})"
    return NotDone(f"Nothing was done: {said}, or the recipient wrote.")


def is_own(by: str) -> bool:
    """Whether a person in a conversation's story is this request's person."""
    return persons.parsed_person(by).key == person().who.key


def _is_of(asked: AskedAct, act_id: str) -> bool:
    """Whether an act that was done is the one that is asked for now."""
    services = backend.reading().services.outreach
    record = services.inbox.record(asked.conversation_id)
    mark = services.conversations.act_row(record, act_id) or {}
    return mark.get("fingerprint") == asked.fingerprint
