"""Finds texts that reached Twilio and never reached us, by comparing Twilio's list with the ledger.

Twilio repeats a webhook only a few times, so a STOP that was sent while the queue or the door was
down would be lost.  Twilio keeps every message
(https://www.twilio.com/docs/messaging/api/message-resource#read-multiple-message-resources): each
number of each company is listed back to where the last pass ended, with an overlap, as messages may
be listed late.  A message found is accepted under the event key of its webhook, so that both
together give one event.  SES has no such list; SNS and a queue of failed mail keep e-mails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from chalicelib.clock import iso
from chalicelib.errors import HandBackError, PayloadError, ProviderError, reason_of
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.once.event import EventStatus
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log
from chalicelib.once.reasons import OUT_OF_TIME
from chalicelib.once.recovery.cursor import Position, SweepCursor, Sweeps
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers
from chalicelib.outreach.channels import (
    LISTED_CHANNELS,
    carrier_address,
    channel_of,
)
from chalicelib.outreach.conversations.former import pair_ids
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.project.companies import Companies
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.outreach.twilio.client import ReceivedText, Twilio

OVERLAP = timedelta(hours=1)
"""A look begins this long before the newest message of the last look: some are listed late."""
YOUNG = timedelta(minutes=2)
"""A younger message may still be on its way through the door."""
LONGEST_LOOK_BACK = timedelta(days=7)
"""Less than a ledger row's retention, as an older message without a row would look like a lost one."""


def inbound_job(
    found: ReceivedText, opaque: keys.OpaqueIds, *, received_at: str, trace_id: str
) -> InboundMessage:
    """The job of a message that Twilio lists, with the event key that its webhook would have.

    Raises:
        PayloadError: the message has no usable id or addresses.
    """
    body = urlencode(found.form()).encode()
    job = twilio_webhook.parse_message(InboundRequest({}, body, received_at, trace_id), opaque)
    return job.model_copy(update={"trace_id": trace_id})


@dataclass(frozen=True, slots=True)
class CompanyNumber:
    """A company's number, and the secret of its Twilio account.

    Attributes:
        address: the number as Twilio writes it, with the channel's prefix.
    """

    secret_id: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLists:
    """Twilio's lists of received messages, and how far each was read.

    Attributes:
        companies: the companies, whose numbers have one list each.
        twilio: the client; a company's secret name selects the account.
        sweeps: stores the position in each list.
    """

    companies: Companies
    twilio: Twilio
    sweeps: Sweeps


@dataclass(frozen=True, slots=True, kw_only=True)
class LostTexts:
    """Finds texts that Twilio received and nothing stored here, and queues them; a part of the sweep."""

    lists: TextLists
    conversations: Conversations
    ledger: Ledger
    opaque: Callable[[], keys.OpaqueIds]
    clock: Clock
    log: Log

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: datetime) -> SweepCursor:
        """Read Twilio's list of each company's number from where it was read to; returns `cursor` unchanged.

        The list that was read longest ago is read first.  All lists together get half of the time
        that is left, so that no slow or busy account keeps the others waiting for ever.
        """
        _Run(self, sweep, since, ends=sweep.time_left_seconds() / 2).run()
        return cursor

    def oldest_first(self) -> list[tuple[str, CompanyNumber, Position]]:
        """Each list of received texts (name, inbox, position read to), the one read longest ago first."""
        opaque = self.opaque()
        named = {
            f"texts:{opaque.of('inbox', inbox.secret_id, inbox.address)}": inbox
            for inbox in self._company_numbers()
        }
        positions = self.lists.sweeps.positions(list(named))
        ordered = sorted(named, key=lambda name: (positions[name].looked_at, name))
        return [(name, named[name], positions[name]) for name in ordered]

    def job(self, message: ReceivedText) -> InboundMessage:
        """The job of a received text that Twilio lists."""
        at = iso(message.created_at or self.clock.now())
        return inbound_job(
            message, self.opaque(), received_at=at, trace_id=keys.digest(event_key(message))[:16]
        )

    def has_conversation(self, job: InboundMessage) -> bool:
        """Whether a text's writer has or had a conversation here.

        Twilio's account may serve other systems too.
        """
        for form in numbers.spellings(job.recipient):
            found = self.conversations.of_pair(job.channel, job.sender, form)
            if next(found, None) is not None:
                return True
        pairs = pair_ids(self.opaque(), job.channel, job.sender, job.recipient)
        return self.conversations.former_pair(pairs) is not None

    def _company_numbers(self) -> Iterator[CompanyNumber]:
        """Every number that a company texts from, also of inactive projects, as a STOP always counts."""
        for project in self.lists.companies.projects():
            for channel in LISTED_CHANNELS:
                secret_id, number = project.secret_name(channel), project.sender(channel)
                if secret_id and number:
                    yield CompanyNumber(secret_id, carrier_address(channel, number))


