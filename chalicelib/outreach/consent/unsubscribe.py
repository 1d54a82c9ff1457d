"""The link in an outreach e-mail: one-click unsubscribe (RFC 8058), and the preference page.

The link's token names the company, the recipient (by a keyed hash of the address) and the conversation,
and is signed::

    <32 hex: member id of the address>.<company's id, base64url>.<opaque id>.<32 hex: signature>

The token holds no address, and stays valid after the conversation has ended. The stage's key of ids
makes the hash, the key of unsubscribe links the signature. An old link verifies for two years after that
key was rotated. A `GET` shows the page and changes nothing, because scanners and previews follow links.
A `POST` unsubscribes the person whatever its body says, with two exceptions: the page's form stores
preferences, and `RESUME` lifts the marks that the recipient set by the link or by STOP, and no others.
Where the company has an endpoint, one transaction writes the mark and the ledger row of the event that
informs the company.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from http import HTTPStatus

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.once import door, keys
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake
from chalicelib.once.job import facts_of
from chalicelib.once.keyring import PurposeKeys
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Log
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.company_events.lifted_marks import telling_lifted
from chalicelib.outreach.consent import preference_form, preference_page
from chalicelib.outreach.consent.preference_page import ContactPermission, PageContent
from chalicelib.outreach.conversations.preferring import BY_PAGE, preferences_of_person
from chalicelib.outreach.conversations.recipients import TRANSACTIONAL, purpose_of
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    BY_RECIPIENT,
    LIFTED_ON_PAGE,
    OPT_OUT_REASONS,
    UNCERTAIN_REASONS,
    MarkReason,
)
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.conversations.subject_rows import Member, distinct_subjects, member_id
from chalicelib.outreach.jobs import UnsubscribeReport
from chalicelib.outreach.project import rules
from chalicelib.outreach.wishes.preference import Preferences, Wish

PATH = "/unsubscribe/"
SOURCE = "unsubscribe"
_LINK = "unsubscribe"
_TOKEN = re.compile(r"([0-9a-f]{32})\.([A-Za-z0-9_-]{1,400})\.([0-9a-f]{32})\.([0-9a-f]{32})")
RESUME = b"choice=resume"
"""The whole body of a `POST` that allows messages again."""
_UNKNOWN = "<p>This link is not valid. Reply STOP to the message instead.</p>"
_LATER = "<p>This did not work. Please try again in a few minutes.</p>"


def is_marketing(record: Record) -> bool:
    """Whether the e-mails of a conversation offer to unsubscribe: all but transactional ones do."""
    return purpose_of(record) != TRANSACTIONAL


@dataclass(frozen=True, slots=True)
class LinkKeys:
    """The keys that make and verify the tokens of unsubscribe links.

    Attributes:
        opaque: hashes the recipient's address.
        signing: signs the token.
    """

    opaque: Callable[[], OpaqueIds]
    signing: Callable[[], PurposeKeys]


def link_of(base_url: str, links: LinkKeys, record: Record) -> str | None:
    """The unsubscribe link for a conversation's e-mails; None where its messages are transactional."""
    if not is_marketing(record):
        return None
    signed = signed_token(links, record.company_id, record.primary_channel, record.opaque_id)
    return f"{base_url.rstrip('/')}{PATH}{signed}"


