"""The outcome of a run, by what the vendors received and what the tables hold; for every flow alike.

Nothing here knows how many replies there should be: the flow's decision is in its plan, and each
planned effect must be done once at the vendor, or visibly not done, with a reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from chalicelib.once.plan import Plan
from chalicelib.outreach.messages.plan import FLOW as OUTREACH
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.sending.effects import TELL_COMPANY
from tests.crash.flow import STRAY, Row
from tests.crash.run import Run

ENDS = frozenset({"processed", "failed", "parked", "skipped", "posted"})
_RESULTS = {"done": "success", "refused": "fail"}
"""The audit's names of an action's ends where they differ from the statuses."""
_DONE = frozenset({"done", "posted"})
_OWN = frozenset({"ConversationsTable", "CompanyDataTable"})
"""Tables that hold personal data by design."""


@dataclass(slots=True)
class Outcome:
    """The outcome of a run.

    Attributes:
        problems: violations, each starting with the promise's name.
        parked: reasons of events that are parked, failed or dead-lettered.
        repeated: repeated requests that changed nothing.
        decided: the kinds of actions that were planned.
        purposes: of the messages that were planned.
        was_met: the call that something was to happen to was made at all.
    """

    name: str
    problems: list[str] = field(default_factory=list)
    parked: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    purposes: set[Purpose] = field(default_factory=set)
    was_reached: bool = True

    @property
    def is_lost(self) -> bool:
        """Whether something accepted did not end, or was never done."""
        return any(problem.startswith("P2") for problem in self.problems)

    @property
    def is_duplicated(self) -> bool:
        """Whether something was done more often than it was decided."""
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
    outcome.problems += run.flow.violations(run)
    outcome.repeated = run.flow.repeated(run)
    if run.waiting():
        outcome.problems.append("P2 messages are left")
    dead = run.dead()
    if dead:
        outcome.parked["dead letter"] += dead
    return outcome


def _judge_accepted(run: Run, rows: Mapping[str, Row], outcome: Outcome) -> None:
    """P2 and P7: every event answered with 2xx has ended, with a reason unless it was processed."""
    for key in run.accepted:
        row = rows.get(key)
        if row is None or row["status"] not in ENDS:
            outcome.problems.append(f"P2 {key} is {row and row['status']}")
        elif row["status"] in {"failed", "parked"} and row.get("reason") not in run.flow.refuses:
            outcome.parked[str(row.get("reason"))] += 1
        if row is not None and row["status"] in {"failed", "parked", "skipped"}:
            _must_have_reason(key, row, outcome)
        if row is not None and row["status"] == "parked":
            _must_be_indexed(key, row, outcome)


def _judge_actions(rows: Mapping[str, Row], actions: Mapping[str, Row], outcome: Outcome) -> None:
    for key, row in actions.items():
        match row["status"]:
            case "pending" if row.get("action_kind") and not _is_of_fact_writer(row):
                outcome.problems.append(f"P2 {key} is pending")
            case "unknown":
                event = rows.get(row["event_key"], {})
                if event.get("status") != "parked" and not _is_of_fact_writer(row):
                    outcome.problems.append(f"P7 {key} is unknown and its event is not parked")
                _must_have_reason(key, row, outcome)
                _must_be_indexed(key, row, outcome)
            case "skipped" | "refused" | "abandoned":
                _must_have_reason(key, row, outcome)


def _judge_audit(
    run: Run, rows: Mapping[str, Row], actions: Mapping[str, Row], outcome: Outcome
) -> None:
    """P7: every action of a processed event has its end in the audit."""
    entries = [row for row in run.items("AuditActionsTable") if "result" in row]  # no `about#` row
    written = {row["ts_action_id"]: str(row["result"]) for row in entries}
    for key, row in actions.items():
        event = rows.get(str(row.get("event_key")), {})
        is_over = event.get("status") == "processed" and row["status"] != "pending"
        if not row.get("action_kind") or _is_of_fact_writer(row) or not is_over:
            continue
        result = written.get(f"{row['finished_at']}#{key}", "nothing")
        if result.partition(":")[0] != _RESULTS.get(row["status"], row["status"]):
            outcome.problems.append(f"P7 {key} is {row['status']}, the audit has {result}")


def _judge_plans(rows: Mapping[str, Row], outcome: Outcome) -> None:
    """P2: every planned action has its row, unless its event was parked before."""
    planned: Counter[str] = Counter()
    known: Counter[str] = Counter(row["event_key"] for row in rows.values() if "event_key" in row)
    for key, row in rows.items():
        if not key.startswith("evt:") or not row.get("plan"):
            continue
        plan = Plan.decode(row["plan"])
        actions = list(plan.actions)
        message = MessagePlan.of(plan) if plan.flow == OUTREACH else None
        if message is not None:
            outcome.purposes.add(message.purpose)
        planned[key] = len(actions)
        for action in actions:
            template = f" {action.arg}" if action.kind == "reply" else ""
            outcome.decided[action.kind + template] += 1
        if row["status"] == "processed" and known[key] < planned[key]:
            outcome.problems.append(f"P2 {key}: {known[key]} of {planned[key]} actions have a row")


def _judge_landings(landed: Counter[str], actions: Mapping[str, Row], outcome: Outcome) -> None:
    """P1 and P2: each action landed at most once, and exactly once if it is done."""
    for key, count in landed.items():
        row = actions.get(key)
        if key.startswith(STRAY) or row is None:
            outcome.problems.append(f"P1 {key} landed {count} times and was never decided")
            continue
        if count > 1:
            outcome.problems.append(f"P1 {key} landed {count} times")
        if count == 0 and row["status"] in _DONE:
            outcome.problems.append(f"P2 {key} is {row['status']} and never landed")
        if count and row["status"] not in _DONE | {"unknown"} and row.get("reason") != "already":
            outcome.problems.append(f"P1 {key} landed and is {row['status']}")


def _judge_order(
    run: Run, rows: Mapping[str, Row], actions: Mapping[str, Row], outcome: Outcome
) -> None:
    """P3: within a conversation, events are done in the order received, except parked ones.

    Events to companies are left out: they are posted by another lane, and `flows.companies` judges
    the order in which an endpoint gets them.
    """
    newest: dict[str, str] = {}
    done = [row for row in actions.values() if row["status"] == "done" and row.get("finished_at")]
    ours = [row for row in done if row["action_kind"] != TELL_COMPANY.name]
    for row in sorted(ours, key=lambda action: str(action["finished_at"])):
        event = rows.get(row["event_key"])
        if event is None or row["event_key"] in run.was_parked:
            continue
        received = str(event["received_at"])
        if received < newest.get(row["conversation_id"], ""):
            outcome.problems.append(f"P3 {row['event_id']} was done after a later event's action")
        newest[row["conversation_id"]] = max(received, newest.get(row["conversation_id"], ""))


def _judge_privacy(run: Run, outcome: Outcome) -> None:
    tables = [table for table in run.stage.tables if table not in _OWN]
    for where, text in [
        *((table, json.dumps(run.items(table), default=str)) for table in tables),
        ("the log", run.logged()),
    ]:
        outcome.problems += [
            f"P4 {word!r} is in {where}" for word in run.flow.secret_words if word in text
        ]


def _must_have_reason(key: str, row: Row, outcome: Outcome) -> None:
    if not row.get("reason"):
        outcome.problems.append(f"P7 {key} is {row['status']} without a reason")


def _must_be_indexed(key: str, row: Row, outcome: Outcome) -> None:
    """P2: everything that waits is in the index that the sweep and operators read."""
    if "due_at" not in row and not _is_of_fact_writer(row):
        outcome.problems.append(f"P2 {key} is {row['status']} and in no index")


def _is_of_fact_writer(row: Row) -> bool:
    """Whether a row is one of the fact writer's POSTs, which end with their facts."""
    return str(row.get("event_key")).startswith("WRITER:")
