"""A project as its company has set it: an item of the `company-data` table, read part by part.

`company put` and `company check` refuse a project with faults (`check`).  But others may have
stored the item, so run-time code reads each part by itself when it needs the part.  Each part says
what applies where it cannot be read; `python -m bench.report.settings` writes that table into
``docs/outreach-settings.md``. A conversation copies the parts that must not change during its life
(`is_copied`), as they are stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool, WrapValidator

from chalicelib.outreach.channels import RECIPIENT_FIELD_OF, Channel
from chalicelib.outreach.languages import Language
from chalicelib.outreach.project import deferred, fields
from chalicelib.outreach.project.item import ProjectItem
from chalicelib.outreach.project.part import Part, Spares, T
from chalicelib.outreach.project.unreadable import a_person, nothing, on, wait

if TYPE_CHECKING:
    from chalicelib.outreach.company_events.endpoint import Endpoint
    from chalicelib.outreach.conversations.response_targets import HandoffTarget
    from chalicelib.outreach.project.ai_config import AiConfig
    from chalicelib.outreach.project.channel_config import ChannelConfig
    from chalicelib.outreach.project.follow_up_settings import FollowUpSettings


def _channels_in_order(found: list[Channel]) -> tuple[Channel, ...]:
    return tuple(found)


class Project(ProjectItem):
    """One project of a company; its attributes are its settings, validated when read."""

    __slots__ = ("_values",)

    company_id: Part[str] = Part(
        lambda: fields.Id, "as it is: it is in the item's key", str, is_required=True
    )
    project_id: Part[str] = Part(
        lambda: fields.Id, "as it is: it is in the item's key", str, is_required=True
    )
    company_name: Part[str | None] = Part(
        lambda: fields.ShownName,
        "the company's id is shown",
        nothing,
        is_required=True,
        is_copied=True,
    )
    project_name: Part[str | None] = Part(
        lambda: fields.ShownName,
        "the project's id or `your request` is shown",
        nothing,
        is_required=True,
        is_copied=True,
    )
    project_status: Part[str | None] = Part(
        lambda: fields.Name,
        "the project is not active: starts are refused",
        nothing,
        is_required=True,
        is_copied=True,
    )
    allowed_channels: Part[tuple[Channel, ...]] = Part(
        lambda: Annotated[
            list[fields.AnyChannel], Field(min_length=1), AfterValidator(_channels_in_order)
        ],
        "what is no channel is not allowed",
        lambda _: (),
        spares=Spares.EACH,
        is_required=True,
        is_copied=True,
    )
    channel_config: Part[ChannelConfig | None] = Part(
        deferred.channel_config,
        "a channel without the text of its sender has none",
        nothing,
        is_required=True,
    )
    rate_limits: Part[fields.RateLimits] = Part(
        lambda: fields.RateLimits | None,
        "the default for each limit that cannot be read",
        lambda _: fields.RateLimits(),
        absent={},
        spares=Spares.EACH,
    )
    company_rep: Part[dict[str, str] | None] = Part(
        lambda: dict[str, fields.ShownName] | None,
        "who cannot be read is not named",
        nothing,
        spares=Spares.EACH,
        is_copied=True,
    )
    ai_config: Part[AiConfig] = Part(
        deferred.ai_config,
        "a person opens and answers (`ai_config_unreadable`)",
        a_person,
        absent={},
    )
    require_consent: Part[bool] = Part(lambda: StrictBool, "consent is required", on)
    quiet_hours: Part[fields.QuietHours | Literal[False] | None] = Part(
        lambda: Annotated[fields.QuietHours | None, WrapValidator(fields.unless_false)],
        "messages wait (`quiet_hours_unreadable`)",
        wait,
        spares=Spares.UNKNOWN,
        is_copied=True,
    )
    answering: Part[fields.AnsweringSetting] = Part(
        lambda: fields.AnsweringSetting | None,
        "the default for each field that cannot be read",
        lambda _: fields.AnsweringSetting(),
        absent={},
        spares=Spares.EACH,
    )
    model_budget: Part[fields.ModelBudget | None] = Part(
        lambda: fields.ModelBudget | None,
        "no budget that cannot be read",
        nothing,
        spares=Spares.EACH,
    )
    handoff_target: Part[HandoffTarget | None] = Part(
        deferred.handoff_target, "no target", nothing, spares=Spares.UNKNOWN, is_copied=True
    )
    handoff_notice: Part[fields.HandoffNoticeSetting | None] = Part(
        lambda: fields.HandoffNoticeSetting | None, "no notice", nothing, spares=Spares.UNKNOWN
    )
    follow_ups: Part[FollowUpSettings | None] = Part(
        deferred.follow_ups, "nothing is sent", nothing, is_copied=True
    )
    language: Part[Language | None] = Part(
        lambda: Language | None, "English", nothing, is_copied=True
    )
    company_contact: Part[str | None] = Part(
        lambda: fields.ShownWording | None,
        "HELP is answered without a contact",
        nothing,
        is_copied=True,
    )
    company_address: Part[str | None] = Part(
        lambda: fields.ShownWording | None,
        "e-mails end without a postal address",
        nothing,
        is_copied=True,
    )
    help_text: Part[dict[Language, str] | None] = Part(
        lambda: dict[Language, fields.ShownWording] | None,
        "HELP is answered in our words",
        nothing,
        spares=Spares.EACH,
        is_copied=True,
    )
    event_webhook: Part[Endpoint | None] = Part(
        deferred.event_webhook, "no endpoint: no event is posted", nothing
    )
    message_kind: Part[str | None] = Part(
        lambda: Literal["marketing", "service", "transactional"] | None,
        "a message counts as marketing",
        nothing,
        is_copied=True,
    )
    jurisdictions: Part[fields.JurisdictionSetting] = Part(
        lambda: fields.JurisdictionSetting | None,
        "the default for each field that cannot be read: the rules are enforced",
        lambda _: fields.JurisdictionSetting(),
        absent={},
        spares=Spares.EACH,
        is_copied=True,
    )
    auto_queue_initial_message: Part[bool] = Part(
        lambda: StrictBool, "a person approves the messages", on, absent=False, is_copied=True
    )
    auto_queue_initial_message_from_number: Part[list[str] | None] = Part(
        lambda: list[fields.Phone] | None,
        "everybody is on the list",
        nothing,
        absent=[],
        is_copied=True,
    )
    auto_queue_initial_message_from_email: Part[list[str] | None] = Part(
        lambda: list[fields.AnyEmail] | None,
        "everybody is on the list",
        nothing,
        absent=[],
        is_copied=True,
    )
    auto_queue_reply_message: Part[bool] = Part(
        lambda: StrictBool, "a person approves the messages", on, absent=False, is_copied=True
    )
    auto_queue_reply_message_from_number: Part[list[str] | None] = Part(
        lambda: list[fields.Phone] | None,
        "everybody is on the list",
        nothing,
        absent=[],
        is_copied=True,
    )
    auto_queue_reply_message_from_email: Part[list[str] | None] = Part(
        lambda: list[fields.AnyEmail] | None,
        "everybody is on the list",
        nothing,
        absent=[],
        is_copied=True,
    )

    def __init__(self, item: Mapping[str, Any]) -> None:
        """Take a project's stored item, or a conversation's, which copies settings under the same names."""
        super().__init__(item)
        self._values: dict[str, Any] = {}

    def read(self, part: Part[T]) -> T:
        """The value of one setting, validated at the first read."""
        if part.name not in self._values:
            self._values[part.name] = part.value(self._item.get(part.name))
        value: T = self._values[part.name]
        return value

    @property
    def ids(self) -> tuple[str, str]:
        """The company's id and the project's id."""
        return self.company_id, self.project_id

    @property
    def is_active(self) -> bool:
        """Whether starts of the project are accepted."""
        return self.project_status == "active"

    def endpoint(self, *, allows_loopback: bool) -> Endpoint | None:
        """The endpoint to which the project's events are posted; None where it has no usable one."""
        raw = self._item.get("event_webhook")
        return Project.event_webhook.value(raw, allows_loopback=allows_loopback)

    @property
    def representatives(self) -> tuple[str, ...]:
        """The names of the company's people whom the writer may name, from `company_rep`."""
        return tuple(name for name in (self.company_rep or {}).values() if name)

    def copied_settings(self) -> dict[str, Any]:
        """The raw values of the settings that a conversation copies when it opens; None for one not set."""
        return {name: self._item.get(name) for name, part in parts().items() if part.is_copied}

    def channels_left(
        self, known: Mapping[str, Any], tried: Collection[str], wanted: Collection[Channel]
    ) -> Iterator[Channel]:
        """The fallback channels that can still be tried for a recipient, in order.

        Each is allowed by the project, has a sender and the recipient's address, and was not tried.

        Args:
            known: the recipient's addresses, under a request's field names.
            tried: names of the channels that were tried.
            wanted: the fallback channels.
        """
        for channel in wanted:
            is_left = channel in self.allowed_channels and channel.value not in tried
            if is_left and self.sender(channel) and known.get(RECIPIENT_FIELD_OF[channel]):
                yield channel


def parts() -> dict[str, Part[Any]]:
    """The settings of a project by name, in the order in which they are checked."""
    return {name: part for name, part in vars(Project).items() if isinstance(part, Part)}
