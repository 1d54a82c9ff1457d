"""A project's item of the `company-data` table, and the values that are read without validation.

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
    company_address   "1 Main Street, Springfield, IL 62701, USA"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.outreach.channels import CREDENTIALS_FIELD_OF, SENDER_FIELD_OF, Channel

OPENAI, BEDROCK = "openai", "bedrock"


class ProjectItem:
    """A project's stored item, with the values that can be read even where other settings cannot."""

    __slots__ = ("_item",)

    def __init__(self, item: Mapping[str, Any]) -> None:
        self._item = item

    def __eq__(self, other: object) -> bool:
        """Whether two projects' items have the same contents."""
        return isinstance(other, ProjectItem) and self._item == other._item

    def __hash__(self) -> int:
        """The hash of the ids of company and project."""
        return hash(tuple(str(self._item.get(name)) for name in ("company_id", "project_id")))

    @property
    def provider(self) -> str:
        """The vendor of the project's language model: Bedrock if `ai_config` names it, else OpenAI.

        It can be read even where the rest of `ai_config` cannot.
        """
        config = self._item.get("ai_config")
        chosen = config.get("provider") if isinstance(config, Mapping) else None
        return BEDROCK if chosen == BEDROCK else OPENAI

    @property
    def has_endpoint(self) -> bool:
        """Whether the project names an endpoint for its events, usable or not."""
        return bool(self._item.get("event_webhook"))

    def sender(self, channel: Channel) -> str:
        """The number or address that the project sends from on a channel; empty where there is none."""
        return _text(self.channel_settings(channel), SENDER_FIELD_OF[channel])

    def secret_name(self, channel: Channel) -> str:
        """The name of the secret that the project needs on a channel; empty where there is none."""
        return _text(self.channel_settings(channel), CREDENTIALS_FIELD_OF.get(channel, ""))

    def channel_settings(self, channel: str) -> Mapping[str, Any]:
        """The project's settings of a channel, which a conversation copies; empty where there are none."""
        return _inner(self._item.get("channel_config"), channel)

    def openai_settings(self, channel: str) -> Mapping[str, Any]:
        """The project's OpenAI settings of a channel, which a conversation copies.

        Empty where there are none.
        """
        return _inner(_inner(self._item.get("ai_config"), "openai_config"), channel)


def _inner(config: Any, name: str) -> Mapping[str, Any]:  # noqa: ANN401 - any JSON value
    found = config.get(name) if isinstance(config, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else {}


def _text(config: Mapping[str, Any], name: str) -> str:
    found = config.get(name)
    return found if isinstance(found, str) else ""
