"""Checks the landing zone in OneLake: access, tables and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from chalicelib.errors import AuthError, MiddlewareError, reason_of
from chalicelib.facts.posting.onelake import OneLake
from chalicelib.facts.reasons import FILE_TAKEN, FILES_LOST, NO_TABLE
from ops.inspect.doctor_deployed import unset_variables
from ops.inspect.finding import Finding
from ops.session import Session
from ops.stage import config

DEADLINE_SECONDS = 20.0
CREATE = "python -m ops facts create"
AT_FAULT: Mapping[str, str] = {
    NO_TABLE: f"is not there: {CREATE}",
    FILES_LOST: f"its folder was made again: {CREATE}, then python -m ops facts rebuild --to onelake",
    FILE_TAKEN: "a file is there that we did not write: docs/facts-fabric.md#when-something-is-wrong",
}
"""What is wrong with a table of the landing zone, and what to do."""
_CHECK = "facts onelake"


def onelake(session: Session) -> Iterator[Finding]:
    """Check the landing zone of a stage whose facts go to OneLake."""
    services = session.services
    if "onelake" not in services.settings.facts_report:
        if "SYSTEMS" in config.configured(session.stage):
            yield Finding(_CHECK, "ok", "facts do not go there")
        return
    missing, sink = unset_variables(services.settings, "onelake"), services.posting.onelake
    yield Finding(_CHECK, "fail", missing) if missing or sink is None else _examined(sink)


def _examined(sink: OneLake) -> Finding:
    try:
        if not sink.exists(deadline_seconds=DEADLINE_SECONDS):
            why = "no such workspace or mirrored database: FABRIC_WORKSPACE_ID, FABRIC_DATABASE_ID"
            return Finding(_CHECK, "fail", why)
        found = {
            table: sink.files_trouble(table, deadline_seconds=DEADLINE_SECONDS)
            for table in sink.tables
        }
    except AuthError as error:
        why = f"OneLake refuses us ({reason_of(error)}): docs/runbook-facts.md#facts-waiting"
        return Finding(_CHECK, "fail", why)
    except MiddlewareError as error:
        return Finding(_CHECK, "fail", f"not reachable ({type(error).__name__})")
    problems = [f"{table}: {AT_FAULT[why]}" for table, why in found.items() if why]
    if problems:
        mend = CREATE if NO_TABLE in found.values() else ""
        return Finding(_CHECK, "fail", "; ".join(problems), mend=mend)
    return Finding(_CHECK, "ok", "token, tables, files")
