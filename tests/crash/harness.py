"""One stage of its own: post, deliver, kill, redeliver, sweep, and judge from the outside."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from local import engine, environment, lambda_events, resources
from local.vendors.richpanel import Richpanel
from tests.crash.proxy import Call, Plan, Proxy

ROOT = Path(__file__).resolve().parents[2]
LEASE_SECONDS = 300.0
"""On which the clock of the next process is: the lease of a killed one is over."""
HORIZON_SECONDS = 1_300.0
"""Likewise beyond D: what has not landed by then never will."""
TEXT = "i want a refund, canary-7f3b"

_accounts = itertools.count(700_000_000_001)


class Nursery:
    """Starts and ends invocations; a context manager."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.nursery"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "STAGE": "dev", "PYTHONPATH": os.pathsep.join(_path())},
        )
        self._pids: queue.Queue[int] = queue.Queue()
        self._ended: dict[int, int] = {}
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._folder = Path(tempfile.mkdtemp())
        self._files = itertools.count()
        self.running: list[int] = []

    def start(self, **job: Any) -> Invocation:
        """Fork an invocation."""
        file = self._folder / str(next(self._files))
        line = json.dumps({**job, "file": str(file)})
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        pid = self._pids.get(timeout=30)
        self.running.append(pid)
        return Invocation(self, pid, file)

    def wait(self, pid: int, *, seconds: float) -> int:
        """The exit status of a process."""
        with self._news:
            if not self._news.wait_for(lambda: pid in self._ended, timeout=seconds):
                raise TimeoutError(f"invocation {pid} does not end")
            if pid in self.running:
                self.running.remove(pid)
            return self._ended[pid]

    def kill(self) -> None:
        """SIGKILL to the oldest running invocation; returns when it is gone."""
        pid = self.running[0]
        os.kill(pid, signal.SIGKILL)
        self.wait(pid, seconds=10)

    def stop(self) -> None:
        """SIGSTOP to the oldest running invocation."""
        os.kill(self.running[0], signal.SIGSTOP)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._reader.join(timeout=10)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                news = json.loads(line)
            except ValueError:
                continue  # a function's log line
            if "pid" in news and len(news) == 1:
                self._pids.put(news["pid"])
            elif "ended" in news:
                with self._news:
                    self._ended[news["ended"]] = news["status"]
                    self._news.notify_all()


@dataclass(frozen=True, slots=True)
class Invocation:
    """One process."""

    nursery: Nursery
    pid: int
    file: Path

    def result(self, *, seconds: float = 60.0) -> Any:
        """``{"returned": ...}``, ``{"error": ...}`` when it raised, None when it was killed."""
        self.nursery.wait(self.pid, seconds=seconds)
        return json.loads(self.file.read_text()) if self.file.exists() else None


@dataclass(slots=True)
class Rig:
    """What all runs share: engine, vendor, proxy, nursery."""

    ministack: engine.Engine
    richpanel: Richpanel
    nursery: Nursery
    proxy: Proxy
    shift: list[float]
    """How far on the clocks are, the vendor's too; one number, shared."""

    @classmethod
    @contextlib.contextmanager
    def up(cls) -> Any:
        """Start everything; ends everything."""
        shift = [0.0]
        vendor = Richpanel(now=lambda: time.time() + shift[0])
        with engine.ministack() as ministack, vendor as richpanel, Nursery() as nursery:
            richpanel.set_modes(rate_limit=None)
            proxy = Proxy(
                {"aws": ministack.url, "vendor": richpanel.base_url},
                kill=nursery.kill,
                stop=nursery.stop,
            )
            yield cls(ministack, richpanel, nursery, proxy, shift)
            proxy.close()


@dataclass(slots=True)
class Outcome:
    """What a run came to, seen from the outside."""

    name: str
    problems: list[str] = field(default_factory=list)
    parked: int = 0
    repeated: int = 0


