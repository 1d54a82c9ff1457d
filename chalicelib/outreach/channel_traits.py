"""How channels differ from one another: the fields of the records in `channels`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol

from chalicelib.once.effect import EffectKind, Executor
from chalicelib.once.lanes import Lane


class Form(StrEnum):
    """The form in which a channel's first message is written."""

    TEMPLATE = "template"
    """Values for a template that the carrier has approved; the template says how to opt out."""
    TEXT = "text"
    MAIL = "mail"
    """A subject, and a text of paragraphs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressKind:
    """One kind of recipient address: a phone number or a mailbox.

    Attributes:
        field: the field that holds the address in a request and in a record.
        list_name: last part of the name of a hand-off rule's list of such addresses.
        normalise: maps an address to its stored form; None for an invalid one.
        is_of_kind: whether an address that is known to be valid is of this kind.
        sample: an invented address, for dry runs.
        shows_zone: the address itself shows in which time zones its owner may be.
    """

    field: str
    list_name: str
    normalise: Callable[[str], str | None]
    is_of_kind: Callable[[str], bool]
    sample: str
    shows_zone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierTraits:
    """What all channels of one vendor have in common.

    Attributes:
        vendor: the vendor's name, by which `work` chooses the sender.
        opts_out_as: the register's reason where a receipt says that the recipient has opted out.
        lists_received: the vendor lists received messages, so the sweep finds one whose webhook
            never came.
    """

    vendor: str
    opts_out_as: str
    lists_received: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What the code needs to know of one channel, such as SMS.

    Attributes:
        title: the channel's name for a reader.
        carrier: the vendor that carries its messages.
        lane: the queue of the channel's jobs.
        sender: the field of `channel_config` that holds the company's number or address.
        credentials: the field of `channel_config` that names the secret; None where none is needed.
        address: the kind of address that a recipient has on the channel.
        prefix: what the carrier writes before an address of the channel.
        send_kind: the kind of effect that sends a message.
        stop_kind: the kind of effect that confirms a STOP; None where nothing is sent.
        help_kind: the kind of effect that answers HELP; None where nothing is sent.
        form: the form of a first message.
        max_characters: the most characters that the carrier takes; None: the project's limit alone counts.
        free_text_window: how long after a message of the recipient free text may be sent; None: always.
        counts_segments: the carrier charges a text by its segments.
        is_threaded: messages have subjects, and ids by which they refer to each other.
        is_timed: the time of a message is the carrier's, not its sender's claim.
        is_forgeable: anybody can write in a recipient's name, so an unproven STOP only suspends the
            address for a time.
        charged_out: what the carrier charges for a message to a recipient: names of `ops.cost.prices`.
        charged_in: what the carrier charges for a message from a recipient, likewise.
    """

    title: str
    carrier: CarrierTraits
    lane: Lane
    sender: str
    credentials: str | None = None
    address: AddressKind
    prefix: str = ""
    send_kind: EffectKind
    stop_kind: EffectKind | None = None
    help_kind: EffectKind | None = None
    form: Form = Form.TEXT
    max_characters: int | None = None
    free_text_window: timedelta | None = None
    counts_segments: bool = False
    is_threaded: bool = False
    is_timed: bool = True
    is_forgeable: bool = False
    charged_out: tuple[str, ...] = ()
    charged_in: tuple[str, ...] = ()

    @property
    def index(self) -> str:
        """Name of the `conversations` table's index by the channel's sender and recipient."""
        return f"{self.sender}-{self.address.field}-index".replace("_", "-")

    @property
    def notice_kinds(self) -> tuple[EffectKind, ...]:
        """The kinds of effects that send the fixed answers to STOP and HELP; empty where none are sent."""
        return tuple(kind for kind in (self.stop_kind, self.help_kind) if kind is not None)

    @property
    def separator(self) -> str:
        """The separator between a message's text and a line that code adds to it."""
        return "\n\n" if self.form is Form.MAIL else " "


class _Vendor(Protocol):
    """What sends one vendor's messages; `sending.prepared.MessageSender` implements this interface."""

    def executor(self) -> Executor: ...
    def executor_of_notice(self) -> Executor: ...


def executor_of(part: Callable[[Any], _Vendor]) -> Callable[[Any], Executor]:
    """A function that builds the `Executor` of a vendor's messages from the wired parts.

    Right before a message leaves, the do-not-contact register is read again and may stop it.
    """
    return lambda parts: part(parts).executor()


def notice_executor_of(part: Callable[[Any], _Vendor]) -> Callable[[Any], Executor]:
    """A function that builds the `Executor` of a vendor's answers to STOP and HELP from the wired parts.

    Only these messages leave without a check of the do-not-contact register.
    """
    return lambda parts: part(parts).executor_of_notice()
