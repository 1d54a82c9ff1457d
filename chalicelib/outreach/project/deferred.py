"""Types of settings whose modules are imported when a value is first read: a door needs few of them."""

from __future__ import annotations

from typing import Any


def channel_config() -> Any:  # noqa: ANN401 - an annotation
    """Import and return the type of the setting `channel_config`."""
    from chalicelib.outreach.project.channel_config import ChannelConfig

    return ChannelConfig


def ai_config() -> Any:  # noqa: ANN401 - an annotation
    """Import and return the type of the setting `ai_config`."""
    from chalicelib.outreach.project.ai_config import AiConfig

    return AiConfig | None


def handoff_target() -> Any:  # noqa: ANN401 - an annotation
    """Import and return the type of the setting `handoff_target`."""
    from chalicelib.outreach.conversations.response_targets import HandoffTarget

    return HandoffTarget | None


def follow_ups() -> Any:  # noqa: ANN401 - an annotation
    """Import and return the type of the setting `follow_ups`."""
    from chalicelib.outreach.project.follow_up_settings import FollowUpSettings

    return FollowUpSettings | None


def event_webhook() -> Any:  # noqa: ANN401 - an annotation
    """Import and return the type of the setting `event_webhook`."""
    from chalicelib.outreach.company_events.endpoint import EventWebhook

    return EventWebhook | None
