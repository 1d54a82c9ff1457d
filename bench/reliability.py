"""``python -m bench.reliability``: four designs killed at every call they make; what came of it.

One ticket, one message, one reply that must come exactly once.  For each design every outgoing call
of door and worker is a crash point, before and after; the sender posts again until it is answered
2xx, the queue redelivers, all clocks go on.  Lost: accepted, and no reply, no dead letter, no record
that says so.  Duplicated: more than one reply.  Parked: no reply yet, and a row that says why.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

from local.vendors.richpanel import API_KEY
from tests.crash.harness import LEASE_SECONDS, Rig, Run, with_plan

DESIGNS = {
    "Powertools, batch and idempotency": "bench.peers.powertools",
    "key before enqueue and action": "bench.peers.key_first",
    "mark first, redelivery = duplicate": "bench.peers.mark_first",
    "this middleware": "replied",
}


def main() -> int:
    """Measure and print; 1 when ours lost or duplicated anything."""
    started = time.monotonic()
    print(
        f"{'design':<38}{'crash points':>13}{'lost':>6}{'duplicated':>12}{'parked':>8}{'once':>6}"
    )
    ours: Counter[str] = Counter()
    with Rig.up() as rig:
        for name, wiring in DESIGNS.items():
            ours = _measured(rig, wiring)
            print(
                f"{name:<38}{ours.total():>13}{ours['lost']:>6}{ours['duplicated']:>12}"
                f"{ours['parked']:>8}{ours['once']:>6}",
                flush=True,
            )
    print(f"\n{time.monotonic() - started:.0f} s")
    return 1 if ours["lost"] or ours["duplicated"] else 0


def _measured(rig: Rig, wiring: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for phase in ("api", "worker"):
        for number in range(1, _calls(rig, wiring, phase) + 1):
            for side in ("before", "after"):
                found[_crashed(rig, wiring, phase, number, side)] += 1
    return found


def _calls(rig: Rig, wiring: str, phase: str) -> int:
    run = _run(rig, wiring)
    _post(run)
    if phase == "worker":
        rig.proxy.forget()
        run.deliver_one()
    found = len(rig.proxy.calls)
    run.close()
    return found


def _crashed(rig: Rig, wiring: str, phase: str, number: int, side: str) -> str:
    run = _run(rig, wiring)
    if phase == "worker":
        _post(run)
    with_plan(rig, f"kill_{side}", number)
    if phase == "api":
        _post(run)
    _come_to_rest(run)
    outcome = _outcome(run)
    rig.proxy.forget()
    run.close()
    return outcome


def _run(rig: Rig, wiring: str) -> Run:
    run = Run(rig, wiring=wiring)
    run.environ["PEER_API_KEY"] = API_KEY
    run.aws.client("dynamodb").create_table(
        TableName="peer-keys",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    run.write("1042", "c-1")
    rig.proxy.forget()
    return run


def _post(run: Run) -> None:
    while run.post("1042", "c-1") != 200:  # noqa: PLR2004
        run.rig.proxy.forget()


def _come_to_rest(run: Run) -> None:
    """As SQS would; a result that names a failed record is a failure, as with batch responses."""
    if run.wiring == "replied":
        run.come_to_rest()
        return
    for _ in range(12):
        message = run.receive()
        if message is None:
            return
        result: Any = run.deliver(message).result()
        if result is not None and (result.get("returned") or {}).get("batchItemFailures"):
            result = None
        if result is not None and "error" in result:
            result = None
        run.acknowledge(message, result)
        run.later(LEASE_SECONDS)


def _outcome(run: Run) -> str:
    replies = [one for one in run.rig.richpanel.effects if one.kind in {"message", "comment"}]
    if len(replies) > 1:
        return "duplicated"
    if replies:
        return "once"
    is_told = any(row["status"] in {"parked", "failed"} for row in run.events().values())
    return "parked" if is_told or run.waiting() else "lost"


if __name__ == "__main__":
    sys.exit(main())
