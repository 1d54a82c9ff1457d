"""In what channels differ from one another: the fields of the records in `channels`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol

from chalicelib.once.effect import EffectKind, Hands
from chalicelib.once.lanes import Lane


class Form(StrEnum):
    """What an opening is written as."""

    TEMPLATE = "template"
    """Values for a template that the carrier has approved, which says itself how to opt out."""
    TEXT = "text"
    MAIL = "mail"
    """A subject and a text of paragraphs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressKind:
    """One kind of address at which a person is reached.

    Attributes:
        field: its name in a request and in a record.
        list_name: ends the name of a hand-off rule's list of such addresses.
        normalised: the address as it is stored and compared; None for one that is not valid.
        is_one: whether an address that is known to be valid is of this kind.
        sample: an invented one, for what is only tried.
        shows_zone: it shows the time zones that its owner may be in.
    """

    field: str
    list_name: str
    normalised: Callable[[str], str | None]
    is_one: Callable[[str], bool]
    sample: str
    shows_zone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierTraits:
    """What one vendor's channels have in common.

    Attributes:
        vendor: its name, by which wiring knows what sends.
        opts_out_as: the register's reason where a receipt says that the recipient has opted out.
        lists_received: it shows what has come in, so that a message no webhook has brought is found.
    """

    vendor: str
    opts_out_as: str
    lists_received: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """One channel.

    Attributes:
        title: in words for a person.
        carrier: the vendor that carries its messages.
        lane: the queue of its jobs.
        sender: name of the company's sending identifier in `channel_config`.
        credentials: name of the secret's name in `channel_config`; None where none is needed.
        address: of a recipient.
        prefix: the carrier's mark of the channel before an address.
        sends: the kind of effect of a message.
        confirms_stop: of the fixed text after STOP; None where nothing is sent.
        answers_help: of the fixed text after HELP; None where nothing is sent.
        form: of an opening.
        longest: how many characters the carrier takes; None: as many as the project allows.
        window: for how long after a message of the recipient it takes free text; None: always.
        counts_segments: a text is paid by its segments.
        is_threaded: messages have subjects, and ids by which they refer to each other.
        is_timed: the carrier says when a message was sent, and not its sender.
        is_forgeable: anybody can write in a recipient's name: a wish that nothing proves suspends the
            address for a time.
        charged_out: what its carrier charges for a message to a recipient, by names of `ops.cost.prices`.
        charged_in: likewise for one of a recipient.
    """

    title: str
    carrier: CarrierTraits
    lane: Lane
    sender: str
    credentials: str | None = None
    address: AddressKind
    prefix: str = ""
    sends: EffectKind
    confirms_stop: EffectKind | None = None
    answers_help: EffectKind | None = None
    form: Form = Form.TEXT
    longest: int | None = None
    window: timedelta | None = None
    counts_segments: bool = False
    is_threaded: bool = False
    is_timed: bool = True
    is_forgeable: bool = False
    charged_out: tuple[str, ...] = ()
    charged_in: tuple[str, ...] = ()

    @property
    def index(self) -> str:
        """The index of the `conversations` table by sender and recipient."""
        return f"{self.sender}-{self.address.field}-index".replace("_", "-")

    @property
    def notices(self) -> tuple[EffectKind, ...]:
        """The kinds of its fixed texts."""
        return tuple(one for one in (self.confirms_stop, self.answers_help) if one is not None)

    @property
    def between(self) -> str:
        """What separates a text and a line that code adds."""
        return "\n\n" if self.form is Form.MAIL else " "


class _Vendor(Protocol):
    """What performs the effects of one vendor: `sending.prepared.Messages`."""

    def hands(self) -> Hands: ...
    def hands_of_notice(self) -> Hands: ...


def hands_of(part: Callable[[Any], _Vendor]) -> Callable[[Any], Hands]:
    """The hands of a vendor's messages, which a last look may stop."""
    return lambda parts: part(parts).hands()


def notice_hands_of(part: Callable[[Any], _Vendor]) -> Callable[[Any], Hands]:
    """The hands of its fixed texts, the only messages that leave without a look at the register."""
    return lambda parts: part(parts).hands_of_notice()
