"""WhatsApp outside its 24 hours: the approved template that carries a message there.

A project names it in its channel's settings, beside its own opening template::

    channel_config.whatsapp.reopening_template_sid    "HX..."

Its variable ``1`` is the recipient's first name, ``2`` the message.  It is read as the project has it
now, for it may be set after a conversation was opened.
"""

from __future__ import annotations

from dataclasses import replace

from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.project.project import Project

SETTING = "reopening_template_sid"
WINDOW_CLOSED = reasons.WINDOW_CLOSED
"""Why a message is a person's again: WhatsApp takes no free text, and no template carries it."""


def template_of(project: Project) -> str | None:
    """The project's template; None where it has none."""
    given = project.of_channel(Channel.WHATSAPP).get(SETTING)
    return given if isinstance(given, str) and given else None


def carried(record: Record, written: Draft, template: str) -> Draft:
    """A free text as the template carries it; its text stays as the customer reads it."""
    name = str(record.item.get("recipient_first_name") or "there")
    return replace(written, variables={"1": name, "2": written.text}, template=template)
