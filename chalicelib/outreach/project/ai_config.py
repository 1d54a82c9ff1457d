"""A project's `ai_config`: the writer's instructions, and what the model may say and see.

Example (every part is optional; `openai_config` has the original system's layout)::

    {"openai_config": {"sms": {"api_key_reference": "ai-multi-comms/openai-api-key/sms-prod"}},
     "writer": {"instructions": "You help people who have applied for a job with us.",
                "tone": "warm, brief",  "persona": "Mia",  "language": "recipient",
                "knowledge": [{"id": "hours", "text": "The office is open from 9:00 to 17:00."},
                              {"id": "pay", "question": "When is pay day?", "answer": "Fridays."}],
                "allowed_links": ["jobs.example.com"],  "allowed_numbers": ["+15550109000"],
                "allowed_emails": ["jobs@example.com"],  "forbidden_topics": ["visas"],
                "opening_model": "gpt-6-luna",  "answering_model": "gpt-5.6-luna",
                "limits": {"sms_segments": 3},
                "shown": {"project_data": ["job_ref", "job_title"]}}}

It is read when a message is written, so that a correction applies to running conversations too; a
conversation keeps only its channel's part of `openai_config`.  `python -m ops company put` validates
it; where a stored one cannot be read, a person answers in place of the machine.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationInfo,
    model_validator,
)

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.languages import Language
from chalicelib.outreach.project.fields import Closed, Zone, is_strict, visible_text
from chalicelib.outreach.tools.schema import Tool
from chalicelib.outreach.value_roles import rows

IGNORED_NAMES = re.compile(r"assistant_id\w*")
"""Names of settings that nothing reads: OpenAI's assistants, which no longer exist."""
_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")
"""Letters for the digits of a revision: in the journal, digits could be masked as a personal number."""
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}(?:/\S*)?")


def _link(text: str) -> str:
    if not _HOST.fullmatch(re.sub(r"^https?://", "", text.lower())):
        raise ValueError("must be a host or a link, like jobs.example.com/apply")
    return text


def _number(text: str) -> str:
    if not re.fullmatch(r"\+\d{7,15}", text):
        raise ValueError("must be a number in E.164, like +15550100001")
    return text


def _email(text: str) -> str:
    if not re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+", text):
        raise ValueError("must be an e-mail address")
    return text


def _role(text: str) -> str:
    if text not in rows():
        raise ValueError("must be a name of roles.toml, like deposit")
    return text


_Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
_Short = Annotated[
    str, Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$"), AfterValidator(visible_text)
]
_Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
_Tokens = Annotated[StrictInt, Field(ge=100, le=20_000)]


def _repeated_positions(names: Sequence[str]) -> str:
    """The positions of the names that occur more than once in a list, as text."""
    return ", ".join(str(place) for place, name in enumerate(names) if names.count(name) > 1)


def _named_once(tools: list[Tool]) -> list[Tool]:
    twice = _repeated_positions([tool.name for tool in tools])
    if twice:
        raise ValueError(f"have a name twice: {twice}")
    return tools


class Knowledge(Closed):
    """One entry of knowledge that the writer may state: a text, or a question and its answer."""

    id: _Id
    text: _Text | None = None
    question: _Text | None = None
    answer: _Text | None = None

    @model_validator(mode="after")
    def _has_one_form(self) -> Knowledge:
        is_pair = self.question is not None and self.answer is not None
        is_half = (self.question is None) != (self.answer is None)
        if is_half or is_pair == (self.text is not None):
            raise ValueError("must have text, or question and answer")
        return self

    @property
    def as_text(self) -> str:
        """The knowledge entry as text for the model."""
        return self.text or f"Q: {self.question} A: {self.answer}"


class Limits(Closed):
    """Limits of a message (SMS segments), and of data shown to the model (tokens: about four letters)."""

    sms_segments: Annotated[StrictInt, Field(ge=1, le=10)] = 6
    history_tokens: _Tokens = 2000
    data_tokens: _Tokens = 1500
    knowledge_tokens: _Tokens = 3000


class ShownToModel(Closed):
    """The data of the recipient and the request that the model sees: all, none, or named fields.

    Attributes:
        as_written: fields of `project_data` in which nothing is masked, such as the street of a
            shop; only the company's own, never what a form or a recipient says.
    """

    first_name: StrictBool = True
    representatives: StrictBool = True
    project_data: StrictBool | list[_Short] = True
    as_written: Annotated[list[_Short], Field(max_length=50)] = []