@dataclass(frozen=True, slots=True)
class _Run:
    """One pass over the lists of received texts of every company's numbers.

    Attributes:
        ends: the pass ends when the function has only this many seconds left.
    """

    parts: LostTexts
    sweep: SweepActions
    since: datetime
    ends: float

    def run(self) -> None:
        """Read every number's list.

        A failure is noted in the summary and skips the other numbers of its account.
        """
        try:
            waiting = self.parts.oldest_first()
        except Exception as error:  # noqa: BLE001 - the sweep's other parts go on
            self._problem(reason_of(error))
            return
        broken: set[str] = set()
        for name, inbox, position in waiting:
            if inbox.secret_id in broken:
                continue
            if not self._has_time:
                self._problem(OUT_OF_TIME)
                return
            seen = position.seen_until
            try:
                seen = self._read_number(inbox, position)
            except Exception as error:  # noqa: BLE001 - the other inboxes go on
                broken.add(inbox.secret_id)
                self._problem(reason_of(error))
                self.parts.log.event("reconcile.texts_failed", reason=reason_of(error), list=name)
            self._save(name, seen)

    @property
    def _has_time(self) -> bool:
        return self.sweep.has_time and self.sweep.time_left_seconds() > self.ends

    def _read_number(self, inbox: CompanyNumber, position: Position) -> datetime | None:
        """Queue one number's lost texts since the last pass; returns the time up to which its list was read.

        If reading the list breaks off, the texts read so far are queued and the error is raised;
        the stored position then stays where it was.
        """
        now = self.parts.clock.now()
        first = position.seen_until - OVERLAP if position.seen_until else self.since
        first = max(first, now - LONGEST_LOOK_BACK)
        found, interrupted = self._listed(inbox, first, now - YOUNG)
        self.sweep.summary.texts += len(found)
        seen = self._handle(found)
        if interrupted is not None:
            raise interrupted
        return max(filter(None, (seen, position.seen_until)), default=first)

    def _listed(
        self, inbox: CompanyNumber, first: datetime, last: datetime
    ) -> tuple[list[ReceivedText], Exception | None]:
        """The texts received between two times, oldest first, and any error that cut the list short."""
        found: list[ReceivedText] = []
        interrupted: Exception | None = None
        try:
            for message in self.parts.lists.twilio.list_received(inbox.secret_id, inbox.address):
                created = message.created_at
                if created is not None and created < first:
                    break
                if created is None or created <= last:
                    found.append(message)
                if not self._has_time:
                    interrupted = HandBackError(OUT_OF_TIME)
                    break
        except ProviderError as error:
            interrupted = error
        found.reverse()  # Twilio lists the newest first
        return found, interrupted

    def _handle(self, found: Sequence[ReceivedText]) -> datetime | None:
        """Queue the listed texts that the ledger lacks, or that no worker has claimed yet.

        Returns when Twilio received the newest text handled; None where none was.
        """
        known = self.parts.ledger.statuses([event_key(text) for text in found]) if found else {}
        seen: datetime | None = None
        for message in found:
            # Where no worker has claimed the row, the queue may have lost the message.
            if known.get(event_key(message), EventStatus.RECEIVED) == EventStatus.RECEIVED:
                if not self._has_time:
                    self._problem(OUT_OF_TIME)
                    break
                self._queue(message)
            seen = message.created_at or seen
        return seen

    def _queue(self, message: ReceivedText) -> None:
        try:
            job = self.parts.job(message)
        except PayloadError as error:
            self._problem(error.code)  # the door would have refused this message, too
            return
        if self.parts.has_conversation(job) and self.sweep.send_once(job, is_unkept=True):
            self.sweep.summary.texts_missing += 1

    def _save(self, name: str, seen: datetime | None) -> None:
        if self.sweep.dry_run:
            return
        try:
            self.parts.lists.sweeps.save_position(name, seen)
        except Exception as error:  # noqa: BLE001 - the next look begins where this one did
            self._problem(reason_of(error))

    def _problem(self, reason: str) -> None:
        self.sweep.summary.problems.append(f"texts:{reason}")


def event_key(message: ReceivedText) -> str:
    """The event key of a text that Twilio lists: the same that its webhook gives it."""
    return outreach_keys.reply(channel_of(message.sender or ""), message.sid)
