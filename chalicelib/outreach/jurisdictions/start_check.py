"""Whether a company's start would be sent now, and if not, why and from when on; a dry run.

It checks what a start is checked against: the project, the switches, the register, the recipient's
preferences, the law at their place, quiet hours.  A project that requires consent accepts only starts
that state it, so the check assumes a stated consent there; for any other project only stored consents
count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.ports import SwitchesPort
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import RECIPIENT_FIELD_OF, Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.preferring import preferences_of_person
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, QUIET_HOURS, Record
from chalicelib.outreach.conversations.register_looks import RegisterLook
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jurisdictions.conversation_rules import ConversationRules
from chalicelib.outreach.jurisdictions.next_time import next_time, quiet_until
from chalicelib.outreach.jurisdictions.permission import Permission
from chalicelib.outreach.project import openings, rules
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.wishes.preference import Preferences


@dataclass(frozen=True, slots=True, kw_only=True)
class StartToCheck:
    """A start of a conversation that is to be checked, not made.

    Attributes:
        addresses: the recipient's addresses under a request's field names, the channel's among
            them.
        purpose: the message's purpose; None: the project's.
        at: when the message would be sent.
    """

    company_id: str
    project_id: str
    channel: Channel
    addresses: Mapping[str, str] = field(repr=False)
    purpose: ContactPurpose | None = None
    at: datetime


@dataclass(frozen=True, slots=True)
class StartVerdict:
    """Whether a checked start would be sent; `why` and `rules` are empty where it would.

    Attributes:
        why: codes of `outreach.reasons`; lasting refusals come first.
        rules: ids of the rules of the recipient's place that refuse.
        next_at: from when on it is allowed; None where it is allowed now, and where waiting does
            not help.
    """

    allowed: bool
    why: tuple[str, ...]
    rules: tuple[str, ...]
    next_at: datetime | None

    @property
    def shown(self) -> dict[str, Any]:
        """The verdict as JSON, for the HTTP answer and the command line."""
        return {
            "allowed": self.allowed,
            "why": list(self.why),
            "rules": list(self.rules),
            "next_at": None if self.next_at is None else iso(self.next_at),
        }


class StartChecks:
    """Checks whether starts would be sent, without making them."""

    def __init__(self, *, conversations: Conversations, switches: SwitchesPort) -> None:
        self._conversations = conversations
        self._switches = switches
        self._rules = ConversationRules(conversations)

    def verdict(self, asked: StartToCheck, project: Project) -> StartVerdict:
        """Whether a start would be sent at its time, if not why, and from when on; nothing is stored.

        Raises:
            TransientError: a table could not be read.
            SwitchesUnreadableError: the switches could not be read.
        """
        record = _start_of(asked, project)
        look = self._conversations.look(record)
        lasting = self._lasting_reasons(asked, project, look)
        found = self._permission(record, asked.at, look)
        wished = preferences_of_person(look.subjects)
        why = tuple(
            dict.fromkeys([*lasting, *found.why, *_passing_reasons(record, asked.at, wished)])
        )
        next_at = None
        if why and not lasting:
            next_at = next_time(self._rules, record, asked.at, look.subjects)
        return StartVerdict(not why, why, found.rules, next_at)

    def _permission(self, record: Record, at: datetime, look: RegisterLook) -> Permission:
        return self._rules.permission(record, at, is_opening=True, subjects=look.subjects)

    def _lasting_reasons(
        self, asked: StartToCheck, project: Project, look: RegisterLook
    ) -> list[str]:
        """The reason codes that refuse a start at any time, such as an opt-out or an inactive project."""
        stopped = self._switches.current().forbids(asked.channel.traits.send_kind)
        is_allowed = asked.channel in project.allowed_channels
        refused = {
            reasons.PROJECT_INACTIVE: not project.is_active,
            reasons.NOT_ALLOWED: not is_allowed,
            reasons.NO_SENDER: is_allowed and not project.sender(asked.channel),
            DO_NOT_CONTACT: look.forbidden is not None,
            reasons.UNWANTED_CHANNEL: preferences_of_person(look.subjects).refuses(asked.channel),
            stopped or "": stopped is not None,
        }
        return [str(reason) for reason, is_so in refused.items() if is_so]


def _start_of(asked: StartToCheck, project: Project) -> Record:
    """The conversation that a checked start would open; it is not stored."""
    attributes = openings.attributes(
        project,
        asked.channel,
        {**asked.addresses, "comms_consent": project.require_consent},
        primary_channel=asked.addresses[RECIPIENT_FIELD_OF[asked.channel]],
        company_id=asked.company_id,
        project_id=asked.project_id,
        purpose=asked.purpose.value if asked.purpose else None,
        received_at=iso(asked.at),
    )
    return Record({"messages": [], "message_count": 0, **attributes})


def _passing_reasons(record: Record, at: datetime, preferred: Preferences) -> list[str]:
    """The reason codes of quiet hours and wished hours that keep a start from being sent now.

    `WISH_UNMET` is among them where quiet hours leave nothing of the wished hours.
    """
    night = quiet_until(record, at)
    try:
        wait = quiet_until(record, at, preferred.hours)
    except rules.UnmetWishError:
        return [reasons.WISH_UNMET]
    is_wish = wait is not None and night is None
    return [QUIET_HOURS] * (night is not None) + [reasons.QUIET_HOURS_WISHED] * is_wish
