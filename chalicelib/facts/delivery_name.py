"""What the name of an Aloware delivery says about its communication; the name can be wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from chalicelib.facts.model import Metric

_SEEN = re.compile(
    r"(Inbound|Outbound)[A-Za-z]+(-Disposition[A-Za-z]+)?|Recording-Saved|Call-Disposed"
    r"|transcription\.[a-z_.]+"
)


class DeliveryPart(Enum):
    """Which part of a communication (call or text message) a delivery of Aloware reports.

    Attributes:
        ENDING: its disposition, which has all of its data.
        PART: a recording or a transcription: it repeats the final numbers, and may come before
            the disposition.
        OTHER: anything else, such as its beginning.
    """

    ENDING = auto()
    PART = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class DeliveryName:
    """The name that Aloware gave a delivery; empty where it has none.

    An example is ``OutboundPhoneCall-DispositionCompleted``.
    """

    text: str

    @property
    def part(self) -> DeliveryPart:
        """Which part of a call or text message a delivery of this name reports, e.g. its ending."""
        if self._has("disposition", "disposed"):
            return DeliveryPart.ENDING
        return DeliveryPart.PART if self._has("record", "transcri") else DeliveryPart.OTHER

    @property
    def is_contact(self) -> bool:
        """Whether the name is that of an event about a contact, not about a call or text message.

        The name can be wrong: a delivery with a type reports a call or text message all the same.
        """
        return self.text.lower().startswith("contact")

    @property
    def metric(self) -> Metric | None:
        """The metric that the name speaks of, calls or texts; None where it speaks of neither."""
        if self._has("text", "sms"):
            return Metric.TEXTS
        return Metric.CALLS if self._has("call") else None

    @property
    def is_outbound(self) -> bool:
        """Whether the name says that an agent began the communication, by a word such as "outbound"."""
        return self._has("outbound", "outgoing")

    @property
    def is_seen(self) -> bool:
        """Whether Aloware is known to send this name for a call or text message."""
        return _SEEN.fullmatch(self.text) is not None

    def _has(self, *words: str) -> bool:
        return any(word in self.text.lower() for word in words)
