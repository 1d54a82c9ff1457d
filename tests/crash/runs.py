"""Every boundary, every vendor fault, two workers, a worker that stood still, a request held back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

from tests.crash.harness import LEASE_SECONDS, Outcome, Rig, Run, calls_of, with_plan
from tests.crash.proxy import Call

VENDOR_FAULTS = ("answer_lost", "reset", "act_then_500", "500", "503", "429", "hang")


def boundaries(rig: Rig, *, wiring: str) -> list[Call]:
    """The calls of one undisturbed delivery, as the proxy saw them."""
    run = _prepared(rig, wiring=wiring)
    rig.proxy.forget()
    run.deliver_one()
    run.come_to_rest()
    found = calls_of(rig)
    outcome = run.judge("undisturbed")
    run.close()
    assert not outcome.problems, outcome.problems
    return found


def killed_worker(rig: Rig, call: Call, side: str, *, wiring: str = "replied") -> Outcome:
    """SIGKILL before or after one call of the worker; then what SQS would do."""
    run = _prepared(rig, wiring=wiring)
    with_plan(rig, f"kill_{side}", call.number)
    return _ended(run, f"worker killed {side} {call.number} {call.target} {call.operation}")


def killed_ingress(rig: Rig, number: int, side: str, *, ledger: bool) -> Outcome:
    """SIGKILL before or after one call of the door; the sender posts again until it is answered."""
    run = Run(rig, ingress_ledger=ledger)
    run.write("1042", "c-1")
    with_plan(rig, f"kill_{side}", number)
    while not 0 < run.post("1042", "c-1") < 300:
        rig.proxy.forget()
    rig.proxy.forget()
    run.later(LEASE_SECONDS)
    run.start("reconcile", {"source": "test", "detail": {}, **_SCHEDULE}).result()
    return _ended(run, f"ingress killed {side} call {number}, ledger {ledger}")


def vendor_fault(rig: Rig, call: Call, kind: str) -> Outcome:
    """One vendor call goes wrong."""
    run = _prepared(rig)
    plan = with_plan(rig, kind, call.number)
    run.deliver_one()
    plan.let_go.set()
    return _ended(run, f"vendor {kind} at {call.number} {call.operation}")


def stopped_worker(rig: Rig, call: Call, side: str) -> Outcome:
    """A worker stands still beyond its lease; another does the work; the first goes on."""
    run = _prepared(rig)
    plan = with_plan(rig, f"stop_{side}", call.number)
    message = run.receive()
    assert message is not None
    zombie = run.deliver(message)
    assert plan.reached.wait(30)
    rig.nursery.running.remove(zombie.pid)
    run.aws.client("sqs").change_message_visibility(
        QueueUrl=run.stage.queue_url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
    )
    run.later(LEASE_SECONDS)
    run.deliver_one()
    plan.let_go.set()
    os.kill(zombie.pid, signal.SIGCONT)
    zombie.result()
    return _ended(run, f"worker stopped {side} {call.number} {call.operation}")


def two_workers(rig: Rig) -> Outcome:
    """A copy of the message, outside the queue's window, runs while the first does."""
    run = _prepared(rig)
    message = run.receive()
    assert message is not None
    first = run.deliver(message)
    second = run.deliver(message)
    results = [first.result(), second.result()]
    kept = [r for r in results if r is None or "error" not in r]
    run.acknowledge(message, kept[0] if kept else results[0])
    return _ended(run, "two workers on one event")


def held_request(rig: Rig, call: Call, *, beyond: bool) -> Outcome:
    """The reply's request is held in the network, and lands within D or beyond it."""
    run = _prepared(rig)
    plan = with_plan(rig, "held", call.number)
    run.deliver_one()
    rig.proxy.forget()
    if beyond:
        run.come_to_rest()
        plan.let_go.set()
        _until(lambda: len(_replies(rig)) > 1)
    else:
        plan.let_go.set()
        _until(lambda: bool(_replies(rig)))
    name = f"request held {'beyond' if beyond else 'within'} D"
    return _ended(run, name)


def two_messages(rig: Rig, call: Call, side: str) -> Outcome:
    """Two messages of one conversation, the worker of the first killed: the order stays (P3)."""
    run = _prepared(rig)
    run.write("1042", "c-2")
    assert run.post("1042", "c-2") == 200
    with_plan(rig, f"kill_{side}", call.number)
    outcome = _ended(run, f"two messages, killed {side} {call.number}")
    rows = run._rows()
    finished = [
        row["finished_at"]
        for key, row in sorted(rows.items())
        if key.startswith("act:rp_reply:") and row["status"] == "done"
    ]
    if finished != sorted(finished):
        outcome.problems.append("P3 the second message was answered first")
    return outcome


def every(rig: Rig) -> Iterator[Outcome]:
    """All of it."""
    for wiring in ("replied", "product"):
        for call in boundaries(rig, wiring=wiring):
            for side in ("before", "after"):
                yield killed_worker(rig, call, side, wiring=wiring)
    for ledger in (False, True):
        for number in range(1, ingress_calls(rig, ledger=ledger) + 1):
            for side in ("before", "after"):
                yield killed_ingress(rig, number, side, ledger=ledger)
    calls = boundaries(rig, wiring="replied")
    vendor = [call for call in calls if call.target == "vendor"]
    for call in vendor:
        for kind in VENDOR_FAULTS:
            yield vendor_fault(rig, call, kind)
    for call in calls:
        for side in ("before", "after"):
            yield stopped_worker(rig, call, side)
            yield two_messages(rig, call, side)
    yield two_workers(rig)
    reply = next(call for call in vendor if "send-message" in call.operation)
    yield held_request(rig, reply, beyond=False)


def ingress_calls(rig: Rig, *, ledger: bool) -> int:
    """How many calls the door makes."""
    run = Run(rig, ingress_ledger=ledger)
    run.write("1042", "c-1")
    rig.proxy.forget()
    assert run.post("1042", "c-1") == 200
    found = len(calls_of(rig))
    run.close()
    return found


def _prepared(rig: Rig, *, wiring: str = "replied") -> Run:
    run = Run(rig, wiring=wiring)
    run.write("1042", "c-1")
    assert run.post("1042", "c-1") == 200
    return run


def _ended(run: Run, name: str) -> Outcome:
    run.come_to_rest()
    outcome = run.judge(name)
    run.rig.proxy.forget()
    run.close()
    return outcome


def _replies(rig: Rig) -> list[str]:
    return [e.value for e in rig.richpanel.effects if e.kind in {"message", "comment"}]


def _until(holds: object) -> None:
    import time  # noqa: PLC0415

    assert callable(holds)
    ends = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


_SCHEDULE = {
    "version": "0",
    "id": "1",
    "detail-type": "Scheduled Event",
    "account": "0",
    "time": "2026-11-20T12:00:00Z",
    "region": "us-east-1",
    "resources": [],
}