class Run:
    """One stage and what is done to it.

    Args:
        rig: what is shared.
        wiring: ``product`` or ``replied``.
        ingress_ledger: a row before the queue.
    """

    def __init__(self, rig: Rig, *, wiring: str = "replied", ingress_ledger: bool = False) -> None:
        self.rig = rig
        self.aws = resources.Aws(rig.ministack.url, account=f"{next(_accounts)}")
        self.stage = resources.create(self.aws, "dev")
        rig.shift[0] = 0.0
        self.wiring = wiring
        rig.richpanel.reset()
        rig.richpanel.set_modes(rate_limit=None)
        through = resources.Aws(rig.proxy.url("aws"), account=self.aws.account)
        self.environ = environment.local("dev", through, richpanel_url=rig.proxy.url("vendor")) | {
            "INGRESS_LEDGER": str(ingress_ledger).lower(),
            "LOG_LEVEL": "ERROR",
        }
        self.accepted: list[str] = []
        rig.proxy.forget()

    def later(self, seconds: float) -> None:
        """All clocks go on."""
        self.rig.shift[0] += seconds

    # --- doing --------------------------------------------------------------------------------

    def write(self, ticket: str, comment: str, text: str = TEXT) -> None:
        """A customer writes at the provider."""
        if ticket not in {t for t, _ in self._tickets()}:
            self.rig.richpanel.add_ticket(ticket)
        self.rig.richpanel.add_comment(ticket, text, id=comment)

    def post(self, ticket: str, comment: str) -> int:
        """The provider's webhook; the status, or 0 when no answer came."""
        body = {"ticket_id": ticket, "message_id": comment, "message": TEXT}
        result = self.start("api", _request(body, self.stage.secrets.webhook_token)).result()
        answer = (result or {}).get("returned") or {}
        status = int(answer.get("statusCode", 0))
        if status < 300 and status:
            self.accepted.append(f"evt:rp:{ticket}:{comment}")
        return status

    def start(self, function: str, event: dict[str, Any]) -> Invocation:
        """Start a function with the run's clock."""
        return self.rig.nursery.start(
            function=function,
            event=event,
            environ=self.environ,
            shift_seconds=self.rig.shift[0],
            wiring=self.wiring,
        )

    def receive(self) -> dict[str, Any] | None:
        """The next message, now in flight."""
        found = self.aws.client("sqs").receive_message(
            QueueUrl=self.stage.queue_url,
            MaxNumberOfMessages=1,
            WaitTimeSeconds=0,
            AttributeNames=["All"],
        )
        messages = found.get("Messages", [])
        return messages[0] if messages else None

    def deliver(self, message: dict[str, Any]) -> Invocation:
        """Start the worker on a message, as Lambda does."""
        record = lambda_events.sqs_record(message, queue_arn=self.stage.queue_arn)
        return self.start("worker", lambda_events.sqs_event(record))

    def acknowledge(self, message: dict[str, Any], result: Any) -> None:
        """Delete what was returned from; else its visibility is over by the next delivery."""
        sqs = self.aws.client("sqs")
        handle = {"QueueUrl": self.stage.queue_url, "ReceiptHandle": message["ReceiptHandle"]}
        if result is None or "error" in result:
            if result is not None and "HandedBack" not in result["error"]:
                raise AssertionError(f"the worker raised {result['error']}")
            sqs.change_message_visibility(**handle, VisibilityTimeout=0)
            self.later(LEASE_SECONDS)
        else:
            sqs.delete_message(**handle)

    def deliver_one(self) -> bool:
        """One message, to its end; False when there is none."""
        message = self.receive()
        if message is None:
            return False
        self.acknowledge(message, self.deliver(message).result())
        return True

    def come_to_rest(self) -> None:
        """Redeliver until nothing waits; sweep beyond the horizon while something is parked."""
        for _ in range(4):
            for _ in range(30):
                if not self.deliver_one():
                    break
            if not any(row["status"] in {"parked", "received"} for row in self.events().values()):
                return
            self.later(HORIZON_SECONDS)
            for _ in range(2):
                self.start("reconcile", lambda_events.schedule_event()).result()
                self.later(HORIZON_SECONDS)

    # --- judging ------------------------------------------------------------------------------

    def events(self) -> dict[str, dict[str, Any]]:
        """Event rows by key."""
        return {key: row for key, row in self._rows().items() if key.startswith("evt:")}

    def judge(self, name: str) -> Outcome:
        """P1, P2, P3, P6 and P7 by what the vendor received and the tables hold."""
        outcome = Outcome(name)
        rows = self._rows()
        for key in self.accepted:
            row = rows.get(key)
            if row is None or row["status"] not in {"processed", "failed", "parked"}:
                outcome.problems.append(f"P2 {key} is {row and row['status']}")
            elif row["status"] != "processed":
                outcome.parked += 1
                if not row.get("reason"):
                    outcome.problems.append(f"P7 {key} has no reason")
        for key, row in rows.items():
            if row["status"] == "pending":
                outcome.problems.append(f"P2 {key} is pending")
        if self.waiting():
            outcome.problems.append("P2 messages are left")
        self._judge_vendor(outcome, rows)
        if self._text_in(rows):
            outcome.problems.append("P4 text in a table")
        return outcome

    def _judge_vendor(self, outcome: Outcome, rows: dict[str, Any]) -> None:
        for ticket, comments in self._tickets():
            changed: Counter[tuple[str, str]] = Counter()
            replies = []
            for effect in self.rig.richpanel.effects:
                if effect.ticket_id != ticket:
                    continue
                if effect.kind in {"message", "comment"}:
                    replies.append(effect.value)
                elif effect.changed:
                    changed[effect.kind, effect.value] += 1
                else:
                    outcome.repeated += 1
            keys = {key for key in self.accepted if key.startswith(f"evt:rp:{ticket}:")}
            wanted = len(keys) if self.wiring == "replied" else 0
            done = sum(
                row["status"] == "done" and row.get("action_kind") == "reply_queried"
                for row in rows.values()
            )
            if len(replies) > wanted:
                outcome.problems.append(f"P1 {ticket}: {len(replies)} replies to {wanted} messages")
            if len(replies) < done:
                outcome.problems.append(
                    f"P2 {ticket}: {done} replies are done, {len(replies)} came"
                )
            all_processed = all(rows.get(key, {}).get("status") == "processed" for key in keys)
            if all_processed and len(replies) < wanted:
                outcome.problems.append(f"P2 {ticket}: {len(replies)} of {wanted} replies came")
            if all_processed and keys and "mw-processed" not in self.rig.richpanel.tags_of(ticket):
                outcome.problems.append(f"P2 {ticket} has not its tags, {comments} comments")

    def _tickets(self) -> list[tuple[str, int]]:
        with self.rig.richpanel.lock:
            return [(key, len(t.comments)) for key, t in self.rig.richpanel._tickets.items()]

    def _rows(self) -> dict[str, dict[str, Any]]:
        from chalicelib.typed_values import from_wire  # noqa: PLC0415

        found = self.aws.client("dynamodb").scan(
            TableName=self.stage.tables["IdempotencyTable"], ConsistentRead=True
        )
        rows = [from_wire(item) for item in found["Items"]]
        return {row["event_id"]: row for row in rows}

    def waiting(self) -> int:
        """Messages on the queue or in flight."""
        attributes = self.aws.client("sqs").get_queue_attributes(
            QueueUrl=self.stage.queue_url, AttributeNames=["All"]
        )["Attributes"]
        names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        return sum(int(attributes[name]) for name in names)

    def _text_in(self, rows: dict[str, Any]) -> bool:
        return "canary-7f3b" in json.dumps(rows, default=str)

    def close(self) -> None:
        """Close the connections."""
        self.aws.close()


def calls_of(rig: Rig) -> list[Call]:
    """What was called since the count began."""
    return list(rig.proxy.calls)


def with_plan(rig: Rig, kind: str, at: int) -> Plan:
    """Count anew; something happens to the call with this number."""
    plan = Plan(kind, at)
    rig.proxy.forget(plan)
    return plan


def _request(body: dict[str, Any], token: str) -> dict[str, Any]:
    """An API Gateway proxy event."""
    return {
        "resource": "/webhook/richpanel",
        "path": "/webhook/richpanel",
        "httpMethod": "POST",
        "headers": {"content-type": "application/json", "x-richpanel-webhook-token": token},
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {"httpMethod": "POST", "resourcePath": "/webhook/richpanel"},
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


def _path() -> list[str]:
    return [str(ROOT), *[p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]]
