"""Validates a `company-data` item before it is stored; `chalicelib.outreach.project.companies` reads it."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from chalicelib.outreach.channels import CREDENTIALS_OF, Channel
from chalicelib.outreach.company_events import endpoint
from chalicelib.outreach.conversations.response_targets import MOST_MINUTES
from chalicelib.outreach.door.router import SEPARATOR, email, phone
from chalicelib.outreach.languages import Language
from chalicelib.outreach.project import handoff_notice
from chalicelib.outreach.project import pace as answering
from chalicelib.outreach.project.ai_config import AiConfig
from chalicelib.outreach.project.follow_up_settings import Declared
from chalicelib.outreach.spending.budget import SOFT_PERCENT

_LOOPBACK = "loopback"
"""Of the validation's context: whether an endpoint may be on this machine."""


def _phone(text: str) -> str:
    if phone(text) != text:
        raise ValueError("must be a number in E.164, like +15550100001")
    return text


def _id(text: str) -> str:
    if SEPARATOR in text:
        raise ValueError(
            f"must not hold a {SEPARATOR}, which separates the parts of a conversation's id"
        )
    return text


def _email(text: str) -> str:
    if email(text) != text:
        raise ValueError("must be an e-mail address in lower case")
    return text


def _clock_time(text: str) -> str:
    try:
        time.fromisoformat(text)
    except ValueError:
        raise ValueError("must be a time like 21:00") from None
    return text


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (OSError, ValueError, KeyError):
        raise ValueError("must be a zone like Europe/London") from None
    return text


