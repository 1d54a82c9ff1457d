"""`make demo`: real webhooks over HTTP into the whole system, and the outcome of each as a table.

The exit code is 0 only if every effect happened exactly once and no personal data is in the logs or
in tables A, B and C; otherwise 1, with the reasons printed.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import requests

from chalicelib.once.journal import is_entry
from local import aligned
from local.demo import facts as facts_demo
from local.demo import outreach as outreach_demo
from local.demo import support as support_demo
from local.stack import environment
from local.stack.system import Ports, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from local.vendors.simulated import ReceivedCall

EMAIL = "wilhelmina.quist@mail.example"
PHONE = "+1 415 555 0132"
NAME = "Wilhelmina Quist"
TEXTS = {
    "1042": "Where is my order? It is the turquoise vase.",
    "2001": f"I want a refund for the marzipan. Write to {EMAIL} or call {PHONE}.",
    "3001": "My umbrella came broken, can I return it?",
    "4001": 'She said "tracking shows nothing for the harmonica" and hung up',
}
"""The one message of each ticket; its unusual word must appear nowhere but at Richpanel."""

CANARIES: tuple[str, ...] = (
    *(EMAIL, NAME, "wilhelmina", "turquoise", "marzipan", "umbrella", "harmonica"),
    *(support_demo.EMAIL, "ottoline"),
    *outreach_demo.CANARIES,
)
PHONE_DIGITS = "4155550132"
READS = frozenset({"read_ticket", "list_tickets", "list_tags", "list_users"})
QUIET_SECONDS = 60.0


@dataclass(slots=True)
class DemoStep:
    """One step of the demo.

    Attributes:
        what: the step's name in the report.
        status: the expected status of every response.
        ticket: the ticket to add to Richpanel first.
        posts: how many identical posts at once; with 0 the schedule is run instead.
        writes: how many writing calls Richpanel must receive.
    """

    what: str
    status: int = 0
    body: str = ""
    ticket: str = ""
    token: str | None = None
    posts: int = 1
    writes: int = 0
    answers: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    calls: Sequence[ReceivedCall] = ()

    @property
    def accepted(self) -> int:
        """How many posts were accepted."""
        return sum(status == requests.codes.ok for status, _ in self.answers)

    @property
    def event_id(self) -> str | None:
        """The event id in the responses."""
        return next((body["event_id"] for _, body in self.answers if "event_id" in body), None)


def main(log: Path = environment.RUN / "demo.log") -> int:
    """Run the demo; the application's log goes to a file, which is then searched."""
    log.parent.mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    terminal = sys.stdout

    def say(what: str) -> None:
        print(what, file=terminal, flush=True)

    say("starting the engine, the simulated vendors and the application; half a minute in all ...")
    with log.open("w+") as file:
        with (
            contextlib.redirect_stdout(file),
            contextlib.redirect_stderr(file),
            Stack(
                Ports(),
                reconcile_every_seconds=None,
                on_error=lambda what, error: print(f"{what}: {type(error).__name__}"),
            ) as stack,
        ):
            story = _story()
            say("  tickets")
            _play(stack, story, problems)
            report = _report(stack, story)
            problems += _check(stack, story)
            say("  facts")
            facts_report, facts_problems = facts_demo.play(stack)
            problems += facts_problems
            say("  replies")
            replies_report, replies_problems = support_demo.play(stack)
            problems += replies_problems
            say("  outreach")
            outreach, outreach_problems = outreach_demo.play(stack)
            problems += outreach_problems
            stored = [
                aligned.rows(stack.stage.aws, name)
                for logical_id, name in stack.stage.tables.items()
                if logical_id != "ConversationsTable"  # holds personal data by design
            ]
        file.seek(0)
        problems += personal_data("the log", file.read())
        problems += personal_data("the tables", json.dumps(stored, default=str))
    print(f"\n{report}\n\n{facts_report}\n\n{replies_report}\n\n{outreach}\n")
    for problem in problems:
        print(f"FAILED: {problem}")
    if problems:
        print(f"The application's log is in {log}")
    else:
        print("Every effect happened exactly once; no personal data in the log or in the tables.")
    return 1 if problems else 0


def personal_data(where: str, text: str) -> Iterator[str]:
    """Report every customer word and address that occurs in a text."""
    if not text:
        yield f"{where} is empty, so nothing was checked there"
    for canary in CANARIES:
        if canary.lower() in text.lower():
            yield f"{where} holds {canary!r}"
    if PHONE_DIGITS in re.sub(r"[^\dA-Za-z]", "", text):
        yield f"{where} holds the phone number"


