"""What a run came to, by what the vendors received and what the tables hold; for every flow alike.

Nothing here knows how many replies there should be: what the flow decided stands in its plan, and
each planned effect is done once at the vendor, or visibly not done, with a reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from chalicelib.once.plan import Plan
from tests.crash.flow import STRAY, Row
from tests.crash.run import Run

ENDS = frozenset({"processed", "failed", "parked", "skipped", "posted"})
_RESULTS = {"done": "success", "refused": "fail"}
"""What the audit calls the ends of an action; the others it calls by their names."""
_DONE = frozenset({"done", "posted"})
_OWN = frozenset({"ConversationsTable", "CompanyDataTable"})
"""Tables that hold personal data by design."""


@dataclass(slots=True)
class Outcome:
    """What a run came to.

    Attributes:
        problems: promises that did not hold, each beginning with its name.
        parked: why something waits for a person, or was given up.
        repeated: requests made twice that changed nothing.
        decided: the kinds of actions that were planned.
        was_met: the call that something was to happen to was made at all.
    """

    name: str
    problems: list[str] = field(default_factory=list)
    parked: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    was_met: bool = True

    @property
    def is_lost(self) -> bool:
        """Something accepted has come to no end, or was never done."""
        return any(problem.startswith("P2") for problem in self.problems)

    @property
    def is_duplicated(self) -> bool:
        """Something was done more often than it was decided."""
        return any(problem.startswith("P1") for problem in self.problems)


def judge(run: Run, name: str) -> Outcome:
    """P1 to P4, P6 and P7."""
    outcome = Outcome(name, list(run.problems))
    rows = run.rows()
    _judge_accepted(run, rows, outcome)
    actions = {key: row for key, row in rows.items() if "event_key" in row or row.get("batch")}
    facts = {key: row for key, row in rows.items() if row.get("metric")}
    _judge_actions(rows, actions, outcome)
    _judge_plans(rows, outcome)
    _judge_audit(run, rows, actions, outcome)
    _judge_landings(run.flow.landed(run, actions | facts), actions | facts, outcome)
    _judge_order(run, rows, actions, outcome)
    _judge_privacy(run, outcome)
    outcome.problems += run.flow.complaints(run)
    outcome.repeated = run.flow.repeated(run)
    if run.waiting():
        outcome.problems.append("P2 messages are left")
    dead = run.waiting("EventsDeadLetterQueue")
    if dead:
        outcome.parked["dead letter"] += dead
    return outcome


def _judge_accepted(run: Run, rows: Mapping[str, Row], outcome: Outcome) -> None:
    """P2 and P7: what was answered 2xx has ended, and says why where it did not end well."""
    for key in run.accepted:
        row = rows.get(key)
        if row is None or row["status"] not in ENDS:
            outcome.problems.append(f"P2 {key} is {row and row['status']}")
        elif row["status"] in {"failed", "parked"}:
            outcome.parked[str(row.get("reason"))] += 1
        if row is not None and row["status"] in {"failed", "parked", "skipped"}:
            _must_have_reason(key, row, outcome)
        if row is not None and row["status"] == "parked":
            _must_be_found(key, row, outcome)


def _judge_actions(rows: Mapping[str, Row], actions: Mapping[str, Row], outcome: Outcome) -> None:
    for key, row in actions.items():
        match row["status"]:
            case "pending" if row.get("action_kind") and not _is_writers(row):
                outcome.problems.append(f"P2 {key} is pending")
            case "unknown":
                event = rows.get(row["event_key"], {})
                if event.get("status") != "parked" and not _is_writers(row):
                    outcome.problems.append(f"P7 {key} is unknown and its event is not parked")
                _must_have_reason(key, row, outcome)
                _must_be_found(key, row, outcome)
            case "skipped" | "refused" | "abandoned":
                _must_have_reason(key, row, outcome)


def _judge_audit(
    run: Run, rows: Mapping[str, Row], actions: Mapping[str, Row], outcome: Outcome
) -> None:
    """P7: every action of an event that went through has its end in the audit."""
    written = {row["ts_action_id"]: str(row["result"]) for row in run.items("AuditActionsTable")}
    for key, row in actions.items():
        event = rows.get(str(row.get("event_key")), {})
        is_over = event.get("status") == "processed" and row["status"] != "pending"
        if not row.get("action_kind") or _is_writers(row) or not is_over:
            continue
        result = written.get(f"{row['finished_at']}#{key}", "nothing")
        if result.partition(":")[0] != _RESULTS.get(row["status"], row["status"]):
            outcome.problems.append(f"P7 {key} is {row['status']}, the audit has {result}")


def _judge_plans(rows: Mapping[str, Row], outcome: Outcome) -> None:
    """P2: what was planned has its row, unless it is parked before it came to it."""
    planned: Counter[str] = Counter()
    known: Counter[str] = Counter(row["event_key"] for row in rows.values() if "event_key" in row)
    for key, row in rows.items():
        if not key.startswith("evt:") or not row.get("plan"):
            continue
        actions = list(Plan.decode(row["plan"]).actions)
        planned[key] = len(actions)
        for action in actions:
            template = f" {action.arg}" if action.kind == "reply" else ""
            outcome.decided[action.kind + template] += 1
        if row["status"] == "processed" and known[key] < planned[key]:
            outcome.problems.append(f"P2 {key}: {known[key]} of {planned[key]} actions have a row")


def _judge_landings(landed: Counter[str], actions: Mapping[str, Row], outcome: Outcome) -> None:
    """P1 and P2: each action once at most at the vendor, and there where it is said to be done."""
    for key, count in landed.items():
        row = actions.get(key)
        if key.startswith(STRAY) or row is None:
            outcome.problems.append(f"P1 {key} landed {count} times and nobody decided it")
            continue
        if count > 1:
            outcome.problems.append(f"P1 {key} landed {count} times")
        if count == 0 and row["status"] in _DONE:
            outcome.problems.append(f"P2 {key} is {row['status']} and never came")
        if count and row["status"] not in _DONE | {"unknown"} and row.get("reason") != "already":
            outcome.problems.append(f"P1 {key} landed and is {row['status']}")


def _judge_order(
    run: Run, rows: Mapping[str, Row], actions: Mapping[str, Row], outcome: Outcome
) -> None:
    """P3: within a conversation, what was received first is done first, but for what was parked."""
    newest: dict[str, str] = {}
    done = [row for row in actions.values() if row["status"] == "done" and row.get("finished_at")]
    for row in sorted(done, key=lambda one: str(one["finished_at"])):
        event = rows.get(row["event_key"])
        if event is None or row["event_key"] in run.was_parked:
            continue
        received = str(event["received_at"])
        if received < newest.get(row["conversation_id"], ""):
            outcome.problems.append(f"P3 {row['event_id']} was done after what came later")
        newest[row["conversation_id"]] = max(received, newest.get(row["conversation_id"], ""))


def _judge_privacy(run: Run, outcome: Outcome) -> None:
    tables = [table for table in run.stage.tables if table not in _OWN]
    for where, text in [
        *((table, json.dumps(run.items(table), default=str)) for table in tables),
        ("the log", run.logged()),
    ]:
        outcome.problems += [
            f"P4 {word!r} stands in {where}" for word in run.flow.secret_words if word in text
        ]


def _must_have_reason(key: str, row: Row, outcome: Outcome) -> None:
    if not row.get("reason"):
        outcome.problems.append(f"P7 {key} is {row['status']} without a reason")


def _must_be_found(key: str, row: Row, outcome: Outcome) -> None:
    """P2: what waits for somebody stands in the index, where the sweep and a person look."""
    if "unfinished" not in row and not _is_writers(row):
        outcome.problems.append(f"P2 {key} is {row['status']} and in no index")


def _is_writers(row: Row) -> bool:
    """The fact writer's POSTs end with their facts, not by themselves."""
    return str(row.get("event_key")).startswith("WRITER:")
