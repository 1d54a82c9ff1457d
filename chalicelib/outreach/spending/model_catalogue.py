"""The language models that may write: what each costs and how it is asked; pure.

The rows are those of ``models.toml``, with their sources.  ``MODEL_PRICES`` adds whole rows, and changes
fields of known ones, as a price that was negotiated::

    {"gpt-7-luna": {"provider": "openai", "context": 1000000, "input": 0.1, "output": 0.5, ...},
     "gpt-6-luna": {"input": 0.08, "output": 0.4}}

A name is exact but for what its vendor documents: the date of OpenAI's snapshots
(``gpt-5-mini-2025-08-07``), and the region that begins the name of Bedrock's inference profiles
(``us.amazon.nova-lite-v1:0``), or the ARN of one.  A relative's price is never taken: a model that is
not here is not asked.
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
"""Of geographic inference profiles
(https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html)."""


class ModelProvider(StrEnum):
    """Whose models they are."""

    OPENAI = "openai"
    BEDROCK = "bedrock"


class Effort(StrEnum):
    """How much a model reasons."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class Moderation(StrEnum):
    """What judges the model's texts."""

    OWN = "moderation"
    GUARDRAIL = "guardrail"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model; prices are US dollars for a million tokens.

    Attributes:
        context: tokens of a request and its answer together.
        input: of what is sent.
        cached_input: of what is read from the vendor's cache; as `input` where there is none.
        cache_write: of what is written to it; as `input` where that is free.
        output: of what is generated, reasoning included.
        efforts: of reasoning, least first; none for a model that does not reason.
        effort: the one that is asked for.
        cache_from: the least tokens that are kept between requests; 0 where the vendor is not asked.
        timeout_seconds: of one request.
        source: the page that says so.
        read: when it was read.
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
        """What a request has cost, in millionths of a US dollar, rounded up."""
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

    def most(self, request: ModelRequest, model: str) -> int:
        """What a request may cost at most, about."""
        shown = [request.instructions, *(turn.text for turn in request.turns)]
        if request.schema is not None:
            shown.append(json.dumps(request.schema.schema))
        asked = sum(map(tokens, shown))
        return self.cost(Usage(asked, request.most_tokens(model), written_tokens=asked))


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The file.

    Attributes:
        reasoning_tokens: the budget of the reasoning, beside the answer's own.
    """

    reasoning_tokens: Mapping[Effort, int]
    models: tuple[ModelRow, ...]


_READ: Mapping[str, ModelFile] = Rows(lambda: {"": read(FILE, ModelFile)})
LISTED: Mapping[str, ModelRow] = Rows(lambda: {one.name: one for one in _READ[""].models})


@dataclass(frozen=True, slots=True)
class ModelCatalogue:
    """The models of this stage."""

    rows: Mapping[str, ModelRow] = field(default_factory=lambda: LISTED)

    @classmethod
    def declared(cls, text: str) -> ModelCatalogue:
        """The shipped models with those that a setting declares.

        Raises:
            SettingsError: the setting is not of that form; it names the model and the field.
        """
        try:
            given = json.loads(text) if text.strip() else {}
        except ValueError:
            raise SettingsError(f"{SETTING} is no JSON") from None
        if not isinstance(given, dict):
            raise SettingsError(f"{SETTING} is no JSON object")
        added = {name: _declared(name, one) for name, one in given.items()}
        return cls({**LISTED, **added} if added else LISTED)

    def find(self, name: str) -> ModelRow | None:
        """A model by its name at the vendor; None for one that is not known."""
        return next((self.rows[one] for one in _names(name) if one in self.rows), None)

    def names(self, provider: str) -> list[str]:
        """The known models of a provider."""
        return sorted(name for name, row in self.rows.items() if row.provider == provider)

    @staticmethod
    def manner(row: ModelRow, instructions: str, effort: Effort | None) -> Manner:
        """How a model is asked.

        Args:
            row: the model.
            instructions: what stays the same in the next request.
            effort: of its reasoning.
        """
        return Manner(
            reasoning_effort=effort,
            reasoning_tokens=_READ[""].reasoning_tokens[effort] if effort is not None else 0,
            structured=row.structured,
            keeps_prefix=0 < row.cache_from <= tokens(instructions),
            timeout_seconds=row.timeout_seconds,
        )


def _names(name: str) -> Iterator[str]:
    """The names under which a model may be listed, nearest first."""
    bare = name.rpartition("/")[2] if name.startswith("arn:") else name
    yield bare
    yield _SNAPSHOT.sub("", bare)
    yield _REGION.sub("", bare)


def _declared(name: str, given: object) -> ModelRow:
    """A row of the setting: a whole one, or what it changes of a known one.

    A pair is the price of input and output, as the setting took it before it took rows.
    """
    known = LISTED.get(name)
    if isinstance(given, list) and known is not None:
        given = dict(zip(("input", "output"), given, strict=False))
    if not isinstance(given, dict):
        raise SettingsError(f"{SETTING}: {name} is no object of fields")
    row = {"name": name, **({} if known is None else _shipped(known, given)), **given}
    try:
        if isinstance(row.get("read"), str):  # JSON has no dates
            row["read"] = date.fromisoformat(row["read"])
        made = checked(ModelRow, row, f"{SETTING}: {name}")
    except (TableError, ValueError) as error:
        said = str(error) if isinstance(error, TableError) else f"{SETTING}: {name}.read is no date"
        raise SettingsError(said) from None
    wrong = flaw(made)
    if wrong:
        raise SettingsError(f"{SETTING}: {name}: {wrong}")
    return made


def _shipped(row: ModelRow, changes: Mapping[str, object]) -> dict[str, Any]:
    """A listed row by field; of another price of input, that of its cache is not known."""
    left_out = {"cached_input", "cache_write"} if "input" in changes else set()
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(row).items()
        if value is not None and name not in left_out
    }


def flaw(row: ModelRow) -> str | None:
    """What is wrong between the fields of a row; None where nothing is."""
    prices = (row.input, row.output, row.cached_input or 0, row.cache_write or 0)
    if not all(0 <= one < math.inf for one in prices):
        return "a price is below zero, or no number"
    if row.context <= 0 or row.timeout_seconds <= 0:
        return "context and timeout_seconds must be above zero"
    if (row.effort is None) is bool(row.efforts) or (row.effort and row.effort not in row.efforts):
        return "effort must be one of efforts"
    return None
