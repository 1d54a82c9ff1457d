"""The language models that may write: prices and request options; pure.

The rows are those of ``models.toml``, with their sources.  The setting ``MODEL_PRICES`` adds whole rows, and
changes fields of known ones, such as a negotiated price::

    {"gpt-7-luna": {"provider": "openai", "context": 1000000, "input": 0.1, "output": 0.5, ...},
     "gpt-6-luna": {"input": 0.08, "output": 0.4}}

A name must match exactly, except for what the vendors document: the date of OpenAI's snapshots
(``gpt-5-mini-2025-08-07``), the region before the name of Bedrock's inference profiles
(``us.amazon.nova-lite-v1:0``), and the ARN of a profile.  No model is priced like a similar one: a model
that is not in the catalogue is not asked.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from chalicelib.errors import SettingsError
from chalicelib.outreach.spending.token_counts import tokens
from chalicelib.tables import Rows, TableError, beside, checked, read
from chalicelib.vendors.language_model import Manner, ModelRequest, Structured, Usage

FILE = beside(__file__, "models.toml")
SETTING = "MODEL_PRICES"
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_REGION = re.compile(r"^(?:us-gov|us|eu|apac|jp|au|ca|global)\.")
"""Regions of geographic inference profiles
(https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html)."""


class ModelProvider(StrEnum):
    """The vendor that serves a language model."""

    OPENAI = "openai"
    BEDROCK = "bedrock"


class Effort(StrEnum):
    """How much a language model is asked to reason, least first."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Moderation(StrEnum):
    """How a model's texts are moderated: by the vendor's own endpoint, or by a guardrail."""

    OWN = "moderation"
    GUARDRAIL = "guardrail"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One language model of the catalogue; prices are US dollars for a million tokens.

    Attributes:
        context: maximum number of tokens of a request and its answer together.
        input: price of tokens sent.
        cached_input: price of tokens read from the vendor's cache; None: as `input`.
        cache_write: price of tokens written to the vendor's cache; None: as `input`.
        output: price of tokens generated, reasoning included.
        efforts: the reasoning efforts that the model knows, least first; empty: it does not reason.
        effort: the reasoning effort that is asked for.
        cache_from: minimum number of tokens of instructions for which caching is asked for; 0: never.
        timeout_seconds: time limit of one request.
        source: the vendor's page that states these values.
        read: when the page was read.
    """

    name: str
    provider: ModelProvider
    context: int
    input: float
    output: float
    structured: Structured
    moderation: Moderation
    source: str
    read: date
    cached_input: float | None = None
    cache_write: float | None = None
    efforts: tuple[Effort, ...] = ()
    effort: Effort | None = None
    cache_from: int = 0
    timeout_seconds: float = 40.0

    def cost(self, usage: Usage) -> int:
        """The cost of a request by its numbers of tokens, in millionths of a US dollar, rounded up."""
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        plain = max(usage.input_tokens - usage.cached_tokens - usage.written_tokens, 0)
        return math.ceil(
            round(
                plain * self.input
                + usage.cached_tokens * cached
                + usage.written_tokens * written
                + usage.output_tokens * self.output,
                6,
            )
        )

    def highest_cost(self, request: ModelRequest, model: str) -> int:
        """An estimate of the most that a request to the model may cost, in millionths of a US dollar."""
        shown = [request.instructions, *(turn.text for turn in request.turns)]
        if request.schema is not None:
            shown.append(json.dumps(request.schema.schema))
        asked = sum(map(tokens, shown))
        return self.cost(Usage(asked, request.most_tokens(model), written_tokens=asked))


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The contents of ``models.toml``: the language models, with prices and limits.

    Attributes:
        reasoning_tokens: the tokens that each reasoning effort may use, in addition to the answer's.
    """

    reasoning_tokens: Mapping[Effort, int]
    models: tuple[ModelRow, ...]


_READ: Mapping[str, ModelFile] = Rows(lambda: {"": read(FILE, ModelFile)})
SHIPPED: Mapping[str, ModelRow] = Rows(lambda: {model.name: model for model in _READ[""].models})


