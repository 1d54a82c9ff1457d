"""A language model as the writer: it fills a template's variables, or writes the next message.

The model's input is what `conversation_view` shows of the conversation, under the instructions of
`prompts`; its output follows a strict JSON schema.  Recipient messages are passed as user turns
between marks, never as instructions.  An answer can only be a text, a named function or a hand-off.
Nothing is sent before `checked_writer` has judged it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.outreach import reasons
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.spending.counted_models import Models
from chalicelib.outreach.spending.unwritten import UnwrittenError
from chalicelib.outreach.writing import conversation_view, prompts
from chalicelib.outreach.writing.sources import Source
from chalicelib.outreach.writing.template_writer import subject_of
from chalicelib.vendors.language_model import (
    JsonSchema,
    ModelAnswer,
    ModelOutcome,
    ModelRequest,
    ModelTurn,
)
from chalicelib.vendors.reasons import INCOMPLETE, MALFORMED, VENDOR_REFUSED

PROVIDER = "openai"
MAX_OUTPUT_TOKENS = 2_400
"""An e-mail of 1,600 Chinese characters is about 1,600 tokens; its claims repeat a fifth of them, each with
a path of about twelve tokens.
"""
DEADLINE_SECONDS = 45.0
DEFAULT_VARIABLES = ("1", "2")
MODERATION_SECONDS = 10.0
_DEFAULTS = WriterSettings()
JUDGEMENTS = ("supported", "not", "unsure")
"""The verdicts of the project's judge, a model; only ``supported`` lets a draft be sent."""
CLAIMS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"text": {"type": "string"}, "source": {"type": "string"}},
        "required": ["text", "source"],
        "additionalProperties": False,
    },
}
"""The answer's field in which the model names the source of each value, date, name, promise and link."""


