"""Keys of events and actions, FIFO ids and opaque ids: the same input always gives the same keys.

Each system names its own formats in its `keys` module; they are fixed by the data model and never
change within the ledger's retention.  A resent action's key, and its event's, end in
``:resend:{nonce}``.

Parts are immutable properties of the event.  A colon or a percent sign inside a part is
percent-encoded, so that two different part lists never give one key.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from urllib.parse import unquote

_WHITE_SPACE = re.compile(r"\s+")


RESEND = ":resend:"
"""The text before the nonce of a deliberate resend, in event keys and in action keys."""


@dataclass(frozen=True, slots=True)
class Suffix:
    """The last part of an action's key: which event the action belongs to.

    It is a key part, not text: formatting it raises `TypeError`, because a string made of it would
    be escaped as a whole and give another key.

    Attributes:
        name: the message id, or a hash of the event key where there is none.
        nonce: set for a deliberate resend, else empty.
    """

    name: str
    nonce: str = ""

    @property
    def text(self) -> str:
        """The last part of an action's key as other records show it, e.g. ``c-77`` or ``c-77:resend:n1``.

        It is never put into a key.
        """
        return f"{self.name}{RESEND}{self.nonce}" if self.nonce else self.name

    def prefixed(self, prefix: str) -> Suffix:
        """The suffix for another action of the same event: a prefix before this name, and the same nonce."""
        return Suffix(prefix + self.name, self.nonce)

    def __str__(self) -> str:
        raise TypeError("a Suffix is a part of a key: pass it to `joined`, or show its `text`")

    def __format__(self, spec: str) -> str:
        return str(self)


@lru_cache(maxsize=1024)
def joined(*parts: str | Suffix) -> str:
    """Join key parts with colons; ``("a:b", "c")`` and ``("a", "b:c")`` give different keys.

    An action's key is read a dozen times while it is performed, so recent keys are cached.
    """
    return ":".join(_escaped(part) for part in parts)


def parts(key: str) -> list[str]:
    """The parts of a key that `joined` has made; of a resend's key, those before its nonce."""
    own, _, _ = key.partition(RESEND)
    return [unquote(part) for part in own.split(":")]


def normalised(text: str) -> str:
    """A text in NFKC, trimmed, in lower case, each run of white space as one space."""
    return _WHITE_SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().lower()


def suffix_of(event_key: str, message_id: str | None, nonce: str = "") -> Suffix:
    """The `Suffix` of the keys of an event's actions: its message id, else a hash of its key; a nonce."""
    return Suffix(message_id or digest(event_key)[:32], nonce)


def is_resent(event_key: str) -> bool:
    """Whether an event's key is that of a resend, which repeats another event's action for an operator."""
    return RESEND in event_key


def bound_ref(kind: str, scope: str, ref: str) -> str:
    """The key of the row that binds a vendor's id of an effect to one action.

    Args:
        kind: of the action.
        scope: where the id is unique: the conversation, or empty for the whole vendor.  It is
            empty for a carrier: it lists messages by pair of numbers, and one pair may have several
            conversations.
        ref: the vendor's id.
    """
    return joined("ref", kind, digest(scope, ref))


def digest(*parts: str) -> str:
    """The SHA-256 of a list of texts, in hex; ``("ab", "c")`` and ``("a", "bc")`` give different hashes."""
    return hashlib.sha256(_listed(parts)).hexdigest()


def fifo_deduplication_id(event_key: str, nonce: str = "") -> str:
    """The SQS deduplication id of a job: 64 ASCII characters, whatever the event's key holds.

    Copies that arrive at ingress have the same nonce, so that the queue itself drops them for five
    minutes.  A job that is sent again on purpose has another nonce, or the queue would drop it.
    """
    return digest("dedup", event_key, nonce)


class OpaqueIds:
    """Makes keyed hashes of identifiers that are, or may be, personal data.

    The key is one per stage and is never rotated within the ledger's retention, because a rotated
    key would make a repeated event look new.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, *parts: str) -> str:
        """The keyed hash of some texts: 32 hex characters, the same in every process of the stage."""
        message = _listed(parts)
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]

    def fifo_group(self, *parts: str) -> str:
        """The SQS group id for these parts: their keyed hash, as a ticket's id may be an e-mail address."""
        return self.of("group", *parts)


def _listed(parts: Sequence[str]) -> bytes:
    """Some texts as a JSON list in ASCII bytes, as `json.dumps` writes it, in a third of its time."""
    return f"[{', '.join(map(encode_basestring_ascii, parts))}]".encode()


def _escaped(part: str | Suffix) -> str:
    if isinstance(part, Suffix):
        name = _escaped(part.name)
        return f"{name}{RESEND}{_escaped(part.nonce)}" if part.nonce else name
    if ":" in part or "%" in part:
        return part.replace("%", "%25").replace(":", "%3A")
    return part
