"""The approved template that carries a message outside a channel's window (WhatsApp's 24 hours).

A project names it in its channel's settings, beside its own opening template::

    channel_config.whatsapp.reopening_template_sid    "HX..."

The template's variable ``1`` is the recipient's first name, ``2`` the message.  The current setting
counts, as it may be set after a conversation was opened.
"""

from __future__ import annotations

from dataclasses import replace

from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.project.project import Project

SETTING = "reopening_template_sid"
WINDOW_CLOSED = reasons.WINDOW_CLOSED
"""Reason for a hand-off: free text is not allowed any more, and the project has no template."""


def template_of(record: Record, project: Project) -> str | None:
    """The id of the project's template that can carry free text on the channel; None without one."""
    given = project.channel_settings(record.channel).get(SETTING)
    return given if isinstance(given, str) and given else None


def in_template(record: Record, written: Draft, template: str) -> Draft:
    """A draft for an approved template, one of whose variables is the unchanged text of a free-text draft."""
    name = str(record.item.get("recipient_first_name") or "there")
    return replace(written, variables={"1": name, "2": written.text}, template=template)
