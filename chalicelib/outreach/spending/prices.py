"""What a model's tokens cost, in millionths of a US dollar; pure.

The list prices are rows of ``prices.toml``, with their sources.  ``MODEL_PRICES`` adds to them or
corrects them, as ``{"gpt-6-luna": [1.25, 10.0]}``.  A model without a price is charged as the dearest
one: a budget holds too early rather than too late.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from chalicelib.errors import SettingsError
from chalicelib.tables import Rows, beside, read
from chalicelib.vendors.language_model import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """Of one model: US dollars for a million tokens."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class PriceList:
    """What one vendor asks.

    Attributes:
        source: the address of the list.
        year: in which it was read.
    """

    source: str
    year: int
    models: Mapping[str, Price]


@dataclass(frozen=True, slots=True)
class PriceLists:
    """The file."""

    lists: tuple[PriceList, ...]


FILE = beside(__file__, "prices.toml")
LISTED: Mapping[str, tuple[float, float]] = Rows(
    lambda: {
        name: (price.input, price.output)
        for one in read(FILE, PriceLists).lists
        for name, price in one.models.items()
    }
)
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of this stage: of each model, US dollars for a million tokens of input and output."""

    of_model: Mapping[str, tuple[float, float]] = field(default_factory=lambda: LISTED)

    @classmethod
    def parsed(cls, text: str) -> Prices:
        """The list with what a setting adds.

        Raises:
            SettingsError: the setting is no JSON object of pairs of prices.
        """
        try:
            given = json.loads(text) if text.strip() else {}
            added = {str(name): (float(both[0]), float(both[1])) for name, both in given.items()}
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise SettingsError("MODEL_PRICES is no JSON object of pairs of prices") from None
        if any(price < 0 for both in added.values() for price in both):
            raise SettingsError("MODEL_PRICES has a price below zero")
        return cls({**LISTED, **added} if added else LISTED)

    def cost(self, model: str, usage: Usage) -> int:
        """Millionths of a US dollar, rounded up.

        A model's own name may have a region before it (``us.amazon.nova-lite-v1:0``) or a date after
        it (``gpt-5-mini-2025-08-07``).
        """
        price_in, price_out = self._of(model)
        return math.ceil(usage.input_tokens * price_in + usage.output_tokens * price_out)

    def most(self, model: str, characters: int, max_output_tokens: int) -> int:
        """What a request of so many characters may cost at most, about."""
        asked = characters // _CHARACTERS_PER_TOKEN + 1
        return self.cost(model, Usage(asked, max_output_tokens, asked + max_output_tokens))

    def _of(self, model: str) -> tuple[float, float]:
        if model in self.of_model:
            return self.of_model[model]
        _, _, regionless = model.partition(".")
        names = [name for name in self.of_model if model.startswith(f"{name}-")]
        if regionless in self.of_model:
            return self.of_model[regionless]
        if names:
            return self.of_model[max(names, key=len)]
        return max(self.of_model.values(), key=lambda both: both[1])
