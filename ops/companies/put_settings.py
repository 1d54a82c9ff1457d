"""Stores a project's settings if they are valid and agree with its verdict set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chalicelib.outreach.project.project import Project
from ops import journal
from ops.companies import company, senders
from ops.companies.verdict_gate import Disagreement, VerdictGate, disagreements
from ops.session import OpsError, Session

RULES_ALONE = VerdictGate()


def put(
    session: Session,
    item: dict[str, Any],
    *,
    because: str = "",
    gate: VerdictGate = RULES_ALONE,
) -> str:
    """Store a valid item, replacing one with the same key; returns ``created`` or ``replaced``.

    Raises:
        OpsError: the item is not valid, another company uses one of its senders, or the settings
            disagree with the project's verdict set; nothing was stored.
    """
    found = company.faults(session, item)
    if found:
        raise OpsError("not stored: " + "; ".join(found))
    key = {name: item[name] for name in ("company_id", "project_id")}
    before = senders.table(session).get(key) or {}
    against = disagreements(session, item, before, gate)
    if against and not gate.despite:
        raise _refused(against)
    did = "replaced" if before else "created"
    changed = sorted(name for name in {*before, *item} if before.get(name) != item.get(name))
    act = journal.act(
        session,
        "company put",
        f"company:{item['company_id']}",
        result=did,
        reason=because,
        project=item["project_id"],
        changed=changed,
        writer=Project(item).ai_config.writer.revision,
        despite_verdicts=gate.despite if against else None,
        verdicts=[disagreement.verdict.id for disagreement in against] or None,
    )
    senders.store(session, item, entry=journal.writes(session, act))
    return did


def _refused(against: Sequence[Disagreement]) -> OpsError:
    listed = "\n".join(f"  {disagreement}" for disagreement in against)
    return OpsError(
        f"not stored: {len(against)} of the project's verdict set disagree:\n{listed}\n"
        "mend the settings, or give --despite-verdicts REASON"
    )
