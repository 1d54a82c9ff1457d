"""Evidence of what a recipient, a company or a carrier has said about being contacted.

It is only added to: an item beside the subject's row, in the partition of the member that it is
about, written in the same transaction as the change::

    primary_channel  subject:{member id}
    conversation_id  evidence#2026-11-20T09:00:00.000Z#{version of the subject}-{hash}
    about            wish                     door  twilio       channel  sms
    after            {"reason": "stop", "since": "...", "said_at": "..."}
    said             "stop texting me at [PHONE]"                conversation  {opaque id}

It stays with its member, whatever is merged or undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.store import Item
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.register_entries import CONFIRMED_BY
from chalicelib.outreach.conversations.subject import Subject, differences

EVIDENCE = "evidence#"
BY_START = "start"
"""``source`` of a consent, and who has linked, where a start did."""
SAID = "said"
"""Attribute of evidence: the words, redacted; erasing removes it."""
SAID_OF = "said_of"
"""Attribute of evidence: all whom the words are about, where those are more than its member."""
_MOST_CHARACTERS = 1000
"""Of the words that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """The evidence for a change of a recipient's consent or refusal: where, how and by whom it was said.

    Attributes:
        door: where it came in: ``twilio``, ``ses``, ``link``, ``carrier``, ``start``, ``desk``,
            ``ops``.
        said: the words as they came; stored redacted.
        channel: the message's channel.
        conversation: the conversation's opaque id.
        by: who said it, where a person of the company or an operator did.
        members: keyed ids of all addresses that the words are about, where those are several;
            erasing any of them removes the words.
    """

    door: str
    said: str = field(default="", repr=False)
    channel: str | None = None
    conversation: str | None = None
    by: str | None = None
    members: Sequence[str] = ()


def evidence(before: Subject, after: Subject, how: Statement, now: datetime) -> Iterator[Item]:
    """The evidence rows of a change of a person's record: one for each changed mark, consent and preference.

    A changed link gives a row for each of its addresses. A new link that a start made gives none,
    since the record itself says all about it.
    """
    common = items.without_none(
        {
            "door": how.door,
            SAID: _redacted(how.said) or None,
            SAID_OF: sorted(how.members) if how.said and how.members else None,
            "channel": how.channel,
            "conversation": how.conversation,
            "by": how.by,
            "at": iso(now),
            "version": after.version,
        }
    )
    for of in ("marks", "consents", "preferences"):
        for member, about, new in differences(before, after, of, but={CONFIRMED_BY}):
            yield _item(member, about, {**common, "after": dict(new)}, after, now)
    for link in after.links:
        if link not in before.links and (link.get("by") != BY_START or "undone_at" in link):
            for member in link["members"]:
                yield _item(member, "link", {**common, "after": dict(link)}, after, now)


def _item(
    member: str, about: str, values: Mapping[str, Any], after: Subject, now: datetime
) -> Item:
    named = values["after"].get("members") or ()
    unique = keys.digest(after.root, str(after.version), member, about, *named)[:16]
    return {
        "primary_channel": items.subject_partition(member),
        "conversation_id": f"{EVIDENCE}{iso(now)}#{after.version:06d}-{unique}",
        "company": after.company_id,
        "about": about,
        **values,
        "ttl": items.consent_ttl(now),
    }


def _redacted(text: str) -> str:
    if not text:
        return ""
    from chalicelib.redaction import redact  # noqa: PLC0415 - 50 ms that most requests do not need

    return redact(text[:_MOST_CHARACTERS])