def _none_of_false(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    return None if value is False else value


def _lower(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    return value.lower() if isinstance(value, str) else value


Name = Annotated[str, Field(min_length=1, max_length=256, pattern=r"^\S(.*\S)?$")]
Id = Annotated[Name, AfterValidator(_id)]
Phone = Annotated[str, AfterValidator(_phone)]
Email = Annotated[str, AfterValidator(_email)]
ClockTime = Annotated[str, AfterValidator(_clock_time)]
Zone = Annotated[str, AfterValidator(_zone)]
AnyChannel = Annotated[Channel, BeforeValidator(_lower)]
Wording = Annotated[str, Field(min_length=1, max_length=600, pattern=r"^\S(.*\S)?$")]
Positive = Annotated[StrictInt, Field(gt=0)]


class _Open(BaseModel):
    """Allows unknown attributes, as other systems store theirs in the same item."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)


class _Closed(BaseModel):
    """Forbids unknown attributes: a misspelt one would silently leave a default in force."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class RateLimits(_Closed):
    """`rate_limits`."""

    requests_per_minute: Positive = 60
    requests_per_day: Positive = 2000
    concurrent_conversations: Positive = 30
    max_message_length: Positive = 4096


class QuietHours(_Closed):
    """`quiet_hours`; checked strictly, as with an unreadable value every message waits.

    False means none; without a setting the default ones apply.
    """

    from_: ClockTime = Field(alias="from")
    until: ClockTime
    zone: Zone
    channels: list[Channel] | None = None

    @model_validator(mode="after")
    def _lasts(self) -> QuietHours:
        if time.fromisoformat(self.from_) == time.fromisoformat(self.until):
            raise ValueError("from and until are the same: no quiet hour")
        return self


class Answering(_Closed):
    """`answering`; see `chalicelib.outreach.project.pace`."""

    quiet_period_seconds: Annotated[
        StrictInt, Field(ge=0, le=answering.LONGEST_QUIET_PERIOD_SECONDS)
    ] = 10
    answers_per_hour: Positive = 10
    answers_per_day: Positive = 30


class ModelBudget(_Closed):
    """`model_budget`; see `chalicelib.outreach.spending.budget`."""

    cents_per_day: Positive | None = None
    cents_per_conversation: Positive | None = None
    soft_percent: Annotated[StrictInt, Field(gt=0, le=100)] = SOFT_PERCENT

    @model_validator(mode="after")
    def _bounds_something(self) -> ModelBudget:
        if self.cents_per_day is None and self.cents_per_conversation is None:
            raise ValueError("must have cents_per_day, cents_per_conversation or both")
        return self


class HandoffTarget(_Closed):
    """`handoff_target`: how long a recipient may wait for a person."""

    minutes: Annotated[StrictInt, Field(gt=0, le=MOST_MINUTES)]
    from_: ClockTime = Field("00:00", alias="from")
    until: ClockTime = "00:00"
    zone: Zone = "UTC"
    days: Annotated[list[Annotated[StrictInt, Field(ge=1, le=7)]], Field(min_length=1)] | None = (
        None
    )


class HandoffNotice(_Closed):
    """`handoff_notice`; see `chalicelib.outreach.events.notice`."""

    email: Email
    after_minutes: Annotated[StrictInt, Field(gt=0, le=handoff_notice.MOST_MINUTES)] = (
        handoff_notice.AFTER_MINUTES
    )


class WhatsApp(_Open):
    """`channel_config.whatsapp`.

    `template_opt_out` says how its approved template tells the recipient how to opt out;
    `reopening_template_sid` names the template that carries a message after the 24 hours.
    """

    company_whatsapp_number: Phone
    whatsapp_credentials_id: Name
    template_opt_out: Literal["text", "button"] | None = None
    reopening_template_sid: Annotated[str, Field(pattern="^HX[0-9a-fA-F]{32}$")] | None = None
    opt_out_answers: Literal["carrier", "own"] | None = None


class Sms(_Open):
    """`channel_config.sms`."""

    company_sms_number: Phone
    sms_credentials_id: Name
    opt_out_answers: Literal["carrier", "own"] | None = None


class Mail(_Open):
    """`channel_config.email`."""

    company_email: Email


class ChannelConfig(_Open):
    """`channel_config`."""

    whatsapp: WhatsApp | None = None
    sms: Sms | None = None
    email: Mail | None = None


def _webhook_or_none(value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - any JSON value
    loopback = bool(info.context and info.context[_LOOPBACK])
    found = [] if value is None else list(endpoint.faults(value, allows_loopback=loopback))
    if found:
        raise ValueError("; ".join(found))
    return value


class CompanyItem(_Open):
    """One `company-data` item."""

    company_id: Id
    project_id: Id
    company_name: Name
    project_name: Name
    project_status: Name
    allowed_channels: Annotated[list[AnyChannel], Field(min_length=1)]
    channel_config: ChannelConfig
    rate_limits: RateLimits | None = None
    company_rep: dict[str, str] | None = None
    ai_config: AiConfig | None = None
    require_consent: StrictBool = True
    quiet_hours: Annotated[QuietHours | None, BeforeValidator(_none_of_false)] = None
    answering: Answering | None = None
    model_budget: ModelBudget | None = None
    handoff_target: HandoffTarget | None = None
    handoff_notice: HandoffNotice | None = None
    follow_ups: Declared | None = None
    language: Language | None = None
    company_contact: Wording | None = None
    help_text: dict[Language, Wording] | None = None
    event_webhook: Annotated[dict[str, Any] | None, BeforeValidator(_webhook_or_none)] = None
    message_kind: Literal["marketing", "transactional"] | None = None
    auto_queue_initial_message: StrictBool = False
    auto_queue_initial_message_from_number: list[Phone] | None = None
    auto_queue_initial_message_from_email: list[str] | None = None
    auto_queue_reply_message: StrictBool = False
    auto_queue_reply_message_from_number: list[Phone] | None = None
    auto_queue_reply_message_from_email: list[str] | None = None

    @model_validator(mode="after")
    def _every_channel_is_configured(self) -> CompanyItem:
        missing = [c.value for c in self.allowed_channels if not getattr(self.channel_config, c)]
        if missing:
            raise ValueError(f"allowed, but not in channel_config: {', '.join(missing)}")
        return self

    @model_validator(mode="after")
    def _notices_have_a_sender(self) -> CompanyItem:
        if self.handoff_notice is not None and self.channel_config.email is None:
            raise ValueError("handoff_notice needs channel_config.email, whose address sends it")
        return self

    @model_validator(mode="after")
    def _follow_ups_can_be_sent(self) -> CompanyItem:
        declared = self.follow_ups
        if declared is None:
            return self
        missing = [c.value for c in declared.fallback if c not in self.allowed_channels]
        if missing:
            raise ValueError(f"follow_ups.fallback is not allowed: {', '.join(missing)}")
        whatsapp = self.channel_config.whatsapp
        is_by_whatsapp = Channel.WHATSAPP in self.allowed_channels and whatsapp is not None
        has_text = declared.reminder is not None or declared.end is not None
        if has_text and is_by_whatsapp and not (whatsapp and whatsapp.reopening_template_sid):
            raise ValueError(
                "follow_ups on WhatsApp need channel_config.whatsapp.reopening_template_sid:"
                " without an answer it takes templates only"
            )
        return self


def read(item: Any, *, allows_loopback: bool) -> CompanyItem:  # noqa: ANN401 - any JSON value
    """The item as the application reads it.

    Args:
        item: as stored, or as an operator wrote it.
        allows_loopback: of `COMPANY_WEBHOOKS_ON_LOOPBACK`; true on a local stack only.

    Raises:
        ValidationError: it is not valid.
    """
    return CompanyItem.model_validate(item, context={_LOOPBACK: allows_loopback})


def faults(item: Any, *, allows_loopback: bool = False) -> list[str]:  # noqa: ANN401 - any JSON value
    """The problems of an item, by attribute path; never its values."""
    try:
        read(item, allows_loopback=allows_loopback)
    except ValidationError as error:
        return [_described(one) for one in error.errors(include_input=False, include_url=False)]
    return []


def unknown_names(item: dict[str, Any]) -> list[str]:
    """Attributes that the application does not read; they may be misspelt."""
    return sorted(item.keys() - CompanyItem.model_fields.keys())


def secrets_of(item: CompanyItem) -> dict[str, list[Channel]]:
    """The secrets an item names, each with its channels; OpenAI keys have no channel."""
    found: dict[str, list[Channel]] = {}
    for channel in item.allowed_channels:
        name = CREDENTIALS_OF.get(channel)
        if name is not None:
            secret = str(getattr(getattr(item.channel_config, channel), name))
            found.setdefault(secret, []).append(channel)
    for config in (item.ai_config.openai_config if item.ai_config else {}).values():
        if config.api_key_reference:
            found.setdefault(config.api_key_reference, [])
    return found


def _described(one: Any) -> str:  # noqa: ANN401 - pydantic's details of an error
    place = ".".join(str(part) for part in one["loc"])
    message = str(one["msg"]).removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
