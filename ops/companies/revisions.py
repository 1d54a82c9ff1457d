"""The revisions of a project's writer settings, and since when each held."""

from __future__ import annotations

import json
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.once.journal import entry_time
from ops.companies import company
from ops.session import OpsError, Session

COLUMNS = ("since", "revision", "by", "is_current")
PUT = "company put"


def of_project(session: Session, company_id: str, project_id: str) -> list[dict[str, Any]]:
    """The stored revisions, oldest first; ``since`` is None where no journal entry has the time.

    They come from the journal's entries of `company put`, kept for a year.

    Raises:
        OpsError: the project is not stored, or its settings cannot be read.
    """
    (project,) = company.projects(session, company_id, project_id)
    try:
        current = project.ai_config.writer.revision
    except MiddlewareError:
        raise OpsError("ai_config cannot be read: see company check") from None
    found: list[dict[str, Any]] = []
    for entry in session.services.journal.backwards(f"company:{company_id}", page=100):
        seen = json.loads(entry["action_payload_redacted"])
        if entry["action_type"] == PUT and seen.get("project") == project_id and "writer" in seen:
            row = {
                "since": entry_time(entry),
                "revision": seen["writer"],
                "by": entry["actor"],
            }
            if found and found[-1]["revision"] == row["revision"]:
                found.pop()  # stored again without a change: keep the earlier time
            found.append(row)
    if not found or found[0]["revision"] != current:  # stored by another program
        found.insert(0, {"since": None, "revision": current, "by": None})
    newest = [{**revision, "is_current": number == 0} for number, revision in enumerate(found)]
    return newest[::-1]
