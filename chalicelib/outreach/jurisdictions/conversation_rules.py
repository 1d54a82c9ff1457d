"""Asks the legal rules about a conversation's next message: place, purpose, consents, words, frequency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from chalicelib.clock import parsed
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers, time_zones
from chalicelib.outreach.channels import PHONE, Channel
from chalicelib.outreach.consent.consents import GivenConsent
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations import recipients
from chalicelib.outreach.conversations.queries import Queries
from chalicelib.outreach.conversations.records import CONTINUES, FOLLOW_UP, Record
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.jurisdictions.permission import (
    Permission,
    SendFacts,
    longest_window,
    may_send,
    rules_for,
)
from chalicelib.outreach.jurisdictions.recipient_place import (
    ANYWHERE,
    RecipientPlace,
    of_number,
    of_region,
)
from chalicelib.outreach.jurisdictions.rulebook import RequiredWord, TemplateCategory
from chalicelib.outreach.project.project import Project

MOST_CONVERSATIONS = 200
"""Maximum number of conversations of one recipient that are read to count messages for a frequency cap."""
START = "start"
"""The source of a consent that the company states in a request to start."""


class ConversationRules:
    """Answers whether the law at the recipient's place allows a conversation's message."""

    def __init__(self, conversations: Queries) -> None:
        self._conversations = conversations

    def permission(
        self, record: Record, at: datetime, *, is_opening: bool, subjects: Sequence[Subject]
    ) -> Permission:
        """Whether the rules of the recipient's place allow a conversation's message at a time.

        Costs one read of the recipient's conversations where a rule caps the number of messages, or
        where neither the start nor the register holds a consent.

        Args:
            record: the conversation, stored or not.
            at: the time.
            is_opening: it is the first message, and not a reminder or a closing message.
            subjects: the recipient's records in the register, from `RegisterLook`.

        Raises:
            TransientError: the conversations could not be read.
        """
        project = Project(record.item)
        if not project.jurisdictions.enforced:
            return Permission(allowed=True)
        place, purpose = place_of(record), purpose_of(record)
        window = longest_window(rules_for(place, record.channel, purpose))
        consents = [*consents_of(record), *kept_consents(record, subjects)]
        others = self._with_recipient(record) if window is not None or not consents else ()
        if not consents:
            consents = [given for other in others for given in consents_of(other)]
        return may_send(
            SendFacts(
                place=place,
                channel=record.channel,
                purpose=purpose,
                at=at,
                consents=consents_not_withdrawn(record, consents, subjects, at),
                sent_at=[
                    sent
                    for other in others
                    for sent in self._unsolicited_times(other)
                    if window and at - window < sent
                ],
                words=words_of(project),
                template=category_of(record),
                is_opening=is_opening,
                is_customer=project.jurisdictions.recipients == "customers",
            )
        )

    def _with_recipient(self, record: Record) -> list[Record]:
        """The company's conversations with a recipient, under every spelling of their number."""
        return [
            conversation
            for form in numbers.spellings(record.primary_channel)
            for conversation in self._conversations.with_recipient(
                form, record.company_id, MOST_CONVERSATIONS
            )
        ]

    def _unsolicited_times(self, record: Record) -> Iterator[datetime]:
        """The times at which a conversation's unsolicited messages (first, reminders, end) were sent."""
        if record.item.get("task_complete") == 1:
            opening = outreach_keys.entry_id(record.start_event)
            yield from _moment(self._conversations.time_of(record, opening) or record.created_at)
        for message in record.messages:
            if message.note == FOLLOW_UP:
                yield from _moment(message.message_timestamp)


def place_of(record: Record) -> RecipientPlace:
    """The regions and time zones where a recipient may be: by phone number, else by the project's region.

    Anywhere, where neither is known.
    """
    own = time_zones.by_name(record.item.get("recipient_timezone"))
    address = record.primary_channel
    number = address if PHONE.is_of_kind(address) else record.item.get(PHONE.field)
    if isinstance(number, str) and number:
        return of_number(number, own)
    region = Project(record.item).jurisdictions.region
    return of_region(region, own) if region else ANYWHERE


def purpose_of(record: Record) -> ContactPurpose:
    """The purpose of a conversation's messages (`ContactPurpose`): the start's own, else the project's."""
    return ContactPurpose(recipients.purpose_of(record))


def consents_of(record: Record) -> tuple[GivenConsent, ...]:
    """The consent that a conversation's start states, for the channel that the start named.

    In a conversation that continues another one, the consent is for the first conversation's channel.
    Its time is the one that the start states, else when the start was sent.
    """
    if not record.item.get("comms_consent"):
        return ()
    said = record.item.get(recipients.CONSENT) or {}
    tried = (record.item.get(CONTINUES) or {}).get("tried") or ()
    stated = ("comms_consent_at", "initial_request_timestamp", "created_at", "received_at")
    named = (said.get("given_at"), *(record.item.get(name) for name in stated))
    moments = map(parsed, named)
    given_at = next((moment for moment in moments if moment is not None), None)
    if given_at is None:
        return ()
    return (
        GivenConsent(
            channel=Channel(tried[0]) if tried else record.channel,
            purpose=purpose_of(record),
            given_at=given_at,
            expires_at=parsed(said.get("expires_at")),
            source=START,
            form=said.get("form"),
            version=said.get("version"),
        ),
    )


def kept_consents(record: Record, subjects: Sequence[Subject]) -> Iterator[GivenConsent]:
    """The consents stored in the register for the address and channel of a conversation."""
    for own in subjects[:1]:
        for purpose, consent in own.consents_of(own.own, record.channel).items():
            given_at = parsed(consent.get("given_at"))
            if given_at is not None:
                yield GivenConsent(
                    channel=record.channel,
                    purpose=ContactPurpose(purpose),
                    given_at=given_at,
                    expires_at=parsed(consent.get("expires_at")),
                    source=str(consent.get("source") or START),
                    form=consent.get("form"),
                    version=consent.get("version"),
                )


def consents_not_withdrawn(
    record: Record, consents: Sequence[GivenConsent], subjects: Sequence[Subject], now: datetime
) -> list[GivenConsent]:
    """Those of the given consents that no later refusal of the recipient has withdrawn."""
    purpose = recipients.purpose_of(record)
    refused = (subject.refused_until(purpose, record.channel, now) for subject in subjects)
    until = parsed(max(refused, default=""))
    return [consent for consent in consents if until is None or consent.given_at > until]


def words_of(project: Project) -> frozenset[RequiredWord]:
    """The kinds of legally required words that code can add to a first message of the project.

    The company's name and postal address are among them only where the settings state them.
    """
    found = {RequiredWord.OPT_OUT, RequiredWord.RATES, RequiredWord.FREQUENCY}
    if project.company_name:
        found.add(RequiredWord.IDENTITY)
    if project.company_address:
        found.add(RequiredWord.POSTAL_ADDRESS)
    return frozenset(found)


def category_of(record: Record) -> TemplateCategory | None:
    """The category of the channel's WhatsApp template; None where the project does not state it."""
    given = record.channel_config.get("template_category")
    return TemplateCategory(given) if given in set(TemplateCategory) else None


def _moment(text: str) -> Iterator[datetime]:
    found = parsed(text)
    if found is not None:
        yield found