def unsubscribe_headers(link: str | None, reply_to: str) -> dict[str, str]:
    """The headers ``List-Unsubscribe`` and ``List-Unsubscribe-Post`` of an e-mail; empty without a link."""
    if link is None:
        return {}
    return {
        "List-Unsubscribe": f"<{link}>, <mailto:{reply_to}?subject=unsubscribe>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def signed_token(links: LinkKeys, company_id: str, address: str, conversation: str) -> str:
    """The signed token of a recipient's unsubscribe link; `conversation` is the conversation's opaque id."""
    hashed = member_id(links.opaque(), company_id, address)
    company = base64.urlsafe_b64encode(company_id.encode()).decode().rstrip("=")
    signature = links.signing().sign(_LINK, company_id, hashed, conversation)
    return f"{hashed}.{company}.{conversation}.{signature}"


@dataclass(frozen=True, slots=True)
class OpenedToken:
    """The contents of a verified token of an unsubscribe link.

    Attributes:
        hashed: the member id (keyed hash) of the recipient's address.
        conversation: the conversation's opaque id.
    """

    company_id: str
    hashed: str
    conversation: str


def opened_token(signing: PurposeKeys, text: str) -> OpenedToken | None:
    """The contents of an unsubscribe token; None where its signature is not ours, or its key has expired."""
    found = _TOKEN.fullmatch(text)
    if found is None:
        return None
    try:
        padded = found[2] + "=" * (-len(found[2]) % 4)
        company_id = base64.urlsafe_b64decode(padded).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    if not signing.verifies(found[4], _LINK, company_id, found[1], found[3]):
        return None
    return OpenedToken(company_id, found[1], found[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsubscribeDoor:
    """Answers `/unsubscribe/{token}`; every answer is a page.

    Attributes:
        conversations: the conversations, and the do-not-contact register.
        ledger: writes the row of the event that informs the company of an unsubscribe.
    """

    conversations: Conversations = field(repr=False)
    links: LinkKeys
    log: Log
    intake: Intake
    ledger: Ledger
    shares: CallerShares

    def page(self, text: str) -> Answer:
        """Answer a `GET` of an unsubscribe link with the recipient's page; changes nothing."""
        found = opened_token(self.links.signing(), text)
        if found is None:
            return self._unknown()
        self.shares.charge(SOURCE, found.company_id, link=found.hashed)
        try:
            return preference_page.recipient_page(self._page_content(found))
        except MiddlewareError as error:
            return self._failed(error)

    def unsubscribe(self, text: str, body: bytes = b"") -> Answer:
        """Unsubscribe, allow messages again or store preferences, then answer the `POST` with the page."""
        found = opened_token(self.links.signing(), text)
        if found is None:
            return self._unknown()
        self.shares.charge(SOURCE, found.company_id, link=found.hashed)
        is_resumed, wish = body.strip() == RESUME, preference_form.chosen_wish(body)
        try:
            if wish is not None:
                self._store_wish(found, wish)
            else:
                self._lift_marks(found) if is_resumed else self._store_unsubscription(found)
        except Exception as error:  # noqa: BLE001 - every failure is answered with a page
            return self._failed(error)
        door.log_accepted(self.log, SOURCE)
        try:
            return preference_page.recipient_page(self._page_content(found))
        except MiddlewareError:  # the change is stored, though it cannot be read back now
            done = ContactPermission.OPEN if is_resumed or wish else ContactPermission.STOPPED
            return preference_page.recipient_page(PageContent(None, done))

    def _page_content(self, found: OpenedToken) -> PageContent:
        """What the page shows: the marks and wishes of all addresses that the link's conversation names."""
        record = self._record(found)
        places = self._addresses(found, record)
        liftable = {place.member for place in places}
        now = self.intake.clock.now()
        subjects = distinct_subjects(self.conversations.subjects(places).values())
        entries = [entry for subject in subjects for entry in subject.marks_in_force(now)]
        own = {entry.blocking_reason for entry in entries if entry.member in liftable}
        others = {entry.blocking_reason for entry in entries if entry.member not in liftable}
        wished = preferences_of_person(subjects)
        return PageContent(record, _permission(own, others), wished, bool(_zones(record, wished)))

    def _store_wish(self, found: OpenedToken, wish: Wish) -> None:
        """Store the wish (hours, channels) of the page's form under the address of the link.

        Of the wishes stored under all the recipient's addresses, readers take the newest.
        """
        record = self._record(found)
        places = self._addresses(found, record)
        known = preferences_of_person(
            distinct_subjects(self.conversations.subjects(places).values())
        )
        self.conversations.prefer(
            places[0],
            wish,
            said_at=iso(self.intake.clock.now()),
            message=BY_PAGE,
            zones=_zones(record, known),
            how=self._statement(found),
        )

    def _lift_marks(self, found: OpenedToken) -> None:
        record = self._record(found)
        how = self._statement(found)
        telling = telling_lifted(self.ledger, record, BY_RECIPIENT, self.intake.clock.now())
        is_told = False
        for place in self._addresses(found, record):
            is_told |= self.conversations.allow_member(
                place.member, found.company_id, how=how, with_it=None if is_told else telling
            )

    def _addresses(self, found: OpenedToken, record: Record | None) -> list[Member]:
        """The recipient's address in the link, then their other addresses that the conversation names."""
        named = self.conversations.places_of(record) if record else []
        return [
            Member(found.hashed, found.company_id),
            *(x for x in named if x.member != found.hashed),
        ]

    @staticmethod
    def _statement(found: OpenedToken) -> Statement:
        return Statement(door=SOURCE, conversation=found.conversation)

    def _record(self, found: OpenedToken) -> Record | None:
        """The conversation that the token names; None where it is not stored, or has another recipient."""
        record = self.conversations.find(found.conversation)
        if record is None or record.company_id != found.company_id:
            return None
        hashed = member_id(self.links.opaque(), record.company_id, record.primary_channel)
        return record if hmac.compare_digest(hashed, found.hashed) else None

    def _store_unsubscription(self, found: OpenedToken) -> None:
        """Store the recipient's unsubscription in the register, and queue the event that informs the company.

        The register is written even if that event cannot be built; the error is raised afterwards.
        """
        job, failure = None, None
        try:
            job = self._job(found)
        except MiddlewareError as error:
            failure = error
        also = [] if job is None else [self.ledger.receiving(facts_of(job))]
        self.conversations.forbid_member(
            found.hashed,
            found.company_id,
            MarkReason.UNSUBSCRIBED,
            how=self._statement(found),
            also=also,
        )
        if failure is not None:
            raise failure
        if job is not None:
            self.intake.accept(job, admission=job.received_at)

    def _job(self, found: OpenedToken) -> UnsubscribeReport | None:
        """The job that informs the company of the unsubscription.

        None where the conversation is gone or another company's, or the company gets no events of
        it.
        """
        record = self.conversations.find(found.conversation)
        if record is None or record.company_id != found.company_id or not record.item.get(TELLS):
            return None
        event_key = outreach_keys.unsubscribe(record.opaque_id)
        return UnsubscribeReport(
            event_key=event_key,
            conversation_id=record.opaque_id,
            received_at=iso(self.intake.clock.now()),
            source=SOURCE,
            trace_id=keys.digest(event_key)[:16],
            pair=(record.sender, record.primary_channel),
        )

    def _unknown(self) -> Answer:
        door.log_rejected(self.log, SOURCE, "invalid_token")
        return preference_page.plain_page(HTTPStatus.NOT_FOUND, _UNKNOWN)

    def _failed(self, error: Exception) -> Answer:
        door.log_failed(self.log, SOURCE, reason_of(error))
        return failed_page()


def _zones(record: Record | None, known: Preferences) -> tuple[str, ...]:
    """The time zones that the recipient may be in: the conversation's, else those of stored hours.

    Empty without any.
    """
    named = tuple(zone.key for zone in rules.zones_of(record)) if record else ()
    return named or (known.hours.zones if known.hours else ())


def _permission(reasons: AbstractSet[str], others: AbstractSet[str]) -> ContactPermission:
    """Whether messages to the recipient are allowed, judged by the reasons of their do-not-contact marks.

    Args:
        reasons: reasons of the marks on addresses for which the page can allow messages again.
        others: reasons of the marks on the person's other addresses.
    """
    if reasons & (OPT_OUT_REASONS - LIFTED_ON_PAGE) or others & OPT_OUT_REASONS:
        return ContactPermission.STOPPED_OTHERWISE
    if reasons & LIFTED_ON_PAGE:
        return ContactPermission.STOPPED
    return ContactPermission.IN_DOUBT if reasons & UNCERTAIN_REASONS else ContactPermission.OPEN


def failed_page() -> Answer:
    """The page, with status 503, that asks to try again later, where the door itself failed."""
    return preference_page.plain_page(HTTPStatus.SERVICE_UNAVAILABLE, _LATER)
