"""The data of a start from which its first message is written; stored as the conversation's first entry."""

from __future__ import annotations

import json

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.project import Project


def opening_data(record: Record) -> str:
    """The data from which a conversation's first message is written, as JSON.

    The recipient's phone number and e-mail address are left out.
    """
    item, project = record.item, Project(record.item)
    given = {
        "channel": record.channel.value,
        "company": project.company_name or record.company_id,
        "project": project.project_name,
        "representatives": list(project.representatives),
        "recipient_first_name": item.get("recipient_first_name"),
        "project_data": item.get("project_data"),
        "functions": record.ai_config.get("functions"),
        "colleague_says": item.get("hint"),
        "template_variables": record.channel_config.get("template_variables"),
    }
    known = {name: value for name, value in given.items() if value}
    return json.dumps(known, ensure_ascii=False, sort_keys=True, default=str)
