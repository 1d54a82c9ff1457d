"""Finds the conversation that a recipient's message belongs to.

In this order (`docs/outreach-replies.md` has the rule for people):

1. the conversation whose token is in the address of an e-mail, unless the e-mail refers to a
   message of another conversation;
2. the conversation that holds the message already, where it is delivered again;
3. the conversation with the message that this one quotes (WhatsApp) or refers to (e-mail);
4. the conversation that awaits an answer: our message was sent, and the last change is not old;
5. where several await an answer, the newest takes the message, and a person decides.

Only conversations of the company that the message was sent to count, under any form of the number.
Where the last conversation is no longer stored, a new one takes the message to a person.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Elsewhere, NotAnEvent
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers, reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.former import pair_ids
from chalicelib.outreach.conversations.records import (
    LATE,
    OTHER_SENDER,
    SEVERAL,
    UNSENT,
    Entry,
    Record,
    Status,
)
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.hearing.ownership import WRONG_ACCOUNT, Ownership, key_of
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.senders import Owner
from chalicelib.outreach.ses.webhook import message_id_digest

AWAITS_FOR = timedelta(days=30)
"""How long after its last change a conversation counts as awaiting an answer."""
_ENDED = frozenset({Status.FAILED, Status.WITHHELD})


@dataclass(frozen=True, slots=True)
class Match:
    """The conversation that a recipient's message belongs to, and how sure that is.

    Attributes:
        doubt: why a person must look at the message, as the note on its entry: `SEVERAL`,
            `OTHER_SENDER` or `LATE`.
        between: with `SEVERAL`, the opaque ids of the conversations that it may belong to.
        is_proven: the recipient wrote the message, as an e-mail's domain checks prove, or the token
            that only the recipient was sent.
        has_token: the message came to the reply address of this conversation.
    """

    record: Record
    doubt: str | None = None
    between: tuple[str, ...] = ()
    is_proven: bool = True
    has_token: bool = False


class Matching:
    """Finds the conversation that a recipient's message belongs to.

    Args:
        opaque: makes keyed hashes, under which former conversations of two addresses are stored.
        message_id_header: makes an e-mail's Message-ID from the vendor's id.
    """

    def __init__(
        self,
        *,
        conversations: Conversations,
        ownership: Ownership,
        clock: Clock,
        opaque: Callable[[], keys.OpaqueIds],
        message_id_header: Callable[[str], str],
    ) -> None:
        self._conversations = conversations
        self._ownership = ownership
        self._clock = clock
        self._opaque = opaque
        self._message_id_header = message_id_header

    def match(self, job: InboundMessage) -> Match:
        """Find a message's conversation; after the former one was deleted, open a new one for it.

        Raises:
            NotAnEvent: there is no conversation and never was, or another account signed the
                message.
            Elsewhere: the message has to move to the FIFO group of its conversation's two addresses
                first, because it opens a conversation or its token has proven it.
        """
        owner = self._ownership.owner_of(job)
        with_token = self._conversation_of_token(job, owner)
        match = self._match_in_order(job, owner, with_token)
        by_token = with_token is not None and _is_from(with_token, job)
        if by_token and job.is_apart and not job.is_automatic and job.pair is None:
            pair = (match.record.sender, match.record.primary_channel)
            raise Elsewhere(job.model_copy(update={"pair": pair}))
        return replace(
            match,
            is_proven=job.is_proven or by_token,
            has_token=with_token is not None and with_token.opaque_id == match.record.opaque_id,
        )

    def _match_in_order(
        self, job: InboundMessage, owner: Owner | None, with_token: Record | None
    ) -> Match:
        if with_token is not None and self._is_of_thread(with_token, job):
            return self._match_by_token(with_token, job)
        candidates = [
            record
            for record in self._conversations_of_pair(job)
            if self._ownership.is_to(record, job, owner)
        ]
        found = sorted(
            (
                candidate
                for candidate in candidates
                if self._ownership.is_signed_for(candidate, job, owner)
            ),
            key=lambda record: record.created_at,
            reverse=True,
        )
        match = self._match_that_has(found, job) or self._match_referred_to(found, job)
        if match is None and with_token is not None:
            return self._match_by_token(with_token, job)
        if match is None and not found:
            if candidates:
                raise NotAnEvent(EventStatus.SKIPPED, WRONG_ACCOUNT, event_key=key_of(job, owner))
            return self._open_late(job, owner)
        match = match or self._match_that_awaits(found)
        return Match(self._conversations.reread(match.record), match.doubt, match.between)

    def pair_hashes(self, channel: Channel, sender: str, recipient: str) -> tuple[str, ...]:
        """The keyed hashes of a sender and a recipient, one for each spelling of the recipient's number."""
        return pair_ids(self._opaque(), channel, sender, recipient)

    def _conversation_of_token(self, job: InboundMessage, owner: Owner | None) -> Record | None:
        """The conversation named by the token in an e-mail's reply address; None without a valid token."""
        record = self._conversations.find(job.token) if job.token is not None else None
        is_ours = record is not None and self._ownership.is_to(record, job, owner)
        return record if is_ours else None

    def _match_by_token(self, record: Record, job: InboundMessage) -> Match:
        """The match with the conversation that the token in an e-mail's reply address names.

        It is in doubt (`OTHER_SENDER`) where another address than the recipient's wrote the e-mail,
        as a forwarded e-mail passes the token on.
        """
        return Match(record, None if _is_from(record, job) else OTHER_SENDER)

    def _conversations_of_pair(self, job: InboundMessage) -> list[Record]:
        return [
            record
            for form in numbers.spellings(job.recipient)
            for record in self._conversations.of_pair(job.channel, job.sender, form)
        ]

    def _match_that_has(self, found: Sequence[Record], job: InboundMessage) -> Match | None:
        """The match of a redelivered message: of several conversations, the one that already holds it.

        None where none holds it, or only one conversation is possible.
        """
        if len(found) > 1:
            for record in found:
                if self._conversations.has_entry(record, job.message_id):
                    return Match(record)
        return None

    def _match_referred_to(self, found: Sequence[Record], job: InboundMessage) -> Match | None:
        """The match with the conversation whose message the reply refers to; the closest reference decides.

        None where only one conversation is possible, or the reply refers to no known message.
        """
        if len(found) < 2 or not job.in_reply_to:  # noqa: PLR2004 - there is nothing to choose
            return None
        ids = [
            (record, frozenset(self._ids_of(record, self._conversations.history(record))))
            for record in found
        ]
        for referred in reversed(job.in_reply_to):
            for record, known in ids:
                if referred in known:
                    return Match(record)
        return None

    def _match_that_awaits(self, found: Sequence[Record]) -> Match:
        sent = [record for record in found if _was_opened(record)]
        newest = self._clock.now() - AWAITS_FOR
        awaiting = [
            record
            for record in sent
            if (parsed(str(record.item.get("updated_at"))) or newest) >= newest
        ]
        for some in (awaiting, sent):
            if len(some) == 1:
                return Match(some[0])
            if some:
                same = [record for record in some if record.company_id == some[0].company_id]
                return Match(some[0], SEVERAL, tuple(record.opaque_id for record in same))
        not_failed = [record for record in found if record.status != Status.FAILED]
        not_withheld = [record for record in not_failed if record.status != Status.WITHHELD]
        return Match((not_withheld or not_failed or found)[0])

    def _is_of_thread(self, record: Record, job: InboundMessage) -> bool:
        """Whether an e-mail refers to a message of the conversation; True also if it refers to none."""
        referred = frozenset(job.in_reply_to)
        newest_first = itertools.chain(
            self._ids_of(record, record.messages),
            self._ids_of(record, self._conversations.history(record)),
        )
        return not referred or any(message_id in referred for message_id in newest_first)

    def _ids_of(self, record: Record, entries: Iterable[Entry]) -> Iterator[str]:
        """Every message id by which a reply may refer to the given messages of a conversation.

        These are our ids, the vendor's ids, and for e-mail the digests of Message-IDs.
        """
        yield str(record.item.get("email_id_digest"))
        for entry in entries:
            yield entry.entry_id
            if entry.provider_id is not None:
                yield entry.provider_id
                if record.channel.traits.is_threaded:
                    yield message_id_digest(self._message_id_header(entry.provider_id))

    def _open_late(self, job: InboundMessage, owner: Owner | None) -> Match:
        """Open a new conversation for a message that comes after the former one was deleted; idempotent.

        Raises:
            NotAnEvent: there never was one, or another account signed the message.
            Elsewhere: the message has to move to another FIFO group first.
        """
        unknown = NotAnEvent(
            EventStatus.SKIPPED, reasons.UNKNOWN_SENDER, event_key=key_of(job, owner)
        )
        kept = self._conversations.former_pair(
            self.pair_hashes(job.channel, job.sender, job.recipient)
        )
        if kept is None or job.is_automatic:
            raise unknown
        there = self._conversations.find(str(kept["newest"]))
        record = there or Record(self._late_attributes(job, kept["of"]))
        if not self._ownership.is_to(record, job, owner):
            raise unknown
        if not self._ownership.is_signed_for(record, job, owner):
            raise NotAnEvent(EventStatus.SKIPPED, WRONG_ACCOUNT, event_key=key_of(job, owner))
        if there is not None:  # the index by sender and recipient lags behind the table
            return Match(there)
        if (
            job.is_apart and job.pair is None
        ):  # raised before opening, so that the next run gets here again
            raise Elsewhere(job.model_copy(update={"pair": (job.sender, job.recipient)}))
        pairs = self.pair_hashes(job.channel, job.sender, job.recipient)
        opened = self._conversations.open(record.item, pairs=pairs, is_wanted=True)
        return Match(opened.record or record, LATE)

    def _late_attributes(self, job: InboundMessage, kept: Item) -> Item:
        """The attributes of a new conversation, for a message that came after its own was deleted.

        Of the deleted conversation, only project and sender are still known.
        """
        request_id = f"late-{keys.digest(job.message_id)[:32]}"
        ids = (str(kept["company_id"]), str(kept["project_id"]))
        conversation_id = "#".join((*ids, request_id, job.recipient.lstrip("+")))
        names = ("company_name", "project_name")
        return {
            **{name: kept[name] for name in names if name in kept},
            "primary_channel": job.recipient,
            job.channel.traits.address.field: job.recipient,
            "conversation_id": conversation_id,
            "opaque_id": self._opaque().of("conversation", job.recipient, conversation_id),
            "start_event": outreach_keys.start(ids[0], request_id),
            "company_id": ids[0],
            "project_id": ids[1],
            "request_id": request_id,
            "channel_method": job.channel.value,
            "channel_config": kept["channel_config"],
            "conversation_status": Status.INITIAL_MESSAGE_SENT.value,
            "task_complete": 1,
            "messages": [],
            "message_count": 0,
        }


def _is_from(record: Record, job: InboundMessage) -> bool:
    """Whether a message was written from its conversation's own recipient address."""
    return numbers.is_same(record.primary_channel.lower(), job.recipient.lower())


def _was_opened(record: Record) -> bool:
    """Whether the conversation's status says that its first message was sent.

    False also where the conversation has failed or was withheld since.  Of a handed-off
    conversation, the status before the hand-off counts.
    """
    if record.is_handed_off:
        return Status(record.handoff["was"]) not in UNSENT | _ENDED
    return record.status not in UNSENT | _ENDED