def _story() -> list[DemoStep]:
    full = _body(ticket_id="1042", message_id="c-1042", message=TEXTS["1042"])
    thin = _body(
        ticket_id="1042", ticket_url="https://shop.example/1042", trigger="customer_message"
    )
    pii = _body(ticket_id="2001", message_id="c-2001", message=TEXTS["2001"])
    broken = '{"ticket_id": "4001", "message": "' + TEXTS["4001"] + '"}'
    return [
        DemoStep("a new message", 200, full, ticket="1042", writes=1),
        DemoStep("the same again, three at once", 200, full, posts=3),
        DemoStep("the same, by a thin notification", 200, thin),
        DemoStep("one that holds an e-mail and a phone", 200, pii, ticket="2001", writes=1),
        DemoStep("a lost webhook: reconciliation", posts=0, ticket="3001", writes=1),
        DemoStep("reconciliation again", posts=0),
        DemoStep("a wrong token", 401, full, token="wrong"),  # noqa: S106 - wrong on purpose
        DemoStep("broken JSON without an id", 400, '{"message": "where'),
        DemoStep("broken JSON, the id is recovered", 200, broken, ticket="4001", writes=1),
    ]


def _body(**fields: str) -> str:
    return json.dumps(fields)


def _play(stack: Stack, story: Sequence[DemoStep], problems: list[str]) -> None:
    for step in story:
        if step.ticket:
            person = {"customer_email": EMAIL, "customer_name": NAME}
            stack.richpanel.add_ticket(step.ticket, comments=[_comment(step.ticket)], **person)
        before = len(stack.richpanel.calls)
        if step.posts:
            _post(stack, step)
        else:
            stack.schedule.tick()
        quiet = stack.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
        step.calls = stack.richpanel.calls[before:]
        if not quiet:
            errors = sorted(
                {invocation.error for invocation in stack.pump.history if invocation.error}
            )
            problems.append(f"{step.what}: not quiet after {QUIET_SECONDS:.0f} s ({errors})")
            return


def _comment(ticket_id: str) -> dict[str, str]:
    return {"body": TEXTS[ticket_id], "id": f"c-{ticket_id}"}


