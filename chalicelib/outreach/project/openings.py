"""The attributes that a conversation is opened with: the request's, and the project's at that time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.outreach.channels import SENDER_OF, Channel
from chalicelib.outreach.company_events.endpoint import SETTING as ENDPOINT
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.project.companies import Project

OF_PROJECT = (
    "company_name",
    "project_name",
    "company_rep",
    "allowed_channels",
    "project_status",
    "auto_queue_initial_message",
    "auto_queue_initial_message_from_number",
    "auto_queue_initial_message_from_email",
    "auto_queue_reply_message",
    "auto_queue_reply_message_from_number",
    "auto_queue_reply_message_from_email",
    "quiet_hours",
    "handoff_target",
    "message_kind",
    "language",
    "company_contact",
    "help_text",
    "follow_ups",
)
"""Attributes that the record copies from the company's project, as in the schema."""
OF_REQUEST = (
    "recipient_tel",
    "recipient_email",
    "recipient_first_name",
    "recipient_last_name",
    "recipient_timezone",
    "comms_consent",
    "comms_consent_at",
    "comms_consent_source",
    "project_data",
    "initial_request_timestamp",
    "router_version",
)
"""Attributes of a request that hold on every channel."""


def attributes(
    project: Project,
    channel: Channel,
    given: Mapping[str, Any],
    **ids: Any,  # noqa: ANN401 - ids and times of the record
) -> dict[str, Any]:
    """Attributes as `conversations.store.Conversations.open` takes them; None is left out.

    Args:
        project: as it is set now.
        channel: the conversation's.
        given: attributes of the request.
        ids: further attributes: the ids, `primary_channel`, `start_event`, `received_at`.
    """
    copied = {name: project.item.get(name) for name in OF_PROJECT}
    sender = SENDER_OF[channel]
    found = {
        **copied,
        **given,
        **ids,
        "channel_method": channel.value,
        "channel_config": {sender: "", **project.channel_config(channel)},
        "ai_config": dict(project.ai_config(channel)) or None,
        TELLS: True if project.item.get(ENDPOINT) else None,
        "max_message_length": project.rate_limits.max_message_length,
    }
    return {name: value for name, value in found.items() if value is not None}
