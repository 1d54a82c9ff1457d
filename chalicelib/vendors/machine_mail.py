"""Whether a machine wrote a message: by sender, headers, subject and the words of auto-replies; pure.

Machines answer machines: what is recognised here goes to a person and is never answered.  The words are
in ``machine_mail.toml``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.once.keys import normalised
from chalicelib.ready import ready
from chalicelib.tables import beside, read

_SEEN_CHARACTERS = 3000


def is_machine_mail(
    text: str,
    subject: str = "",
    *,
    sender: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> bool:
    """Whether an auto-responder, a mail server or another program wrote a message.

    Args:
        text: the message, without quoted history.
        subject: its subject.
        sender: its address.
        headers: its headers, where the vendor shows them; names in any case.
    """
    if sender and _SENDER.search(sender.strip().lower()):
        return True
    if _has_machine_header(
        {name.lower(): str(value).lower() for name, value in (headers or {}).items()}
    ):
        return True
    shown = _without_accents(subject).strip()
    if not _ANSWER.match(shown) and _subject().search(shown):
        return True
    return bool(_body().search(_without_accents(text)))


def _has_machine_header(headers: Mapping[str, str]) -> bool:
    """Whether a mail's headers show that a machine wrote it: those of RFC 3834, and others in use."""
    if headers.get("auto-submitted", "no").split(";")[0].strip() not in {"", "no"}:
        return True
    if headers.get("precedence", "").strip() in {"bulk", "junk", "list", "auto_reply"}:
        return True
    if headers.get("return-path", "x").strip() == "<>":
        return True
    if "multipart/report" in headers.get("content-type", ""):
        return True
    if headers.get("x-auto-response-suppress", "").strip() not in {"", "none"}:
        return True
    named = {"x-autoreply", "x-autorespond", "x-autoresponder", "list-unsubscribe", "list-id"}
    named |= {"x-failed-recipients", "feedback-id", "x-auto-reply-from"}
    return not named.isdisjoint(headers)


def _without_accents(text: str) -> str:
    shown = unicodedata.normalize("NFD", normalised(text[:_SEEN_CHARACTERS]))
    bare = "".join(letter for letter in shown if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare).replace("\u2019", "'")


_SENDER = re.compile(
    r"(?:^|<)(?:mailer[-_.]?daemon|postmaster|mail[-_.]?delivery(?:[-_.]?(?:system|subsystem))?|bounces?"
    r"|no[-_.]?reply|do[-_.]?not[-_.]?reply|donotreply|noresponder|no[-_.]?responder|no[-_.]?contestar"
    r"|ne[-_.]?pas[-_.]?repondre|nepasrepondre|keine[-_.]?antwort|nicht[-_.]?antworten|non[-_.]?rispondere"
    r"|nao[-_.]?responda?|naoresponder|niet[-_.]?beantwoorden"
    r"|notif(?:y|ication|ications|icaciones|icacion)?|alerts?|auto(?:mated|reply|responder|confirm|matic)?"
    r"|newsletters?|news|mailings?|campaigns?|system|daemon|root|robot|bot|tracking|updates?|delivery[-_.]?(?:updates?|notifications?)"
    r"|ship(?:ment|ping)?[-_.]?(?:updates?|confirm(?:ation)?|notifications?)|receipts?|invoice\+statements"
    r"|marketing|promo(?:tions)?|offers|deals|calendar-notification|comments[-_.]?noreply)(?:[-+_.][^@]*)?@"
    r"|^[^@]*(?:no[-_.]?reply|do[-_.]?not[-_.]?reply|mailer-daemon|bounce[sd]?[-+_.=]|notifications?[-_.])[^@]*@"
    r"|@(?:bounces?|mailer|notifications?|noreply|no-reply|em\d*|mailgun|sendgrid|amazonses)\."
)
_ANSWER = re.compile(r"(?:re|aw|rv|fwd?|wg|tr|sv|antw|res|enc|i) ?:")
"""Prefixes of a subject that a person answers or forwards, such as ``Re:``; machines write other
words first."""


@dataclass(frozen=True, slots=True)
class MachineMailFile:
    """The content of ``machine_mail.toml``: patterns, of which one is enough."""

    subject_begins: tuple[str, ...]
    subject_holds: tuple[str, ...]
    text_holds: tuple[str, ...]


@ready
def words_of_machines() -> MachineMailFile:
    """The words by which a machine that writes is recognised."""
    return read(beside(__file__, "machine_mail.toml"), MachineMailFile)


@cache
def _subject() -> re.Pattern[str]:
    """The pattern of a machine's subjects, compiled at its first use."""
    words = words_of_machines()
    return re.compile("|".join((f"^(?:{'|'.join(words.subject_begins)})", *words.subject_holds)))


@cache
def _body() -> re.Pattern[str]:
    """The pattern of a machine's words in a message, compiled at its first use."""
    return re.compile("|".join(words_of_machines().text_holds))