def _post(stack: Stack, step: DemoStep) -> None:
    def post() -> None:
        answer = requests.post(
            f"{stack.http.url}/webhook/richpanel",
            data=step.body.encode(),
            headers={
                "content-type": "application/json",
                "x-richpanel-webhook-token": step.token or stack.stage.secrets.webhook_token,
            },
            timeout=30,
        )
        step.answers.append((answer.status_code, answer.json()))

    threads = [threading.Thread(target=post) for _ in range(step.posts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- report and checks ----------------------------------------------------------------------------


def _report(stack: Stack, story: Sequence[DemoStep]) -> str:
    ledger = _ledger(stack)
    kept = aligned.rows(stack.stage.aws, stack.stage.tables["AuditActionsTable"])
    audit = [row for row in kept if not is_entry(row)]
    events = [row for row in ledger.values() if row["event_id"].startswith("evt:")]
    parts = [
        "Tickets: the requests and their outcomes",
        aligned.aligned(
            ("request", "response", "ledger", "Richpanel received"),
            ((step.what, _answered(step), _ended(step, ledger), _received(step)) for step in story),
        ),
        "Table A: events",
        aligned.shown(events, ("event_id", "status", "reason", "attempts", "intent", "source")),
        "Table C: audit trail",
        aligned.shown(audit, ("conversation_id", "action_type", "result", "idempotency_key")),
        "Richpanel: tickets afterwards",
        aligned.aligned(
            ("ticket", "tags"),
            ((id_, ", ".join(_tags(stack, id_))) for id_ in stack.richpanel.ticket_ids),
        ),
        _counts(stack, story, ledger),
    ]
    return "\n\n".join(parts)


def _ledger(stack: Stack) -> dict[str, dict[str, Any]]:
    rows = aligned.rows(stack.stage.aws, stack.stage.tables["IdempotencyTable"])
    return {row["event_id"]: row for row in rows}


def _tags(stack: Stack, ticket_id: str) -> list[str]:
    return sorted(stack.richpanel.tags_of(ticket_id))


def _answered(step: DemoStep) -> str:
    if not step.posts:
        return "-"
    statuses = Counter(
        f"{status} {body.get('code', body['status'])}" for status, body in step.answers
    )
    return ", ".join(
        f"{count} x {status}" if count > 1 else status for status, count in statuses.items()
    )


def _ended(step: DemoStep, ledger: dict[str, dict[str, Any]]) -> str:
    """The ledger's status of the event in the response, or of the message it was resolved to."""
    row = ledger.get(step.event_id or "")
    if row is not None:
        return " ".join(filter(None, (row["status"], row.get("reason"))))
    if step.ticket:
        row = ledger.get(f"evt:rp:{step.ticket}:c-{step.ticket}", {})
        return f"{row.get('status', 'nothing')} as c-{step.ticket}"
    return "nothing new"


def _received(step: DemoStep) -> str:
    calls = Counter(call.operation for call in step.calls)
    return (
        ", ".join(
            f"{count} x {operation}" if count > 1 else operation
            for operation, count in calls.items()
        )
        or "-"
    )


def _counts(stack: Stack, story: Sequence[DemoStep], ledger: dict[str, dict[str, Any]]) -> str:
    accepted = sum(step.accepted for step in story)
    caused = sum(step.accepted > 0 and step.writes > 0 for step in story)
    done = sum(row.get("status") == "done" for row in ledger.values())
    changes = sum(effect.changed for effect in stack.richpanel.effects)
    lines = (
        ("webhooks accepted", accepted),
        ("of them duplicates", accepted - caused),
        ("messages found by reconciliation", sum(not s.posts and s.writes > 0 for s in story)),
        ("actions done, by the ledger", done),
        ("effects, by Richpanel", changes),
    )
    return aligned.aligned(("total", ""), lines)


def _check(stack: Stack, story: Sequence[DemoStep]) -> Iterator[str]:
    """Yield every deviation from the expected result."""
    for step in story:
        wrong = [status for status, _ in step.answers if status != step.status]
        if wrong or len(step.answers) != step.posts:
            yield f"{step.what}: statuses {wrong}, expected {step.posts} x {step.status}"
        writes = [call.operation for call in step.calls if call.operation not in READS]
        if writes != ["add_tags"] * step.writes:
            yield f"{step.what}: Richpanel got {writes}, expected {step.writes} x add_tags"
    ledger = _ledger(stack)
    for ticket_id in TEXTS:
        if ticket_id not in stack.richpanel.ticket_ids:
            yield f"the demo did not reach ticket {ticket_id}"
            continue
        yield from _wrong_tags(stack, ticket_id)
        row = ledger.get(f"evt:rp:{ticket_id}:c-{ticket_id}", {})
        if row.get("status") != "processed":
            yield f"the message of {ticket_id} is {row.get('status', 'not in the ledger')}"
    actions = [row for key, row in ledger.items() if key.startswith("act:")]
    changes = sum(effect.changed for effect in stack.richpanel.effects)
    if {row["status"] for row in actions} != {"done"} or len(actions) != changes:
        yield f"{len(actions)} actions in the ledger, not all done or not the {changes} effects"
    kept = aligned.rows(stack.stage.aws, stack.stage.tables["AuditActionsTable"])
    audit = [row for row in kept if not is_entry(row)]
    if len(audit) != changes:
        yield f"{len(audit)} audit rows for {changes} effects"
    sqs = stack.stage.aws.client("sqs")
    dead = sqs.receive_message(QueueUrl=stack.stage.dead_letter_url).get("Messages", [])
    if dead:
        yield "a message is in the dead-letter queue"


def _wrong_tags(stack: Stack, ticket_id: str) -> Iterator[str]:
    """Each ticket must have one route tag, one intent tag and the two marks, each added once.

    A doubt or a suspected risk adds a tag of its own.
    """
    added = stack.richpanel.effects_of(ticket_id, "tag_added")
    removed = stack.richpanel.effects_of(ticket_id, "tag_removed")
    plain = [tag for tag in added if tag != "mw-uncertain" and not tag.startswith("mw-risk-")]
    shapes = sorted(re.sub(r"^(route-|mw-intent-).*", r"\1*", tag) for tag in plain)
    if shapes != ["mw-intent-*", "mw-processed", "mw-routing-applied", "route-*"]:
        yield f"ticket {ticket_id} got the tags {sorted(added)}"
    if any(count != 1 for count in added.values()) or removed:
        yield f"ticket {ticket_id}: tags added {dict(added)}, removed {dict(removed)}"


if __name__ == "__main__":
    sys.exit(main())