class OpenAiWriter:
    """Writes drafts of messages by a language model; the drafts are not judged yet.

    Raises `ProviderError`s, as `template_writer.Writer`.
    """

    def __init__(self, *, models: Models, clock: Clock) -> None:
        self._models = models
        self._clock = clock

    def opening(
        self, record: Record, settings: WriterSettings = _DEFAULTS, advice: str = ""
    ) -> Draft:
        """A draft of a conversation's first message; `advice` says why an earlier draft was refused."""
        task = prompts.instructions(prompts.OPENING, record, settings)
        turns = self._turns(record, settings, (), advice)
        model = settings.opening_model
        form = record.channel.traits.form
        if form is Form.TEMPLATE:
            numbers = _variable_numbers(record)
            schema = _object("template_variables", {n: {"type": "string"} for n in numbers})
            answer = self._ask(record, task, turns, schema, model)
            values = {n: str((answer.json or {}).get(n) or "") for n in numbers}
            return _draft(answer, Draft(variables=values))
        fields: dict[str, Any] = {"text": {"type": "string"}, "claims": CLAIMS}
        if form is Form.MAIL:
            fields["subject"] = {"type": "string"}
        answer = self._ask(record, task, turns, _object("opening", fields), model)
        said = answer.json or {}
        text = str(said.get("text") or "")
        if not text:
            raise PermanentError(PROVIDER, "compose", reason=reasons.EMPTY_MESSAGE)
        return _draft(answer, Draft(text=text, subject=said.get("subject"), claims=_claims(said)))

    def answer(
        self,
        record: Record,
        history: Sequence[Entry],
        settings: WriterSettings = _DEFAULTS,
        advice: str = "",
    ) -> Draft:
        """A draft of the next message; it may ask for a hand-off or for a function's call, also without text.

        Args:
            record: the conversation.
            history: the newest messages of it.
            settings: the project's.
            advice: why an earlier draft was refused; empty for the first.
        """
        functions = [str(function) for function in record.ai_config.get("functions") or []]
        nullable = {"type": ["string", "null"]}
        fields: dict[str, Any] = {
            "text": {"type": "string"},
            "claims": CLAIMS,
            "hand_off_reason": nullable,
            "wants_no_more_messages": {"type": "boolean"},
        }
        if functions:
            fields["function_call"] = {"type": ["string", "null"], "enum": [*functions, None]}
            fields["function_arguments"] = _arguments(record)
        task = prompts.instructions(prompts.ANSWER, record, settings)
        turns = self._turns(record, settings, history, advice)
        schema = _object("answer", fields)
        answer = self._ask(record, task, turns, schema, settings.answering_model)
        said = answer.json or {}
        if said.get("wants_no_more_messages") is True:
            return _draft(answer, Draft(opts_out=True))
        text = str(said.get("text") or "")
        draft = Draft(
            text=text,
            claims=_claims(said),
            subject=f"Re: {subject_of(record) or 'your message'}"
            if record.channel.traits.form is Form.MAIL
            else None,
            function_call=said.get("function_call"),
            function_arguments=said.get("function_arguments"),
            hand_off_reason=said.get("hand_off_reason") or None,
        )
        if not (text or draft.hand_off_reason or draft.function_call):
            draft = Draft(hand_off_reason=reasons.NOTHING_TO_SAY)
        return _draft(answer, draft)

    def judge(
        self, record: Record, settings: WriterSettings, sources: Sequence[Source], text: str
    ) -> tuple[str, int]:
        """Ask the project's judge, a model, whether the sources support every statement of a draft's text.

        Returns:
            ``supported``, ``not`` or ``unsure``, and the cost in millionths of a US dollar.
        """
        schema = _object("judgement", {"verdict": {"type": "string", "enum": list(JUDGEMENTS)}})
        known = conversation_view.seen_sources(record, settings, sources)
        shown = {"sources": known, "text": text}
        turns = [ModelTurn("user", json.dumps(shown, ensure_ascii=False))]
        answer = self._ask(record, prompts.JUDGE, turns, schema, settings.judge_model)
        verdict = str((answer.json or {}).get("verdict"))
        return (verdict if verdict in JUDGEMENTS else "unsure"), self._models.cost(answer)

    def flagged_categories(self, record: Record, text: str) -> Sequence[str]:
        """The categories in which the vendor's moderation flags a draft's text; empty where in none."""
        model = self._models.model_of(record)
        return model.moderate(text, deadline_seconds=MODERATION_SECONDS)

    def _turns(
        self, record: Record, settings: WriterSettings, history: Sequence[Entry], advice: str
    ) -> list[ModelTurn]:
        newest = next((e.content for e in reversed(history) if e.role == "user"), "")
        seen = conversation_view.seen_data(record, settings, newest, self._clock.now())
        return [
            ModelTurn("developer", seen),
            *conversation_view.seen_turns(record, settings, history),
            *([ModelTurn("developer", advice)] if advice else []),
        ]

    def _ask(
        self,
        record: Record,
        instructions: str,
        turns: Sequence[ModelTurn],
        schema: JsonSchema,
        model: str | None,
    ) -> ModelAnswer:
        """Send one request to the conversation's model; returns its answer, and raises for an unusable one.

        Raises:
            UnwrittenError: each model and effort that was asked refused, or its answer was cut off.
            TransientError: the answer is not JSON although a schema was requested.
            ProviderError: the request failed, or a budget is spent.
        """
        names = self._models.model_names(record)
        request = ModelRequest(
            model=model or names.model,
            instructions=instructions,
            turns=turns,
            max_output_tokens=MAX_OUTPUT_TOKENS,
            schema=schema,
            fallback_model=names.fallback,
            safety_identifier=record.opaque_id,
        )
        answer = self._models.model_of(record).respond(request, deadline_seconds=DEADLINE_SECONDS)
        match answer.outcome:
            case ModelOutcome.COMPLETED:
                return answer
            case ModelOutcome.MALFORMED:
                raise TransientError(PROVIDER, "compose", reason=MALFORMED)
            case ModelOutcome.INCOMPLETE:
                raise UnwrittenError(INCOMPLETE)
            case ModelOutcome.REFUSED:
                raise UnwrittenError(VENDOR_REFUSED)


def _claims(said: Mapping[str, Any]) -> list[dict[str, str]] | None:
    """The claims in a model's answer, each with the source that it names; None where it has none."""
    found = said.get("claims")
    if not isinstance(found, list) or not found:
        return None
    return [{"text": str(claim.get("text")), "source": str(claim.get("source"))} for claim in found]


def _arguments(record: Record) -> dict[str, Any]:
    """The JSON schema of the answer's field for a function's arguments.

    Its description holds the schema of each tool's arguments; without tools there is none.
    """
    taken = {tool["name"]: tool["parameters"] for tool in record.ai_config.get("tools") or ()}
    described = {"description": f"JSON by these schemas: {json.dumps(taken)}"} if taken else {}
    return {"type": ["string", "null"], **described}


def _variable_numbers(record: Record) -> tuple[str, ...]:
    """The numbers of a message template's variables, from the channel's ``template_variables``.

    The setting is a list of numbers, or a map of numbers to descriptions; without it,
    `DEFAULT_VARIABLES`.
    """
    given = record.channel_config.get("template_variables")
    found = tuple(str(name) for name in given) if isinstance(given, list | dict) else ()
    return found or DEFAULT_VARIABLES


def _object(name: str, fields: dict[str, Any]) -> JsonSchema:
    schema = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return JsonSchema(name, schema)


def _draft(answer: ModelAnswer, draft: Draft) -> Draft:
    return Draft(
        **{
            **draft.item(),
            "prompt_tokens": answer.usage.input_tokens,
            "completion_tokens": answer.usage.output_tokens,
            "total_tokens": answer.usage.total_tokens,
            "model": answer.model,
        }
    )
