"""What the flows need of conversations, of starts and of the writer; no storage in sight."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from chalicelib.outreach.conversations.records import (
    Channel,
    Draft,
    Entry,
    Item,
    Opened,
    Record,
    Status,
    Told,
)

if TYPE_CHECKING:
    from chalicelib.once.event import Lease


class ConversationsPort(Protocol):
    """The table; see `store.Conversations` for what each method promises."""

    def open(
        self,
        record: Mapping[str, Any],
        first: tuple[str, Draft] | None = None,
        *,
        held: Item | None = None,
    ) -> Opened:
        """Create a conversation unless it exists or its recipient must not be contacted."""
        ...

    def append(
        self,
        record: Record,
        new: Entry,
        *,
        expected: Collection[Status] | None = None,
        changes: Mapping[str, Any] | None = None,
        remove: Collection[str] = (),
        also: Sequence[Item] = (),
    ) -> tuple[Record, bool]:
        """Append an entry once, and change other attributes with it."""
        ...

    def move(
        self,
        record: Record,
        expected: Collection[Status],
        changes: Mapping[str, Any],
        *,
        remove: Collection[str] = (),
        same_handoff: bool = False,
    ) -> Record | None:
        """Change attributes while the conversation is in one of the expected statuses."""
        ...

    def note_delivery(
        self,
        record: Record,
        entry_id: str,
        status: str,
        rank: int,
        *,
        reason: str | None = None,
        ref: str | None = None,
    ) -> bool:
        """Advance what is known of a sent message's delivery."""
        ...

    def forbid(self, primary_channel: str, company_id: str, reason: str) -> None:
        """Mark that a recipient wants nothing of a company."""
        ...

    def allow(self, primary_channel: str, company_id: str) -> None:
        """Take the mark away."""
        ...

    def is_forbidden(self, primary_channel: str, company_id: str) -> bool:
        """Whether the recipient wants nothing of the company."""
        ...

    def get(self, record: Record) -> Record:
        """A conversation read anew."""
        ...

    def find(self, opaque_id: str) -> Record | None:
        """A conversation by what stands for it in every other table."""
        ...

    def draft(self, record: Record, entry_id: str) -> Draft | None:
        """What will be, or was, sent under an entry id."""
        ...

    def told_elsewhere(self, record: Record, entry_id: str) -> Told:
        """What its recipient is told under other entry ids."""
        ...

    def has_entry(self, record: Record, entry_id: str) -> bool:
        """Whether an entry of that id was appended."""
        ...

    def of_pair(self, channel: Channel, sender: str, recipient: str) -> Iterator[Record]:
        """Which conversations an incoming message may belong to."""
        ...


class StartsPort(Protocol):
    """A start's row in the ledger; see `starts.Starts`."""

    def note(
        self,
        event_key: str,
        *,
        outcome: str | None = None,
        delivery: tuple[str, int] | None = None,
        reason: str | None = None,
    ) -> None:
        """Add to what the start's sender can learn."""
        ...

    def ended(self, company_id: str, event_key: str, received_at: str) -> Item:
        """The write that frees a start's place among its company's open ones."""
        ...

    def free(self, company_id: str, event_key: str, received_at: str) -> None:
        """The same by itself."""
        ...

    def holding(self, lease: Lease) -> Item:
        """The write that holds only while the start is this lease's; for a transaction."""
        ...

    def abandon(self, event_key: str) -> None:
        """The same where nothing is left of a start but its row."""
        ...


class ComposerPort(Protocol):
    """The writer behind the store of drafts; see `composing.Composer`."""

    def is_instant(self, record: Record) -> bool:
        """Whether an opening of it can be written without leaving the machine."""
        ...

    def unsaved_opening(self, record: Record) -> Draft:
        """An opening that the caller stores itself."""
        ...

    def opening(self, record: Record, entry_id: str) -> Draft:
        """The stored opening, written now if there is none."""
        ...

    def answer(self, record: Record, entry_id: str) -> Draft:
        """The stored answer to the newest messages, written now if there is none."""
        ...
