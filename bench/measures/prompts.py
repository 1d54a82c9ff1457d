"""Tokens and price of a message, and what the vendors' prompt caches save.

    python -m bench.measures.prompts

The real writer answers several recipients of one project, over HTTP to the simulated vendors.  These count
tokens as the real ones do, except that four characters are a token.  One project has a few sentences of
settings, the other has filled its settings.  The messages follow each other quickly enough for the cache.
``before`` is the price of the same tokens without a cache.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import boto3

from bench.rig.model_client import UnreadLog, openai_at
from chalicelib.clock import SystemClock
from chalicelib.outreach.conversations.records import Entry, Record
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.spending import asking
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue, ModelRow
from chalicelib.outreach.spending.providers import ModelPair
from chalicelib.outreach.writing.model_writer import OpenAiWriter
from chalicelib.vendors import bedrock
from chalicelib.vendors.language_model import LanguageModel, ModelAnswer, ModelRequest, Usage
from local import simulated_model
from local.vendors.bedrock import SimulatedBedrock
from local.vendors.openai import SimulatedOpenAI

RECIPIENTS, ANSWERS = 5, 4
MODELS = ("gpt-6-luna", "gpt-5-mini")
BEDROCK_MODELS = ("amazon.nova-lite-v1:0", "anthropic.claude-haiku-4-5-20251001-v1:0")
COLUMNS = ("model", "project", "input", "of it kept", "output", "before", "after")
_SENTENCE = "Help people who have applied for a job with us, and answer what they ask about it. "
_FACT = (
    "The office in Example Street is open from 9:00 to 17:00 on weekdays, and closed on holidays. "
)
PROJECTS = {
    "small": WriterSettings.model_validate({"instructions": _SENTENCE * 3}),
    "large": WriterSettings.model_validate(
        {
            "instructions": _SENTENCE * 90,
            "knowledge": [{"id": f"fact-{n}", "text": f"{n}. {_FACT * 4}"} for n in range(25)],
        }
    ),
}
_AT = "2026-11-23T10:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Metered:
    """A substitute for `Models`: one model for all conversations, which collects the usage of requests."""

    client: LanguageModel
    row: ModelRow
    used: list[Usage] = field(default_factory=list)

    def model_names(self, record: Record) -> ModelPair:
        """The model's name, whatever the conversation."""
        del record
        return ModelPair(self.row.name)

    def model_of(self, record: Record) -> Metered:
        """This model, whatever the conversation."""
        del record
        return self

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Ask the model once, and collect the usage."""
        first, *_ = asking.requests(request, ModelCatalogue())
        answer = self.client.respond(first, deadline_seconds=deadline_seconds)
        self.used.append(answer.usage)
        return answer


@contextmanager
def on_openai() -> Iterator[Callable[[], LanguageModel]]:
    """Run the simulated OpenAI; yields a function that makes a client and empties the cache."""
    with SimulatedOpenAI(models=MODELS) as vendor:

        def client() -> LanguageModel:
            vendor.reset()
            vendor.answer_by(simulated_model.answer)
            vendor.set_modes(thinks=600)
            return openai_at(vendor.base_url)

        yield client


@contextmanager
def on_bedrock() -> Iterator[Callable[[], LanguageModel]]:
    """Run the simulated Bedrock; yields a function that makes a client and empties the cache."""
    with SimulatedBedrock(models=BEDROCK_MODELS) as vendor:
        sdk = boto3.client(
            "bedrock-runtime",
            endpoint_url=vendor.base_url,
            region_name="us-east-1",
            config=bedrock.BEDROCK_CONFIG,
        )

        def client() -> LanguageModel:
            vendor.reset()
            vendor.answer_by(simulated_model.answer)
            return bedrock.Bedrock(client=sdk, clock=SystemClock(), log=UnreadLog())

        yield client


def write_answers(metered: Metered, settings: WriterSettings) -> None:
    """Write `ANSWERS` answers to each recipient."""
    models: Any = metered  # in place of `Models`
    writer = OpenAiWriter(models=models, clock=SystemClock())
    for number in range(RECIPIENTS):
        history: list[Entry] = []
        for turn in range(ANSWERS):
            said = f"When may I come, and what do I bring? {number}.{turn}"
            history.append(Entry(f"r{turn}", _AT, "user", said))
            draft = writer.answer(_record(number), tuple(history), settings)
            history.append(Entry(f"c{turn}", _AT, "assistant", draft.text))


def _record(number: int) -> Record:
    return Record(
        {
            "primary_channel": f"+1555010{number:04d}",
            "recipient_tel": f"+1555010{number:04d}",
            "recipient_first_name": f"Jo{number}",
            "channel_method": "sms",
            "company_id": "ci-aaa-001",
            "company_name": "Example Recruitment",
            "project_id": "pi-aaa-001",
            "opaque_id": f"o{number}",
            "project_data": {"job_ref": f"JR{number}", "job_title": "driver"},
            "channel_config": {},
            "ai_config": {"api_key_reference": "key"},
        }
    )


def line(metered: Metered, project: str) -> tuple[str, ...]:
    """The table's line for a model and a project; prices in cents per message."""
    row, used = metered.row, metered.used
    of = len(used)
    plain = [replace(usage, cached_tokens=0, written_tokens=0) for usage in used]
    before, after = (sum(map(row.cost, usages)) / of / 10_000 for usages in (plain, used))
    return (
        row.name,
        project,
        f"{sum(usage.input_tokens for usage in used) / of:,.0f}",
        f"{sum(usage.cached_tokens for usage in used) / of:,.0f}",
        f"{sum(usage.output_tokens for usage in used) / of:,.0f}",
        f"{before:.4f}",
        f"{after:.4f} ({after / before - 1:+.0%})",
    )


def measured() -> Iterator[tuple[str, ...]]:
    """The table's lines."""
    catalogue = ModelCatalogue()
    for vendor, names in ((on_openai, MODELS), (on_bedrock, BEDROCK_MODELS)):
        with vendor() as client:
            for name in names:
                row = catalogue.find(name)
                for project, settings in PROJECTS.items() if row else ():
                    metered = Metered(client(), row)
                    write_answers(metered, settings)
                    yield line(metered, project)


def main() -> None:
    """Print the table."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "test")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "test")
    lines = [COLUMNS, *measured()]
    widths = [max(len(line[n]) for line in lines) for n in range(len(COLUMNS))]
    print("tokens and cents per message")
    for line in lines:
        print("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)))


if __name__ == "__main__":
    main()
