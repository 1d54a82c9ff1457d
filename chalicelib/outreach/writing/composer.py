"""Asks the writer once per message, and stores the draft before it is sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from chalicelib.errors import PermanentError
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import UNSAID, Draft, Entry, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jurisdictions.required_words import with_required_words
from chalicelib.outreach.messages.fixed import stop_confirmation, with_opt_out_line
from chalicelib.outreach.project.rules import longest_text
from chalicelib.outreach.writing.template_writer import DraftRefusedError, Writer

HISTORY_ENTRIES = 20


class Composer:
    """Returns stored drafts of messages, and asks the writer for missing ones.

    Args:
        beating: a context manager that keeps the current queue message invisible while a draft is
            written.
    """

    def __init__(
        self,
        *,
        conversations: Conversations,
        writer: Writer,
        beating: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._conversations = conversations
        self._writer = writer
        self._beating = beating

    def is_instant(self, record: Record) -> bool:
        """Whether a conversation's opening can be written without a vendor call.

        Raises:
            PermanentError: no writer can be chosen.
        """
        return self._writer.is_instant(record)

    def unsaved_opening(self, record: Record) -> Draft:
        """A newly written first message that is not stored here, but by the caller; only where `is_instant`."""
        return _checked_length(record, self._timed(lambda: self._opening(record)))

    def opening(self, record: Record, entry_id: str) -> Draft:
        """The stored draft of a conversation's first message; written and stored now if there is none.

        Raises:
            ProviderError: the writer failed, or the draft is too long; nothing is stored.
        """
        return self._stored(record, entry_id, lambda: self._opening(record))

    def _opening(self, record: Record) -> Draft:
        """The writer's first message, with the words that the project and the law require, and an opt-out.

        Code adds both to what the writer wrote.
        """
        written = with_required_words(record, self._writer.opening(record))
        return with_opt_out_line(record, written)

    def answer(self, record: Record, entry_id: str) -> Draft:
        """The stored draft of an answer to the newest messages; written and stored now if there is none.

        Raises `ProviderError`, as `opening`.
        """
        return self._stored(record, entry_id, lambda: self._answer(record, self._history(record)))

    def _answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """The writer's answer to the newest messages.

        Where the recipient wishes to stop, its text is our fixed confirmation, or empty on a channel that
        sends none.
        """
        written = self._writer.answer(record, history)
        if not written.opts_out:
            return written
        text = stop_confirmation(record) if record.channel.traits.stop_kind else ""
        return replace(written, text=text)

    def stored_draft(self, record: Record, entry_id: str) -> Draft | None:
        """The stored draft of a message, by the message's id; None where none was written."""
        return self._conversations.draft(record, entry_id)

    def has_entry(self, record: Record, entry_id: str) -> bool:
        """Whether the conversation already has an entry, ours or the recipient's, of the given id."""
        return self._conversations.has_entry(record, entry_id)

    def keep_refused(self, record: Record, entry_id: str, error: DraftRefusedError) -> None:
        """Store a draft that broke a rule of the review, so that a person can decide what is sent."""
        self._conversations.keep_draft(record, entry_id, error.draft)

    def store_fixed(self, record: Record, entry_id: str, wording: Draft) -> Draft:
        """Store one of our fixed wordings as an answer's draft; return it, or the draft stored before."""
        return self._conversations.keep_draft(record, entry_id, wording)

    def withheld_draft(self, record: Record, entry_id: str) -> Draft:
        """The draft of a message that a switch withheld; it is written and stored now if it was not before."""
        if entry_id == outreach_keys.entry_id(record.start_event):
            return self.opening(record, entry_id)
        return self.answer(record, entry_id)

    def _stored(self, record: Record, entry_id: str, write: Callable[[], Draft]) -> Draft:
        there = self._conversations.draft(record, entry_id)
        if there is not None:
            return there
        written = _checked_length(record, self._timed(write))
        return self._conversations.keep_draft(record, entry_id, written)

    def _timed(self, write: Callable[[], Draft]) -> Draft:
        started = time.monotonic()
        with self._beating():
            written = write()
        return replace(written, processing_time_ms=int((time.monotonic() - started) * 1000))

    def _history(self, record: Record) -> Sequence[Entry]:
        newest = self._conversations.newest_entries(record, HISTORY_ENTRIES)
        return tuple(entry for entry in newest if entry.note not in UNSAID)


def _checked_length(record: Record, written: Draft) -> Draft:
    """A written draft, if the channel and the company allow its length.

    Raises:
        PermanentError: it is too long.  It is not truncated: half a sentence is no message.
    """
    if len(written.text) > longest_text(record):
        raise PermanentError("writer", "compose", reason=reasons.TOO_LONG)
    return written
