"""The rows of ``order_rules.toml``: what each of Shopify's statuses means for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from chalicelib.tables import TableError, beside, read

FILE = beside(__file__, "order_rules.toml")


@dataclass(frozen=True, slots=True)
class StatusRow:
    """What one of Shopify's statuses means: an answer is possible, or a person must answer.

    Attributes:
        state: state of an order with this status, if an answer is possible.
        person: the reason why a person must answer, if no answer is possible.
        en: the status in words for the customer, in English.
        es: the status in words for the customer, in Spanish.

    Raises:
        TableError: the row has both a state and a reason, or neither.
    """

    state: str = ""
    person: str = ""
    en: str = ""
    es: str = ""

    def __post_init__(self) -> None:
        if bool(self.state) == bool(self.person):
            raise TableError(f"{FILE.name}: a row is a state or a person")

    def in_words(self, language: Literal["en", "es"]) -> str:
        """The status in words for the customer, in a language."""
        return self.es if language == "es" else self.en


StatusRows = Mapping[str, StatusRow]


@dataclass(frozen=True, slots=True)
class TagRows:
    """The tags, in lower case, that mark an order as a pre-order or as one for a person."""

    preorder: tuple[str, ...]
    person: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaidGoneRows:
    """The words by which a message says that an order is lost or stolen.

    Attributes:
        words: the words for loss and theft.
        by_themselves: words such as "I": right before one of `words`, they show that the customer
            has lost something, so that the message does not say that the order is gone.
    """

    words: tuple[str, ...]
    by_themselves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaidDeliveredRows:
    """The words by which a message says that an order was delivered."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeRows:
    """The built-in numbers of days and the built-in home country; the file explains each value."""

    home: str
    handling_days: int
    announced_days: int
    followed_days: int


@dataclass(frozen=True, slots=True)
class WindowRow:
    """How many business days a shipping method takes, from dispatch to arrival.

    Attributes:
        methods: a regular expression that matches the method's name in lower case.
        countries: countries where the window applies; if empty, the shop's home countries.
    """

    methods: str
    low: int
    high: int
    countries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderRules:
    """All rows of ``order_rules.toml``."""

    financial_status: StatusRows
    fulfillment_status: StatusRows
    warehouse: StatusRows
    shipment_status: StatusRows
    disputes: StatusRows
    returns: StatusRows
    risk: StatusRows
    tags: TagRows
    said_gone: SaidGoneRows
    said_delivered: SaidDeliveredRows
    times: TimeRows
    windows: tuple[WindowRow, ...]
    carriers: Mapping[str, str] = field(repr=False)


@cache
def order_rules() -> OrderRules:
    """All rows of ``order_rules.toml``, read from the file once.

    Raises:
        TableError: the file does not have the form of `OrderRules`.
    """
    return read(FILE, OrderRules)
