"""Makes the attributes of a new conversation: the request's, and the project's of that moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.outreach.channels import ADDRESSES, Channel
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations.recipients import PURPOSE
from chalicelib.outreach.project.project import Project

REQUEST_ATTRIBUTES = (
    *(address.field for address in ADDRESSES),
    "recipient_first_name",
    "recipient_last_name",
    "recipient_timezone",
    "comms_consent",
    "comms_consent_at",
    "comms_consent_source",
    PURPOSE,
    "project_data",
    "initial_request_timestamp",
    "router_version",
)
"""Attributes of a request that stay the same on every channel."""


def attributes(
    project: Project,
    channel: Channel,
    given: Mapping[str, Any],
    **ids: Any,  # noqa: ANN401 - ids and times of the record
) -> dict[str, Any]:
    """The attributes of a conversation to open: from the request and the project, without any that is None.

    Args:
        project: the project as it is set now.
        channel: the conversation's channel.
        given: attributes of the request.
        ids: further attributes: the ids, `primary_channel`, `start_event`, `received_at`.
    """
    found = {
        **project.copied_settings(),
        **given,
        **ids,
        "channel_method": channel.value,
        "channel_config": {channel.traits.sender: "", **project.channel_settings(channel)},
        "ai_config": project.openai_settings(channel) or None,
        TELLS: True if project.has_endpoint else None,
        "max_message_length": project.rate_limits.max_message_length,
    }
    return {name: value for name, value in found.items() if value is not None}
