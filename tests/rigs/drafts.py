"""What is known where a draft is judged, made of a case's data, the company's rules and a message."""

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.trust import Trust
from chalicelib.outreach.writing.given import Given
from chalicelib.outreach.writing.moments import LocalClock
from chalicelib.outreach.writing.sources import Source, Sources, of_fields

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)
"""A Monday."""


def clock_at(now=NOW, zone="Europe/London", place=None):
    """A clock of a recipient and a place."""
    return LocalClock(now, ZoneInfo(zone), ZoneInfo(place or zone))


def about_of(
    *, case="", known="", said="", language=frozenset(), instructions=(), clock=None, **settings
):
    """What a draft may rest on.

    Args:
        case: `project_data`, as JSON; any other text is the company's word.
        known: knowledge, an entry a line.
        said: the recipient's only message.
    """
    clock = clock or clock_at()
    of_writer = WriterSettings.model_validate(settings)
    found = []
    if case.startswith("{"):
        fields = of_writer.fields
        found += of_fields("project_data", json.loads(case), Trust.COMPANY, fields, clock)
    elif case:
        found.append(Source("conversation.0", case, Trust.COMPANY))
    lines = enumerate(known.splitlines())
    found += [Source(f"knowledge.k{number}", line, Trust.COMPANY) for number, line in lines]
    if said:
        found.append(Source("conversation.1", said, Trust.RECIPIENT))
    return Given(
        of_writer,
        Sources(tuple(found), clock),
        recipient_text=said,
        newest=said,
        language=language,
        instructions=instructions,
    )
