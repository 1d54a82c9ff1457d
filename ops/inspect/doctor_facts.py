"""Checks the facts: dataset and columns, archive, facts not yet posted, arrivals, the roster's names.

A stage with neither a report nor a fact in its ledger gets one line instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from chalicelib.errors import AuthError, MiddlewareError, SettingsError, TransientError
from chalicelib.facts.dataset import TABLES
from chalicelib.facts.mapping import configured_rules
from chalicelib.facts.posting.dataset_reader import DatasetReader
from chalicelib.facts.posting.ndjson import StoredRows
from chalicelib.facts.posting.nightly import SILENT_SECONDS
from chalicelib.facts.posting.powerbi import ENDS_ON
from chalicelib.facts.posting.writer_state import WRITER_KEY, WriterState
from chalicelib.once.ports import Clock
from chalicelib.settings import Settings
from ops.inspect.doctor_deployed import unset_variables
from ops.inspect.finding import Finding, finding
from ops.session import Session
from ops.stage import config

DEADLINE_SECONDS = 20.0
OLD_SECONDS = 7_200
CREATE = "python -m ops facts create"
MISSING = {
    "no_dataset": f"{CREATE}, then POWERBI_DATASET_ID; or FACTS_REPORT=onelake or archive",
    "no_onelake": "FABRIC_WORKSPACE_ID and FABRIC_DATABASE_ID, then " + CREATE,
    "no_archive": "FACTS_BUCKET",
}
"""What to set or run, by the reason why facts are not posted."""
ENDING = f"push datasets end on {ENDS_ON}: add OneLake before, docs/facts-fabric.md"
WARNED_BEFORE = timedelta(days=180)
_CREDENTIALS = {"invalid_signature": "HubSpot or Twilio", "invalid_credential": "Aloware"}


def facts(session: Session) -> Iterator[Finding]:
    """Run every check of the facts."""
    services = session.services
    if problems := list(_unreadable(services.settings)):
        yield finding("facts settings", problems, good="")
    newest = services.facts.ledger.survey().newest_seconds
    missing_sink = services.posting.missing_sink
    if missing_sink and not newest:
        yield Finding("facts", "ok", f"not used: {missing_sink}, and no fact was received")
        return
    if missing_sink:
        yield Finding("facts", "fail", f"facts wait, {missing_sink}: {MISSING[missing_sink]}")
    reader = services.posting.dataset_reader()
    if reader is not None:
        missing = unset_variables(services.settings, "powerbi")
        yield Finding("facts dataset", "fail", missing) if missing else _dataset(reader)
        is_near = session.services.clock.now().date() > ENDS_ON - WARNED_BEFORE
        yield Finding("facts dataset end", "warn" if is_near else "ok", ENDING)
    yield from map(_archive, services.posting.archives)
    if not services.posting.archives:
        yield Finding("facts archive", "warn", "not set: FACTS_BUCKET; no report can be rebuilt")
    yield _last_post(session)
    yield _pending(session)
    yield from _arrivals(session, newest)
    yield _roster(session)


def _unreadable(settings: Settings) -> Iterator[str]:
    """Yield a message for each variable whose value is not valid."""
    try:
        ZoneInfo(settings.facts_timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        yield "FACTS_TIMEZONE is no time zone of the IANA list"
    try:
        configured_rules(settings.hubspot_fact_rules)
    except SettingsError as error:
        yield str(error)


def report(session: Session) -> Iterator[Finding]:
    """Check that each report of a stage is set; only where SYSTEMS is configured."""
    settings = session.services.settings
    if "SYSTEMS" not in config.configured(session.stage):
        return
    named = {"powerbi": "a dataset of Power BI", "onelake": "OneLake", "archive": "the archive"}
    shown = " and ".join(name for kind, name in named.items() if kind in settings.facts_report)
    if "powerbi" in settings.facts_report and not settings.powerbi_dataset_id:
        yield Finding("report", "fail", "POWERBI_DATASET_ID is not set", mend=CREATE)
    elif "onelake" in settings.facts_report and not settings.has_mirrored_database:
        yield Finding("report", "fail", "FABRIC_WORKSPACE_ID or FABRIC_DATABASE_ID is not set")
    else:
        yield Finding("report", "ok", shown)


def _dataset(reader: DatasetReader) -> Finding:
    check = "facts dataset"
    try:
        tables = reader.tables(deadline_seconds=DEADLINE_SECONDS)
        missing = reader.missing_columns(deadline_seconds=DEADLINE_SECONDS)
    except AuthError as error:
        why = f"Power BI refuses us ({error.reason}): docs/runbook-facts.md#facts-waiting"
        return Finding(check, "fail", why)
    except MiddlewareError as error:
        return Finding(check, "fail", f"not reachable ({type(error).__name__})")
    if tables is None:
        return Finding(
            check, "fail", "the workspace has no such dataset: python -m ops facts create"
        )
    problems = [f"no table {name}" for name in sorted(set(TABLES) - tables)]
    problems += [f"no column {name}" for name in sorted(missing or ())]
    if problems or missing is not None:
        return finding(check, problems, good="token, tables, columns")
    return Finding(check, "warn", "tables are there; columns and rows may not be queried")


def _archive(archive: StoredRows) -> Finding:
    check, target = "facts archive", archive.target
    try:
        next(archive.list_objects("FactEvent/"), None)
    except TransientError as error:
        if error.reason == "NoSuchBucket":
            return Finding(check, "fail", "no such bucket, so facts wait: FACTS_BUCKET")
        return Finding(check, "warn", f"FACTS_BUCKET cannot be listed ({error.reason})")
    return Finding(check, "ok", target)


def _last_post(session: Session) -> Finding:
    """When the last batch was posted: its number is its epoch millisecond."""
    services = session.services
    row = services.posting.ledger.stored(WRITER_KEY)
    number = WriterState.decode(row.plan).number if row else 0
    if not number:
        return Finding("facts posted", "warn", "no batch was ever posted")
    age = max(0, int(services.clock.now().timestamp() - number / 1000))
    return Finding("facts posted", "ok", f"the last batch was posted {_span(age)} ago")


def _pending(session: Session) -> Finding:
    age = session.services.facts.ledger.oldest_pending_seconds()
    if age is None:
        return Finding("facts pending", "ok", "none")
    detail = f"the oldest has waited for {_span(age)}: docs/runbook-facts.md#facts-old"
    return Finding("facts pending", "warn" if age > OLD_SECONDS else "ok", detail)


def _arrivals(session: Session, newest: Mapping[str, int]) -> Iterator[Finding]:
    """Check the age of each source's newest fact, and the requests refused within a day."""
    for source, age in sorted(newest.items()):
        result = "warn" if age > SILENT_SECONDS else "ok"
        yield Finding(f"facts from {source}", result, f"the newest came {_span(age)} ago")
    refused = {
        code: count
        for code in _CREDENTIALS
        if (count := _rejected(session, code, session.services.clock))
    }
    shown = ", ".join(f"{count} of {_CREDENTIALS[code]}" for code, count in refused.items())
    yield Finding("facts refused", "warn" if refused else "ok", shown or "none in a day")


def _rejected(session: Session, code: str, clock: Clock) -> int:
    now = clock.now()
    answer = session.client("cloudwatch").get_metric_statistics(
        Namespace=f"rp-mw/{session.stage}",
        MetricName="mw.ingress.rejected",
        Dimensions=[{"Name": "code", "Value": code}, {"Name": "stage", "Value": session.stage}],
        StartTime=now - timedelta(days=1),
        EndTime=now,
        Period=86_400,
        Statistics=["Sum"],
    )
    return int(sum(point["Sum"] for point in answer["Datapoints"]))


def _roster(session: Session) -> Finding:
    try:
        agents = session.services.posting.agents()
    except SettingsError as error:
        return Finding("facts roster", "fail", str(error), mend="python -m ops setup")
    if agents is None:
        return Finding("facts roster", "ok", "none: every agent counts, and is shown by id")
    unnamed = sorted({agent.id for agent in agents.values() if not agent.name})
    detail = f"{len({agent.id for agent in agents.values()})} agents"
    return Finding(
        "facts roster",
        "warn" if unnamed else "ok",
        f"{detail}; without a name: {len(unnamed)}" if unnamed else detail,
    )


def _span(seconds: int) -> str:
    return str(timedelta(seconds=seconds)).partition(".")[0]
