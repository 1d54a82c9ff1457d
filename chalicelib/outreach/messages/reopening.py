"""Outside a channel's window: the approved template that carries a message there.

A project names it in its channel's settings, beside its own opening template::

    channel_config.whatsapp.reopening_template_sid    "HX..."

Its variable ``1`` is the recipient's first name, ``2`` the message.  It is read as the project has it
now, for it may be set after a conversation was opened.
"""

from __future__ import annotations

from dataclasses import replace

from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.project.project import Project

SETTING = "reopening_template_sid"
WINDOW_CLOSED = reasons.WINDOW_CLOSED
"""Why a message is a person's again: no free text is taken, and no template carries it."""


def template_of(record: Record, project: Project) -> str | None:
    """The project's template for the channel of a conversation; None where it has none."""
    given = project.of_channel(record.channel).get(SETTING)
    return given if isinstance(given, str) and given else None


def carried(record: Record, written: Draft, template: str) -> Draft:
    """A free text as the template carries it; its text stays as the customer reads it."""
    name = str(record.item.get("recipient_first_name") or "there")
    return replace(written, variables={"1": name, "2": written.text}, template=template)
