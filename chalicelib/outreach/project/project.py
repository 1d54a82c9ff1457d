"""A project as its company has set it: one item of the `company-data` table, read part by part.

Example item (origin's names)::

    company_id        ci-aaa-001         project_id      pi-aaa-001
    company_name      Cucumber Recruitment               project_name   Clarify CV
    project_status    active             allowed_channels  ["whatsapp", "email"]
    rate_limits       {"requests_per_minute": 60, "requests_per_day": 2000,
                       "concurrent_conversations": 30, "max_message_length": 4096}
    auto_queue_initial_message false     auto_queue_initial_message_from_number [...]  ...
    company_rep       {"company_rep_1": "Ana"}
    ai_config         {"openai_config": {"whatsapp": {"api_key_reference": "ai-multi-comms/..."}},
                       "writer": {...}}               see `ai_config`
    channel_config    {"whatsapp": {"company_whatsapp_number": "+15550100", ...}, ...}
    require_consent   true               quiet_hours   {"from": "21:00", "until": "08:00",
                                                        "zone": "Europe/London"}
    answering         {"quiet_period_seconds": 10}
    follow_ups        {"reminder": {...}, "end": {...}, "fallback": ["sms"]}   see `follow_up_settings`
    language          en                 company_contact  "+1 555 010 9000"

`company put` and `company check` refuse whatever is wrong in it (`check`).  Whatever runs reads each part
by itself when it needs it, and an item may have been stored by others.  Where a part cannot be read:

===========================  =====================================================================
part                         rule
===========================  =====================================================================
company_id, project_id       as they are: they are the key of the item
company_name                 the company's id is shown
project_name                 the project's id or "your request" is shown
project_status               the project is not active: starts are refused
allowed_channels             what is no channel is not allowed
channel_config               a channel without the text of its sender has none
rate_limits                  the default for each limit that is none
company_rep                  nobody is named
ai_config                    a person writes
require_consent              consent is required
quiet_hours                  messages wait
answering                    the default for each field that is none
model_budget                 no budget that is none
handoff_target               no target
handoff_notice               no notice
follow_ups                   nothing is sent
language                     English
company_contact              HELP is answered without it
help_text                    HELP is answered in our words
event_webhook                no endpoint: no event is posted
message_kind                 a message counts as marketing
auto_queue_*_message         a person approves the messages
auto_queue_*_message_from_*  everybody is on the list
===========================  =====================================================================

A conversation copies the parts that hold for its life (`is_copied`), as they are stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

from pydantic import AfterValidator, Field, StrictBool, WrapValidator

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import CREDENTIALS_OF, RECIPIENT_OF, SENDER_OF, Channel
from chalicelib.outreach.languages import Language
from chalicelib.outreach.project import fields
from chalicelib.outreach.project.part import Part, Spares, T

if TYPE_CHECKING:
    from chalicelib.outreach.company_events.endpoint import Endpoint
    from chalicelib.outreach.conversations.response_targets import HandoffTarget
    from chalicelib.outreach.project.ai_config import AiConfig
    from chalicelib.outreach.project.channel_config import ChannelConfig
    from chalicelib.outreach.project.follow_up_settings import Declared

AI_CONFIG = "ai_config"
"""Whose error it is where `ai_config` cannot be read."""
OPENAI, BEDROCK = "openai", "bedrock"


class UnreadableQuietHoursError(Exception):
    """A project's setting of quiet hours cannot be read: a message waits rather than ignore it."""


def _none(_raw: Any) -> None:  # noqa: ANN401 - any JSON value
    return None


def _on(_raw: Any) -> Literal[True]:  # noqa: ANN401 - any JSON value
    return True


