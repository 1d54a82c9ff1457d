"""Recognises that a machine answers us: by its words, its repetitions or the pace of its answers; pure.

Two machines that answer each other never stop, and each round costs a model call and a message.
Automation does not answer a message that is recognised here; a person gets the conversation, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.outreach.conversations.records import LOOP, MACHINE, PROMPT, Entry
from chalicelib.vendors.machine_mail import is_machine_mail

LONG_TEXT_CHARACTERS = 20
"""Minimum length of a text whose first repetition counts: people repeat only short texts like "yes"."""
SHORT_TEXT_TIMES = 3
"""A shorter text counts at this occurrence, if an answer came before each repetition."""
AT_ONCE = timedelta(seconds=3)
"""An answer within this time is too quick for a person, if it happens `AT_ONCE_TIMES` in a row."""
AT_ONCE_TIMES = 3


def machine_note(before: Sequence[Entry], text: str, sent_at: str, *, is_timed: bool) -> str | None:
    """Whether a machine wrote a message: `MACHINE` by its words, `LOOP` by repetition or pace, else None.

    Args:
        before: the newest entries before the message, of `Conversations.recent`.
        text: the message.
        sent_at: ISO time at which it was sent.
        is_timed: whether the channel gives the time of sending to the second.
    """
    if is_machine_mail(text):
        return MACHINE
    earlier = [entry for entry in before if entry.note != PROMPT]
    if _is_repeated(earlier, text) or (is_timed and _comes_at_once(earlier, sent_at)):
        return LOOP
    return None


def _is_repeated(earlier: Sequence[Entry], text: str) -> bool:
    """Whether the recipient has repeated a text after our answers so often that a machine must write."""
    wanted = keys.normalised(text)
    times, is_answered = 1, False
    for entry in reversed(earlier):
        if entry.role == "assistant":
            is_answered = True
        elif is_answered and keys.normalised(entry.content) == wanted:
            times, is_answered = times + 1, False
    return times >= (2 if len(wanted) >= LONG_TEXT_CHARACTERS else SHORT_TEXT_TIMES)


def _comes_at_once(earlier: Sequence[Entry], sent_at: str) -> bool:
    """Whether the recipient's last `AT_ONCE_TIMES` messages each came within `AT_ONCE` of one of ours."""
    came, times = sent_at, 0
    for entry in reversed(earlier):
        if entry.role == "assistant":
            at, said = parsed(came), parsed(entry.message_timestamp)
            if came and at and said and timedelta() <= at - said <= AT_ONCE:
                times += 1
                came = ""
                continue
            break
        if came:
            break  # the recipient wrote twice in a row
        came = entry.message_timestamp
    return times >= AT_ONCE_TIMES
