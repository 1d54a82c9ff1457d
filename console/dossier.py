"""What a page shows beside a conversation's messages: consents with evidence, wishes, calls of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.conversations.called_tools import ToolCall
from chalicelib.outreach.conversations.records import CONFIRMATION, Record
from chalicelib.outreach.conversations.statements import EVIDENCE
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.desk.shown import CATALOGUE
from chalicelib.outreach.jurisdictions import conversation_rules

NEWEST_EVIDENCE = 8


@dataclass(frozen=True, slots=True)
class Consent:
    """A consent of a person, for one purpose on the conversation's channel.

    Attributes:
        purpose: ``marketing``, ``transactional``.
        given_at: ISO time.
        source: where it came from.
        words: what the person agreed to, where that was stored.
    """

    purpose: str
    given_at: str
    source: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class RefusalInForce:
    """A do-not-contact mark that is in force: its sentence, and since when."""

    words: str
    since: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """One statement about being contacted, and the door it came by."""

    at: str
    about: str
    door: str
    said: str = field(default="", repr=False)
    by: str = ""


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is known of a conversation's person beside the messages.

    Attributes:
        forbidden: why the recipient must not be written to; empty where it is allowed.
        consents, refusals, evidence: as stored; the newest evidence first.
        stated: the consent that the conversation's own start claims for its channel; ``words`` say
            where it was given.  A claim of the company, not a stored consent of the person.
        wishes: when and on which channels they want messages, in words.
        calls: calls of tools, oldest first.
        asked: the question that waits for a yes; empty where none does.
    """

    forbidden: str = ""
    consents: Sequence[Consent] = ()
    stated: Sequence[Consent] = ()
    refusals: Sequence[RefusalInForce] = ()
    evidence: Sequence[Evidence] = ()
    wishes: Sequence[str] = ()
    calls: Sequence[ToolCall] = ()
    asked: Mapping[str, Any] = field(default_factory=dict)


def dossier(conversations: Conversations, record: Record, now: datetime) -> Dossier:
    """The dossier of a conversation: the person's row and evidence, the register, and the calls."""
    look = conversations.look(record)
    own = look.subjects[0]
    consents = own.consents_of(own.own, record.channel)
    marks, said = own.marks_in_force(now), record.item.get("comms_consent_source")
    found = [row for member in sorted(own.members) for row in conversations.evidence_of(member)]
    found.sort(key=lambda row: str(row["conversation_id"]), reverse=True)
    return Dossier(
        forbidden=CATALOGUE.sentence(look.forbidden) if look.forbidden else "",
        consents=[
            Consent(
                purpose,
                str(consent.get("given_at", "")),
                str(consent.get("source", "")),
                str(consent.get("text") or consent.get("form") or ""),
            )
            for purpose, consent in sorted(consents.items())
        ],
        stated=[
            Consent(consent.purpose, iso(consent.given_at), consent.source, str(said or ""))
            for consent in conversation_rules.consents_of(record)
            if consent.channel is record.channel
        ],
        refusals=[
            RefusalInForce(CATALOGUE.sentence(mark.reason), str(mark.item.get("since", "")))
            for mark in marks
        ],
        evidence=[_evidence(row) for row in found[:NEWEST_EVIDENCE]],
        wishes=list(_wishes(own.preferences_in_force.plain_values)),
        calls=conversations.tool_calls_of(record),
        asked=dict(record.item.get(CONFIRMATION) or {}),
    )


def _evidence(row: Mapping[str, Any]) -> Evidence:
    after = row.get("after") or {}
    about = str(row.get("about", "")).rpartition("#")[2]
    what = CATALOGUE.words(str(after["reason"])) if after.get("reason") else about
    return Evidence(
        at=str(row["conversation_id"]).removeprefix(EVIDENCE).partition("#")[0],
        about=f"{what}, lifted" if "lifted_at" in after else what,
        door=str(row.get("door", "")),
        said=str(row.get("said", "")),
        by=str(row.get("by", "")),
    )


def _wishes(said: Mapping[str, Any]) -> Iterator[str]:
    if said.get("hours"):
        days = said["days"]
        yield f"{', '.join(said['hours'])} on {'any day' if len(days) == 7 else ', '.join(days)}"  # noqa: PLR2004 - a week
    if said.get("wanted"):
        yield f"by {', '.join(said['wanted'])}"
    if said.get("refused"):
        yield f"not by {', '.join(said['refused'])}"