def _wait(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    raise UnreadableQuietHoursError


def _a_person(_raw: Any) -> NoReturn:  # noqa: ANN401 - any JSON value
    raise PermanentError(AI_CONFIG, "read", reason=reasons.UNREADABLE)


def _in_order(found: list[Channel]) -> tuple[Channel, ...]:
    return tuple(found)


def _channel_config() -> Any:  # noqa: ANN401 - an annotation
    from chalicelib.outreach.project.channel_config import ChannelConfig

    return ChannelConfig


def _ai_config() -> Any:  # noqa: ANN401 - an annotation
    from chalicelib.outreach.project.ai_config import AiConfig

    return AiConfig | None


def _handoff_target() -> Any:  # noqa: ANN401 - an annotation
    from chalicelib.outreach.conversations.response_targets import HandoffTarget

    return HandoffTarget | None


def _follow_ups() -> Any:  # noqa: ANN401 - an annotation
    from chalicelib.outreach.project.follow_up_settings import Declared

    return Declared | None


def _event_webhook() -> Any:  # noqa: ANN401 - an annotation
    from chalicelib.outreach.company_events.endpoint import EventWebhook

    return EventWebhook | None


class Project:
    """One item; its attributes are its parts."""

    __slots__ = ("_item", "_values")

    company_id: Part[str] = Part(lambda: fields.Id, str, is_required=True)
    project_id: Part[str] = Part(lambda: fields.Id, str, is_required=True)
    company_name: Part[str | None] = Part(
        lambda: fields.ShownName, _none, is_required=True, is_copied=True
    )
    project_name: Part[str | None] = Part(
        lambda: fields.ShownName, _none, is_required=True, is_copied=True
    )
    project_status: Part[str | None] = Part(
        lambda: fields.Name, _none, is_required=True, is_copied=True
    )
    allowed_channels: Part[tuple[Channel, ...]] = Part(
        lambda: Annotated[list[fields.AnyChannel], Field(min_length=1), AfterValidator(_in_order)],
        lambda _: (),
        spares=Spares.EACH,
        is_required=True,
        is_copied=True,
    )
    channel_config: Part[ChannelConfig | None] = Part(_channel_config, _none, is_required=True)
    rate_limits: Part[fields.RateLimits] = Part(
        lambda: fields.RateLimits | None,
        lambda _: fields.RateLimits(),
        absent={},
        spares=Spares.EACH,
    )
    company_rep: Part[dict[str, str] | None] = Part(
        lambda: dict[str, fields.ShownName] | None, _none, spares=Spares.EACH, is_copied=True
    )
    ai_config: Part[AiConfig] = Part(_ai_config, _a_person, absent={})
    require_consent: Part[bool] = Part(lambda: StrictBool, _on)
    quiet_hours: Part[fields.QuietHours | Literal[False] | None] = Part(
        lambda: Annotated[fields.QuietHours | None, WrapValidator(fields.unless_false)],
        _wait,
        spares=Spares.UNKNOWN,
        is_copied=True,
    )
    answering: Part[fields.AnsweringSetting] = Part(
        lambda: fields.AnsweringSetting | None,
        lambda _: fields.AnsweringSetting(),
        absent={},
        spares=Spares.EACH,
    )
    model_budget: Part[fields.ModelBudget | None] = Part(
        lambda: fields.ModelBudget | None, _none, spares=Spares.EACH
    )
    handoff_target: Part[HandoffTarget | None] = Part(
        _handoff_target, _none, spares=Spares.UNKNOWN, is_copied=True
    )
    handoff_notice: Part[fields.HandoffNoticeSetting | None] = Part(
        lambda: fields.HandoffNoticeSetting | None, _none, spares=Spares.UNKNOWN
    )
    follow_ups: Part[Declared | None] = Part(_follow_ups, _none, is_copied=True)
    language: Part[Language | None] = Part(lambda: Language | None, _none, is_copied=True)
    company_contact: Part[str | None] = Part(
        lambda: fields.ShownWording | None, _none, is_copied=True
    )
    help_text: Part[dict[Language, str] | None] = Part(
        lambda: dict[Language, fields.ShownWording] | None,
        _none,
        spares=Spares.EACH,
        is_copied=True,
    )
    event_webhook: Part[Endpoint | None] = Part(_event_webhook, _none)
    message_kind: Part[str | None] = Part(
        lambda: Literal["marketing", "transactional"] | None, _none, is_copied=True
    )
    auto_queue_initial_message: Part[bool] = Part(
        lambda: StrictBool, _on, absent=False, is_copied=True
    )
    auto_queue_initial_message_from_number: Part[list[str] | None] = Part(
        lambda: list[fields.Phone] | None, _none, absent=[], is_copied=True
    )
    auto_queue_initial_message_from_email: Part[list[str] | None] = Part(
        lambda: list[fields.AnyEmail] | None, _none, absent=[], is_copied=True
    )
    auto_queue_reply_message: Part[bool] = Part(
        lambda: StrictBool, _on, absent=False, is_copied=True
    )
    auto_queue_reply_message_from_number: Part[list[str] | None] = Part(
        lambda: list[fields.Phone] | None, _none, absent=[], is_copied=True
    )
    auto_queue_reply_message_from_email: Part[list[str] | None] = Part(
        lambda: list[fields.AnyEmail] | None, _none, absent=[], is_copied=True
    )

    def __init__(self, item: Mapping[str, Any]) -> None:
        """Hold an item as stored, or a conversation's, which has its copies under the same names."""
        self._item = item
        self._values: dict[str, Any] = {}

    def read(self, part: Part[T]) -> T:
        """The value of a part, read once; see the table of the module."""
        if part.name not in self._values:
            self._values[part.name] = part.value(self._item.get(part.name))
        value: T = self._values[part.name]
        return value

    def __eq__(self, other: object) -> bool:
        """Whether both are stored alike."""
        return isinstance(other, Project) and self._item == other._item

    def __hash__(self) -> int:
        """By its key."""
        return hash(self.ids)

    @property
    def ids(self) -> tuple[str, str]:
        """The company's and the project's id."""
        return self.company_id, self.project_id

    @property
    def is_active(self) -> bool:
        """Whether its starts are taken."""
        return self.project_status == "active"

    @property
    def provider(self) -> str:
        """Whose language model writes; the rest of `ai_config` need not be readable."""
        config = self._item.get("ai_config")
        chosen = config.get("provider") if isinstance(config, Mapping) else None
        return BEDROCK if chosen == BEDROCK else OPENAI

    @property
    def has_endpoint(self) -> bool:
        """Whether it names an endpoint, usable or not."""
        return bool(self._item.get("event_webhook"))

    def endpoint(self, *, allows_loopback: bool) -> Endpoint | None:
        """Where its events are posted; None where it names none that is usable."""
        raw = self._item.get("event_webhook")
        return Project.event_webhook.value(raw, allows_loopback=allows_loopback)

    @property
    def representatives(self) -> tuple[str, ...]:
        """The names in `company_rep`."""
        return tuple(name for name in (self.company_rep or {}).values() if name)

    def sender(self, channel: Channel) -> str:
        """The number or address it sends from on a channel; empty where there is none."""
        return _text(self.of_channel(channel), SENDER_OF[channel])

    def credentials(self, channel: Channel) -> str:
        """The name of the secret that a channel needs; empty where there is none."""
        return _text(self.of_channel(channel), CREDENTIALS_OF.get(channel, ""))

    def of_channel(self, channel: str) -> Mapping[str, Any]:
        """`channel_config` of one channel, as a conversation copies it; empty where there is none."""
        return _inner(self._item.get("channel_config"), channel)

    def openai_of(self, channel: str) -> Mapping[str, Any]:
        """`ai_config.openai_config` of one channel, as a conversation copies it."""
        return _inner(_inner(self._item.get("ai_config"), "openai_config"), channel)

    def copies(self) -> dict[str, Any]:
        """The parts that a conversation copies, as they are stored; None for one that is not there."""
        return {name: self._item.get(name) for name, part in parts().items() if part.is_copied}

    def channels_left(
        self, known: Mapping[str, Any], tried: Collection[str], wanted: Collection[Channel]
    ) -> Iterator[Channel]:
        """The channels of a fallback that are left, in their order.

        Each is allowed, has a sender, has an address of the recipient, and was not tried.

        Args:
            known: the recipient's addresses, under the names of a request.
            tried: channels.
            wanted: channels of the fallback.
        """
        for channel in wanted:
            is_left = channel in self.allowed_channels and channel.value not in tried
            if is_left and self.sender(channel) and known.get(RECIPIENT_OF[channel]):
                yield channel


def parts() -> dict[str, Part[Any]]:
    """The parts of a project by their names, in the order in which they are checked."""
    return {name: one for name, one in vars(Project).items() if isinstance(one, Part)}


def _inner(config: Any, name: str) -> Mapping[str, Any]:  # noqa: ANN401 - any JSON value
    found = config.get(name) if isinstance(config, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else {}


def _text(config: Mapping[str, Any], name: str) -> str:
    found = config.get(name)
    return found if isinstance(found, str) else ""
