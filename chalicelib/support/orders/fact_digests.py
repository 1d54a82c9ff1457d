"""Keyed digests of the facts that prove each sentence of a reply; pure.

Two reads of an order give equal digests only if every fact behind the sentence is the same, even if
different values would give the same words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime

from chalicelib.clock import iso
from chalicelib.once.keys import OpaqueIds
from chalicelib.support.orders.shop_order import Order

_LENGTH = 16
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def fact_digest(orders: Mapping[str, Order], paths: Sequence[str], opaque: OpaqueIds) -> str:
    """A keyed digest of the facts that prove one sentence of a reply.

    Args:
        orders: the orders that have the facts, each by the prefix of its paths, e.g. ``orders[0]``.
        paths: paths of the facts, e.g. ``orders[0].fulfillments[0].shipment_status``.
        opaque: makes the keyed hash, so that the facts cannot be guessed from the digest.
    """
    values = [[path, _value(orders, path)] for path in sorted(paths)]
    return opaque.of("facts", json.dumps(values, default=_plain, sort_keys=True))[:_LENGTH]


def _value(orders: Mapping[str, Order], path: str) -> object:
    root = next(order for order in orders if path.startswith(f"{order}."))
    found: object = orders[root]
    for name, place in _STEP.findall(path.removeprefix(root)):
        found = getattr(found, name) if name else found[int(place)]  # type: ignore[index]
    return found


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return iso(value)
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(type(value).__name__)
