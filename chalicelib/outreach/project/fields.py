"""Types of the fields of a project's settings, and settings with a few fields each.

`company put` validates a setting strictly, run-time code leniently.  The context of the validation
says which (`STRICT`), and whether an endpoint may be on this machine (`ALLOWS_LOOPBACK`).  Faults
name a place, never a value.
"""

from __future__ import annotations

from collections.abc import Callable
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
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticKnownError

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import SEPARATOR
from chalicelib.outreach.visible_text import is_one_line, one_line

STRICT, ALLOWS_LOOPBACK = "strict", "allows_loopback"
LONGEST_QUIET_PERIOD_SECONDS = 50
SOFT_PERCENT = 80
"""The default of a budget's `soft_percent`."""
MOST_NOTICE_MINUTES = 24 * 60


def is_strict(info: ValidationInfo) -> bool:
    """Whether a validation of settings is strict, as in `company put`, and not lenient."""
    return bool((info.context or {}).get(STRICT))


def _shown(value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - any JSON value
    return value if is_strict(info) else one_line(value)


def visible_text(text: str, info: ValidationInfo) -> str:
    """Validate a setting's text, and return it unchanged.

    Strict validation raises ValueError for line breaks and invisible characters; lenient validation
    accepts them.
    """
    if is_strict(info) and not is_one_line(text):
        raise ValueError("must be one line without control characters and byte order marks")
    return text


def _phone(text: str) -> str:
    from chalicelib.outreach.addresses import phone

    if phone(text) != text:
        raise ValueError("must be a number in E.164, like +15550100001")
    return text


def _id(text: str) -> str:
    if SEPARATOR in text:
        raise ValueError(
            f"must not hold a {SEPARATOR}, which separates the parts of a conversation's id"
        )
    return text


def _email(text: str, info: ValidationInfo) -> str:
    from chalicelib.outreach.addresses import email

    if (email(text) != text) if is_strict(info) else ("@" not in text):
        raise ValueError("must be an e-mail address in lower case")
    return text


def _any_email(text: str) -> str:
    from chalicelib.outreach.addresses import email

    if email(text) is None:
        raise ValueError("must be an e-mail address")
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


def _needed(value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - any JSON value
    if value is None and is_strict(info):
        raise PydanticKnownError("missing")
    return value


def _at_most_a_day(minutes: int, info: ValidationInfo) -> int:
    if minutes > MOST_NOTICE_MINUTES and is_strict(info):
        raise PydanticKnownError("less_than_equal", {"le": MOST_NOTICE_MINUTES})
    return minutes


def _lower(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    return value.lower() if isinstance(value, str) else value


def unless_false(value: Any, read: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Validator of a setting: leave False as it is, and validate any other value with `read`."""
    return False if value is False else read(value)


Name = Annotated[
    str, Field(min_length=1, max_length=256, pattern=r"^\S(.*\S)?$"), AfterValidator(visible_text)
]
ShownName = Annotated[Name, BeforeValidator(_shown)]
Id = Annotated[Name, AfterValidator(_id)]
Phone = Annotated[str, AfterValidator(_phone)]
Email = Annotated[str, AfterValidator(_email)]
AnyEmail = Annotated[str, AfterValidator(_any_email)]
ClockTime = Annotated[str, AfterValidator(_clock_time)]
Zone = Annotated[str, AfterValidator(_zone)]
AnyChannel = Annotated[Channel, BeforeValidator(_lower)]
Wording = Annotated[
    str, Field(min_length=1, max_length=600, pattern=r"^\S(.*\S)?$"), AfterValidator(visible_text)
]
ShownWording = Annotated[Wording, BeforeValidator(_shown)]
Positive = Annotated[StrictInt, Field(gt=0)]


class Closed(BaseModel):
    """A settings model that forbids unknown attributes: a misspelt one would silently leave the default."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )


class RateLimits(Closed):
    """A company's limits of starts, open conversations and message length (`rate_limits`)."""

    requests_per_minute: Positive = 60
    requests_per_day: Positive = 2000
    concurrent_conversations: Positive = 30
    max_message_length: Positive = 4096


class QuietHours(Closed):
    """A project's daily hours in which no message is sent (`quiet_hours`).

    Attributes:
        zone: the time zone of recipients whose own is not known; None uses the zones of their
            number.
        channels: the channels that have quiet hours; None for all.
    """

    from_: ClockTime = Field(alias="from")
    until: ClockTime
    zone: Annotated[Zone | None, AfterValidator(_needed)] = Field(None, validate_default=True)
    channels: list[Channel] | None = None

    @model_validator(mode="after")
    def _lasts(self) -> QuietHours:
        if self.start == self.end:
            raise ValueError("from and until are the same: no quiet hour")
        return self

    @property
    def start(self) -> time:
        """The time of day at which quiet hours begin."""
        return time.fromisoformat(self.from_)

    @property
    def end(self) -> time:
        """The time of day at which quiet hours end; on the next day where it is earlier than the start."""
        return time.fromisoformat(self.until)


class JurisdictionSetting(Closed):
    """A project's setting of the law at recipients' places (`jurisdictions`).

    Attributes:
        enforced: whether the rules apply to the project's messages.
        region: region of recipients whose number shows none, such as ``de`` or ``us-ca``.
        recipients: ``customers`` where all of them have bought from the company.
    """

    enforced: StrictBool = True
    region: Annotated[str, Field(pattern="^[a-z]{2}(-[a-z]{2})?$")] | None = None
    recipients: Literal["customers"] | None = None


class AnsweringSetting(Closed):
    """A project's setting of how fast and how often it answers (`answering`).

    Attributes:
        quiet_period_seconds: how long a message waits for the sender's next one; 0 means no wait.
        answers_per_hour: the most answers to one recipient; then a person gets the conversation.
        answers_per_day: the same for a day.
    """

    quiet_period_seconds: Annotated[StrictInt, Field(ge=0, le=LONGEST_QUIET_PERIOD_SECONDS)] = 10
    answers_per_hour: Positive = 10
    answers_per_day: Positive = 30


class ModelBudget(Closed):
    """A project's limits of the cost of language models (`model_budget`); see `spending.budget_limits`."""

    cents_per_day: Positive | None = None
    cents_per_conversation: Positive | None = None
    soft_percent: Annotated[StrictInt, Field(gt=0, le=100)] = SOFT_PERCENT

    @model_validator(mode="after")
    def _bounds_something(self) -> ModelBudget:
        if self.cents_per_day is None and self.cents_per_conversation is None:
            raise ValueError("must have cents_per_day, cents_per_conversation or both")
        return self


class HandoffNoticeSetting(Closed):
    """A project's e-mail address and delay for notices that a hand-off waits (`handoff_notice`)."""

    email: Email = Field(repr=False)
    after_minutes: Annotated[Positive, AfterValidator(_at_most_a_day)] = 15
