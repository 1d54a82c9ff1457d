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
    """What one status means.

    Attributes:
        state: the state of an order that can be answered.
        person: the reason why a person must answer.
        en: what a customer reads in English.
        es: what a customer reads in Spanish.

    Raises:
        TableError: it has both a state and a reason, or neither.
    """

    state: str = ""
    person: str = ""
    en: str = ""
    es: str = ""

    def __post_init__(self) -> None:
        if bool(self.state) == bool(self.person):
            raise TableError(f"{FILE.name}: a row is a state or a person")

    def written(self, language: Literal["en", "es"]) -> str:
        """What a customer reads in a language."""
        return self.es if language == "es" else self.en


StatusRows = Mapping[str, StatusRow]


@dataclass(frozen=True, slots=True)
class TagRows:
    """Tags of an order that matter, in lower case."""

    preorder: tuple[str, ...]
    person: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaidGoneRows:
    """Words by which a message says that an order is gone.

    Attributes:
        by_themselves: words that, before one of `words`, say that the customer has lost something.
    """

    words: tuple[str, ...]
    by_themselves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaidDeliveredRows:
    """Words by which a message says that an order was delivered."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeRows:
    """Built-in numbers of days, and the built-in home country; see the file."""

    home: str
    handling_days: int
    announced_days: int
    followed_days: int


@dataclass(frozen=True, slots=True)
class WindowRow:
    """Business days that a shipping method takes from dispatch.

    Attributes:
        methods: a regular expression over names in lower case.
        countries: where it applies; empty for the shop's own.
    """

    methods: str
    low: int
    high: int
    countries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderRules:
    """The rows of the file."""

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
    """The rows, read once.

    Raises:
        TableError: the file does not have the form of `OrderRules`.
    """
    return read(FILE, OrderRules)