class DataField(Closed):
    """A project's declaration of one field of its requests' `project_data`.

    Attributes:
        description: for the model; its words also give the field's role.
        author: ``form`` where a person has typed the value into a form, so no message may rest on
            it.
        role: a name of ``roles.toml``, where name and description do not give it.
        currency: the currency of a bare number, as three letters.
    """

    description: Annotated[str, Field(max_length=300)] = ""
    author: Annotated[Literal["company", "form"], Field(alias="from")] = "company"
    role: Annotated[_Short, AfterValidator(_role)] | None = None
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] | None = None


class WriterSettings(Closed):
    """A project's settings for the writer of messages (`ai_config.writer`).

    Attributes:
        version: the layout's version.
        instructions: the task in the company's words; facts belong into `knowledge`.
        language: ``recipient`` answers in the recipient's; a code writes everything in that
            language.
        allowed_links: hosts, with their subdomains, or links with everything below their path.
        say_machine: whether openings say that a machine writes.
        moderation: whether the vendor's own moderation reads each draft.
        fields: declarations of `project_data`, by name; `order.total` is a field within `order`.
        time_zone: of the company's place; defaults to the recipient's.
        judge_model: the model that is asked whether the sources support a draft; None asks none.
    """

    version: Literal[1] = 1
    instructions: Annotated[str, Field(max_length=8000)] = ""
    tone: _Short | None = None
    persona: _Short | None = None
    language: Literal["recipient"] | Language = "recipient"
    knowledge: Annotated[list[Knowledge], Field(max_length=200)] = []
    allowed_links: list[Annotated[_Short, AfterValidator(_link)]] = []
    allowed_numbers: list[Annotated[str, AfterValidator(_number)]] = []
    allowed_emails: list[Annotated[_Short, AfterValidator(_email)]] = []
    forbidden_topics: Annotated[list[_Short], Field(max_length=50)] = []
    opening_model: _Short | None = None
    answering_model: _Short | None = None
    limits: Limits = Limits()
    shown: ShownToModel = ShownToModel()
    say_machine: StrictBool = True
    moderation: StrictBool = True
    fields: Annotated[dict[_Short, DataField], Field(max_length=200)] = {}
    time_zone: Zone | None = None
    judge_model: _Short | None = None

    @model_validator(mode="after")
    def _ids_are_unique(self) -> WriterSettings:
        twice = _repeated_positions([entry.id for entry in self.knowledge])
        if twice:
            raise ValueError(f"knowledge has an id twice: {twice}")
        return self

    @model_validator(mode="after")
    def _as_written_is_the_companys(self) -> WriterSettings:
        forms = {name for name, declared in self.fields.items() if declared.author == "form"}
        wrong = [n for n, name in enumerate(self.shown.as_written) if name in forms]
        if wrong:
            raise ValueError(f"shown.as_written names a form's field: {', '.join(map(str, wrong))}")
        return self

    @property
    def revision(self) -> str:
        """12 letters that identify the writer's settings; stored with each message written under them.

        Defaults are left out, so a release with a new setting changes no revision.
        """
        whole = json.dumps(self.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()[:12].translate(_LETTERS)


class OpenAiChannel(BaseModel):
    """A channel's OpenAI settings (`ai_config.openai_config`); unknown names are allowed."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    api_key_reference: Annotated[_Short, Field(max_length=256)] | None = None
    functions: list[_Short] | None = None


class AiConfig(BaseModel):
    """A project's settings of its language model (`ai_config`); unknown names are allowed."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    openai_config: dict[Channel, OpenAiChannel] = {}
    provider: Literal["openai", "bedrock"] = "openai"
    writer: WriterSettings = WriterSettings()
    tools: Annotated[list[Tool], Field(max_length=30), AfterValidator(_named_once)] = []

    @model_validator(mode="before")
    @classmethod
    def _empty_is_none(cls, value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - any JSON value
        return value if value != "" or is_strict(info) else {}


def ignored_names(item: Mapping[str, Any]) -> list[str]:
    """Paths of a project's AI settings that nothing reads, such as OpenAI's assistants."""
    config = item.get("ai_config")
    return sorted(_ignored(config, "ai_config")) if isinstance(config, Mapping) else []


def _ignored(config: Mapping[str, Any], path: str) -> list[str]:
    found = []
    for name, value in config.items():
        where = f"{path}.{shown_name(name)}"
        if IGNORED_NAMES.fullmatch(str(name)):
            found.append(where)
        elif isinstance(value, Mapping):
            found += _ignored(value, where)
    return found