@dataclass(frozen=True, slots=True)
class ModelCatalogue:
    """The language models that this stage may use, by name."""

    rows: Mapping[str, ModelRow] = field(default_factory=lambda: SHIPPED)

    @classmethod
    def declared(cls, text: str) -> ModelCatalogue:
        """The shipped models, with those that the setting ``MODEL_PRICES`` adds or changes.

        Raises:
            SettingsError: the setting is malformed; the error names the model and the field.
        """
        try:
            given = json.loads(text) if text.strip() else {}
        except ValueError:
            raise SettingsError(f"{SETTING} is not JSON") from None
        if not isinstance(given, dict):
            raise SettingsError(f"{SETTING} is not a JSON object")
        added = {name: _declared(name, fields) for name, fields in given.items()}
        return cls({**SHIPPED, **added} if added else SHIPPED)

    def find(self, name: str) -> ModelRow | None:
        """The catalogue's row of a model, by the model's name at the vendor; None for an unknown one."""
        return next((self.rows[alias] for alias in _names(name) if alias in self.rows), None)

    def names(self, provider: str) -> list[str]:
        """The names of a provider's models in the catalogue, sorted."""
        return sorted(name for name, row in self.rows.items() if row.provider == provider)

    @staticmethod
    def request_options(row: ModelRow, instructions: str, effort: Effort | None) -> Manner:
        """The options of one request to a model: reasoning, caching, structured answer, time limit.

        Args:
            row: the model.
            instructions: the part of a request that stays the same in the next request.
            effort: the reasoning effort; None for a model that does not reason.
        """
        return Manner(
            reasoning_effort=effort,
            reasoning_tokens=_READ[""].reasoning_tokens[effort] if effort is not None else 0,
            structured=row.structured,
            keeps_prefix=0 < row.cache_from <= tokens(instructions),
            timeout_seconds=row.timeout_seconds,
        )


def _names(name: str) -> Iterator[str]:
    """The names under which the catalogue may list a model: as given, without its date or its region."""
    bare = name.rpartition("/")[2] if name.startswith("arn:") else name
    yield bare
    yield _SNAPSHOT.sub("", bare)
    yield _REGION.sub("", bare)


def _declared(name: str, given: object) -> ModelRow:
    """A model's row from the setting: a whole row, or a shipped row with the fields that the setting changes.

    A list of two numbers is also accepted: the prices of input and output.

    Raises:
        SettingsError: the row is malformed.
    """
    known = SHIPPED.get(name)
    if isinstance(given, list) and known is not None:
        given = dict(zip(("input", "output"), given, strict=False))
    if not isinstance(given, dict):
        raise SettingsError(f"{SETTING}: {name} must be an object of fields")
    row = {"name": name, **({} if known is None else _shipped(known, given)), **given}
    try:
        if isinstance(row.get("read"), str):  # JSON has no dates
            row["read"] = date.fromisoformat(row["read"])
        made = checked(ModelRow, row, f"{SETTING}: {name}")
    except (TableError, ValueError) as error:
        said = (
            str(error) if isinstance(error, TableError) else f"{SETTING}: {name}.read is not a date"
        )
        raise SettingsError(said) from None
    wrong = flaw(made)
    if wrong:
        raise SettingsError(f"{SETTING}: {name}: {wrong}")
    return made


def _shipped(row: ModelRow, changes: Mapping[str, object]) -> dict[str, Any]:
    """The fields of a shipped model, as a base for those that the setting changes.

    Where the setting changes the price `input`, the shipped prices of the cache are left out.
    """
    left_out = {"cached_input", "cache_write"} if "input" in changes else set()
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(row).items()
        if value is not None and name not in left_out
    }


def flaw(row: ModelRow) -> str | None:
    """What is wrong with the values of a model's row; None where they are valid."""
    prices = (row.input, row.output, row.cached_input or 0, row.cache_write or 0)
    if not all(0 <= price < math.inf for price in prices):
        return "a price is below zero, or no number"
    if row.context <= 0 or row.timeout_seconds <= 0:
        return "context and timeout_seconds must be above zero"
    if (row.effort is None) is bool(row.efforts) or (row.effort and row.effort not in row.efforts):
        return "effort must be one of efforts"
    return None
